package rule

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/rule/local"
)

// TestCellsAreThoseDescribed compares random rules with LifeWiki's description, on random blocks.
func TestCellsAreThoseDescribed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var r bsfklRule
		for i := range r {
			r[i] = uint16(rng.IntN(512))
		}
		if again, err := parseBSFKL(r.String()); err != nil || again != r {
			t.Fatalf("%v is read as %v, %v", r, again, err)
		}
		has := func(set, n int) bool { return r[set]&(1<<n) != 0 }
		f := r.File().Function
		for range 200 {
			var b local.Around
			alive, harmful := 0, 0
			for i := range b {
				b[i] = uint8(rng.IntN(3))
				switch {
				case i == local.C:
				case b[i] == 1:
					alive++
				case b[i] == 2:
					harmful++
				}
			}
			want := b[local.C]
			switch {
			case want == 1 && has(3, harmful):
				want = 0
			case want == 1 && !has(1, alive):
				want = 2
			case want == 2 && has(4, alive):
				want = 0
			case want == 0 && has(2, harmful) && has(0, alive):
				want = 1
			}
			if got, same := f.Define(&b), f.Next(&b); got != want || same != want {
				t.Fatalf("%v: %v becomes %d, looked up %d, want %d", r, b, got, same, want)
			}
		}
	}
}

func TestNotation(t *testing.T) {
	for text, want := range map[string]string{
		"B2/S23/F0/K1/L2": "B2/S23/F0/K1/L2",
		"b32s2f0k1l2":     "B23/S2/F0/K1/L2",
		"b3/s23f/kl":      "B3/S23/F/K/L",
	} {
		r, err := parseBSFKL(text)
		if !isBSFKL(text) || err != nil || r.String() != want {
			t.Errorf("%s is read as %v, %v; want %s", text, r, err, want)
		}
	}
	for _, wrong := range []string{"B3/S23/F0/K1", "b3s23fk", "B3/S29/F/K/L"} {
		if r, err := parseBSFKL(wrong); !isBSFKL(wrong) || err == nil {
			t.Errorf("%s is read as %v", wrong, r)
		}
	}
	for _, other := range []string{
		"", "B3/S23", "B3/S23/F0/L1", "B3/S23/F0/K1/L2/", "B3/S23/F0/K1/L2V",
		"B3a/S23/F0/K1/L2", "bsf",
	} {
		if isBSFKL(other) {
			t.Errorf("%s is taken for one of these rules", other)
		}
	}
}
