package sparse

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
)

func TestHasGlider(t *testing.T) {
	for text, want := range map[string]bool{"B3/S23": true, "B36/S23": true, "B3/S238": true, "B36/S245": false, "B2/S": false, "B3/S12": false} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := HasGlider(r); got != want {
			t.Errorf("HasGlider(%s) = %v", text, got)
		}
	}
}
