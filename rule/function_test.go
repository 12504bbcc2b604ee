//go:build !page

package rule

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// near returns a neighbourhood.
func near(t *testing.T, letter byte, radius int) Neighbourhood {
	t.Helper()
	n, err := NewNeighbourhood(letter, radius)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Life as functions of states and of counts is Life.
func TestFromFuncIsLife(t *testing.T) {
	life := func(cell uint8, n int) uint8 {
		if n == 3 || n == 2 && cell == 1 {
			return 1
		}
		return 0
	}
	want, err := Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for _, counting := range []bool{false, true} {
		r, err := FromFunc("my-life", 2, near(t, 'M', 1), counting, func(cell uint8, near []int) uint8 {
			if counting {
				return life(cell, near[1])
			}
			sum := 0
			for _, s := range near {
				sum += s
			}
			return life(cell, sum)
		})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Equal(want) {
			t.Errorf("counting %v: %v", counting, r)
		}
		again, err := Parse("my-life")
		if err != nil || !again.Equal(want) {
			t.Errorf("by its name: %v, %v", again, err)
		}
	}
}

// Two states that count beyond the 3×3 block are larger than Life.
func TestFromFuncIsLargerThanLife(t *testing.T) {
	want, err := Parse("R3,C2,S24-48,B25-48,NM")
	if err != nil {
		t.Fatal(err)
	}
	r, err := FromFunc("majority", 2, near(t, 'M', 3), true, func(cell uint8, near []int) uint8 {
		if near[1]+int(cell) >= 25 {
			return 1
		}
		return 0
	})
	if err != nil || !r.Equal(want) {
		t.Errorf("%v, %v", r, err)
	}
}

// WireWorld as a function is the built-in one, digest included, and its saved tree is read again.
func TestFromFuncIsWireWorld(t *testing.T) {
	want, err := Parse("WireWorld")
	if err != nil {
		t.Fatal(err)
	}
	r, err := FromFunc("my-wires", 4, near(t, 'M', 1), true, func(cell uint8, near []int) uint8 {
		switch {
		case cell == 1 || cell == 2:
			return cell + 1
		case cell == 3 && (near[1] == 1 || near[1] == 2):
			return 1
		}
		return cell
	})
	if err != nil || !r.Equal(want) {
		t.Fatalf("%v, %v", r, err)
	}
	for _, r := range []Rule{r, want} {
		var text bytes.Buffer
		if err := r.SaveFile(&text, "saved"); err != nil {
			t.Fatal(err)
		}
		f, err := rulefile.Limits{}.Parse("saved.rule", text.Bytes())
		if err != nil || !ofFile(f).Equal(want) || f.Name != "saved" {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
}

func TestSaveFile(t *testing.T) {
	for _, name := range []string{"B3/S23", "345/2/4", "B2/S34H", "B3/S2-i34q", "Langtons-Loops", "WireWorld"} {
		r, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := r.SaveFile(&text, "saved"); err != nil {
			t.Fatal(err)
		}
		f, err := rulefile.Limits{}.Parse("saved.rule", text.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if saved := ofFile(f); !saved.Equal(r) && (r.States == 2 || !sameFunction(t, saved, r)) {
			t.Errorf("%s: the saved rule says something else", name)
		}
	}
	for _, name := range []string{"R2,C2,S2-3,B3,NM", "B3/S23~flip=0.1", "bbm", "Ising~T=2"} {
		r, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.SaveFile(new(bytes.Buffer), "saved"); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sameFunction(t *testing.T, a, b Rule) bool {
	t.Helper()
	f, err := a.AsFunction()
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.AsFunction()
	if err != nil {
		t.Fatal(err)
	}
	return f.Equal(g)
}

// A rule with odds is the table with the same probabilities.
func TestFromOdds(t *testing.T) {
	f, err := rulefile.Limits{}.Parse("burn.rule",
		[]byte("@RULE burn\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:permute\n"+
			"var a={0,1,2}\nvar b=a\nvar c=a\nvar d=a\n0,a,b,c,d,1~0.25\n1,2,a,b,c,2\n1,a,b,c,d,2~0.125\n2,a,b,c,d,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := FromOdds("my-fire", 3, near(t, 'N', 1), false, func(cell uint8, near []int) []float64 {
		switch {
		case cell == 0:
			return []float64{0.75, 0.25, 0}
		case cell == 1 && slices.Contains(near, 2):
			return []float64{0, 0, 1}
		case cell == 1:
			return []float64{0, 0.875, 0.125}
		}
		return []float64{1, 0, 0}
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Chance == nil || len(r.Chance.Function.Outcomes) != 2 {
		t.Fatalf("%+v", r.Chance)
	}
	chances := func(f *local.Function, b *local.Around) (p [3]uint64) {
		below := uint64(0)
		for _, share := range f.Outcome(f.Next(b)) {
			p[share.State] += share.Below - below
			below = share.Below
		}
		return p
	}
	for n := range 243 { // the cells of the block, except its corners
		var b local.Around
		for i, cell := range []int{local.N, local.W, local.C, local.E, local.S} {
			b[cell] = uint8(n / []int{1, 3, 9, 27, 81}[i] % 3)
		}
		if got, want := chances(r.Chance.Function, &b), chances(f.Function, &b); got != want {
			t.Fatalf("%v: %v, want %v", b, got, want)
		}
	}
}

func TestFromFuncErrors(t *testing.T) {
	zero := func(uint8, []int) uint8 { return 0 }
	for _, c := range []struct {
		states   int
		n        Neighbourhood
		counting bool
		next     func(uint8, []int) uint8
		want     string
	}{
		{
			3, near(t, 'M', 2), false, zero,
			"rule x: too large: the table would have 847288609443 entries, and 16777216 are allowed",
		},
		{256, near(t, 'M', 1), true, zero, "rule x: too large: the table would have 1e+17 entries"},
		{2, near(t, 'M', 17), true, zero, "radius 1 to 16"},
		{2, near(t, 'G', 2), true, zero, "no weights"},
		{1, near(t, 'M', 1), true, zero, "1 states"},
		{3, near(t, 'M', 1), true, func(uint8, []int) uint8 { return 3 }, "entry 0 is 3, of 3 states"},
	} {
		_, err := FromFunc("x", c.states, c.n, c.counting, c.next)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
