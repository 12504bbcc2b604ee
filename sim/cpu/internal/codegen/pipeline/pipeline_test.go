package pipeline

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
)

// op is an operand.
func op(value, dx int) rowprog.Operand { return rowprog.Operand{Value: value, DX: dx} }

// The program of the package comment: p is a table of the cells above each other, out of p at three columns.
func example() *rowprog.Program {
	return &rowprog.Program{
		Planes: 1, Streams: make([]rowprog.Stream, 1),
		Ops: []rowprog.Op{
			{Kind: rowprog.Load},
			{Kind: rowprog.Table, Imm: 0x96, N: 1, In: [3]rowprog.Operand{op(0, 0)}},
			{Kind: rowprog.Table, Imm: 0xE8, N: 3, In: [3]rowprog.Operand{op(1, -1), op(1, 0), op(1, 1)}},
		},
		Out: []rowprog.Operand{op(2, 0)},
	}
}

func TestIterationsOverlap(t *testing.T) {
	l := New(example(), 16)
	body := []Instr{
		{Vector{1, 1}, []Vector{{0, 1}}},
		{Vector{2, 0}, []Vector{{1, -1}, {1, 0}, {1, 1}}},
	}
	if got, want := fmt.Sprint(l.Body), fmt.Sprint(body); got != want {
		t.Errorf("an iteration is %v, want %v", got, want)
	}
	if want := []Vector{{1, 0}, {1, -1}}; !slices.Equal(l.Carried, want) {
		t.Errorf("%v stay in registers, want %v", l.Carried, want)
	}
	if want := []Segment{{2, 0}}; !slices.Equal(l.Prologue, want) {
		t.Errorf("the prologue is %v, want %v", l.Prologue, want)
	}
	if got := fmt.Sprint(l.Iteration(1)); got != fmt.Sprint(body[:1]) {
		t.Errorf("an iteration of the prologue is %s", got)
	}
}

func TestFewRegistersMakeScratchRows(t *testing.T) {
	l := New(example(), 1)
	if len(l.Carried) > 0 || l.Rows != 1 || l.Scratch[1] != 0 || l.Margin != 1 {
		t.Errorf("%v in registers, %d scratch rows with a margin of %d, want one row and 1", l.Carried, l.Rows, l.Margin)
	}
}

// A stream's new row may overwrite the old one only if an iteration reads the old one first.
func TestInPlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		depth int
		sum   rowprog.Op // the value that is stored, op 2
		out   rowprog.Op
		want  bool
	}{
		{
			"read to make the new row", 1,
			rowprog.Op{N: 2, In: [3]rowprog.Operand{op(0, 0), op(1, 0)}},
			rowprog.Op{N: 1, In: [3]rowprog.Operand{op(2, 0)}},
			true,
		},
		{
			"read after the new row is made", 1,
			rowprog.Op{N: 1, In: [3]rowprog.Operand{op(0, 0)}},
			rowprog.Op{N: 2, In: [3]rowprog.Operand{op(1, 0), op(2, 0)}},
			false,
		},
		{
			"older rows are read, too", 2,
			rowprog.Op{N: 2, In: [3]rowprog.Operand{op(0, 0), op(1, 0)}},
			rowprog.Op{N: 1, In: [3]rowprog.Operand{op(2, 0)}},
			false,
		},
	} {
		c.sum.Kind, c.out.Kind = rowprog.Table, rowprog.Table
		p := &rowprog.Program{
			Planes: 1, Streams: []rowprog.Stream{{}, {Depth: c.depth}},
			Ops:    []rowprog.Op{{Kind: rowprog.Load}, {Kind: rowprog.Load, Stream: 1, DY: -1}, c.sum, c.out},
			Stores: []rowprog.Store{{Stream: 1, Value: op(2, 0)}},
			Out:    []rowprog.Operand{op(3, 0)},
		}
		if got := New(p, 16).InPlace[1]; got != c.want {
			t.Errorf("%s: in place %v, want %v", c.name, got, c.want)
		}
	}
}

// run executes a loop over the given number of columns. It fails if an instruction reads a value that does not exist
// yet.
type run struct {
	t         rapid.TB
	l         *Loop
	memory    map[Vector]bool // computed, and in a row of memory
	registers map[Vector]bool
	stored    map[int]int          // by op: the stream that keeps it
	replaced  map[int]map[int]bool // by stream: the columns whose old value was overwritten
}

func (r *run) has(v Vector) bool {
	op := &r.l.Program.Ops[v.Value]
	if op.Kind == rowprog.Load {
		return !r.replaced[op.Stream][v.Column] || r.registers[v]
	}
	return r.memory[v] || r.registers[v]
}

// do computes instructions in the iteration for a column.
func (r *run) do(code []Instr, column int) {
	for _, in := range code {
		in = in.At(column)
		for _, v := range in.Reads {
			if !r.has(v) {
				r.t.Fatalf("column %d: %v reads %v, which is not there\n%v", column, in.Vector, v, r.l.Program)
			}
			r.registers[v] = true
		}
		r.registers[in.Vector] = true
		if r.l.stored[in.Value] || r.l.Scratch[in.Value] >= 0 {
			r.memory[in.Vector] = true
		}
		if stream, ok := r.stored[in.Value]; ok && r.l.InPlace[stream] {
			r.replaced[stream][in.Column] = true
		}
	}
}

// keep leaves vectors in registers and forgets the others.
func (r *run) keep(vectors []Vector, column int) {
	kept := map[Vector]bool{}
	for _, v := range vectors {
		v = v.At(column)
		if !r.registers[v] {
			r.t.Fatalf("column %d: %v is to stay in a register, but was not computed\n%v", column, v, r.l.Program)
		}
		kept[v] = true
	}
	r.registers = kept
}

// check runs a loop in the same way as the emitter, and checks that every output is computed from existing values.
func check(t rapid.TB, p *rowprog.Program, registers int) {
	l := New(p, registers)
	carries := slices.ContainsFunc(p.Ops, func(op rowprog.Op) bool { return op.Kind == rowprog.Carry })
	if !carries && len(l.Carried) > registers {
		t.Fatalf("%d vectors stay in registers, %d may", len(l.Carried), registers)
	}
	r := &run{
		t: t, l: l, memory: map[Vector]bool{}, registers: map[Vector]bool{}, stored: map[int]int{},
		replaced: map[int]map[int]bool{},
	}
	for stream := range p.Streams {
		r.replaced[stream] = map[int]bool{}
	}
	for _, s := range p.Stores {
		r.stored[s.Value.Value] = s.Stream
	}
	for _, s := range l.Prologue {
		for before := s.From; before > s.To; before-- {
			r.do(l.Iteration(before), -before)
			if !l.StraightPrologue() {
				r.keep(nil, 0)
			}
		}
	}
	if l.StraightPrologue() {
		r.keep(l.Carried, 0)
	} else {
		r.do(l.Setup, 0)
		carried := map[Vector]bool{}
		for _, i := range l.Initial {
			if !r.has(i.From) {
				t.Fatalf("%v is to begin as %v, which is not there\n%v", i.Into, i.From, p)
			}
			carried[i.Into] = true
		}
		r.registers = carried
	}
	const columns = 12
	for column := range columns {
		r.do(l.Body, column)
		for _, o := range p.Out {
			if !r.has(Vector{o.Value, column + o.DX}) {
				t.Fatalf("column %d of an output is not computed\n%v", column, p)
			}
		}
		later := make([]Vector, len(l.Carried))
		for i, v := range l.Carried {
			later[i] = v.At(1)
		}
		r.keep(later, column)
	}
}

// TestEveryInputIsThere checks that each iteration finds its inputs, in memory or in the registers of the previous
// iteration.
func TestEveryInputIsThere(t *testing.T) {
	for _, notation := range []string{
		"B3/S23", "B2-a/S12", "345/2/6", "B36/S245H", "R2,C0,M1,S7..10,B7..11,NM", "R5,C0,M1,S34..58,B34..45,NM",
		"R14,C0,M1,S300..500,B310..400,NM", "R6,C0,M0,S28..45,B30..40,NN", "R2,C0,M0,S20..40,B21..33,NG",
		"R4,C0,M1,S10..20,B12..18,NC",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		for _, registers := range []int{0, 6, 16} {
			check(t, compile.Columns(circuit.Of(r)), registers)
			check(t, compile.Rows(circuit.Of(r)), registers)
		}
	}
	check(t, compile.CountRows(7, 2), 6)
}

func TestEveryInputOfRandomRulesIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := compile.Columns(circuit.Of(ruletest.Gen().Draw(t, "rule")))
		if len(p.Ops) < 2000 {
			check(t, p, rapid.IntRange(0, 20).Draw(t, "registers"))
		}
	})
}

func TestStoresOnly(t *testing.T) {
	r, err := rule.Parse("R5,C0,M1,S34..58,B34..45,NM")
	if err != nil {
		t.Fatal(err)
	}
	p := compile.Columns(circuit.Of(r))
	l := New(p, 6)
	s := l.StoresOnly()
	computed := map[int]bool{}
	for _, in := range s.Body {
		computed[in.Value] = true
	}
	for _, st := range p.Stores {
		if op := &p.Ops[st.Value.Value]; !op.Once && !computed[st.Value.Value] {
			t.Errorf("stream %d is not computed", st.Stream)
		}
	}
	if computed[p.Out[0].Value] || len(s.Body) >= len(l.Body) || len(s.Carried) > 0 || len(s.Initial) > 0 {
		t.Errorf("%d of %d instructions are left, the output among them: %v", len(s.Body), len(l.Body),
			computed[p.Out[0].Value])
	}
}
