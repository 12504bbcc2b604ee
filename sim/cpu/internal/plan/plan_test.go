package plan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// universe is a rule with its program, and a topology.
func universe(t interface{ Fatal(...any) }, notation, suffix string) (rule.Rule, *rowprog.Program, topology.Topology) {
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	return r, compile.Columns(circuit.Of(r)), top
}

func TestMake(t *testing.T) {
	for _, c := range []struct{ settings, rule, suffix, want string }{
		{"portable", "B3/S23", "T4096,4096", "portable,bands,slabs=1,depth=6,threads=2"},
		{"portable", "B3/S23", "T256,256", "portable,bands,slabs=1,depth=6,threads=1"},
		{"portable", "B3/S23", "T320,320", "portable,bands,slabs=1,depth=6,threads=2"},
		{"portable", "B3/S23~flip=0.001", "T256,256", "portable,bands,slabs=1,depth=6,threads=2"},
		{"portable,depth=16,threads=1", "B3/S23", "T4096,4096", "portable,bands,slabs=1,depth=16,threads=1"},
		{"portable", "B3/S23", "C100,60", "portable,bands,slabs=1,depth=1,threads=1"},
		{"portable", "B3/S23", "T0", "portable,tiles,slabs=16,depth=6,threads=2"},
		{"portable", "3D4,5/5", "T32,32,4096", "portable,bands,slabs=1,depth=1,threads=2,runs=512"},
		{"portable", "3D4,5/5", "T32,32,300", "portable,bands,slabs=1,depth=1,threads=1,runs=300"},
		{"portable", "3D4,5/5", "T32,32,32", "portable,bands,slabs=8,depth=1,threads=1"},
		{"portable", "3D4,5/5", "T512,512,512", "portable,bands,slabs=8,depth=6,threads=2"},
		{"portable", "3D4,5/5", "P32,32,4096", "portable,bands,slabs=8,depth=6,threads=2"},
		{"portable", "3D/0,4,5", "T32,32,4096", "portable,bands,slabs=8,depth=6,threads=2"},
		{"portable,tiles", "B3/S23", "T100,60", "portable,tiles,slabs=16,depth=6,threads=2"},
		{"portable,tiles,slabs=64,depth=2", "R2,C0,M1,S6..9,B5..7,NM", "T0", "portable,tiles,slabs=64,depth=2,threads=2"},
	} {
		r, p, top := universe(t, c.rule, c.suffix)
		got, err := Make(c.settings, r, p, top, 2)
		if err != nil || got.String() != c.want {
			t.Errorf("%q for %s on %s: %v, %v, want %s", c.settings, c.rule, c.suffix, got, err, c.want)
		}
	}
}

// TestMakeOfLongPrograms makes plans of long programs: Tempesti's loop has 11,400 operations.
func TestMakeOfLongPrograms(t *testing.T) {
	r, _, top := universe(t, "B3/S23", "T0")
	for ops, want := range map[int]codegen.Code{12_000: codegen.Fastest(), 1_000_000: codegen.Portable} {
		p := &rowprog.Program{Ops: make([]rowprog.Op, ops)}
		if got, err := Make("", r, p, top, 2); err != nil || got.Code != want {
			t.Errorf("%d operations: %v, %v, want %s", ops, got, err, want)
		}
		fastest := string(codegen.Fastest())
		if got, err := Make(fastest, r, p, top, 2); err != nil || string(got.Code) != fastest {
			t.Errorf("%d operations, plan %s: %v, %v", ops, fastest, got, err)
		}
	}
}

func TestMakeRefuses(t *testing.T) {
	for _, c := range []struct{ settings, rule, suffix, want string }{
		{"fast", "B3/S23", "T64,64", `unknown part "fast", want one of portable, avx2, avx512, neon, simd128, bands, tiles, slabs=N, depth=N, threads=N`},
		{"depth=", "B3/S23", "T64,64", `unknown part "depth=", want one of`},
		{"portable,depth=0", "B3/S23", "T64,64", "the depth must be 1 to 16"},
		{"portable,depth=17", "B3/S23", "T64,64", "the depth must be 1 to 16"},
		{"portable,tiles,depth=4611686018427387904", "B3/S23", "T64,64", "the depth must be 1 to 16"},
		{"portable,depth=2", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "C64,64", "the depth must be 1 on C64,64"},
		{"portable,depth=2", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "T64,64+2", "the depth must be 1 on T64,64+2"},
		{"portable,depth=2", "B3/S23H", "K64*,64", "the depth must be 1 on"},
		{"portable,threads=0", "B3/S23", "T64,64", "the threads must be 1 to 4096"},
		{"portable,threads=2305843009213693953", "B3/S23", "T64,64", "the threads must be 1 to 4096"},
		{"portable,threads=65", "B3/S23", "T64,64", "the threads times the slabs must be 1 to the height, 64"},
		{"portable,slabs=2", "B3/S23", "T64,64", "the slabs must divide the words of a vector, 1"},
		{"portable,bands", "B3/S23", "T0", "the unbounded plane is made of tiles"},
		{"portable,tiles,slabs=65", "B3/S23", "T0", "the blocks side by side must be 1 to 64"},
		{"portable,tiles", "B3/S23", "T31,64", "tori of 32 cells a side or more"},
		{"portable,tiles", "B0/S8", "T64,64", "unless the rule has B0"},
		{"portable,tiles", "B3/S23", "P64,64", "tiles are for the unbounded plane"},
	} {
		r, p, top := universe(t, c.rule, c.suffix)
		got, err := Make(c.settings, r, p, top, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %s on %s: %v, %v, want an error with %q", c.settings, c.rule, c.suffix, got, err, c.want)
		}
	}
}

// TestChoices checks that the chosen plan is always valid, and that a plan given by its own name is chosen unchanged.
func TestChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p, top := universe(t, rapid.SampledFrom([]string{
			"B3/S23", "B0/S8", "B36/S23H", "345/2/7", "R2,C0,M1,S6..9,B5..7,NM", "R13,C0,M1,S300..500,B310..400,NM",
			"R3,C3,M0,S6..9,B5..7,NN",
		}).Draw(t, "rule"), rapid.SampledFrom([]string{
			"T1,1", "T1000,777", "P63,65", "T16384,3", "T3,16384", "K64*,64", "K300,20*", "C100,90", "S50", "T4096,4096",
			"T40,30+3", "T0",
		}).Draw(t, "topology"))
		settings := ""
		if rapid.Bool().Draw(t, "portable") {
			settings = string(codegen.Portable)
		}
		chosen, err := Make(settings, r, p, top, rapid.IntRange(1, 200).Draw(t, "threads"))
		if err != nil {
			t.Fatalf("what is chosen on %v is not valid: %v", top, err)
		}
		again, err := Make(chosen.String(), r, p, top, 1)
		if err != nil || again != chosen {
			t.Fatalf("%v asked for on %v comes out as %v, %v", chosen, top, again, err)
		}
	})
}

// FuzzMake checks that any settings are either refused or come to a plan that its own name asks for again.
func FuzzMake(f *testing.F) {
	for _, settings := range []string{
		"", "portable", "avx2,slabs=2", "tiles,depth=3",
		"portable,bands,slabs=1,depth=6,threads=2", "slabs=-1", "depth=9999999999999999999", ",,=",
	} {
		f.Add(settings)
	}
	r, p, top := universe(f, "B3/S23", "T100,60")
	f.Fuzz(func(t *testing.T, settings string) {
		chosen, err := Make(settings, r, p, top, 1)
		if err != nil {
			return
		}
		if again, err := Make(chosen.String(), r, p, top, 1); err != nil || again != chosen {
			t.Errorf("%q: %v, asked for by name: %v, %v", settings, chosen, again, err)
		}
	})
}
