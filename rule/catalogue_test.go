package rule

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCatalogueCounts(t *testing.T) {
	least := map[string]int{
		"life-like": 80, "von Neumann": 7, "hexagonal": 10, "isotropic": 50, "generations": 50,
		"larger than life": 44, "HROT": 4, "weighted": 8,
	}
	have := make(map[string]int)
	previous := 0
	for _, named := range Catalogue() {
		have[named.Kind]++
		kind := slices.Index(Kinds, named.Kind)
		if kind < previous {
			t.Errorf("%s: kind %s stands after kind %s", named.Name, named.Kind, Kinds[previous])
		}
		previous = kind
	}
	for _, kind := range Kinds {
		if have[kind] < least[kind] {
			t.Errorf("%d %s rules, want at least %d", have[kind], kind, least[kind])
		}
	}
}

func TestCatalogueNamesFindThemselves(t *testing.T) {
	for _, named := range Catalogue() {
		for _, name := range append([]string{named.Name}, named.Aliases...) {
			for _, spelling := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, " ", "_")} {
				found, ok := Lookup(spelling)
				if !ok {
					t.Errorf("Lookup(%q) finds nothing", spelling)
				} else if diff := cmp.Diff(named, found); diff != "" {
					t.Errorf("Lookup(%q): %s", spelling, diff)
				}
			}
			if !slices.ContainsFunc(Search(name), func(n Named) bool { return n.Name == named.Name }) {
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
	if all := Search(" "); len(all) != len(Catalogue()) {
		t.Errorf("an empty search finds %d of %d rules", len(all), len(Catalogue()))
	}
}

func TestCatalogueIsNotShared(t *testing.T) {
	Catalogue()[0].Aliases[0] = "spoilt"
	found, _ := Lookup("life")
	found.Aliases[0] = "spoilt"
	Search("life")[0].Aliases[0] = "spoilt"
	if life, _ := Lookup("Life"); slices.Contains(life.Aliases, "spoilt") {
		t.Error("a caller can change the catalogue")
	}
}

func TestIndexCatalogueRefuses(t *testing.T) {
	const header = "name\taliases\tnotation\tkind\tdensity\tsource\n"
	for _, test := range []struct{ table, want string }{
		{"Life\tB3/S23", "line 2: 2 columns"},
		{"\t\tB3/S23\tlife-like\t\tnowhere", "needs a name"},
		{"Life\t\t\tlife-like\t\tnowhere", "needs a name"},
		{"Life\t\tB3/S23\tlife-like\t\t", "needs a name"},
		{"Life\t\tB3/S23\tlively\t\tnowhere", `unknown kind "lively"`},
		{"Life\t\tB3/S23\tlife-like\t1.5\tnowhere", `density "1.5"`},
		{"Life\t\tB3/S23\tlife-like\tNaN\tnowhere", `density "NaN"`},
		{"Life\tL-i_fe\tB3/S23\tlife-like\t\tnowhere", `the name "L-i_fe" is already that of line 2`},
	} {
		if _, err := indexCatalogue(header + test.table); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want one with %q", test.table, err, test.want)
		}
	}
}

// The rules of the CAT paper (benchmark script of its public repository): counts without the centre, and initial
// density.
func TestCatalogueHoldsCATRules(t *testing.T) {
	for _, cat := range []struct {
		radius, sLo, sHi, bLo, bHi int
		density                    float64
		name                       string
	}{
		{1, 2, 3, 3, 3, .07, "CAT Game of Life"},
		{2, 7, 12, 8, 11, .15, "Starry Night"},
		{3, 15, 23, 14, 17, .25, "Boiling Gnocchi"},
		{4, 40, 80, 41, 80, .50, "Majority"},
		{5, 35, 59, 34, 45, .21, "CAT Bosco's Rule"},
		{6, 49, 81, 46, 65, .22, "Radiation"},
		{7, 101, 201, 75, 170, .29, "Waffles"},
		{8, 163, 223, 74, 252, .23, "Globe"},
		{9, 108, 181, 100, 140, .24, "Gravity"},
		{10, 122, 211, 123, 170, .25, "Bugsmovie"},
		{11, 156, 265, 147, 205, .24, "Broken Ships"},
		{12, 170, 296, 170, 240, .25, "Scaled GOL"},
		{13, 213, 364, 203, 283, .25, "The Cleansing"},
		{14, 245, 420, 234, 326, .25, "Scaled Bugsmovie"},
		{15, 170, 296, 170, 240, .28, "Pretzels"},
		{16, 170, 296, 170, 300, .26, "Tangy Ramen"},
	} {
		named, ok := Lookup(cat.name)
		numbered, _ := Lookup("CAT r" + strconv.Itoa(cat.radius))
		if !ok || named.Name != numbered.Name {
			t.Errorf("radius %d is %q, not %q", cat.radius, numbered.Name, cat.name)
			continue
		}
		if named.Density != cat.density {
			t.Errorf("%s: density %v, want %v", cat.name, named.Density, cat.density)
		}
		r, err := Parse(named.Notation)
		if err != nil {
			t.Errorf("%s: %v", cat.name, err)
			continue
		}
		// A birth interval of M1 may reach one past the largest count, which no dead cell can have.
		want := Rule{
			Birth:         Counts{{cat.bLo, cat.bHi}},
			Survival:      Counts{{cat.sLo, cat.sHi}},
			Neighbourhood: Neighbourhood{Letter: 'M', Radius: cat.radius},
		}
		size := (2*cat.radius + 1) * (2*cat.radius + 1)
		birth := slices.Clone(r.Birth)
		birth[len(birth)-1].Hi = min(birth[len(birth)-1].Hi, size-1)
		if r.States != 2 || r.Neighbourhood.Letter != 'M' || r.Neighbourhood.Radius != cat.radius ||
			!slices.Equal(birth, want.Birth) || !slices.Equal(r.Survival, want.Survival) {
			t.Errorf("%s is radius %d, B%v, S%v; want radius %d, B%v, S%v", cat.name,
				r.Neighbourhood.Radius, birth, r.Survival, cat.radius, want.Birth, want.Survival)
		}
	}
}

func TestCatalogueNotationsParse(t *testing.T) {
	states := func(notation string) string { return notation[strings.LastIndexByte(notation, '/')+1:] }
	canonical := make(map[string]string)
	for _, named := range Catalogue() {
		r, err := Parse(named.Notation)
		if err != nil {
			t.Errorf("%s: %v", named.Name, err)
			continue
		}
		if named.Kind == "generations" && strconv.Itoa(r.States) != states(named.Notation) {
			t.Errorf("%s: %s has %d states", named.Name, named.Notation, r.States)
		}
		if r.Bounded {
			t.Errorf("%s: %s carries a bounded grid", named.Name, named.Notation)
		}
		form := r.String()
		if other, taken := canonical[form]; taken {
			t.Errorf("%s and %s are both %s: make one name an alias", other, named.Name, form)
		}
		canonical[form] = named.Name
		for _, name := range append([]string{named.Name}, named.Aliases...) {
			if called, err := Parse(name + ":T40,30"); err != nil {
				t.Errorf("Parse does not take the name %q: %v", name, err)
			} else if called.String() != form+":T40,30" {
				t.Errorf("Parse(%q) is %s, want %s", name, called.String(), form)
			}
		}
		again, err := Parse(form)
		if err != nil {
			t.Errorf("%s: canonical form %s: %v", named.Name, form, err)
		} else if again.String() != form {
			t.Errorf("%s: canonical form %s becomes %s", named.Name, form, again.String())
		}
	}
}
