package census

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
)

func parseRule(t testing.TB, text string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHasGlider(t *testing.T) {
	for text, want := range map[string]bool{"B3/S23": true, "B36/S23": true, "B3/S238": true, "B36/S245": false, "B2/S": false, "B3/S12": false} {
		if got := hasGlider(parseRule(t, text)); got != want {
			t.Errorf("hasGlider(%s) = %v", text, got)
		}
	}
}
