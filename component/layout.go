package component

import (
	"maps"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// layout places columns of tiles side by side in the words of a pair of rows, in order. There is a dead word between
// columns that do not touch.
type layout struct {
	at    map[int]int // word of a column, by the first column of its tile
	tile  int         // words of a tile
	words int
}

// newLayout places the tiles of a row. Tiles of the row above keep their places.
func newLayout(row []grid.Rect, above layout) layout {
	l := layout{at: map[int]int{}, tile: row[0].W / 64}
	for x := range above.at {
		l.at[x] = 0
	}
	for _, r := range row {
		l.at[r.X] = 0
	}
	last := 0
	for i, x := range slices.Sorted(maps.Keys(l.at)) {
		if i > 0 && x != last+64*l.tile {
			l.words++
		}
		l.at[x], last = l.words, x
		l.words += l.tile
	}
	return l
}

// only keeps the tiles of a row.
func (l layout) only(row []grid.Rect) layout {
	at := map[int]int{}
	for _, r := range row {
		at[r.X] = l.at[r.X]
	}
	l.at = at
	return l
}

// move moves the columns of a pair from one layout to another.
func (s *rowPair) move(from, to layout) {
	var moved rowPair
	moved.resize(to.words)
	clear(moved.any)
	moved.height = 1
	moved.cells[0] = make([]uint64, to.words)
	for x, old := range from.at {
		at := to.at[x]
		copy(moved.any[at:], s.any[old:old+from.tile])
		copy(moved.cells[0][at:], s.cells[s.height-1][old:old+from.tile])
		copy(moved.labels[64*at:], s.labels[64*old:64*(old+from.tile)])
	}
	for _, piece := range s.pieces {
		for x, old := range from.at {
			if in := int(piece) - 64*old; in >= 0 && in < 64*from.tile {
				moved.pieces = append(moved.pieces, int32(64*to.at[x]+in))
			}
		}
	}
	*s = moved
}

// occupied lists the tiles with cells of a source, row by row of tiles. ok is false if the source does not keep
// tiles of one size in whole words.
func occupied(src grid.Source) ([]grid.Rect, bool) {
	o, ok := src.(interface{ Occupied() []grid.Rect })
	if !ok {
		return nil, false
	}
	tiles := o.Occupied()
	for _, r := range tiles {
		if r.W != tiles[0].W || r.H != tiles[0].H || r.W%64 != 0 || r.H%2 != 0 || r.X%r.W != 0 {
			return nil, false
		}
	}
	return tiles, true
}
