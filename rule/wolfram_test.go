package rule_test

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

// TestElementary: all of Wolfram's rules are found again and written by their numbers, and no others.
func TestElementary(t *testing.T) {
	for n := range 256 {
		name := fmt.Sprintf("W%d", n)
		r := mustParse(t, name)
		if got, ok := rule.Elementary(r); got != n || !ok {
			t.Errorf("%s is said to be W%d, %v", name, got, ok)
		}
		if r.String() != name {
			t.Errorf("%s is written %s", name, r)
		}
	}
	for _, name := range []string{"B3/S23", "B2-a/S", "WireWorld", "R2,C2,S2..3,B3", "/2/3"} {
		if n, ok := rule.Elementary(mustParse(t, name)); ok {
			t.Errorf("%s is said to be W%d", name, n)
		}
	}
}
