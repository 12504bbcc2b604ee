package far

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Sizeable refuses boxes that are too large to find clusters in.
func Sizeable(box grid.Rect) error {
	if grid.Product(uint64(box.W), uint64(box.H)) > 1<<26 {
		return fmt.Errorf("%d×%d cells are too many to find clusters in: want at most 2^26", box.W, box.H)
	}
	return nil
}

// Sizes holds for blocks of cells how large the largest cluster is that has cells there.
type Sizes struct {
	area  grid.Rect
	scale int
	cells []uint32
}

// SizesOf finds the clusters of live cells, which touch at edges or corners, in a box. torus says that the box is one.
func SizesOf(src grid.Source, box grid.Rect, torus bool) (*Sizes, error) {
	if err := Sizeable(box); err != nil || box.Empty() {
		return &Sizes{}, err
	}
	var m Map
	m.cover(box)
	s := &Sizes{area: m.area, scale: m.scale, cells: make([]uint32, len(m.blocks))}
	var f forest
	rows := make([]int, 1, box.H+1) // where the runs of each row begin
	row, plane := make([]uint64, (box.W+63)/64), make([]uint64, (box.W+63)/64)
	for y := range box.H {
		clear(row)
		for k := range src.Planes() {
			if err := src.ReadRow(plane, k, box.X, box.Y+y, box.W); err != nil {
				return nil, err
			}
			for i, v := range plane {
				row[i] |= v
			}
		}
		f.read(row)
		rows = append(rows, len(f.runs))
		if y > 0 {
			f.join(f.runs[rows[y-1]:rows[y]], rows[y-1], f.runs[rows[y]:rows[y+1]], rows[y])
		}
	}
	if torus {
		f.close(rows, int32(box.W))
	}
	f.store(s, box, rows)
	return s, nil
}

// Largest is the number of cells of the largest cluster.
func (s *Sizes) Largest() uint32 {
	if len(s.cells) == 0 {
		return 0
	}
	return slices.Max(s.cells)
}

// run is a row of cells side by side, from first to last. Its parent is a run of the same cluster, itself if it
// stands for all of them; then size is theirs.
type run struct {
	first, last, parent int32
	size                uint32
}

type forest struct{ runs []run }

// read appends the runs of a row.
func (f *forest) read(row []uint64) {
	last := int32(-2) // column
	for i, v := range row {
		for v != 0 {
			x := bits.TrailingZeros64(v)
			n := bits.TrailingZeros64(^(v >> x))
			from, to := int32(64*i+x), int32(64*i+x+n-1)
			if from == last+1 {
				f.runs[len(f.runs)-1].last = to
				f.runs[len(f.runs)-1].size += uint32(n)
			} else {
				f.runs = append(f.runs, run{from, to, int32(len(f.runs)), uint32(n)})
			}
			last = to
			if v &= v + 1<<x; x+n == 64 {
				break
			}
		}
	}
}

// find returns the root of a run. It halves the path: every run that it passes is hung to its
// grandparent.
func (f *forest) find(i int32) int32 {
	for f.runs[i].parent != i {
		f.runs[i].parent = f.runs[f.runs[i].parent].parent
		i = f.runs[i].parent
	}
	return i
}

// union hangs the smaller tree below the root of the larger one, so that paths stay short.
func (f *forest) union(a, b int32) {
	if a, b = f.find(a), f.find(b); a == b {
		return
	}
	if f.runs[a].size < f.runs[b].size {
		a, b = b, a
	}
	f.runs[b].parent = a
	f.runs[a].size += f.runs[b].size
}

// join joins the runs of two rows that touch. i and j are the numbers of their first ones.
func (f *forest) join(up []run, i int, down []run, j int) {
	for a, b := 0, 0; a < len(up) && b < len(down); {
		if up[a].first <= down[b].last+1 && down[b].first <= up[a].last+1 {
			f.union(int32(i+a), int32(j+b))
		}
		if up[a].last < down[b].last {
			a++
		} else {
			b++
		}
	}
}

// close joins what touches over the edges of a torus of w columns.
func (f *forest) close(rows []int, w int32) {
	h := len(rows) - 1
	of := func(y int) ([]run, int) { return f.runs[rows[y]:rows[y+1]], rows[y] }
	up, i := of(h - 1)
	down, j := of(0)
	f.join(up, i, down, j)
	for y := range h {
		left, i := of(y)
		if len(left) == 0 || left[0].first > 0 {
			continue
		}
		for _, dy := range []int{h - 1, 0, 1} {
			if right, j := of((y + dy) % h); len(right) > 0 && right[len(right)-1].last == w-1 {
				f.union(int32(i), int32(j+len(right)-1))
			}
		}
	}
}

// store notes the sizes of the clusters in the blocks where they have cells.
func (f *forest) store(s *Sizes, box grid.Rect, rows []int) {
	across := s.area.W >> s.scale
	for y := range box.H {
		to := s.cells[(box.Y+y-s.area.Y)>>s.scale*across:][:across]
		for i := rows[y]; i < rows[y+1]; i++ {
			size := f.runs[f.find(int32(i))].size
			for b := (box.X + int(f.runs[i].first) - s.area.X) >> s.scale; b <= (box.X+
				int(f.runs[i].last)-s.area.X)>>s.scale; b++ {
				to[b] = max(to[b], size)
			}
		}
	}
}
