package sparse

import "testing"

func TestHasGlider(t *testing.T) {
	for text, want := range map[string]bool{
		"B3/S23": true, "B36/S23": true, "B3/S238": true, "B36/S245": false,
		"B2/S": false, "B3/S12": false, "23/3/3": false,
	} {
		b, _ := batchOf(t, text)
		if got := b.HasGlider(); got != want {
			t.Errorf("HasGlider(%s) = %v", text, got)
		}
	}
}
