package rule

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// TestAgesAreThoseDescribed compares random rules with LifeWiki's description. An active cell keeps its state
// if the count of active neighbours is one of survival. Otherwise it goes on to the next state, as inactive
// cells do. A dead cell becomes 1 if the count is one of birth.
func TestAgesAreThoseDescribed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var ages ages
		for range 1 + rng.IntN(5) {
			ages = append(ages, rng.IntN(4))
		}
		ages = append(ages, 1)
		active := map[int]bool{}
		states := 1
		for i, n := range ages {
			for range n {
				active[states] = i%2 == 0
				states++
			}
		}
		births, survivals := rng.IntN(512), rng.IntN(512)
		count := func(block int) (n int) {
			for cell := range 9 {
				if cell != local.C {
					n += block >> (8 - cell) & 1
				}
			}
			return n
		}
		f := agedFile("R", neighbourhood.Set{Letter: 'M', Radius: 1}, func(block int) bool {
			if block&16 != 0 {
				return survivals>>count(block)&1 == 1
			}
			return births>>count(block)&1 == 1
		}, ages)
		if f.Function.States != states {
			t.Fatalf("%v has %d states, want %d", ages, f.Function.States, states)
		}
		for range 200 {
			var b local.Around
			n := 0
			for i := range b {
				b[i] = uint8(rng.IntN(states))
				if i != local.C && active[int(b[i])] {
					n++
				}
			}
			c := int(b[local.C])
			want := (c + 1) % states
			switch {
			case c == 0 && births>>n&1 == 0:
				want = 0
			case c != 0 && active[c] && survivals>>n&1 == 1:
				want = c
			}
			if got := f.Function.Define(&b); int(got) != want {
				t.Fatalf("%v, B %b, S %b: %v becomes %d, want %d", ages, births, survivals, b, got, want)
			}
		}
	}
}

func TestParseAges(t *testing.T) {
	for _, good := range []string{"1-2-1", "0-3-1", "1", "100-155"} {
		if a, err := parseAges(good); err != nil || a.String() != good {
			t.Errorf("%s is read as %v, %v", good, a, err)
		}
	}
	for _, bad := range []string{"", "0", "0-0", "1-", "1--2", "a", "-1", "200-56", "1-2x"} {
		if a, err := parseAges(bad); err == nil {
			t.Errorf("%s is read as %v", bad, a)
		}
	}
}
