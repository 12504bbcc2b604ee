package volumes

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// stack is the layers z0 ≤ z < z1 of a universe. One thread goes through them and computes several generations on
// the way: at step z it computes layer z of the first generation, then layer z-n of the second, where n is how many
// layers the rule looks ahead, and so on. Few layers of each generation between are kept.
//
//	layer z + n     ────────  enters
//	layer z         ▓▓▓▓▓▓▓▓  generation 1
//	layer z - n     ▒▒▒▒▒▒▒▒  generation 2
//	layer z - 2·n   ░░░░░░░░  generation 3, which leaves
//
// Generations before the last have more layers than are wanted, n fewer each time. Stacks need not exchange anything
// during a pass. Other stacks overwrite the layers around a stack, so these are copied before any stack starts.
//
// A pass needs no second universe. Its layers go where the first generation does not need the old ones any more. If
// that is some layers before, the stack drifts through its memory, round and round.
type stack struct {
	u          *universe
	program    *rowprog.Program
	kernel     codegen.Kernel
	z0, z1     int
	levels     []level // by generation
	around     []uint64
	lo, hi     int // the places of the universe's memory that this stack has
	from, into int // the place, counted from lo, of layer z0 before and after the pass
	deepest    int // generations of a pass, at most
	depth      int // of this pass
	loads      []rowprog.Op
	near       []*sheet // the layers that a layer is computed from
	delays     []delay
	given      [][2]unsafe.Pointer // rows of the program's parities, of even and of odd sums of layer, row and generation
	dice       *dice
	waste      []unsafe.Pointer   // by output: takes rows that are not wanted
	lines      [][]unsafe.Pointer // by load, store, output: the row for each row that is computed
	queue      []unsafe.Pointer
	arguments  [][]uint64
}

// level is the layers that are kept of a generation: layer z is number z modulo their number.
type level struct {
	sheets []*sheet
	words  []uint64 // of generations between
}

// delay is the rows of a delay line of the program.
type delay struct {
	words []uint64
	rows  []unsafe.Pointer // by row of the layer, from some rows before the first row computed
	back  int              // rows that are kept
}

// maxDrift is the number of places that a stack needs in addition to its layers.
func maxDrift(p *rowprog.Program) int { return p.Layers + 1 }

// newStack makes a stack of layers z0 to z1, with memory for the layers around it and for those
// between the generations of a pass.
func newStack(u *universe, p *rowprog.Program, at layout.Places, k codegen.Kernel, depth, z0, z1, index int) *stack {
	s := &stack{
		u: u, program: p, kernel: k, z0: z0, z1: z1, deepest: depth,
		lo: z0 + index*maxDrift(p), hi: z1 + (index+1)*maxDrift(p),
	}
	s.around = layout.AlignedWords(2 * depth * p.Layers * u.layerWords())
	for g := range depth {
		var l level
		if g > 0 {
			l.words = layout.AlignedWords((2*p.Layers + 1) * u.layerWords())
		}
		for i := range 2*p.Layers + 1 {
			l.sheets = append(l.sheets, u.newSheet())
			if g > 0 {
				l.sheets[i].set(l.layer(u, i))
			}
		}
		s.levels = append(s.levels, l)
	}
	s.near = make([]*sheet, 2*p.Layers+1)
	for _, op := range p.Ops {
		if op.Kind == rowprog.Load {
			s.loads = append(s.loads, op)
		}
	}
	s.delays = newDelays(u, p, k)
	for _, parity := range p.Given {
		var rows [2]unsafe.Pointer
		for odd := range rows {
			rows[odd] = pointer(u.Parities(at, parity.Column, parity.Row, odd == 1))
		}
		s.given = append(s.given, rows)
	}
	s.dice = newDice(u, p)
	for range p.Out {
		s.waste = append(s.waste, pointer(layout.AlignedWords(u.Stride)))
	}
	s.lines = make([][]unsafe.Pointer, len(s.loads)+len(p.Stores)+len(p.Out))
	for i := range s.lines {
		s.lines[i] = make([]unsafe.Pointer, p.Warm+u.Rows)
	}
	s.settle()
	return s
}

// newDelays makes all delay lines of a layer.
func newDelays(u *universe, p *rowprog.Program, k codegen.Kernel) (all []delay) {
	for i := range p.Streams[p.Kept():] {
		all = append(all, newDelay(u, p, p.Kept()+i, k))
	}
	return all
}

func newDelay(u *universe, p *rowprog.Program, stream int, k codegen.Kernel) delay {
	d := delay{back: p.Streams[stream].Depth}
	n := d.back + 1
	if k.InPlace(stream) {
		n = 1
	}
	d.words = layout.AlignedWords(n * u.Stride)
	for i := range d.back + p.Warm + u.Rows {
		d.rows = append(d.rows, pointer(d.words[i%n*u.Stride:]))
	}
	return d
}

// layer is the words of a layer that is kept.
func (l *level) layer(u *universe, i int) []uint64 {
	n := u.layerWords()
	return l.words[i*n : (i+1)*n : (i+1)*n]
}

// sheet is that of layer z.
func (l *level) sheet(z int) *sheet { return l.sheets[floorMod(z, len(l.sheets))] }

func floorMod(a, n int) int { return (a%n + n) % n }

// settle records the places of the layers in the universe.
func (s *stack) settle() {
	for z := s.z0; z < s.z1; z++ {
		s.u.places[z] = s.place(s.from, z)
	}
}

// place is the place of layer z in the universe's memory if layer z0 is the given number of places from lo.
func (s *stack) place(first, z int) int {
	at := s.lo + first + z - s.z0
	if at >= s.hi {
		at -= s.hi - s.lo
	}
	return at
}

// copied is the words of the copy of layer z, which is not of the stack.
func (s *stack) copied(z int) []uint64 {
	//	around     layers z1, z1+1, …     │     layers z0-1, z0-2, …
	//
	// Each part has depth·Layers of them.
	i := z - s.z1
	if z < s.z0 {
		i = s.depth*s.program.Layers + s.z0 - 1 - z
	}
	n := s.u.layerWords()
	return s.around[i*n : (i+1)*n : (i+1)*n]
}

// gather copies the layers that other stacks, or this one, are going to overwrite. Before a pass all stacks
// gather, then all run.
func (s *stack) gather(depth int) {
	s.depth = depth
	for n := range depth * s.program.Layers {
		for _, z := range [2]int{s.z0 - 1 - n, s.z1 + n} {
			if layer, inside := s.u.fold(z); inside {
				s.u.copyLayer(s.copied(z), s.u.layer(s.u.places[layer]), z)
			}
		}
	}
}

// run advances the stack from a generation on by the generations that it has gathered for.
func (s *stack) run(generation uint64) {
	n, last := s.program.Layers, s.depth-1
	// When the first generation has computed layer z it is done with layer z-n, and the last is at layer z - last·n.
	drift := max(0, n-last*n)
	if last == 0 {
		drift = n + 1 // the first is the last: it still reads layer z-n
	}
	s.into = floorMod(s.from-drift, s.hi-s.lo)
	for z := s.z0 - s.depth*n; z < s.z0-last*n+n; z++ {
		s.enter(z)
	}
	for z := s.z0 - last*n; z < s.z1+last*n; z++ {
		s.enter(z + n)
		for g := range s.depth {
			if at := z - g*n; at >= s.z0-(last-g)*n && at < s.z1+(last-g)*n {
				s.compute(generation+uint64(g), g, at)
			}
		}
	}
	s.from = s.into
	s.settle()
}

// enter lists the rows of layer z before the pass.
func (s *stack) enter(z int) {
	sh := s.levels[0].sheet(z)
	switch _, inside := s.u.fold(z); {
	case !inside:
		sh.kill()
		return
	case s.z0 <= z && z < s.z1:
		sh.set(s.u.layer(s.place(s.from, z)))
	default:
		sh.set(s.copied(z))
	}
	sh.close()
}

// compute computes layer z of the generation after one, whose number in the pass is g.
func (s *stack) compute(generation uint64, g, z int) {
	var next *sheet // unless it is the last generation
	var into []uint64
	if g < s.depth-1 {
		l := &s.levels[g+1]
		next = l.sheet(z)
		if _, inside := s.u.fold(z); !inside {
			next.kill()
			return
		}
		into = l.layer(s.u, floorMod(z, len(l.sheets)))
	} else {
		into = s.u.layer(s.place(s.into, z))
	}
	s.list(generation, &s.levels[g], z, into)
	for i := range s.delays {
		clear(s.delays[i].words)
	}
	s.rows()
	if next != nil {
		next.set(into)
		next.close()
	}
}

// list lists the rows that layer z of the generation after that of a level is computed from, and those that it goes to.
func (s *stack) list(generation uint64, l *level, z int, into []uint64) {
	p, u := s.program, s.u
	n := p.Warm + u.Rows
	lines := s.lines
	for i := range s.near {
		s.near[i] = l.sheet(z + i - p.Layers)
	}
	for i := range s.loads {
		op := &s.loads[i]
		switch {
		case op.Stream < p.Planes:
			first := op.Stream*u.span() + u.before - p.Warm + op.DY
			lines[i] = s.near[op.DZ+p.Layers].rows[first : first+n]
		case op.Stream < p.Random():
			parity, rows := p.Given[op.Stream-p.Planes], &s.given[op.Stream-p.Planes]
			parity.Column = false
			for y := range lines[i] {
				lines[i][y] = rows[0]
				if parity.At(0, y-p.Warm+op.DY, z, generation) {
					lines[i][y] = rows[1]
				}
			}
		case op.Stream < p.Kept():
			for y := range p.Warm {
				lines[i][y] = pointer(u.dead)
			}
			layer, _ := u.fold(z)
			s.dice.list(lines[i][p.Warm:], op.Stream-p.Random(), generation, layer)
		default:
			d := &s.delays[op.Stream-p.Kept()]
			lines[i] = d.rows[d.back+op.DY:][:n]
		}
	}
	lines = lines[len(s.loads):]
	for i, st := range p.Stores {
		d := &s.delays[st.Stream-p.Kept()]
		lines[i] = d.rows[d.back:][:n]
	}
	lines = lines[len(p.Stores):]
	for k, line := range lines {
		for y := range line {
			if y < p.Warm {
				line[y] = s.waste[k]
				continue
			}
			line[y] = pointer(into[((y-p.Warm)*u.planes+k)*u.Stride:])
		}
	}
}

// mostQueued is the number of pointers that one call of machine code takes at most, which a first-level cache holds.
// mostVectors is the number of operations on vectors that it takes at most: Go's scheduler cannot stop it meanwhile.
const (
	mostQueued  = 512
	mostVectors = 1 << 20
)

// rows computes the rows that are listed.
func (s *stack) rows() {
	n := s.program.Warm + s.u.Rows
	m, ok := s.kernel.(*codegen.Machine)
	if !ok {
		for y := range n {
			s.arguments = s.arguments[:0]
			for _, line := range s.lines {
				s.arguments = append(s.arguments, s.u.words64(line[y]))
			}
			s.kernel.Run(s.arguments, nil, 0, s.u.Vectors, y >= s.program.Warm)
		}
		return
	}
	width := m.RowPointers()
	most := max(1, min(mostQueued/width, mostVectors/m.RowWork()))
	if s.queue == nil {
		s.queue = make([]unsafe.Pointer, most*width) // the first pointer of a row, to the row ahead, stays nil
	}
	for y := 0; y < n; y += most {
		queue := s.queue[:min(most, n-y)*width]
		for i, line := range s.lines {
			at := 1 + i
			for _, row := range line[y:min(y+most, n)] {
				queue[at] = row
				at += width
			}
		}
		m.RunPart(queue, 0, s.u.Vectors)
	}
}
