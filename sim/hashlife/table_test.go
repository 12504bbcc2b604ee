package hashlife

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// TestLookedUp compares soups of rules with tables of 2 to 256 states, whose leaves have 8×8 cells, with the reference.
func TestLookedUp(t *testing.T) {
	names := []string{"Codd", "Devore", "JvN29", "Hutton32", "Byl-Loop"}
	for seed := range uint64(4) {
		names = append(names,
			rulefiletest.Name("Moore", "none", 3, seed), rulefiletest.Name("Moore", "rotate8", 8, seed),
			rulefiletest.Name("vonNeumann", "none", 23, seed), rulefiletest.Name("hexagonal", "rotate2", 9, seed),
			rulefiletest.Name("Moore", "none", 2, seed), rulefiletest.Name("vonNeumann", "rotate4", 256, seed))
	}
	looked := 0
	for i, name := range names {
		if err := rulefiletest.Define(name); err != nil {
			t.Fatal(err)
		}
		r, err := rule.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if !compile.LooksUp(r.Local) {
			continue
		}
		looked++
		t.Run(fmt.Sprint(name), func(t *testing.T) {
			compare(t, sim.Config{Rule: r, Threads: 1 + i%2}, uint64(i), []int{1 + i%5, 7 - i%3, 16})
		})
	}
	if looked < len(names)/2 {
		t.Errorf("only %d of %d rules are looked up", looked, len(names))
	}
}
