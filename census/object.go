package census

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Kind says what becomes of an object.
type Kind uint8

const (
	Unknown         Kind = iota // not periodic within the limits, and not growing in a known way
	StillLife                   // never changes
	Oscillator                  // comes back in place
	Spaceship                   // comes back elsewhere
	LinearGrowth                // its population grows by the same amount in every period that was seen
	Dead                        // dies
	Unstable                    // becomes other objects
	QuadraticGrowth             // its growth in a period rises by the same amount every period, as far as seen
	Growing                     // its population grows, in no regular way
	Sawtooth                    // it grows and falls back, higher each time, as far as seen
)

var (
	kindNames = [...]string{
		"unknown", "still life", "oscillator", "spaceship", "linear growth", "dead", "unstable",
		"quadratic growth", "growth", "sawtooth",
	}
	kindPrefixes = [...]string{"", "xs", "xp", "xq", "yl", "", "", "", "", ""}
)

// String is the kind in words.
func (k Kind) String() string { return kindNames[k] }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Object describes an identified pattern.
type Object struct {
	// its apgcode; Pathological if unknown, "xs0_0" for no cells, "" if unstable, or if it grows in a known way
	// only later
	Code   string
	Kind   Kind
	Period int    // generations until it comes back or its population grows by the same amount; 0 if unknown
	DX, DY int    // cells it moves in a period, to the right and down
	Growth Growth // of what grows in a known way

	box   grid.Rect // of all its phases; for a spaceship, those of one period
	least int       // cells of its smallest phase
}

// displacement reports whether b is a moved elsewhere, and how far. Both must be sorted.
func displacement(a, b []Cell) (dx, dy int, ok bool) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, 0, false
	}
	dx, dy = b[0].X-a[0].X, b[0].Y-a[0].Y
	for i := range a {
		if b[i].X-a[i].X != dx || b[i].Y-a[i].Y != dy || b[i].Age != a[i].Age {
			return 0, 0, false
		}
	}
	return dx, dy, true
}

// sorted returns cells row by row without duplicates.
func sorted(cells []Cell) []Cell {
	cells = slices.Clone(cells)
	slices.SortStableFunc(cells, sparse.ByRow)
	return slices.Compact(cells)
}

// CellsOf lists the cells of a source that are not in state 0, row by row: state 1 is live, states beyond it
// are those of dying cells.
func CellsOf(src grid.Source) ([]Cell, error) {
	parts, err := grid.Occupied(src)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	planes := make([][]uint64, src.Planes())
	for _, r := range parts {
		for k := range planes {
			planes[k] = make([]uint64, (r.W+63)/64)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for k, row := range planes {
				if err := src.ReadRow(row, k, r.X, y, r.W); err != nil {
					return nil, err
				}
			}
			for i := range planes[0] {
				var occupied uint64
				for _, row := range planes {
					occupied |= row[i]
				}
				for ; occupied != 0; occupied &= occupied - 1 {
					bit, state := bits.TrailingZeros64(occupied), uint64(0)
					for k, row := range planes {
						state |= row[i] >> bit & 1 << k
					}
					cells = append(cells, Cell{X: r.X + 64*i + bit, Y: y, Age: uint8(state - 1)})
				}
			}
		}
	}
	slices.SortStableFunc(cells, sparse.ByRow)
	return cells, nil
}
