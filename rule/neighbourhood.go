package rule

import "github.com/gosper-life/gosper/rule/neighbourhood"

// Neighbourhood is the set of cells that count, without the centre.
type Neighbourhood = neighbourhood.Set

// Offset is one neighbour: the cell at (x+DX, y+DY), y down, DZ layers further on, counted Weight times.
type Offset = neighbourhood.Offset

// NewNeighbourhood returns the neighbourhood of a letter whose shape follows from the radius: any letter except
// @ and W.
func NewNeighbourhood(letter byte, radius int) (Neighbourhood, error) {
	return neighbourhood.New(letter, radius)
}

// NewCustom returns the neighbourhood N@ of the cells that are set in a (2·radius+1)² square, row by row from
// the north-west. The centre is ignored.
func NewCustom(radius int, cells []bool) (Neighbourhood, error) {
	return neighbourhood.NewCustom(radius, cells)
}

// NewWeighted returns the neighbourhood NW of a (2·radius+1)² square of weights from -127 to 127, row by row
// from the north-west. The centre's weight matters only for the notation: a rule includes it in Birth and
// Survival.
func NewWeighted(radius int, weights []int) (Neighbourhood, error) {
	return neighbourhood.NewWeighted(radius, weights)
}
