package circuit

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

// TestRowsAsLayers evaluates circuits of volumes with rows and layers exchanged.
func TestRowsAsLayers(t *testing.T) {
	for _, s := range []string{"3D4,5/5", "3D2,3/3H", "2,6,9/4,6,8-9/10/M", "3DR2,C0,M1,S15..30,B12..25,N2"} {
		r, err := rule.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		c := Of(r)
		exchanged := RowsAsLayers(c)
		random := rand.New(rand.NewPCG(1, 2))
		for range 30 {
			states := map[[3]int]int{}
			at := func(x, y, z int) int {
				if _, ok := states[[3]int{x, y, z}]; !ok {
					states[[3]int{x, y, z}] = random.IntN(r.States)
				}
				return states[[3]int{x, y, z}]
			}
			want := c.EvalVolume(func(plane, x, y, z int) bool { return at(x, y, z)>>plane&1 == 1 }, 1, 0, 5, 1)
			got := exchanged.EvalVolume(func(plane, x, y, z int) bool { return at(x, z, y)>>plane&1 == 1 }, 1, 5, 0, 1)
			if got != want {
				t.Fatalf("%s: state %d, with rows and layers exchanged %d", s, want, got)
			}
		}
	}
}

// TestOwnChance uses the random bits of the cell itself, of other cells, and of a cell that another one is read from.
func TestOwnChance(t *testing.T) {
	chance, cell := Node{Kind: Random}, Node{Kind: Input}
	threshold := func(digit Tap) Node {
		return Node{Kind: Threshold, Cell: Tap{Node: 1}, Sum: &NeighbourSum{Digits: []Tap{digit}}}
	}
	table := func(in ...Tap) Node { return Node{Kind: Table, In: [3]Tap(in)} }
	for i, c := range []struct {
		last Node
		out  Tap
		want bool
	}{
		{cell, Tap{Node: 2, DX: 1}, true},
		{table(Tap{Node: 0}, Tap{Node: 1, DY: 1}, Tap{Node: 1, DZ: 1}), Tap{Node: 2}, true},
		{table(Tap{Node: 0}, Tap{Node: 1}, Tap{Node: 1}), Tap{Node: 2, DZ: -1}, false},
		{table(Tap{Node: 1}, Tap{Node: 0, DX: 1}, Tap{Node: 1}), Tap{Node: 2}, false},
		{table(Tap{Node: 1}, Tap{Node: 1}, Tap{Node: 0, DZ: 1}), Tap{Node: 2}, false},
		{threshold(Tap{Node: 1}), Tap{Node: 2}, true},
		{threshold(Tap{Node: 0}), Tap{Node: 2}, false},
	} {
		circuit := Circuit{Planes: 1, Nodes: []Node{chance, cell, c.last}, Out: []Tap{c.out}}
		if got := OwnChance(&circuit); got != c.want {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
}

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
