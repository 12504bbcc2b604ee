package census

import (
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// symmetry is a linear map of the plane that maps cells to cells: (x, y) goes to (xx·x + xy·y, yx·x + yy·y).
type symmetry struct{ xx, xy, yx, yy int }

func (s symmetry) apply(x, y int) (int, int) { return s.xx*x + s.xy*y, s.yx*x + s.yy*y }

// inverse undoes a symmetry, whose determinant is 1 or -1.
func (s symmetry) inverse() symmetry {
	d := s.xx*s.yy - s.xy*s.yx
	return symmetry{d * s.yy, -d * s.xy, -d * s.yx, d * s.xx}
}

// The neighbours that share an edge with a cell: of a square, and of a hexagon, which has no neighbours in the north-east and the south-west.
var (
	ofSquare  = []Cell{{X: 0, Y: -1}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: -1, Y: 0}}
	ofHexagon = append([]Cell{{X: -1, Y: -1}, {X: 1, Y: 1}}, ofSquare...)
)

// keeping lists the symmetries that map neighbours to neighbours: the 8 rotations and reflections of squares, or the 12 of hexagons.
func keeping(neighbours []Cell) []symmetry {
	var all []symmetry
	for i := range 81 {
		s := symmetry{i%3 - 1, i/3%3 - 1, i/9%3 - 1, i/27 - 1}
		moves := slices.ContainsFunc(neighbours, func(c Cell) bool {
			x, y := s.apply(c.X, c.Y)
			return !slices.Contains(neighbours, Cell{X: x, Y: y})
		})
		if s.xx*s.yy != s.xy*s.yx && !moves {
			all = append(all, s)
		}
	}
	return all
}

// symmetriesOf lists the symmetries that leave a rule unchanged. Those of hexagons are for rules that are written with H, and for others whose
// neighbours are hexagons, unless they have all symmetries of squares.
func symmetriesOf(r rule.Rule, t *rule.Table) []symmetry {
	const northEast, southWest = 64, 4
	unchanged := func(s symmetry, outside int) bool {
		for block := range 512 {
			if block&outside != 0 {
				continue
			}
			image := 0
			for d := range 9 {
				if block>>d&1 != 0 {
					x, y := s.apply(d%3-1, d/3-1)
					image |= 1 << (3*(y+1) + x + 1)
				}
			}
			if t.At(block) != t.At(image) {
				return false
			}
		}
		return true
	}
	under := func(all []symmetry, outside int) []symmetry {
		return slices.DeleteFunc(slices.Clone(all), func(s symmetry) bool { return !unchanged(s, outside) })
	}
	all := keeping(ofSquare)
	squares := under(all, 0)
	for block := range 512 {
		if t.At(block) != t.At(block&^(northEast|southWest)) {
			return squares
		}
	}
	if r.Neighbourhood.Letter != 'H' && len(squares) == len(all) {
		return squares
	}
	return under(keeping(ofHexagon), northEast|southWest)
}
