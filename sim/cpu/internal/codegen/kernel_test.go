package codegen

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/simtest"
)

// rows are those that a kernel of a program is given, in its order.
type rows struct {
	p      *rowprog.Program
	l      *layout.Layout
	all    [][]uint64
	loads  map[int]int // op → row
	stores []int
	out    []int
}

// randomRows fills the rows that are loaded; a stream that a kernel keeps in place is loaded from and stored to
// one row.
func randomRows(p *rowprog.Program, l *layout.Layout, inPlace func(stream int) bool, seed uint64) *rows {
	random := rand.New(rand.NewPCG(seed, 1))
	r := &rows{p: p, l: l, loads: map[int]int{}}
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load {
			row := layout.AlignedWords(l.Stride)
			for k := range row {
				row[k] = random.Uint64()
			}
			r.loads[i] = len(r.all)
			r.all = append(r.all, row)
		}
	}
	for _, s := range p.Stores {
		row := layout.AlignedWords(l.Stride)
		for i, at := range r.loads {
			if p.Ops[i].Stream == s.Stream && inPlace(s.Stream) {
				row = r.all[at]
			}
		}
		r.stores = append(r.stores, len(r.all))
		r.all = append(r.all, row)
	}
	for range p.Out {
		r.out = append(r.out, len(r.all))
		r.all = append(r.all, layout.AlignedWords(l.Stride))
	}
	return r
}

// evaluator computes a program's vectors one by one, the obvious way.
type evaluator struct {
	*rows
	known map[[2]int][]uint64 // by op and vector
}

func (e *evaluator) operand(o rowprog.Operand, j int) []uint64 { return e.vector(o.Value, j+o.DX) }

func (e *evaluator) vector(op, j int) []uint64 {
	if v, ok := e.known[[2]int{op, j}]; ok {
		return v
	}
	v := make([]uint64, e.l.Lanes)
	switch o := &e.p.Ops[op]; {
	case o.Kind == rowprog.Load:
		copy(v, e.l.Vector(e.all[e.loads[op]], j))
	case o.Kind == rowprog.Const:
		for k := range v {
			v[k] = -uint64(o.Imm & 1)
		}
	case o.Kind == rowprog.Carry && j > 0:
		v = e.operand(o.In[0], j-1)
	case o.Kind == rowprog.Carry:
		v = e.operand(o.In[1], 0)
	default:
		var in [3][]uint64
		for k := range in {
			in[k] = v
			if k < o.N {
				in[k] = e.operand(o.In[k], j)
			}
		}
		made := make([]uint64, len(v))
		for k := range made {
			for index := range 8 {
				if o.Imm>>index&1 == 1 {
					a, b, c := uint64(index>>2&1)-1, uint64(index>>1&1)-1, uint64(index&1)-1
					made[k] |= (in[0][k] ^ a) & (in[1][k] ^ b) & (in[2][k] ^ c)
				}
			}
		}
		v = made
	}
	e.known[[2]int{op, j}] = v
	return v
}

// TestKernels holds every code to the evaluator: outputs, stores and halo of a row, wanted or not, of programs
// of every kind.
func TestKernels(t *testing.T) {
	programs := map[string]*rowprog.Program{"sum of 5 rows": compile.CountRows(5, 2)}
	for _, notation := range []string{
		"B3/S23", "B2-a/S12", "B36/S245H", "B2/S013V", "B3/S23/5", "B/S012345678", "B012345678/S012345678",
		"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA",
		"R2,C0,M1,S6..9,B5..7,NM",
		"R5,C0,M1,S34..58,B34..45,NM", "R14,C0,M1,S300..500,B310..400,NM", "R3,C3,M0,S6..9,B5..7,NN",
		"R4,C0,M1,S10..20,B12..18,NC", "R2,C0,M0,S7..13,B2..10,N@507fff",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		compiled := compile.New(r)
		programs[notation] = compiled.Rows()
		programs[notation+" by columns"] = compiled.Columns()
	}
	checked := 0
	for name, p := range programs {
		carries := slices.ContainsFunc(p.Ops, func(op rowprog.Op) bool { return op.Kind == rowprog.Carry })
		for _, c := range Codes {
			if c.Available() != nil || c == Portable && carries {
				continue
			}
			for _, width := range []int{1, 30, 64 * 8 * 40, 64*8*9 + 100} {
				for slabs := 1; slabs <= c.Lanes(); slabs *= 4 {
					l := layout.New(width, 50, c.Lanes(), slabs, p.Radius())
					for _, pairs := range []bool{false, true}[:1+c.Lanes()/8] { // for AVX-512 both
						setXORPairs(t, pairs)
						checkKernel(t, fmt.Sprintf("%s, %s, %d columns in %d slabs, pairs %t", name, c, width, slabs, pairs), c, p, &l)
						checked++
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d kernels were checked", checked)
	}
}

// TestKernelsOfRandomRules does so for rules of every family, and above all for neighbourhoods of any shape,
// whose programs are the most varied.
func TestKernelsOfRandomRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choose := func(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, label) }
		notation := simtest.RandomCase(choose).Rule
		if rapid.Bool().Draw(t, "any shape") {
			radius := rapid.IntRange(1, 3).Draw(t, "radius")
			digits := (2*radius + 1) * (2*radius + 1) / 4
			shape := rapid.StringOfN(rapid.SampledFrom([]rune("0123456789abcdef")), digits, digits, -1).Draw(t, "shape")
			notation = fmt.Sprintf("R%d,C%d,M%d,S2..%d,B3..%d,N@%s", radius, choose("states", 2, 4), choose("middle", 0, 1),
				2*radius, 3*radius, shape)
		}
		r, err := rule.Parse(notation)
		if err != nil {
			t.Skip(err) // counts beyond what a shape has
		}
		compiled := compile.New(r)
		for _, c := range Codes {
			p := c.Program(compiled)
			if c.Available() != nil || len(p.Ops) > 2000 {
				continue
			}
			slabs := 1 << rapid.IntRange(0, bits.Len(uint(c.Lanes()))-1).Draw(t, "slabs")
			l := layout.New(rapid.IntRange(1, 3000).Draw(t, "width"), 50, c.Lanes(), slabs, p.Radius())
			checkKernel(t, fmt.Sprintf("%s, %s, %d columns in %d slabs", notation, c, l.W, slabs), c, p, &l)
		}
	})
}

func checkKernel(t rapid.TB, name string, c Code, p *rowprog.Program, l *layout.Layout) {
	t.Helper()
	halo := l.Moves(func(x int) (int, bool) { return (x%l.W + l.W) % l.W, true })
	k, err := NewKernel(c, p, l, halo)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	extents := p.Extents()
	for _, wanted := range []bool{true, false} {
		got := randomRows(p, l, k.InPlace, 7)
		want := &evaluator{randomRows(p, l, func(int) bool { return false }, 7), map[[2]int][]uint64{}}
		k.Run(got.all, nil, 0, l.Vectors, wanted)
		for i, s := range p.Stores {
			need := extents[s.Value.Value] // of its row no more is ever loaded
			first, end := max(0, need.Lo), l.Vectors+min(0, need.Hi)
			if p.Ops[s.Value.Value].Once {
				first, end = 0, 1
			}
			for j := first; j < end; j++ {
				if v := l.Vector(got.all[got.stores[i]], j); !slices.Equal(v, want.operand(s.Value, j)) {
					t.Fatalf("%s, wanted %v: vector %d of what goes into stream %d is %x, want %x", name, wanted, j, s.Stream, v,
						want.operand(s.Value, j))
				}
			}
		}
		for i, o := range p.Out {
			row := layout.AlignedWords(l.Stride)
			for j := range l.Vectors {
				copy(l.Vector(row, j), want.operand(o, j))
			}
			l.FillHalo(row, halo)
			if end := (l.Vectors + 2*l.Halo) * l.Lanes; wanted && !slices.Equal(got.all[got.out[i]][:end], row[:end]) {
				t.Fatalf("%s: output %d is not what it should be", name, i)
			}
		}
	}
}
