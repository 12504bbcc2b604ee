package names

import (
	"slices"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for _, same := range [][2]string{
		{"Brian's Brain", "brians-brain"},
		{"Day\t& Night", "day_&night"},
		{"Conway’s Life", "conways life"},
	} {
		if a, b := Fold(same[0]), Fold(same[1]); a != b {
			t.Errorf("%q folds to %q, %q to %q", same[0], a, same[1], b)
		}
	}
	if Fold("Conway--") == Fold("Conway") {
		t.Error("Conway-- counts as Conway")
	}
	if Fold("star wars") == Fold("star war") {
		t.Error("names that differ in a letter are taken for the same")
	}
}

func TestClosest(t *testing.T) {
	known := slices.Values([]string{
		"Bosco", "Brian's Brain", "HighLife", "Life", "Star Wars", "gosper-gun", "glider",
		"gun", "Gosper glider gun",
	})
	for typed, want := range map[string]string{
		"bosko": "Bosco", "bsoco": "Bosco", "boscoo": "Bosco", "brian brain": "Brian's Brain", "higlife": "HighLife",
		"lief": "Life", "starwar": "Star Wars",
		"gospergnu": "gosper-gun", "gliders": "glider", "gosper": "gosper-gun", "brains": "", "x": "", "": "",
		"quite another": "", "gu": "gun", "fun": "gun",
	} {
		if got := Closest(typed, known); got != want {
			t.Errorf("%q: did you mean %q? want %q", typed, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	long := "symmetry " + strings.Repeat("é", 1000) + ": want none"
	for text, want := range map[string]string{
		"": "", "short": "short", strings.Repeat("x", 50): strings.Repeat("x", 50),
		long: "symmetry éééééééééé … éé: want none",
	} {
		if got := Brief(text, 50); got != want {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
}

func TestIndex(t *testing.T) {
	type rule struct{ name, alias, source string }
	rules := []rule{{"Life", "Conway's Game of Life", "Conway"}, {"HighLife", "replicator rule", "Bell"}}
	about := About[rule]{
		Names: func(r rule) []string { return []string{r.name, r.alias} },
		Text:  func(r rule) string { return r.source },
		Clone: func(r rule) rule { return r },
		Where: func(i int) string { return rules[i].source },
	}
	x, err := NewIndex(rules, about)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := x.Lookup("conways_game of-life"); !ok || r != rules[0] {
		t.Errorf("an alias finds %v, %t", r, ok)
	}
	if r, ok := x.Lookup("Bell"); ok {
		t.Errorf("a source is no name: it finds %v", r)
	}
	for words, want := range map[string][]rule{
		"": rules, "life CONWAY": rules[:1], "life": rules,
		"replicatorrule bell": rules[1:], "bosco": {},
	} {
		if got := x.Search(words); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", words, got, want)
		}
	}
	if got := slices.Collect(x.Names()); len(got) != 4 || got[1] != "Conway's Game of Life" {
		t.Errorf("names %q", got)
	}
	rules = append(rules, rule{"high life", "", "Davis"})
	if _, err := NewIndex(rules, about); err == nil ||
		err.Error() != `Davis: the name "high life" is already used by Bell` {
		t.Errorf("got %v", err)
	}
}
