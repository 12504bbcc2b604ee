package circuit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

// Circuits of functions of more than the 3×3 block compute what the table says, cell by cell.
func TestWide(t *testing.T) {
	wide := 0
	for i, hood := range rulefiletest.Functions {
		for _, inputs := range []string{"states", "counts"} {
			if inputs == "states" && (hood.Name == "M2" || hood.Name == "M4" || hood.Name == "3DM1") {
				continue
			}
			for states := 2; states <= 4; states++ {
				if inputs == "states" && states > 2 && (hood.Name == "N2" || hood.Name == "+3" || hood.Name == "M1") {
					continue
				}
				name := rulefiletest.FunctionName(hood.Name, inputs, states, uint64(i))
				if states == 3 {
					name += "-chancy"
				}
				t.Run(name, func(t *testing.T) {
					if compareWide(t, name) {
						wide++
					}
				})
			}
		}
	}
	if wide < 27 {
		t.Errorf("%d functions are wide, want 27 or more", wide)
	}
}

// compareWide reports whether a function takes more than the 3×3 block, and if it does, compares its circuit.
func compareWide(t *testing.T, name string) bool {
	t.Helper()
	if err := rulefiletest.Define(name); err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Local
	if r.Chance != nil {
		f = r.Chance.Function
	}
	if f == nil || f.Wide() == nil {
		return false // it is of the 3×3 block, or counts neighbours of two states
	}
	if err := Check(r); err != nil {
		t.Fatal(err)
	}
	c := Of(r)
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		var cells [11][11][11]uint8
		dead := rng.IntN(10)
		for x := range cells {
			for y := range cells[x] {
				for z := range cells[x][y] {
					if rng.IntN(10) >= dead {
						cells[x][y][z] = uint8(rng.IntN(r.States))
					}
				}
			}
		}
		at := func(p local.Place) uint8 { return cells[5+p.DX][5+p.DY][5+p.DZ] }
		outcome := f.Outcome(f.Wide().Define(at(local.Place{}), at))
		c.Seed = uint64(trial)
		got := c.EvalVolume(func(plane, x, y, z int) bool { return cells[5+x][5+y][5+z]>>plane&1 == 1 }, 0, 0, 0, 0)
		possible := map[uint8]bool{}
		for _, share := range outcome {
			possible[share.State] = true
		}
		if !possible[got] {
			t.Fatalf("trial %d: %d, want one of %v\n%s", trial, got, possible, fmt.Sprint(c))
		}
	}
	return true
}
