package census

import (
	"slices"

	"github.com/gosper-life/gosper/census/internal/apgcode"
)

// Traits holds the numbers that collectors publish about a still life, an oscillator or a spaceship, in LifeWiki's
// words (https://conwaylife.com/wiki). On a plane that B0 makes live, state 0 and that of the plane are exchanged.
type Traits struct {
	LeastHeat, MostHeat int     // cells that change in a generation: in the quietest and in the liveliest one
	Heat                float64 // cells that change in a generation, on average

	// Cells of what stays in place. All three are 0 for a spaceship.
	Rotor  int // cells that change
	Strict int // cells of the rotor whose own period is that of the whole
	Stator int // cells that never change, and are not in state 0

	// Symmetry is that of every phase, by its name in Catagolue: C1, D2_x, D8_4, … It is "" on hexagons.
	Symmetry string
	// Mod is the least number of generations after which the first phase is there again, moved, turned or mirrored.
	Mod   int
	Image string // how it then differs from the first phase: "turned by 90°", "mirrored"; "" if it is only moved
}

// Volatility is the share of the rotor in rotor and stator. Strict volatility is the share of the cells that have the
// full period. Both are 0 for a spaceship.
func (t Traits) Volatility() (all, strict float64) {
	if n := float64(t.Rotor + t.Stator); n > 0 {
		return float64(t.Rotor) / n, float64(t.Strict) / n
	}
	return 0, 0
}

// Traits measures cells that Identify has described as a still life, an oscillator or a spaceship.
func (c *Counter) Traits(cells []Cell, o Object) Traits {
	phases := c.phases(sorted(cells), o.Period)
	var t Traits
	t.measureHeat(phases, o.DX, o.DY)
	if o.DX == 0 && o.DY == 0 {
		t.measureCourses(phases)
	}
	t.Symmetry = spatialSymmetry(phases[0], c.symmetries)
	t.Mod, t.Image = temporalSymmetry(phases, c.turns, c.symmetries)
	return t
}

// place is the position of a cell.
type place struct{ x, y int }

// measureHeat counts the cells that change from each phase to the next. The first phase, moved, follows the last one.
func (t *Traits) measureHeat(phases [][]Cell, dx, dy int) {
	sum := 0
	for i, phase := range phases {
		next, x, y := (i+1)%len(phases), 0, 0
		if next == 0 {
			x, y = dx, dy
		}
		n := changes(phase, phases[next], x, y)
		sum += n
		t.MostHeat = max(t.MostHeat, n)
		if i == 0 || n < t.LeastHeat {
			t.LeastHeat = n
		}
	}
	t.Heat = float64(sum) / float64(len(phases))
}

// changes counts the places where two lists of cells differ, if the second one is moved by (dx, dy).
func changes(a, b []Cell, dx, dy int) int {
	before := make(map[place]uint8, len(a))
	for _, cell := range a {
		before[place{cell.X, cell.Y}] = cell.Age + 1
	}
	changed := 0
	for _, cell := range b {
		at := place{cell.X + dx, cell.Y + dy}
		if before[at] != cell.Age+1 {
			changed++
		}
		delete(before, at)
	}
	return changed + len(before)
}

// measureCourses counts cells by their own periods.
func (t *Traits) measureCourses(phases [][]Cell) {
	courses := map[place][]uint8{}
	for i, phase := range phases {
		for _, cell := range phase {
			at := place{cell.X, cell.Y}
			if courses[at] == nil {
				courses[at] = make([]uint8, len(phases))
			}
			courses[at][i] = cell.Age + 1
		}
	}
	for _, states := range courses {
		own := 1
		for len(states)%own != 0 || !slices.Equal(states[own:], states[:len(states)-own]) {
			own++
		}
		if own > 1 {
			t.Rotor++
		} else {
			t.Stator++
		}
		if own > 1 && own == len(states) {
			t.Strict++
		}
	}
}

// sameAfter reports whether a symmetry, with some move, makes cells a of cells b. Both are in order.
func sameAfter(s apgcode.Symmetry, a, b []Cell) bool {
	if len(a) != len(b) {
		return false
	}
	image := slices.Clone(b)
	for i, cell := range b {
		image[i].X, image[i].Y = s.Apply(cell.X, cell.Y)
	}
	_, _, same := displacement(a, sorted(image))
	return same
}

// The symmetries of squares, apart from the identity.
var (
	turnHalf    = apgcode.Symmetry{XX: -1, YY: -1}
	turnQuarter = apgcode.Symmetry{XY: -1, YX: 1}
	leftRight   = apgcode.Symmetry{XX: -1, YY: 1}
	upDown      = apgcode.Symmetry{XX: 1, YY: -1}
	diagonal    = apgcode.Symmetry{XY: 1, YX: 1}
	antiDiag    = apgcode.Symmetry{XY: -1, YX: -1}
)

// spatialSymmetry is the name of the symmetry of cells among those of a rule. It is "" on hexagons.
func spatialSymmetry(cells []Cell, symmetries []apgcode.Symmetry) string {
	has := map[apgcode.Symmetry]bool{}
	for _, s := range symmetries {
		if s.XX*s.XY != 0 || s.YX*s.YY != 0 {
			return ""
		}
		has[s] = sameAfter(s, cells, cells)
	}
	// The symmetry's centre, or its axis, is that of the box: in the middle of cells or between them.
	box := apgcode.BoxOf(cells)
	evenX, evenY := box.W%2 == 0, box.H%2 == 0
	of := func(even bool, name, odd, between string) string {
		if even {
			return name + between
		}
		return name + odd
	}
	centre := func(name string) string {
		if evenX != evenY {
			return name + "2"
		}
		return of(evenX, name, "1", "4")
	}
	switch {
	case has[turnQuarter] && has[leftRight]:
		return centre("D8_")
	case has[turnQuarter]:
		return centre("C4_")
	case has[leftRight] && has[upDown]:
		return centre("D4_+")
	case has[diagonal] && has[antiDiag]:
		return centre("D4_x")
	case has[turnHalf]:
		return centre("C2_")
	case has[leftRight]:
		return of(evenX, "D2_+", "1", "2")
	case has[upDown]:
		return of(evenY, "D2_+", "1", "2")
	case has[diagonal], has[antiDiag]:
		return "D2_x"
	}
	return "C1"
}

// temporalSymmetry finds the first phase again among the later ones. A rotation comes before a reflection if both lead
// to it. The generations after which the phase is there again are multiples of the least one, and the period is one
// of them. All are multiples of the turns of rules that take them.
func temporalSymmetry(phases [][]Cell, turns int, symmetries []apgcode.Symmetry) (mod int, image string) {
	for mod := turns; mod < len(phases); mod += turns {
		if len(phases)%mod != 0 {
			continue
		}
		var same []apgcode.Symmetry
		for _, s := range symmetries {
			if sameAfter(s, phases[mod], phases[0]) {
				same = append(same, s)
			}
		}
		if len(same) > 0 {
			slices.SortStableFunc(same, func(a, b apgcode.Symmetry) int { return turning(b) - turning(a) })
			return mod, imageName(same[0])
		}
	}
	return len(phases), ""
}

// turning is the trace of a rotation, and less for a reflection. It is largest for the identity.
func turning(s apgcode.Symmetry) int {
	if s.XX*s.YY-s.XY*s.YX < 0 {
		return -3
	}
	return s.XX + s.YY
}

// imageName says in words what a symmetry does.
func imageName(s apgcode.Symmetry) string {
	switch turning(s) {
	case 2:
		return ""
	case 1:
		return "turned by 60°"
	case 0:
		return "turned by 90°"
	case -1:
		return "turned by 120°"
	case -2:
		return "turned by 180°"
	}
	if s.XY != 0 {
		return "mirrored diagonally"
	}
	return "mirrored"
}
