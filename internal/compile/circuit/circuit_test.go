package circuit

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

// TestTransposed checks that the transposed circuit computes the same cells on a universe with rows and columns
// exchanged.
func TestTransposed(t *testing.T) {
	for _, s := range []string{
		"B3/S23",
		"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA", "345/2/7",
		"R3,C3,M0,S6..9,B5..7,NN", "R2,C0,M1,S6..9,B5..7,NM", "M3,14,7,3,11,5,6,1,7,9,10,2,12,4,8,0",
	} {
		r, err := rule.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		c := Of(r)
		random := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			states := map[[2]int]int{}
			at := func(x, y int) int {
				if _, ok := states[[2]int{x, y}]; !ok {
					states[[2]int{x, y}] = random.IntN(r.States)
				}
				return states[[2]int{x, y}]
			}
			want := c.Eval(func(plane, x, y int) bool { return at(x, y)>>plane&1 == 1 }, 1, 0, 1)
			got := c.Transposed().Eval(func(plane, x, y int) bool { return at(y, x)>>plane&1 == 1 }, 0, 1, 1)
			if got != want {
				t.Fatalf("%s: state %d, transposed %d", s, want, got)
			}
		}
	}
}
