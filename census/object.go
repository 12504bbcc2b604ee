package census

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Kind is what becomes of an object.
type Kind uint8

const (
	Unknown      Kind = iota // not periodic within the limits, nor growing in a known way
	StillLife                // never changes
	Oscillator               // comes back in place
	Spaceship                // comes back elsewhere
	LinearGrowth             // its population grows by the same amount every period
	Dead                     // dies
	Unstable                 // becomes other objects
)

var (
	kindNames    = [...]string{"unknown", "still life", "oscillator", "spaceship", "linear growth", "dead", "unstable"}
	kindPrefixes = [...]string{"", "xs", "xp", "xq", "yl", "", ""}
)

// String is the kind in words.
func (k Kind) String() string { return kindNames[k] }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Object is a pattern that has been looked at.
type Object struct {
	Code   string // its apgcode; Pathological where nothing is known, "xs0_0" for nothing, "" for what is unstable
	Kind   Kind
	Period int // generations until it comes back, or its population grows alike; 0 where unknown
	DX, DY int // cells it moves in a period, to the right and down

	box grid.Rect // of all its phases; those of a spaceship in one period
}

// byRow orders cells row by row.
func byRow(a, b Cell) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) }

// boxOf is the bounding box of cells.
func boxOf(cells []Cell) grid.Rect {
	if len(cells) == 0 {
		return grid.Rect{}
	}
	lo, hi := cells[0], cells[0]
	for _, c := range cells {
		lo.X, lo.Y = min(lo.X, c.X), min(lo.Y, c.Y)
		hi.X, hi.Y = max(hi.X, c.X), max(hi.Y, c.Y)
	}
	return grid.Rect{X: lo.X, Y: lo.Y, W: hi.X - lo.X + 1, H: hi.Y - lo.Y + 1}
}

// moved is cells elsewhere.
func moved(cells []Cell, dx, dy int) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i] = Cell{c.X + dx, c.Y + dy}
	}
	return out
}

// displacement tells whether b is a moved elsewhere, and how far. Both are in order.
func displacement(a, b []Cell) (dx, dy int, ok bool) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, 0, false
	}
	dx, dy = b[0].X-a[0].X, b[0].Y-a[0].Y
	for i := range a {
		if b[i].X-a[i].X != dx || b[i].Y-a[i].Y != dy {
			return 0, 0, false
		}
	}
	return dx, dy, true
}

// cells lists the live cells of a world row by row.
func (w *world) cells() []Cell {
	cells := w.appendCells(nil)
	slices.SortFunc(cells, byRow)
	return cells
}

// appendCells appends the live cells of a world, tile by tile.
func (w *world) appendCells(cells []Cell) []Cell {
	for _, t := range w.tiles {
		for y, row := range t.sides[w.side] {
			for ; row != 0; row &= row - 1 {
				cells = append(cells, Cell{t.x*tileWidth + bits.TrailingZeros64(row) - reach, t.y*tileHeight + y})
			}
		}
	}
	return cells
}

// load makes a world of cells.
func (w *world) load(cells []Cell) {
	w.reset()
	for _, c := range cells {
		w.set(c.X, c.Y)
	}
	w.wakeAll()
}

// sorted is cells row by row, none twice.
func sorted(cells []Cell) []Cell {
	cells = slices.Clone(cells)
	slices.SortFunc(cells, byRow)
	return slices.Compact(cells)
}

// CellsOf lists the cells of a source that are in state 1, row by row.
func CellsOf(src grid.Source) ([]Cell, error) {
	parts, err := grid.Occupied(src)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for _, r := range parts {
		row := make([]uint64, (r.W+63)/64)
		for y := r.Y; y < r.Y+r.H; y++ {
			if err := src.ReadRow(row, 0, r.X, y, r.W); err != nil {
				return nil, err
			}
			for i, word := range row {
				for ; word != 0; word &= word - 1 {
					cells = append(cells, Cell{r.X + 64*i + bits.TrailingZeros64(word), y})
				}
			}
		}
	}
	slices.SortFunc(cells, byRow)
	return cells, nil
}
