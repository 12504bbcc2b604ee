package dump

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNumbersAreWrittenAsTheyAreRead holds the canonical text of a set to mean that set.
func TestNumbersAreWrittenAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 40), 1, 30, rapid.ID).Draw(t, "set")
		slices.Sort(set)
		read, err := numbers(written(set))
		if err != nil || !slices.Equal(read, set) {
			t.Errorf("%v is written as %s, which is read as %v, %v", set, written(set), read, err)
		}
	})
	for text, want := range map[string]string{
		"7": "7", "3,1,2": "1..3", "0..9/3": "0..9/3", "0,5,10,12,13": "0..10/5,12,13", "4..4": "4", " 0 , 1 ": "0,1",
		"18446744073709551614..18446744073709551615": "18446744073709551614,18446744073709551615",
	} {
		if list, err := numbers(text); err != nil || written(list) != want {
			t.Errorf("%q: %s, %v, want %s", text, written(list), err, want)
		}
	}
}
