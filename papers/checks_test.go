package papers_test

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
)

var tables = []experiment.Table{
	{
		Title: "Speeds", Header: []string{"r", "CAT", "printed"},
		Rows: [][]string{{"1", "2e11", "1e11"}, {"16", "1.9e11", ""}},
	},
	{Title: "Race", Header: []string{"r", "A", "B"}, Rows: [][]string{
		{"1", "1", "2"},
		{"2", "3", "2"},
		{"3", "1", "2"},
		{"4", "1", "2"},
	}},
	{
		Title: "Devices", Header: []string{"r", "method", "H100"},
		Rows: [][]string{{"1", "BASE", "9.8"}, {"1", "CAT", "7.2"}}, Note: "A note.",
	},
}

func TestRender(t *testing.T) {
	for text, want := range map[string]string{
		`{{from "Race" "A" "B"}} {{where "Race" "A" "3"}}`:                         "3 2",
		`{{cell "Speeds" "16" "CAT"}}`:                                             "1.9e11",
		`{{has "Race"}} {{has "Nothing"}}`:                                         "true false",
		`{{cell "Speeds" "1" "CAT+1"}}`:                                            "1e11",
		`{{cell "Devices" "1/CAT" "H100"}}`:                                        "7.2",
		`{{over (cell "Speeds" "1" "CAT") (cell "Speeds" "1" "printed")}}`:         "2",
		`{{round 2 (times 3.14159 2)}} {{minus 5 3}}`:                              "6.3 2",
		`{{least "Speeds" "CAT"}} to {{most "Speeds" "CAT"}}, {{percent 0.123}} %`: "1.9e11 to 2e11, 12 %",
		`{{table "Devices"}}`:                                                      "**Devices**\n\n| r | method | H100 |\n| - | ------ | ---- |\n| 1 | BASE   | 9.8  |\n| 1 | CAT    | 7.2  |\n\nA note.",
	} {
		got, err := Render(text, tables)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		`{{table "Nothing"}}`, `{{cell "Speeds" "2" "CAT"}}`, `{{cell "Speeds" "16" "printed"}}`,
		`{{cell "Speeds" "1" "BASE"}}`,
		`{{cell "Speeds" "1" "CAT+9"}}`, `{{over "fast" 2}}`, `{{most "Devices" "method"}}`, `{{`, `{{from "Race" "B" "A"}}`,
		`{{where "Race" "A" "7"}}`,
	} {
		if got, err := Render(text, tables); err == nil {
			t.Errorf("%s is not refused: %q", text, got)
		}
	}
}

// A template reckons with a marked number as with any other.
func TestMarkedNumber(t *testing.T) {
	if v, err := number("3.52e13 (spread 101 %)"); err != nil || v != 3.52e13 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := number("110.9 ± 0.64 (spread 40 %)"); err == nil {
		t.Error("a number with its error is taken for a number")
	}
}

func TestCheck(t *testing.T) {
	phrases, err := ReadPhrases(strings.NewReader("# a remark\n\n16×16 fragments\tsection IV-A\n101 times\tabstract\n"))
	if err != nil || len(phrases) != 2 || phrases[1].Place != "abstract" {
		t.Fatalf("%v, %v", phrases, err)
	}
	const good = "CAT on an H100 has 16×16\nfragments and is 101 times as fast, here {{cell \"x\" \"16\" \"y\"}}; see [data](data/cat2.csv), `r = 3` and\n\n    gosper --limit 1s\n"
	if err := Check(good, phrases); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		good + " It takes 12 ms.":            "12 ms",
		good + " It takes ½ of it.":          "½",
		strings.ReplaceAll(good, "101", "a"): `does not say "101 times"`,
		good + " 16×16":                      "16×16",
	} {
		if err := Check(text, phrases); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one about %q", err, want)
		}
	}
	for _, bad := range []string{"101 times\n", "\tabstract\n", "101 times\t \n"} {
		if _, err := ReadPhrases(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is not refused", bad)
		}
	}
}
