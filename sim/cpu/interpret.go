package cpu

import "github.com/gosper-life/gosper/logic"

//go:generate go run ./gen

// A kernel computes one row of a program. rows holds the program's loads in order of appearance, then its stores, then its
// outputs; vectors lo ≤ j < hi of the outputs are computed, and what they need of the stores; then the outputs' ghosts are mended.
// ahead is a row that will be read soon, to be fetched into the cache. Rows that are not wanted need no outputs.
type kernel interface {
	run(rows [][]uint64, ahead []uint64, lo, hi int, wanted bool)
	// inPlace reports whether the row a stream stores may be the one it loads.
	inPlace(stream int) bool
}

// interpreter is the portable kernel: one Go loop for each kind of lookup table, over blocks of a row that stay in the first-level
// cache.
type interpreter struct {
	program *logic.Program
	steps   []step
	outside int // rows given by the caller; the others are scratch
	margin  int // scratch vectors on each side of a block
	layout  *layout
	ghosts  []move
	views   [][]uint64
	block   int // vectors
}

// step is one lookup table: rows are numbered the caller's first, then scratch.
type step struct {
	loop     loop
	dst      int
	src      [3]int
	dx       [3]int
	lo, hi   int // extent beyond the block
	constant bool
	value    uint64
}

// loop computes dst[i] from a[i], b[i], c[i]; all have the length of dst.
type loop func(dst, a, b, c []uint64)

// blockWords is how many words of a row are computed at a time: a dozen such rows fit the first-level cache.
const blockWords = 256

func newInterpreter(p *logic.Program, l *layout, ghosts []move) *interpreter {
	in := &interpreter{program: p, layout: l, ghosts: ghosts, block: max(1, blockWords/l.lanes)}
	extents := p.Extents()
	last := make([]int, len(p.Ops)) // the last op that uses a value
	for i, op := range p.Ops {
		for _, o := range op.In[:op.N] {
			last[o.Value] = i
		}
		in.margin = max(in.margin, -extents[i].Lo, extents[i].Hi)
	}
	row := make([]int, len(p.Ops)) // where a value lives, -1: nowhere yet
	for i := range row {
		row[i] = -1
	}
	for i, op := range p.Ops {
		if op.Kind == logic.Load {
			row[i] = in.outside
			in.outside++
		}
	}
	for _, s := range p.Stores {
		row[s.Value.Value] = in.outside
		in.outside++
	}
	for _, o := range p.Out {
		row[o.Value] = in.outside
		in.outside++
	}
	rows := in.outside
	var free []int
	for i, op := range p.Ops {
		if op.Kind == logic.Load {
			continue
		}
		if row[i] < 0 {
			if len(free) == 0 {
				free = append(free, rows)
				rows++
			}
			row[i] = free[len(free)-1]
			free = free[:len(free)-1]
		}
		s := step{dst: row[i], lo: extents[i].Lo, hi: extents[i].Hi}
		if op.Kind == logic.Const {
			s.constant, s.value = true, -uint64(op.Imm&1)
		} else {
			imm, order := canonical(op.Imm)
			s.loop = loops[imm]
			for k, from := range order {
				o := op.In[min(from, op.N-1)]
				s.src[k], s.dx[k] = row[o.Value], o.DX
			}
		}
		in.steps = append(in.steps, s)
		for _, o := range op.In[:op.N] {
			if last[o.Value] == i && row[o.Value] >= in.outside {
				free = append(free, row[o.Value])
				last[o.Value] = -1 // an op may use it twice
			}
		}
	}
	in.views = make([][]uint64, rows)
	for i := in.outside; i < rows; i++ {
		in.views[i] = alignedWords((in.block + 2*in.margin) * l.lanes)
	}
	return in
}

// canonical returns the immediate of the loop that serves imm, and which input of imm each of the loop's inputs is.
func canonical(imm uint8) (uint8, [3]int) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		if permuted := reorder(imm, order); loops[permuted] != nil {
			return permuted, order
		}
	}
	panic("cpu: no loop for a lookup table")
}

func (in *interpreter) run(rows [][]uint64, _ []uint64, lo, hi int, _ bool) {
	lanes := in.layout.lanes
	for from := lo; from < hi; from += in.block {
		n := min(in.block, hi-from)
		base := (in.layout.ghost + from - in.margin) * lanes
		for i, row := range rows {
			in.views[i] = row[base:]
		}
		for k := range in.steps {
			s := &in.steps[k]
			a, b := (in.margin+s.lo)*lanes, (in.margin+n+s.hi)*lanes
			dst := in.views[s.dst][a:b]
			if s.constant {
				for i := range dst {
					dst[i] = s.value
				}
				continue
			}
			var src [3][]uint64
			for k := range src {
				src[k] = in.views[s.src[k]][a+s.dx[k]*lanes : b+s.dx[k]*lanes]
			}
			s.loop(dst, src[0], src[1], src[2])
		}
	}
	for _, row := range rows[in.outside-len(in.program.Out) : in.outside] {
		in.layout.mend(row, in.ghosts)
	}
}

func (in *interpreter) inPlace(int) bool { return false }
