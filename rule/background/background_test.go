package background_test

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/background"
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

// TestBackgroundOfPhases checks that the background of a plane depends only on the rule, and that without it dead cells remain dead.
func TestBackgroundOfPhases(t *testing.T) {
	for _, test := range []struct{ rule, want string }{
		{"B3/S23", "0000"},
		{"B0/S8", "1111"},
		{"B0/S", "0101"},
		{"B0/S|B/S", "0101"},
		{"B0/S|B/S8", "01100110"},
		{"B0/S8|B3/S8", "1111"},
		{"B3/S|B0/S|B3/S", "0010010"},
		{"B0/S|B3/S8|B1/S8", "011100011100"},
		{"B0/S|B0/S|B0/S", "010101010"},
		{"B0/S1/3", "none"},
		{"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0", "0101"},
		{"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,15", "1111"},
		{"M1,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0", "none"},
		{"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,1", "none"},
	} {
		r := mustParse(t, test.rule)
		for g, want := range []byte(test.want) {
			got, ok := background.Of(r, uint64(g))
			if test.want == "none" {
				if ok {
					t.Errorf("%s has background %d in generation %d, want none", test.rule, got, g)
				}
			} else if !ok || got != want-'0' {
				t.Errorf("%s has background %d, %t in generation %d, want %c", test.rule, got, ok, g, want)
			}
		}
		without, ok := background.Without(r)
		if ok != (test.want != "none") || ok && without.BirthOnEmpty() {
			t.Errorf("%s without its background: %v, %t", test.rule, without, ok)
		}
	}
}
