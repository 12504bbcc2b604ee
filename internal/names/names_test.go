package names

import (
	"slices"
	"testing"
)

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

func TestClosest(t *testing.T) {
	known := slices.Values([]string{"Bosco", "Brian's Brain", "HighLife", "Life", "Star Wars", "gosper-gun", "glider", "gun", "Gosper glider gun"})
	for typed, want := range map[string]string{
		"bosko": "Bosco", "bsoco": "Bosco", "boscoo": "Bosco", "brian brain": "Brian's Brain", "higlife": "HighLife", "lief": "Life", "starwar": "Star Wars",
		"gospergnu": "gosper-gun", "gliders": "glider", "gosper": "gosper-gun", "brains": "", "x": "", "": "", "quite another": "", "gu": "gun", "fun": "gun",
	} {
		if got := Closest(typed, known); got != want {
			t.Errorf("%q: did you mean %q? want %q", typed, got, want)
		}
	}
}
