package cat

import (
	"fmt"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// Instance is one of the rules that the paper runs, one for each radius, with the share of cells that are alive
// at the start.
type Instance struct {
	Radius   int
	Name     string // as the paper has it
	Notation string // counts without the cell itself
	Density  float64
}

// names are those of the paper's third table.
var names = [...]string{
	"Game of Life", "Starry Night", "Boiling Gnocchi", "Majority", "Bosco's Rule", "Radiation", "Waffles", "Globe",
	"Gravity", "Bugsmovie",
	"Broken Ships", "Scaled GOL", "The Cleansing", "Scaled Bugsmovie", "Pretzels", "Tangy Ramen",
}

// Instances returns the paper's sixteen rules, of radius 1 to 16. Numbers and densities are those of the
// benchmark in the authors' public code. The catalogue of package rule has these rules as "CAT r1" to "CAT
// r16".
func Instances() []Instance {
	var all []Instance
	for i, name := range names {
		named, ok := catalogue.Lookup(fmt.Sprintf("CAT r%d", i+1))
		r, err := rule.Parse(named.Notation)
		if !ok || err != nil {
			panic(fmt.Sprintf("the catalogue has no sound rule CAT r%d: %v", i+1, err))
		}
		all = append(all, Instance{i + 1, name, withoutCentre(r), named.Density})
	}
	return all
}

// withoutCentre returns a rule with one interval each in the notation of Larger than Life, with counts that
// leave out the cell.
func withoutCentre(r rule.Rule) string {
	s, b := r.Survival[0], r.Birth[0]
	return fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,NM", r.Radius(), s.Lo, s.Hi, b.Lo, b.Hi)
}

// Volumes returns the rules of three dimensions that are measured: that of Carter Bays at radius 1, and at larger radii
// births and survivals at two fifths of the cube. Random cells remain active under them.
func Volumes() []Instance {
	all := []Instance{{1, "4555", "3D4,5/5", 0.2}}
	for _, radius := range []int{2, 3, 5, 8, 10, 16} {
		n := (2*radius+1)*(2*radius+1)*(2*radius+1) - 1
		notation := fmt.Sprintf("3DR%d,C0,M0,S%d..%d,B%d..%d,NM", radius, n*38/100, n*45/100, n*36/100, n*40/100)
		all = append(all, Instance{radius, "", notation, 0.4})
	}
	return all
}
