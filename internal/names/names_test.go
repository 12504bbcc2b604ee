package names

import "testing"

func TestFold(t *testing.T) {
	for _, same := range [][2]string{{"Brian's Brain", "brians-brain"}, {"Day\t& Night", "day_&night"}, {"Conway’s Life", "conways life"}} {
		if a, b := Fold(same[0]), Fold(same[1]); a != b {
			t.Errorf("%q folds to %q, %q to %q", same[0], a, same[1], b)
		}
	}
	if Fold("star wars") == Fold("star war") {
		t.Error("names that differ in a letter are taken for the same")
	}
}
