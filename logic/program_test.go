package logic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

// evaluator runs a program on a torus, bit by bit, the obvious way.
type evaluator struct {
	p       *Program
	w, h    int
	first   int               // rows before it have not entered: they are dead
	cells   [][][]bool        // plane, row, column
	streams []map[[2]int]bool // by row and column
}

type place struct{ op, x int }

// column is where column x of a stream is kept. Columns may run beyond the torus: they are kept apart from those they equal, unless the
// program drifts, which it may where rows are closed to rings.
func (e *evaluator) column(x int) int {
	if e.p.Drifts {
		return mod(x, e.w)
	}
	return x
}

// row computes row y of every plane.
func (e *evaluator) row(y int) [][]bool {
	memo := map[place]bool{}
	var value func(o Operand, x int) bool
	value = func(o Operand, x int) bool {
		at := place{o.Value, x + o.DX}
		if v, ok := memo[at]; ok {
			return v
		}
		op := &e.p.Ops[o.Value]
		var v bool
		switch op.Kind {
		case Const:
			v = op.Imm != 0
		case Load:
			if op.Stream < e.p.Planes {
				v = y+op.DY >= e.first && e.cells[op.Stream][mod(y+op.DY, e.h)][mod(at.x, e.w)]
			} else {
				v = e.streams[op.Stream][[2]int{y + op.DY, e.column(at.x)}]
			}
		case Carry:
			if at.x <= 0 {
				v = value(op.In[1], at.x)
			} else {
				v = value(op.In[0], at.x-1)
			}
		case Table:
			index := 0
			for k := range op.N {
				if value(op.In[k], at.x) {
					index |= 4 >> k
				}
			}
			v = op.Imm>>index&1 == 1
		}
		memo[at] = v
		return v
	}
	out := make([][]bool, e.p.Planes)
	for k, o := range e.p.Out {
		out[k] = make([]bool, e.w)
		for x := range e.w {
			out[k][x] = value(o, x)
		}
	}
	for _, s := range e.p.Stores {
		for x := -e.p.Reach - 1; x <= e.w+e.p.Reach; x++ {
			e.streams[s.Stream][[2]int{y, e.column(x)}] = value(s.Value, x)
		}
	}
	return out
}

func mod(a, n int) int { return (a%n + n) % n }

func TestLoweredProgramsAgreeWithTheCircuit(t *testing.T) {
	rules := []string{
		"B3/S23", "B36/S125", "B2-a/S12", "B2/S34H", "B13/S013V", "/2/3", "345/2/6", "B/S", "B/S012345678",
		"R2,C0,M1,S7..10,B7..11,NM", "R3,C4,M1,S14..23,B14..18,NM", "R5,C0,M1,S34..58,B34..45,NM",
		"R9,C0,M0,S108..181,B100..140,NM", "R2,C0,M0,S20..40,B21..33,NG", "R3,C2,S2-7,9,B3-5,8,NC",
		"R3,C3,S2-7,9,B3-5,8,NC", "R4,C2,S10-30,B10-20,NH", "R3,C2,S3-8,B3-4,N*", "R3,C2,S5-9,B4-6,NB",
		"R2,C2,S,B1,NW0000000001000000000000000,11", "R2,C2,S6-36,B-17--16,-14-2,NW00d1606b9370371402163a93b,3c",
	}
	for _, s := range rules {
		r, err := rule.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		c := Compile(r)
		check(t, s, r, c, Lower(c))
		check(t, s+" by columns", r, c, LowerColumns(c))
	}
}

// Windows along diagonals, where rows are closed to rings.
func TestDiamonds(t *testing.T) {
	for _, s := range []string{"R6,C0,M0,S28..45,B30..40,NN", "R7,C0,M1,S40..70,B45..60,NN", "R8,C4,M0,S50..80,B55..70,NN", "R11,C2,S100-140,B110-130,NN"} {
		r, err := rule.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		c := Compile(r)
		p := LowerStrips(c)
		if !p.Drifts {
			t.Errorf("%s does not drift", s)
		}
		check(t, s, r, c, p)
	}
}

func check(t *testing.T, name string, r rule.Rule, c *Circuit, p *Program) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	const w, h = 9, 5
	e := &evaluator{p: p, w: w, h: h}
	e.cells = make([][][]bool, p.Planes)
	for k := range e.cells {
		e.cells[k] = make([][]bool, h)
		for y := range e.cells[k] {
			e.cells[k][y] = make([]bool, w)
		}
	}
	for y := range h {
		for x := range w {
			state := random.IntN(r.States)
			if random.IntN(2) == 0 {
				state = random.IntN(2)
			}
			for k := range e.cells {
				e.cells[k][y][x] = state>>k&1 == 1
			}
		}
	}
	for range p.Streams {
		e.streams = append(e.streams, map[[2]int]bool{})
	}
	cell := func(plane, x, y int) bool { return e.cells[plane][mod(y, h)][mod(x, w)] }
	e.first = 1 - max(p.Up, -p.Down)
	for y := 1 - p.Warm; y < h+1; y++ {
		out := e.row(y)
		if y < 1 {
			continue
		}
		for x := range w {
			want := c.Eval(cell, x, y)
			for k := range out {
				if out[k][x] != (want>>k&1 == 1) {
					t.Errorf("%s: plane %d of cell (%d, %d) comes out %v\n%v", name, k, x, y, out[k][x], p)
					return
				}
			}
		}
	}
}

// Ops that turn out to be the same while their users are looked at leave those users with one input twice.
func TestShareOfInputsThatAreOne(t *testing.T) {
	cells := Operand{Value: 0}
	program := func(imm uint8) *Program {
		return &Program{
			Planes: 1, Streams: make([]Stream, 1),
			Ops: []Op{
				{Kind: Load},
				{Kind: Table, Imm: immAnd, N: 2, In: [3]Operand{cells, {Value: 0, DX: 1}}},
				{Kind: Table, Imm: immAnd, N: 2, In: [3]Operand{cells, {Value: 0, DX: 1}}},
				{Kind: Table, Imm: imm, N: 3, In: [3]Operand{{Value: 1}, {Value: 2}, {Value: 0, DX: 2}}},
			},
			Out: []Operand{{Value: 3}},
		}
	}
	const w = 16
	row := [][][]bool{{make([]bool, w)}}
	for x := range w {
		row[0][0][x] = 0b0110111011110010>>x&1 == 1
	}
	for imm := range 256 {
		plain, shared := program(uint8(imm)), program(uint8(imm))
		share(shared)
		want := (&evaluator{p: plain, w: w, h: 1, cells: row}).row(0)[0]
		got := (&evaluator{p: shared, w: w, h: 1, cells: row}).row(0)[0]
		if !slices.Equal(got, want) {
			t.Errorf("table %02x: %v, want %v\n%v", imm, got, want, shared)
		}
	}
}

// TestTransposed holds that the transposed circuit computes on exchanged rows and columns what the circuit computes.
func TestTransposed(t *testing.T) {
	for _, s := range []string{"B3/S23", "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA", "345/2/7", "R3,C3,M0,S6..9,B5..7,NN", "R2,C0,M1,S6..9,B5..7,NM"} {
		r, err := rule.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		c := Compile(r)
		random := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			states := map[[2]int]int{}
			at := func(x, y int) int {
				if _, ok := states[[2]int{x, y}]; !ok {
					states[[2]int{x, y}] = random.IntN(r.States)
				}
				return states[[2]int{x, y}]
			}
			want := c.Eval(func(plane, x, y int) bool { return at(x, y)>>plane&1 == 1 }, 0, 0)
			got := c.Transposed().Eval(func(plane, x, y int) bool { return at(y, x)>>plane&1 == 1 }, 0, 0)
			if got != want {
				t.Fatalf("%s: state %d, transposed %d", s, want, got)
			}
		}
	}
}
