package apgcode

import (
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// Symmetry is a linear map of the plane that maps cells to cells: (x, y) goes to (XX·x + XY·y, YX·x + YY·y).
type Symmetry struct{ XX, XY, YX, YY int }

// Apply returns where a symmetry takes a place.
func (s Symmetry) Apply(x, y int) (int, int) { return s.XX*x + s.XY*y, s.YX*x + s.YY*y }

// Inverse undoes a symmetry, whose determinant is 1 or -1.
func (s Symmetry) Inverse() Symmetry {
	d := s.XX*s.YY - s.XY*s.YX
	return Symmetry{d * s.YY, -d * s.XY, -d * s.YX, d * s.XX}
}

// The neighbours that share an edge with a cell: of a square, and of a hexagon, which has no neighbours in the
// north-east and the south-west.
var (
	OfSquare  = []Cell{{X: 0, Y: -1}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: -1, Y: 0}}
	OfHexagon = append([]Cell{{X: -1, Y: -1}, {X: 1, Y: 1}}, OfSquare...)
)

// Keeping lists the symmetries that map neighbours to neighbours: the 8 rotations and reflections of squares,
// or the 12 of hexagons.
func Keeping(neighbours []Cell) []Symmetry {
	var all []Symmetry
	for i := range 81 {
		s := Symmetry{i%3 - 1, i/3%3 - 1, i/9%3 - 1, i/27 - 1}
		moves := slices.ContainsFunc(neighbours, func(c Cell) bool {
			x, y := s.Apply(c.X, c.Y)
			return !slices.Contains(neighbours, Cell{X: x, Y: y})
		})
		if s.XX*s.YY != s.XY*s.YX && !moves {
			all = append(all, s)
		}
	}
	return all
}

// SymmetriesOf lists the symmetries that leave a rule unchanged. Those of hexagons are for rules that are
// written with H, and for others of the 3×3 block whose neighbours are hexagons, unless they have all symmetries of
// squares.
func SymmetriesOf(r rule.Rule) []Symmetry {
	t, ok := r.AsTable()
	if !ok {
		return symmetriesOfWide(r)
	}
	const northEast, southWest = 64, 4
	unchanged := func(s Symmetry, outside int) bool {
		for block := range 512 {
			if block&outside != 0 {
				continue
			}
			image := 0
			for d := range 9 {
				if block>>d&1 != 0 {
					x, y := s.Apply(d%3-1, d/3-1)
					image |= 1 << (3*(y+1) + x + 1)
				}
			}
			if t.At(block) != t.At(image) {
				return false
			}
		}
		return true
	}
	under := func(all []Symmetry, outside int) []Symmetry {
		return slices.DeleteFunc(slices.Clone(all), func(s Symmetry) bool { return !unchanged(s, outside) })
	}
	all := Keeping(OfSquare)
	squares := under(all, 0)
	for block := range 512 {
		if t.At(block) != t.At(block&^(northEast|southWest)) {
			return squares
		}
	}
	if r.Neighbourhood.Letter != 'H' && len(squares) == len(all) {
		return squares
	}
	return under(Keeping(OfHexagon), northEast|southWest)
}

// symmetriesOfWide lists the symmetries of the neighbourhood of a rule that counts.
func symmetriesOfWide(r rule.Rule) []Symmetry {
	near := OfSquare
	if r.Neighbourhood.Letter == 'H' {
		near = OfHexagon
	}
	return slices.DeleteFunc(Keeping(near), func(s Symmetry) bool {
		return slices.ContainsFunc(r.Neighbourhood.Offsets(), func(o rule.Offset) bool {
			return r.Neighbourhood.Weight(s.Apply(o.DX, o.DY)) != o.Weight
		})
	})
}
