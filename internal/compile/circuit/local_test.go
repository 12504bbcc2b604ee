package circuit

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// TestLocalCircuitsSayWhatTheDefinitionSays goes through random tables of every neighbourhood and symmetry.
func TestLocalCircuitsSayWhatTheDefinitionSays(t *testing.T) {
	for _, hood := range rulefiletest.Symmetries {
		for k, symmetry := range hood.Symmetries {
			for _, states := range []int{3, 4, 7} {
				if hood.Neighbourhood == "Moore" && states > 4 {
					continue // circuits that take seconds, or are too large
				}
				name := fmt.Sprintf("%s %s %d", hood.Neighbourhood, symmetry, states)
				text := rulefiletest.Text(name, hood.Neighbourhood, symmetry, states, uint64(k))
				f, err := rulefile.Limits{}.Parse(name, []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				checkLocal(t, name, f.Function)
			}
		}
	}
}

func checkLocal(t *testing.T, name string, f *local.Function) {
	t.Helper()
	c := Of(rule.Rule{States: f.States, Local: f})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var b local.Around
		for i := range b {
			b[i] = uint8(rng.IntN(f.States))
		}
		got := c.Eval(func(plane, x, y int) bool { return b[3*(y+1)+x+1]>>plane&1 == 1 }, 0, 0, 0)
		if want := f.Define(&b); got != want {
			t.Fatalf("%s: the circuit says %d of %v, the definition %d", name, got, b, want)
		}
	}
}

// TestSurroundings checks that rules whose neighbours have two classes are made of rules of the block, and that
// they are right.
func TestSurroundings(t *testing.T) {
	wire, err := rule.Parse("WireWorld")
	if err != nil {
		t.Fatal(err)
	}
	c := Of(wire)
	if most := 20; len(c.Nodes) > most {
		t.Errorf("WireWorld takes %d nodes, want %d or fewer", len(c.Nodes), most)
	}
	checkLocal(t, "WireWorld", wire.Local)
	// Five columns, whose number has three digits. The number of states is no power of two.
	f, err := local.Code(5, []int{local.N, local.E, local.S, local.W, local.SE, local.C}, func(_ int, s uint8) int {
		return int(s) / 3
	}, func(b *local.Around) uint8 {
		n := b[local.N]/3 + b[local.E]/3 + b[local.S]/3 + b[local.W]/3
		return (b[local.C] + n*(1+b[local.SE]/3)) % 5
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkLocal(t, "five states", f)
}

// TestSifting checks that random swaps and sifting change no function, and that every node is counted.
func TestSifting(t *testing.T) {
	const variables = 8
	rng := rand.New(rand.NewPCG(1, 2))
	b := newBDD(variables)
	var roots []edge
	var want [][]bool
	for range 3 {
		truth := make([]bool, 1<<variables)
		for i := range truth {
			truth[i] = rng.IntN(3) == 0
		}
		want = append(want, truth)
		roots = append(roots, digitOf(b, variables-1, func(n int) (bool, bool) { return truth[n], true }))
	}
	check := func(what string) {
		t.Helper()
		inTables := 0
		for _, u := range b.unique {
			inTables += u.count
		}
		if n := b.size(roots...); n != b.live || n != inTables {
			t.Fatalf("%s: %d nodes, %d are counted, %d in tables", what, n, b.live, inTables)
		}
		for k, root := range roots {
			for n := range 1 << variables {
				e := root
				for e.node() != 0 {
					d := b.nodes[e.node()]
					high, low := b.cofactors(e, d.variable)
					if e = low; n>>(variables-1-d.variable)&1 == 1 {
						e = high
					}
				}
				if (e == constTrue) != want[k][n] {
					t.Fatalf("%s: function %d of %08b is wrong", what, k, n)
				}
			}
		}
	}
	b.keep(roots)
	check("kept")
	for range 100 {
		b.swap(rng.IntN(variables - 1))
	}
	check("swapped")
	before := b.live
	b.sift()
	check("sifted")
	if b.live > before {
		t.Errorf("%d nodes after sifting, %d before", b.live, before)
	}
}

// TestCircuitsAreForgotten: the circuit of a function that nobody uses any more is dropped, or a server that is
// given one rule after the other would keep them all.
func TestCircuitsAreForgotten(t *testing.T) {
	f, err := rulefile.Limits{}.Parse("forgotten", []byte(rulefiletest.Text("forgotten", "vonNeumann", "none", 3, 99)))
	if err != nil {
		t.Fatal(err)
	}
	of := weak.Make(f.Function)
	if localCircuit(f.Function) == nil {
		t.Fatal("the rule has no circuit")
	}
	if _, held := ofLocal.Load(of); !held {
		t.Fatal("the circuit is not held")
	}
	runtime.KeepAlive(f)
	for range 1000 {
		runtime.GC()
		if _, held := ofLocal.Load(of); !held {
			return
		}
	}
	t.Error("the circuit is still held")
}
