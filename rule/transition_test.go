package rule_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

func TestNext(t *testing.T) {
	tests := []struct {
		rule  string
		state uint8
		count int
		want  uint8
	}{
		{"B3/S23", 0, 3, 1},
		{"B3/S23", 0, 2, 0},
		{"B3/S23", 1, 2, 1},
		{"B3/S23", 1, 4, 0},
		{"345/2/4", 0, 2, 1},
		{"345/2/4", 1, 3, 1},
		{"345/2/4", 1, 2, 2},
		{"345/2/4", 2, 2, 3},
		{"345/2/4", 3, 2, 0},
		{"345/2/256", 254, 3, 255},
		{"345/2/256", 255, 3, 0},
		{"R5,C0,M1,S34..58,B34..45,NM", 0, 33, 0},
		{"R5,C0,M1,S34..58,B34..45,NM", 0, 34, 1},
		{"R5,C0,M1,S34..58,B34..45,NM", 0, 45, 1},
		{"R5,C0,M1,S34..58,B34..45,NM", 0, 46, 0},
		{"R5,C0,M1,S34..58,B34..45,NM", 1, 32, 0},
		{"R5,C0,M1,S34..58,B34..45,NM", 1, 33, 1},
		{"R5,C0,M1,S34..58,B34..45,NM", 1, 57, 1},
		{"R5,C0,M1,S34..58,B34..45,NM", 1, 58, 0},
		{"R3,C2,S20,B5,NG", 1, 4, 1},                // 16 for the centre itself
		{"R3,C2,S20,B5,NG", 0, 5, 1},                // the centre is dead
		{"R1,C2,S5,B3,NW111121111", 1, 3, 1},        // 2 for the centre
		{"R1,C3,S14,B12,NW111121111,123", 1, 10, 1}, // 2·2 for a centre in state 1
		{"R1,C3,S14,B12,NW111121111,123", 0, 10, 1}, // 2·1 for one in state 0
		{"R1,C2,S0,B3,NW1111a1111", 1, 2, 1},        // -2 for the centre
		{"r2b1e7108s3e7c80", 0, 4, 1},               // lifelib's test rule
		{"r2b1e7108s3e7c80", 1, 8, 1},
		{"r2b1e7108s3e7c80", 1, 9, 0},
	}
	for _, test := range tests {
		if got := mustParse(t, test.rule).Next(test.state, test.count); got != test.want {
			t.Errorf("%s: state %d with count %d becomes %d, want %d", test.rule, test.state, test.count, got, test.want)
		}
	}
}

func TestLifeTable(t *testing.T) {
	const centre = 16
	for _, s := range []string{"B3/S23", lifeMAP} {
		table, ok := mustParse(t, s).AsTable()
		if !ok {
			t.Fatalf("%s has no table", s)
		}
		for block := range 512 {
			n, want := bits.OnesCount(uint(block&^centre)), 0
			if n == 3 || n == 2 && block&centre != 0 {
				want = 1
			}
			if table.At(block) != want {
				t.Errorf("%s: block %09b gives %d, want %d", s, block, table.At(block), want)
			}
		}
	}
}

// Each table copies one neighbour. Which bit is which neighbour was measured with Golly 3.3.
func TestShortMAPOrders(t *testing.T) {
	tests := []struct {
		notation string
		block    int // holding only the neighbour
	}{
		{"MAPAAD//w", 128},                 // 32 bits, N is the highest of the index
		{"MAPVVVVVQ", 2},                   // S the lowest
		{"MAPAAAAAAAAAAD//////////w", 2},   // 128 bits, S is the highest
		{"MAPVVVVVVVVVVVVVVVVVVVVVQ", 128}, // N the lowest
		{"MAPMzMzMzMzMzMzMzMzMzMzMw", 256}, // NW the next
	}
	for _, test := range tests {
		table, ok := mustParse(t, test.notation).AsTable()
		if !ok {
			t.Fatalf("%s has no table", test.notation)
		}
		for block := range 512 {
			if want := block & test.block / test.block; table.At(block) != want {
				t.Fatalf("%s: block %09b gives %d, want %d", test.notation, block, table.At(block), want)
			}
		}
	}
}

// A table that outgrew its short form is printed in full.
func TestMAPStringFitsTheTable(t *testing.T) {
	for _, short := range []string{"MAPHmlphg", "MAPAAAAAAAAAAAAAAAAAAAAAA"} {
		r := mustParse(t, short)
		r.Table, _ = mustParse(t, "B3/S23").AsTable()
		if r.String() != lifeMAP {
			t.Errorf("%s with Life's table is printed %s", short, r)
		}
	}
}

// evolve applies a rule to a 3×3 block by counting or by its table: the next state of the centre.
func evolve(r rule.Rule, block [9]uint8) uint8 {
	if r.Table != nil {
		index := 0
		for i, state := range block {
			if state == 1 {
				index |= 1 << (8 - i)
			}
		}
		return r.NextInBlock(block[4], index)
	}
	count := 0
	for _, o := range r.Neighbourhood.Offsets() {
		count += o.Weight * r.StateWeight(block[3*(o.DY+1)+o.DX+1])
	}
	return r.Next(block[4], count)
}

func drawBlock(t *rapid.T, states int) (block [9]uint8) {
	for i := range block {
		block[i] = uint8(rapid.IntRange(0, states-1).Draw(t, "state"))
	}
	return block
}

func TestAsTableAgreesWithCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ruletest.Gen().Draw(t, "rule")
		table, ok := r.AsTable()
		if !ok || r.Neighbourhood.Radius > 1 {
			return
		}
		tabled := r
		tabled.Table = table
		block := drawBlock(t, r.States)
		if got, want := evolve(tabled, block), evolve(r, block); got != want {
			t.Fatalf("%s: block %v becomes %d by table, %d by counting", r, block, got, want)
		}
	})
}

func TestAsTableOnlyWhereItFits(t *testing.T) {
	for s, want := range map[string]bool{
		"B3/S23": true, "345/2/4": true, "R1,C4,S2-3,B3,NW111101111": true, "R1,C2,S2-3,B3,NW111101111,13": true,
		"R1,C3,S2-3,B3,NW111101111,010": true, "R1,C3,S2-3,B3,NW111101111,012": false, "R2,C2,S2-3,B3,N@0399c0": true,
		"R2,C2,S2-3,B3,N@0399c1": false, "R2,C2,S2-3,B3": false, "R5,C0,M1,S34..58,B34..45,NM": false,
	} {
		if _, ok := mustParse(t, s).AsTable(); ok != want {
			t.Errorf("%s has a table: got %t", s, ok)
		}
	}
}

func TestInvariantIsTrueToEvolution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.OneOf(ruletest.OuterTotalistic(), ruletest.MAP(), ruletest.Custom(), ruletest.Weighted()).Draw(t, "rule")
		s := rapid.SampledFrom(topology.Symmetries[:]).Draw(t, "symmetry")
		if r.Neighbourhood.Radius > 1 || !r.Invariant(s) {
			return
		}
		block := drawBlock(t, r.States)
		var turned [9]uint8
		for i, state := range block {
			x, y := s.Apply(i%3-1, i/3-1)
			turned[3*(y+1)+x+1] = state
		}
		if evolve(r, block) != evolve(r, turned) {
			t.Fatalf("%s: %v and %v differ under the %s", r, block, turned, s)
		}
	})
}

func TestInvariant(t *testing.T) {
	tests := []struct {
		rule     string
		symmetry topology.Symmetry
		want     bool
	}{
		{"B3/S23", topology.MirrorX, true},
		{"B3/S23V", topology.QuarterTurn, true},
		{"B2/S34H", topology.HalfTurn, true},
		{"B2/S34H", topology.MirrorX, false},
		{"B2/S34H", topology.QuarterTurn, false},
		{lifeMAP, topology.AntiTranspose, true},
		{"MAPAAD//w", topology.MirrorX, true},
		{"MAPAAD//w", topology.MirrorY, false},
		{"R3,C0,M0,S2..9,B3..9,N3", topology.Transpose, true},
		{"R3,C0,M0,S2..9,B3..9,N3", topology.MirrorY, false},
		{"R3,C0,M0,S2..9,B3..9,NH", topology.HalfTurn, true},
		{"R3,C0,M0,S2..9,B3..9,NC", topology.QuarterTurn, true},
	}
	for _, test := range tests {
		if got := mustParse(t, test.rule).Invariant(test.symmetry); got != test.want {
			t.Errorf("%s is invariant under the %s: got %t", test.rule, test.symmetry, got)
		}
	}
}

func TestRadius(t *testing.T) {
	for s, want := range map[string]int{"B3/S23": 1, lifeMAP: 1, "R7,C2,S,B1,N+": 7} {
		if got := mustParse(t, s).Radius(); got != want {
			t.Errorf("%s: radius %d, want %d", s, got, want)
		}
	}
}

func TestPlanes(t *testing.T) {
	for states, want := range map[string]int{"2": 1, "3": 2, "4": 2, "5": 3, "255": 8, "256": 8} {
		if got := mustParse(t, "23/3/"+states).Planes(); got != want {
			t.Errorf("%s states: %d planes, want %d", states, got, want)
		}
	}
}
