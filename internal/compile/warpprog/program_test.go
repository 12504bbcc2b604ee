package warpprog_test

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/rule"
)

// model returns the cost model of GPUs.
func model(words int) warpprog.CostModel {
	return warpprog.CostModel{Words: words, Table: 2, Shift: 2, Shuffle: 1}
}

func parse(t *testing.T, notation string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCosts compares the cost of a generation of a word: in tables, and in half instructions for lanes of two words.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		rule         string
		lead         bool
		tables, cost int
	}{
		// Two sums of a row, which three rows share, and six more tables; each word needs one shift and one shuffle.
		{"B3/S23", false, 8, 38},
		{"B3/S23", true, 8, 38},
		// A diamond's edges are windows that drift: the work grows with the logarithm of the radius.
		{"R25,C0,M0,S600..900,B650..800,NN", false, 115, 542},
		{"R50,C0,M0,S2400..3600,B2600..3200,NN", false, 138, 646},
	} {
		f := compile.Warp(parse(t, c.rule), 2, c.lead)
		if cost := model(2).Cost(&f.Graph); f.Tables() > c.tables || cost > c.cost || (f.Lead > 0) != c.lead {
			t.Errorf("%s: %d tables, cost %d, lead %d, want %d and %d", c.rule, f.Tables(), cost, f.Lead, c.tables, c.cost)
		}
	}
}

// TestLeadLooksRight checks that a program with a lead never reads to the left, so nothing enters a strip there.
func TestLeadLooksRight(t *testing.T) {
	for _, notation := range []string{
		"B3/S23", "B36/S23H", "345/2/7", "R5,C0,M1,S34..58,B34..45,NM",
		"R4,C0,M0,S9..20,B11..15,NC",
	} {
		for _, words := range []int{1, 2, 4} {
			f := compile.Warp(parse(t, notation), words, true)
			if f.Lead == 0 {
				t.Errorf("%s: no lead", notation)
			}
			if warpprog.LooksLeft(&f.Graph) {
				t.Errorf("%s, %d words: looks to the left", notation, words)
			}
		}
	}
}

func TestMoves(t *testing.T) {
	for _, c := range []struct{ column, words, word, bits int }{
		{0, 1, 0, 0}, {3, 2, 1, 1}, {-1, 2, 1, -1}, {-2, 2, 0, -1}, {-5, 4, 3, -2}, {64, 2, 0, 32},
	} {
		if word, bits := warpprog.Split(c.column, c.words); word != c.word || bits != c.bits {
			t.Errorf("column %d of %d words is bit %d of word %d", c.column, c.words, bits, word)
		}
	}
	cost := func(words int, refs ...dataflow.Ref) int {
		return model(words).Cost(&dataflow.Graph{Nodes: make([]dataflow.Node, 1), Out: refs})
	}
	one, two := dataflow.Ref{DX: 1}, dataflow.Ref{DX: 2}
	// One of several words takes a shift and a shuffle for a move by one column; the others are in place.
	if got := [3]int{cost(1, one), cost(2, one), cost(4, one)}; got != [3]int{3, 3, 3} {
		t.Errorf("a move by 1 costs %v", got)
	}
	if got := cost(2, one, two); got != 6 { // of three shifts two are the same
		t.Errorf("moves by 1 and 2 cost %d", got)
	}
	if got := cost(1, dataflow.Ref{DX: 32}); got != 1 { // a shuffle alone
		t.Errorf("a move by a lane costs %d", got)
	}
}

// TestNothingBeyondRadius checks that no row is needed farther to a side than the radius, or with a lead, than
// twice the radius to the right.
func TestNothingBeyondRadius(t *testing.T) {
	for _, notation := range []string{
		"B3/S23", "B2n3/S23-q", "B2/S34H", "345/2/7", "R5,C0,M1,S34..58,B34..45,NM", "R24,C0,M1,S560..1100,B600..1000,NM",
		"R40,C0,M1,S1500..2700,B1800..2500,NM", "R20,C0,M1,S290..480,B290..390,NG",
		"R30,C0,M0,S40..80,B45..70,N*", "R20,C0,M0,S290..480,B290..390,NC", "R5,C0,M0,S30..60,B35..50,NN",
		"R12,C0,M0,S30..60,B35..50,NH",
	} {
		for _, words := range []int{1, 2, 4} {
			for _, lead := range []bool{false, true} {
				f := compile.Warp(parse(t, notation), words, lead)
				least, most := -f.Radius, f.Radius
				if f.Lead > 0 {
					least, most = 0, 2*f.Radius
				}
				if lo, hi := needed(f); lo < least || hi > most {
					t.Errorf("%s, %d words, lead %d: bits %d to %d, want %d to %d", notation, words, f.Lead, lo, hi, least, most)
				}
			}
		}
	}
}

// needed returns how far to each side of bit 0 of the output row any other row is needed.
func needed(f *warpprog.Program) (lo, hi int) {
	type bit struct{ node, at int }
	seen := map[bit]bool{}
	var visit func(node, at int)
	visit = func(node, at int) {
		if seen[bit{node, at}] {
			return
		}
		seen[bit{node, at}] = true
		lo, hi = min(lo, at), max(hi, at)
		for _, r := range f.Nodes[node].Inputs() {
			visit(r.Node, at+r.DX)
		}
	}
	for _, r := range f.Out {
		visit(r.Node, r.DX)
	}
	return lo, hi
}
