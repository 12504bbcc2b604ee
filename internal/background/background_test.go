package background_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

func mustParse(t interface {
	Helper()
	Fatal(args ...any)
}, s string,
) rule.Rule {
	t.Helper()
	r, err := rule.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOrbits checks that the background of a plane depends only on the rule, and that without it dead cells
// remain dead. The states after the bar come again and again.
func TestOrbits(t *testing.T) {
	for _, test := range []struct {
		rule, want string
		rest       uint64
	}{
		{"B3/S23", "|0", 1},
		{"B0/S8", "|1", 0},
		{"B0/S", "|01", 2},
		{"B0/S|B/S", "|01", 2},
		{"B0/S|B/S8", "|0110", 4},
		{"B0/S8|B3/S8", "|11", 0},
		{"B3/S|B0/S|B3/S", "|001", 3},
		{"B0/S|B3/S8|B1/S8", "|011100", 6},
		{"B0/S|B0/S|B0/S", "|010101", 2},
		{"B0/S1/3", "|012", 3},
		{"B0/S8/3", "0|1", forever},
		{"B0/S/5", "|01234", 5},
		{"345/2/4|345/02/4", "0|0123", forever},
		{"R2,C3,M0,S1..3,B0..2,NM", "|012", 3},
		{"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0", "|01", 2},
		{"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,15", "|11", 0},
		{"M1,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0", "", 0},
		{"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,1", "", 0},
		{"B3/S23~set1=0.1", "", 0},
	} {
		r := mustParse(t, test.rule)
		o, ok := background.Of(r)
		if ok != (test.want != "") {
			t.Errorf("%s has an orbit: %t", test.rule, ok)
		}
		if !ok {
			continue
		}
		once, again, _ := strings.Cut(test.want, "|")
		if o.Once() != len(once) || o.Period() != uint64(len(again)) || o.Rest() != test.rest {
			t.Errorf("%s: %d states once, %d again, rests every %d, want %s, %d", test.rule, o.Once(), o.Period(), o.Rest(),
				test.want, test.rest)
			continue
		}
		for g, want := range once + again + again + again {
			if got := o.At(uint64(g)); got != uint8(want-'0') {
				t.Errorf("%s has background %d in generation %d, want %c", test.rule, got, g, want)
			}
		}
		for g, s := range o.Steps() {
			if two := r.States == 2; two && s.Rule.BirthOnEmpty() ||
				!two && (s.Before != o.At(uint64(g)) || s.After != o.At(uint64(g+1))) {
				t.Errorf("%s: step %d is %v", test.rule, g, s)
			}
		}
		without, ok := o.Without()
		if want := r.States == 2 || !r.BirthOnEmpty(); ok != want || ok && without.BirthOnEmpty() {
			t.Errorf("%s without its background: %v, %t", test.rule, without, ok)
		}
	}
}

// TestTurnsThatCannotBeComplemented checks that a rule with B0 and two states has no orbit if one of the rules that
// take turns is a function, since functions are not complemented.
func TestTurnsThatCannotBeComplemented(t *testing.T) {
	diamond, err := neighbourhood.New('N', 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rule.FromFunc("differs", 2, diamond, false, func(cell uint8, near []int) uint8 {
		return cell ^ uint8(near[0])
	})
	if err != nil {
		t.Fatal(err)
	}
	if f.Kind() != rule.KindFunction {
		t.Fatalf("the function is of kind %d", f.Kind())
	}
	b0 := mustParse(t, "B0/S")
	r := rule.Rule{Family: rule.Alternating, States: 2, Neighbourhood: diamond, Phases: []rule.Rule{b0, f}}
	if o, ok := background.Of(r); ok {
		t.Errorf("it has the orbit %+v", o)
	}
	r.Phases = []rule.Rule{b0, b0}
	if _, ok := background.Of(r); !ok {
		t.Error("rules that count have no orbit")
	}
}

// TestExchange checks that the exchange undoes itself.
func TestExchange(t *testing.T) {
	for empty := range uint8(5) {
		if background.Exchange(0, empty) != empty || background.Exchange(empty, empty) != 0 {
			t.Errorf("state 0 and %d are not exchanged", empty)
		}
		for state := range uint8(5) {
			if got := background.Exchange(background.Exchange(state, empty), empty); got != state {
				t.Errorf("twice exchanged with %d, state %d is %d", empty, state, got)
			}
		}
	}
}

const forever = math.MaxUint64
