package census

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestSameCensus holds censuses to those of the first version that did all of this, whose shares agree with the
// published ones: a census may become faster, but never different. The digest of the hexagonal rule is that of soups in
// lifelib's orientation. Those of rules with B0 are from the version that first took them.
func TestSameCensus(t *testing.T) {
	for _, test := range []struct {
		rule, symmetry string
		soups          uint64
		digest         string
	}{
		{"B3/S23", "C1", 1000, "245094659cce599f"},
		{"B3/S23", "D2_+1", 200, "e1d28503f2640838"},
		{"B38/S23", "C1", 60, "4ef7e298871b4c18"},
		{"B3/S23V", "C1", 60, "e3f97055d6b83e9a"},
		{"B3/S23H", "C1", 60, "2e9009aff11a1843"},
		{"12/34/3", "C1", 100, "2a14c21cd0ed47b1"},
		{"B0123478/S01234678", "C1", 1000, "245094659cce599f"}, // those of B3/S23
		{"B01245/S0125", "C1", 100, "4b621599a8ab6bfb"},
		{"B01267/S4", "D2_+1", 60, "e9cf82b6bd73d431"},
		{"B01c2aei5eaknj6icaekn/S1c2cen3iyj", "C1", 60, "e5b130b4d3650ab9"},
		{"B0135/S01H", "C1", 60, "db22ebd5eca8950b"},
		{"B0123/S02V", "C1", 60, "319ba9e8a89b84ca"},
		{"R2,C2,S3,B0-2,5-7,NX", "C1", 60, "43a1941b8ed014bc"},
	} {
		symmetry, err := ParseSymmetry(test.symmetry)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{Rule: parseRule(t, test.rule), Root: "same", Symmetry: symmetry, Soups: test.soups}
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		fmt.Fprintln(hash, r.Objects, r.Endless)
		for _, c := range r.Counts {
			fmt.Fprintln(hash, c.Code, c.Count, c.First)
		}
		if got := fmt.Sprintf("%x", hash.Sum(nil)[:8]); got != test.digest {
			t.Errorf("%d soups of %s, %s: %d objects of %d kinds, digest %s, want %s", test.soups, test.rule, test.symmetry,
				r.Objects, len(r.Counts), got, test.digest)
		}
	}
}
