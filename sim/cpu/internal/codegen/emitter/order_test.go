package emitter

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// TestOrdered: the order of two iterations of a running sum has the same instructions, each after those it needs. A
// value that is overwritten in memory is in a register before. Fewer of them directly follow one they need.
func TestOrdered(t *testing.T) {
	for _, c := range []Instructions{AVX512, AVX2} {
		for _, notation := range []string{"R2,C0,M1,S7..10,B7..11,NM", "R10,C0,M1,S123..212,B123..170,NM"} {
			r, err := rule.Parse(notation)
			if err != nil {
				t.Fatal(err)
			}
			p := compile.New(r).Columns()
			l := layout.New(4096, 64, 8, 8, p.Reach)
			e := newEmitter(c, p, &l, nil, nil)
			var code []pipeline.Instr
			for u := range 2 {
				for _, in := range e.loop.Body {
					code = append(code, in.At(u))
				}
			}
			var out []linearscan.Binding
			for _, b := range e.carried() {
				out = append(out, linearscan.Binding{Vector: b.Vector.At(2), Register: b.Register})
			}
			got := e.ordered(code, e.carried(), out)
			at := map[pipeline.Vector]int{}
			for i, in := range got {
				at[in.Vector] = i
			}
			if len(got) != len(code) || len(at) != len(code) {
				t.Fatalf("%s, %s: %d instructions, %d of them different, want %d", c, notation, len(got), len(at), len(code))
			}
			loaded := map[pipeline.Vector]bool{}
			for i, in := range got {
				for _, v := range in.Reads {
					if j, ok := at[v]; ok && j >= i {
						t.Errorf("%s, %s: instruction %d reads what %d makes", c, notation, i, j)
					}
					op := &p.Ops[v.Value]
					if op.Kind != rowprog.Load || !e.loop.InPlace[op.Stream] || loaded[v] {
						continue
					}
					loaded[v] = true
					for _, s := range p.Stores {
						if j, ok := at[pipeline.Vector{Value: s.Value.Value, Column: v.Column}]; ok && s.Stream == op.Stream && j < i {
							t.Errorf("%s, %s: instruction %d loads what %d has overwritten", c, notation, i, j)
						}
					}
				}
			}
			following := func(code []pipeline.Instr) (n int) {
				for i := range code[1:] {
					if slices.Contains(code[i+1].Reads, code[i].Vector) {
						n++
					}
				}
				return n
			}
			if before, after := following(code), following(got); after > before/2 {
				t.Errorf("%s, %s: %d instructions follow one that they need, %d in the order of the program", c, notation, after,
					before)
			}
		}
	}
}

// TestOrderedLoadsFirst: the store that overwrites a kept row of a stream comes after the load of the row, although
// no other dependency orders them.
func TestOrderedLoadsFirst(t *testing.T) {
	table := func(a, b int) rowprog.Op {
		return rowprog.Op{Kind: rowprog.Table, Imm: lut.Xor, N: 2, In: [3]rowprog.Operand{{Value: a}, {Value: b, DX: 1}}}
	}
	p := &rowprog.Program{Planes: 1, Streams: []rowprog.Stream{{}, {Depth: 1}}, Ops: []rowprog.Op{
		{Kind: rowprog.Load},
		{Kind: rowprog.Load, Stream: 1, DY: -1},
		table(0, 0), table(2, 2), table(3, 3),
		{Kind: rowprog.Table, Imm: lut.Xor, N: 2, In: [3]rowprog.Operand{{Value: 4}, {Value: 1}}},
		{Kind: rowprog.Table, Imm: lut.NotA, N: 1, In: [3]rowprog.Operand{{Value: 0}}},
	}, Stores: []rowprog.Store{{Stream: 1, Value: rowprog.Operand{Value: 6}}}, Out: []rowprog.Operand{{Value: 5}}, Warm: 1}
	l := layout.New(4096, 64, 8, 8, 4)
	e := newEmitter(AVX512, p, &l, nil, nil)
	if !e.loop.InPlace[1] {
		t.Fatal("the stream is not kept in place")
	}
	order := map[int]int{}
	for i, in := range e.ordered(e.loop.Body, nil, nil) {
		order[in.Value] = i
	}
	if order[6] < order[5] {
		t.Error("the stream is overwritten before it is loaded")
	}
}
