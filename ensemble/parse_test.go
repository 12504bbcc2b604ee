package ensemble

import (
	"slices"
	"strings"
	"testing"
)

func TestParseTimes(t *testing.T) {
	for text, want := range map[string]Times{
		"7":                    {7},
		"9007199254740993":     {9007199254740993}, // no float has this value
		"0..30/10":             {0, 10, 20, 30},
		"5..12/3":              {5, 8, 11},
		"1..1/x2":              {1},
		"1..1000/x2":           {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000},
		"1..64/x2":             {1, 2, 4, 8, 16, 32, 64},
		"1..10/x1.2":           {1, 2, 3, 4, 5, 6, 7, 9, 10}, // 1, 1.2, 1.44, 1.73, 2.07, 2.49, 2.99, 3.58, 4.30, 5.16, …
		"100..1000/x3.1622777": {100, 316, 1000},
	} {
		got, err := ParseTimes(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                       "want a number, or a range FIRST..LAST/STEP, or FIRST..LAST/xF",
		"1..10":                  "or FIRST..LAST/xF",
		"-1":                     "generations are whole numbers from 0 on",
		"0..1/0.5":               "generations are whole numbers from 0 on",
		"0..10/x2":               "FIRST from 1",
		"9..4/x2":                "want a logarithmic range",
		"1..10/x1":               "a factor F from 1.001 on",
		"1..10/xNaN":             "a factor F from 1.001 on",
		"1/x2":                   "want a logarithmic range",
		"1..9007199254740993/x2": "want a logarithmic range",
	} {
		if got, err := ParseTimes(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
	spec, err := Parse("a.toml", []byte(`times = [3, "10..20/5", "1..8/x2"]`))
	if want := (Times{3, 10, 15, 20, 1, 2, 4, 8}); err != nil || !slices.Equal(spec.Times, want) {
		t.Errorf("got %v, %v, want %v", spec.Times, err, want)
	}
}
