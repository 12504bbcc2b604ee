package local

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/topology"
)

// shapes has the cells of Golly's neighbourhoods and one way to turn each.
var shapes = map[string]Lines{
	"von Neumann": {Cells: []int{C, N, E, S, W}, Turns: [][]int{
		{0, 1, 2, 3, 4},
		{0, 2, 3, 4, 1},
		{0, 3, 4, 1, 2},
		{0, 4, 1, 2, 3},
	}},
	"Moore": {
		Cells: []int{C, N, NE, E, SE, S, SW, W, NW},
		Turns: [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 8, 7, 6, 5, 4, 3, 2}},
	},
	"hexagonal": {Cells: []int{C, N, E, SE, S, W, NW}, Turns: [][]int{{0, 1, 2, 3, 4, 5, 6}, {0, 4, 5, 6, 1, 2, 3}}},
	"line":      {Cells: []int{C, W, E}, Turns: [][]int{{0, 1, 2}}},
}

// drawLines draws a table with lines that contradict each other, and with variables that occur several times.
func drawLines(t *rapid.T) *Lines {
	table := rapid.SampledFrom([]Lines{shapes["von Neumann"], shapes["Moore"], shapes["hexagonal"], shapes["line"]}).
		Draw(t, "shape")
	table.States = rapid.IntRange(2, 6).Draw(t, "states")
	table.Permute = rapid.Bool().Draw(t, "permute")
	state := rapid.Uint8Range(0, uint8(table.States-1))
	states := rapid.SliceOfN(state, 1, table.States+1)
	for range rapid.IntRange(0, 8).Draw(t, "lines") {
		var l Line
		for range rapid.IntRange(0, 2).Draw(t, "variables") {
			l.Variables = append(l.Variables, states.Draw(t, "values"))
		}
		for range table.Cells {
			v := rapid.IntRange(-2, len(l.Variables)-1).Draw(t, "variable")
			if v < 0 {
				l.In = append(l.In, Term{Variable: -1, States: states.Draw(t, "term")})
			} else {
				l.In = append(l.In, Term{Variable: v})
			}
		}
		l.Out = Term{Variable: -1, States: []uint8{state.Draw(t, "out")}}
		if in := rapid.SampledFrom(l.In).Draw(t, "put out"); in.Variable >= 0 {
			l.Out = in
		}
		table.Lines = append(table.Lines, l)
	}
	return &table
}

func drawBlock(t *rapid.T, states int) Around {
	var b Around
	for i := range b {
		b[i] = rapid.Uint8Range(0, uint8(states-1)).Draw(t, "cell")
	}
	return b
}

func TestDiagramSaysWhatTheLinesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := drawLines(t).Function()
		if err != nil {
			t.Fatal(err)
		}
		checkBlocks(t, f, f.Diagram())
		order := rapid.Permutation(f.Diagram().Cells).Draw(t, "order")
		d, err := f.Diagram().Ordered(order)
		if err != nil {
			t.Fatal(err)
		}
		checkBlocks(t, f, d)
		if !d.equal(f.Diagram()) || !f.Diagram().equal(d) {
			t.Error("the same function in another order is not equal to it")
		}
	})
}

func checkBlocks(t *rapid.T, f *Function, d *Diagram) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
	for range 200 {
		var b Around
		for i := range b {
			b[i] = uint8(rng.IntN(f.States))
		}
		if got, want := d.Eval(&b), f.Define(&b); got != want {
			t.Fatalf("the diagram says %d of %v, the lines %d", got, b, want)
		}
	}
}

// TestDigest checks that redundant lines do not change a table's digest, and that a change of one block does.
func TestDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawLines(t)
		f, err := table.Function()
		if err != nil {
			t.Fatal(err)
		}
		// Redundant lines at the end do not change the function, but they may change the numbers of its nodes.
		again := *table
		again.Lines = append(slices.Clone(table.Lines), table.Lines...)
		g, err := again.Function()
		if err != nil {
			t.Fatal(err)
		}
		if f.Digest() != g.Digest() {
			t.Error("two equal functions have different digests")
		}
		// A line above all others for one block.
		b := drawBlock(t, f.States)
		line := Line{Out: Term{Variable: -1, States: []uint8{(f.Define(&b) + 1) % uint8(f.States)}}}
		for _, cell := range table.Cells {
			line.In = append(line.In, Term{Variable: -1, States: []uint8{b[cell]}})
		}
		again.Lines = append([]Line{line}, table.Lines...)
		if g, err = again.Function(); err != nil {
			t.Fatal(err)
		}
		if f.Digest() == g.Digest() {
			t.Error("two different functions have the same digest")
		}
	})
}

func TestClassesAreWhatNeighboursAreNotToldApartBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := drawLines(t).Function()
		if err != nil {
			t.Fatal(err)
		}
		of, classes := f.Diagram().Classes()
		first := make([]uint8, classes)
		for s := len(of) - 1; s >= 0; s-- {
			first[of[s]] = uint8(s)
		}
		if of[0] != 0 {
			t.Errorf("state 0 has class %d", of[0])
		}
		b := drawBlock(t, f.States)
		same := b
		for i := range same {
			if i != C {
				same[i] = first[of[b[i]]]
			}
		}
		if f.Define(&b) != f.Define(&same) {
			t.Errorf("%v and %v, of the same classes %v, differ", b, same, of)
		}
	})
}

func TestInvarianceIsThatOfAllBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := drawLines(t).Function()
		if err != nil {
			t.Fatal(err)
		}
		s := rapid.SampledFrom(topology.Symmetries[:]).Draw(t, "symmetry")
		if !f.Invariant(s) {
			return
		}
		b := drawBlock(t, f.States)
		var turned Around
		for i := range b {
			turned[cellAt(s.Apply(Offset(i)))] = b[i]
		}
		if f.Define(&b) != f.Define(&turned) {
			t.Errorf("%v and %v have different next states, but differ only by a %v", b, turned, s)
		}
	})
}

func TestInvarianceIsFound(t *testing.T) {
	table := shapes["von Neumann"]
	table.States = 3
	any3 := Term{Variable: -1, States: []uint8{0, 1, 2}}
	one := func(s uint8) Term { return Term{Variable: -1, States: []uint8{s}} }
	table.Lines = []Line{{In: []Term{one(0), one(1), one(2), any3, any3}, Out: one(1)}}
	f, err := table.Function()
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[topology.Symmetry]bool{
		topology.QuarterTurn: true, topology.HalfTurn: true,
		topology.MirrorX: false, topology.Transpose: false,
	} {
		if f.Invariant(s) != want {
			t.Errorf("%v: invariant %v", s, !want)
		}
	}
	if f.DependsOn(NE) || !f.DependsOn(N) {
		t.Error("the function must depend on the four neighbours and no other cell")
	}
}

// TestFirstValueCounts has a line that matches a block in two arrangements, with different values of a
// variable. The first value counts, not the first arrangement.
func TestFirstValueCounts(t *testing.T) {
	table := shapes["von Neumann"]
	table.States = 3
	zero := Term{Variable: -1, States: []uint8{0}}
	a, x := Term{Variable: 0}, Term{Variable: -1, States: []uint8{0, 1, 2}}
	table.Lines = []Line{{Variables: [][]uint8{{2, 1}}, In: []Term{zero, a, a, x, x}, Out: a}}
	f, err := table.Function()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []Around{{N: 1, E: 1, S: 2, W: 2}, {N: 2, E: 2, S: 1, W: 1}} {
		if f.Define(&b) != 2 || f.Next(&b) != 2 {
			t.Errorf("%v: %d by the lines, %d by the diagram, want 2", b, f.Define(&b), f.Next(&b))
		}
	}
}

func TestLargeTables(t *testing.T) {
	table := shapes["Moore"]
	table.States = 256
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		var l Line
		for range table.Cells {
			l.In = append(l.In, Term{Variable: -1, States: []uint8{uint8(rng.IntN(256))}})
		}
		l.Out = Term{Variable: -1, States: []uint8{uint8(rng.IntN(256))}}
		table.Lines = append(table.Lines, l)
	}
	f, err := table.Function()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range table.Lines {
		var b Around
		for k, cell := range table.Cells {
			b[cell] = l.In[k].States[0]
		}
		if f.Next(&b) != f.Define(&b) {
			t.Fatalf("line %d: the diagram says %d, the lines %d", i, f.Next(&b), f.Define(&b))
		}
	}
}

func TestTooLarge(t *testing.T) {
	table := shapes["Moore"]
	table.States = 256
	many := make([]uint8, 256)
	for i := range many {
		many[i] = uint8(i)
	}
	l := Line{Variables: [][]uint8{many, many, many, many}, Out: Term{Variable: 0}}
	for _, v := range []int{0, 0, 1, 1, 2, 2, 3, 3, 0} {
		l.In = append(l.In, Term{Variable: v})
	}
	table.Permute, table.Lines = true, []Line{l}
	b := newBuilder(table.States, table.Cells)
	b.room = 1 << 16
	if _, err := b.lines(&table, nil); !errors.Is(err, errTooLarge{b.room}) {
		t.Errorf("%v, want %v", err, errTooLarge{b.room})
	}
}

func TestCode(t *testing.T) {
	class := func(_ int, s uint8) int { return int(s & 1) }
	f, err := Code(5, []int{N, S, C}, class, func(b *Around) uint8 { return (b[N]&1 + b[S]&1 + b[C]) % 5 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := Around{N: 3, S: 4, C: 4, E: 1}
	if f.Next(&b) != 0 || f.Define(&b) != 0 {
		t.Errorf("%d by the diagram, %d by the code, want 0", f.Next(&b), f.Define(&b))
	}
	if _, err := Code(2, []int{C}, class, func(*Around) uint8 { return 2 }, nil); err == nil {
		t.Error("a state that does not exist is accepted")
	}
}

func TestTreesAreChecked(t *testing.T) {
	leaf := TreeNode{Depth: 1, To: []int{0, 1}}
	for name, nodes := range map[string][]TreeNode{
		"empty": nil, "no root": {leaf}, "depth": {{Depth: 3, To: []int{0, 1}}}, "children": {{Depth: 1, To: []int{0}}},
		"state": {{Depth: 1, To: []int{0, 2}}}, "undefined": {leaf, {Depth: 2, To: []int{0, 1}}},
		"skipped": {leaf, {Depth: 2, To: []int{0, -1}}},
	} {
		tree := Tree{States: 2, Cells: []int{N, C}, Nodes: nodes}
		if _, err := tree.Function(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	tree := Tree{States: 2, Cells: []int{N, C}, Nodes: []TreeNode{
		leaf,
		{Depth: 1, To: []int{1, 0}},
		{Depth: 2, To: []int{0, 1}},
	}}
	f, err := tree.Function()
	if err != nil {
		t.Fatal(err)
	}
	for k := range 4 {
		b := Around{N: uint8(k >> 1), C: uint8(k & 1)}
		if want := b[N] ^ b[C]; f.Next(&b) != want || f.Define(&b) != want {
			t.Errorf("%v: %d by the diagram, %d by the tree, want %d", b, f.Next(&b), f.Define(&b), want)
		}
	}
}
