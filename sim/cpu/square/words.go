// Package square advances single square blocks of cells for hashed life. For the rules that allow it, blocks
// are 64×64 cells with a word for each row. For other rules, blocks can have any size.
package square

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

const (
	// size is the columns and rows of a Square.
	size = 64

	// maxDepth is the most generations that a Square advances at once.
	maxDepth = size / 4
)

// ErrNoWords says that a rule cannot use Words: its radius is too large, or its program adds up rows as they come.
var ErrNoWords = errors.New("the rule does not fit squares of 64×64 cells")

// Words is one block of 64×64 cells, with a word for each row. All of its rows are computed at once: row y is lane y
// / vectors of vector y mod vectors. As a result, the rows above and below those of a vector are the vectors beside
// it, and columns are shifts within the words. Cells near the sides become wrong, one radius further inwards in every
// generation. It is for one goroutine.
type Words struct {
	kernels []codegen.Kernel // by rule, for alternating rules
	layout  layout.Layout    // of a plane as a row
	halo    []layout.Move
	planes  int
	apart   bool        // every vector is a row of its own for the kernels
	plates  [3][]uint64 // the input, and two that alternate for the generations after it; plane after plane
	rows    [][]uint64
	queue   []unsafe.Pointer // of a lone kernel of machine code: maxDepth generations from the input on
	places  [size]int
	ops     int // of the programs, at most
}

// NewWords makes a square of dead cells for a rule, or for several that take turns. The error is ErrNoWords if
// that is not possible.
func NewWords(rules ...*compile.Compiled) (*Words, error) {
	for _, code := range []codegen.Code{codegen.Fastest(), codegen.Portable} {
		s, err := newWords(code, rules)
		if !errors.Is(err, codegen.ErrNotCompiled) {
			return s, err
		}
	}
	return nil, ErrNoWords
}

// newWords compiles the kernels of all rules, for squares whose rows are words.
func newWords(code codegen.Code, rules []*compile.Compiled) (*Words, error) {
	s := &Words{layout: layout.Layout{
		Lanes: code.Lanes(), Strips: 64 * code.Lanes(), Slabs: 1,
		Vectors: size / code.Lanes(),
	}}
	s.apart = code != codegen.Portable
	l := &s.layout
	for _, r := range rules {
		if l.Halo = max(l.Halo, r.Rule.Radius()); l.Halo > l.Vectors {
			return nil, ErrNoWords
		}
	}
	if s.apart {
		l.Halo = 0
	}
	for g := range l.Halo {
		s.halo = append(s.halo,
			layout.Move{Dst: -1 - g, Src: l.Vectors - 1 - g, Turn: (l.Lanes - 1) * 64},
			layout.Move{Dst: l.Vectors + g, Src: g, Turn: 64 % l.Strips})
	}
	l.Stride = (l.Vectors + 2*l.Halo) * l.Lanes
	for _, r := range rules {
		rows := code.Transposed(r)
		p, shifts, ok := blocks.InWords(rows)
		if !ok || len(rows.Streams) > p.Planes {
			return nil, ErrNoWords
		}
		s.planes, s.ops = p.Planes, max(s.ops, len(p.Ops))
		k, err := s.kernel(code, p, shifts)
		if err != nil {
			return nil, err
		}
		s.kernels = append(s.kernels, k)
	}
	for i := range s.plates {
		s.plates[i] = layout.AlignedWords(s.planes * l.Stride)
	}
	for y := range s.places {
		s.places[y] = (l.Halo+y%l.Vectors)*l.Lanes + y/l.Vectors
	}
	if s.apart && len(rules) == 1 {
		for i := range maxDepth {
			s.queue = codegen.AppendRow(s.queue, s.generation(i), nil)
		}
	}
	return s, nil
}

// kernel compiles a program for a row of all vectors. With so few vectors, machine code without a loop is fastest.
func (s *Words) kernel(code codegen.Code, p *rowprog.Program, shifts map[int]int) (codegen.Kernel, error) {
	if !s.apart {
		return codegen.NewShiftingKernel(code, p, &s.layout, s.halo, shifts)
	}
	u := unrolled{
		from: p, shifts: shifts, vectors: s.layout.Vectors, places: make([]int, 3*s.layout.Vectors*len(p.Ops)),
		moved: map[int]int{},
	}
	apart := s.layout
	apart.Vectors, apart.Stride = 1, apart.Lanes
	return codegen.NewShiftingKernel(code, u.program(), &apart, nil, u.moved)
}

// unrolled turns a program for a ring of vectors into one in which each vector is a plane of its own.
type unrolled struct {
	from    *rowprog.Program
	shifts  map[int]int // of its ops
	vectors int
	to      rowprog.Program
	places  []int       // by op of from, and vector from one ring before the first on: the op of to plus 1, or 0
	moved   map[int]int // ops of to that are shifts, and turns to the vector across the end of the ring
}

// program returns a program in which each vector of a ring is a plane of its own: plane k of vector v is number
// k·vectors + v in streams and outputs.
func (u *unrolled) program() *rowprog.Program {
	u.to.Planes = u.from.Planes * u.vectors
	u.to.Streams = make([]rowprog.Stream, u.to.Planes)
	for k := range u.to.Planes { // in the order of streams, as they are given to the kernel
		*u.known(k/u.vectors, k%u.vectors) = 1 + u.add(rowprog.Op{Kind: rowprog.Load, Stream: k})
	}
	u.to.Out = make([]rowprog.Operand, u.to.Planes)
	for v := range u.vectors {
		for k, o := range u.from.Out {
			u.to.Out[k*u.vectors+v].Value = u.place(o.Value, v+o.DX)
		}
	}
	return &u.to
}

func (u *unrolled) add(op rowprog.Op) int {
	u.to.Ops = append(u.to.Ops, op)
	return len(u.to.Ops) - 1
}

// place is the op that computes an op's vector, up to one ring before the first or after the last.
func (u *unrolled) place(op, vector int) int {
	known := u.known(op, vector)
	if *known > 0 {
		return *known - 1
	}
	var at int
	switch {
	case vector < 0:
		at = u.turn(u.place(op, vector+u.vectors), -64)
	case vector >= u.vectors:
		at = u.turn(u.place(op, vector-u.vectors), 64)
	default:
		o := u.from.Ops[op]
		for i, in := range o.In[:o.N] {
			o.In[i] = rowprog.Operand{Value: u.place(in.Value, vector+in.DX)}
		}
		at = u.add(o)
		if by := u.shifts[op]; by != 0 {
			u.moved[at] = by
		}
	}
	*known = 1 + at
	return at
}

func (u *unrolled) known(op, vector int) *int { return &u.places[3*u.vectors*op+u.vectors+vector] }

func (u *unrolled) turn(op, by int) int {
	at := u.add(rowprog.Op{Kind: rowprog.Table, Imm: 0xF0, N: 1, In: [3]rowprog.Operand{{Value: op}}})
	u.moved[at] = by
	return at
}

// Cost is about the nanoseconds that a generation of the block takes on a usual core.
func (s *Words) Cost() float64 {
	const word = 0.04 // an operation on a word
	return word * float64(s.ops*size)
}

// Places returns the positions of the rows in the words of a plane.
func (s *Words) Places() *[size]int { return &s.places }

// Input returns where to store the cells of a plane, with rows at their Places.
func (s *Words) Input(plane int) []uint64 { return s.plane(0, plane) }

func (s *Words) plane(plate, plane int) []uint64 {
	return s.plates[plate][plane*s.layout.Stride:][:s.layout.Stride]
}

// generation lists the rows that generation i after the input is computed from, and those it is stored in.
func (s *Words) generation(i int) [][]uint64 {
	from := 0
	if i > 0 {
		from = 1 + (i-1)%2
	}
	s.rows = s.rows[:0]
	long := s.layout.Stride
	if s.apart {
		long = s.layout.Lanes
	}
	for _, plate := range [2]int{from, 1 + i%2} {
		s.rows = slices.AppendSeq(s.rows, slices.Chunk(s.plates[plate], long))
	}
	return s.rows
}

// Advance computes n generations of the input, 1 ≤ n ≤ 16, the first by the rule with that number. It
// returns a function that gives the planes of the result, rows at their Places. They are valid until the next
// Advance. The input stays unchanged, except words that are not in Places.
func (s *Words) Advance(n, first int) (output func(plane int) []uint64) {
	if n < 1 || n > maxDepth {
		panic(fmt.Sprintf("square: %d generations at once, want 1 to %d", n, maxDepth))
	}
	for k := range s.planes {
		s.layout.FillHalo(s.plane(0, k), s.halo)
	}
	if s.queue != nil {
		m := s.kernels[0].(*codegen.Machine)
		m.Queue(s.queue[:n*m.RowPointers()])
		m.Flush()
	} else {
		for i := range n {
			s.run(s.kernels[(first+i)%len(s.kernels)], i)
		}
	}
	return func(plane int) []uint64 { return s.plane(1+(n-1)%2, plane) }
}

// run computes generation i after the input.
func (s *Words) run(k codegen.Kernel, i int) {
	vectors := s.layout.Vectors
	if s.apart {
		vectors = 1
	}
	k.Run(s.generation(i), nil, 0, vectors, true)
}
