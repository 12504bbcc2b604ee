package rule

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule/catalogue"
)

// The rules of three dimensions are those of the kind, and say so.
func TestCatalogueHoldsVolumes(t *testing.T) {
	volumes := 0
	for _, named := range catalogue.All() {
		r, err := Parse(named.Name)
		if err != nil {
			t.Errorf("%s: %v", named.Name, err)
			continue
		}
		if r.Volume() != (named.Kind == catalogue.ThreeDimensions) {
			t.Errorf("%s is of kind %s", named.Name, named.Kind)
		}
		if r.Volume() {
			volumes++
		}
	}
	if volumes < 30 {
		t.Errorf("%d rules of three dimensions, want 30", volumes)
	}
	for name, want := range map[string]string{
		"clouds-1": "3D13..26/13,14,17..19", "445": "4/4/5/M", "life 5655": "3D5,6/5", "3d-coral": "5-8/6-7,9,12/4/M",
		"BBW": "BusyBoxesW", "busy-boxes:T8,8,8": "BusyBoxes:T8,8,8",
		"von Neumann Builder:P8,8,8": "1-3/1,4-5/5/N:P8,8,8",
	} {
		if r, err := Parse(name); err != nil || r.String() != want {
			t.Errorf("%s: %v, %v, want %s", name, r, err, want)
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
		named, ok := catalogue.Lookup(cat.name)
		numbered, _ := catalogue.Lookup("CAT r" + strconv.Itoa(cat.radius))
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
			Birth:         Counts{{Lo: cat.bLo, Hi: cat.bHi}},
			Survival:      Counts{{Lo: cat.sLo, Hi: cat.sHi}},
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
	for _, named := range catalogue.All() {
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
