package catalogue

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCounts(t *testing.T) {
	least := map[string]int{
		"life-like": 80, "von Neumann": 7, "hexagonal": 10, "isotropic": 50, "generations": 50,
		"larger than life": 44, "HROT": 4, "weighted": 8, "block": 15, "partitioned": 12,
	}
	have := make(map[string]int)
	previous := 0
	for _, named := range All() {
		have[named.Kind]++
		kind := slices.Index(kinds, named.Kind)
		if kind < previous {
			t.Errorf("%s: kind %s stands after kind %s", named.Name, named.Kind, kinds[previous])
		}
		previous = kind
	}
	for _, kind := range kinds {
		if have[kind] < least[kind] {
			t.Errorf("%d %s rules, want at least %d", have[kind], kind, least[kind])
		}
	}
}

func TestNamesFindThemselves(t *testing.T) {
	for _, named := range All() {
		for _, name := range append([]string{named.Name}, named.Aliases...) {
			for _, spelling := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "_")} {
				found, ok := Lookup(spelling)
				if !ok {
					t.Errorf("Lookup(%q) finds nothing", spelling)
				} else if diff := cmp.Diff(named, found); diff != "" {
					t.Errorf("Lookup(%q): %s", spelling, diff)
				}
			}
			if !slices.ContainsFunc(Search(name), func(n Entry) bool { return n.Name == named.Name }) {
				t.Errorf("Search(%q) does not find %s", name, named.Name)
			}
		}
	}
}

func TestLookupSpellings(t *testing.T) {
	for _, test := range []struct{ name, notation string }{
		{"life", "B3/S23"},
		{"Conway’s Life", "B3/S23"},
		{"day-and-night", "B3678/S34678"},
		{"brians brain", "/2/3"},
		{"BOSCOS_RULE", "R5,C0,M1,S34..58,B34..45,NM"},
		{"Game of Life", "B3/S23"},
		{"CAT Game of Life", "R1,C0,M0,S2..3,B3..3,NM"},
		{"just friends", "B2-a/S12"},
		{"", ""},
		{"--", ""},
		{"no such rule", ""},
	} {
		named, ok := Lookup(test.name)
		if named.Notation != test.notation || ok != (test.notation != "") {
			t.Errorf("Lookup(%q) = %q, %v; want %q", test.name, named.Notation, ok, test.notation)
		}
	}
}

func TestSearch(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"brian BRAIN", []string{"Brian's Brain"}},
		{"brians", []string{"Brian's Brain"}},
		{"cat paper r = 5;", []string{"CAT Bosco's Rule"}},
		{"hexagonal b2/s34h", []string{"Hexagonal Life"}},
		{"rucker", []string{"Cooties", "Sticks"}},
		{"nothing of the kind", nil},
	} {
		var names []string
		for _, named := range Search(test.text) {
			names = append(names, named.Name)
		}
		if diff := cmp.Diff(test.want, names); diff != "" {
			t.Errorf("Search(%q): %s", test.text, diff)
		}
	}
	if all := Search(" "); len(all) != len(All()) {
		t.Errorf("an empty search finds %d of %d rules", len(all), len(All()))
	}
}

func TestNotShared(t *testing.T) {
	All()[0].Aliases[0] = "spoilt"
	found, _ := Lookup("life")
	found.Aliases[0] = "spoilt"
	Search("life")[0].Aliases[0] = "spoilt"
	if life, _ := Lookup("Life"); slices.Contains(life.Aliases, "spoilt") {
		t.Error("a caller can change the catalogue")
	}
}

func TestParseRefuses(t *testing.T) {
	const header = "name\taliases\tnotation\tkind\tdensity\tsource\n"
	for _, test := range []struct{ table, want string }{
		{"Life\tB3/S23", "line 2: 2 columns"},
		{"\t\tB3/S23\tlife-like\t\tnowhere", "needs a name"},
		{"Life\t\t\tlife-like\t\tnowhere", "needs a name"},
		{"Life\t\tB3/S23\tlife-like\t\t", "needs a name"},
		{"Life\t\tB3/S23\tlively\t\tnowhere", `unknown kind "lively"`},
		{"Life\t\tB3/S23\tlife-like\t1.5\tnowhere", `density "1.5"`},
		{"Life\t\tB3/S23\tlife-like\tNaN\tnowhere", `density "NaN"`},
		{"Life\tL-i_fe\tB3/S23\tlife-like\t\tnowhere", `the name "L-i_fe" is already used by line 2`},
	} {
		if _, err := parse(header + test.table); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.table, err, test.want)
		}
	}
}
