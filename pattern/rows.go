package pattern

import (
	"iter"
	"math/bits"
	"sort"

	"github.com/gosper-life/gosper/grid"
)

// rows reads a source row by row, and knows where a sparse one has no cells. Writers must not visit each cell of the
// bounding box: two gliders that fly apart make it as large as one likes.
type rows struct {
	src    grid.Source
	bounds grid.Rect
	planes int
	bands  []band // of a source made of tiles: where tiles are, top to bottom; nil for others
	words  [grid.MaxPlanes][]uint64
}

// band is a row of tiles as the spans they cover.
type band struct {
	y     int // first row
	spans []span
}

// span is the cells x ≤ column < end.
type span struct{ x, end int }

// tiled is a source that can tell where its cells are: grid.Tiles, and engines that have it inside.
type tiled interface {
	All() iter.Seq2[grid.TileAt, *grid.Tile]
}

func newRows(src grid.Source, meta Meta) (*rows, error) {
	bounds, err := src.Extent()
	if err != nil {
		return nil, err
	}
	r := &rows{src: src, bounds: bounds, planes: min(src.Planes(), grid.PlanesOf(meta.States))}
	for k := range r.planes {
		r.words[k] = make([]uint64, windowWords)
	}
	t, ok := src.(tiled)
	if !ok {
		return r, nil
	}
	r.bands = []band{}
	for at := range t.All() {
		x, y := at.X*grid.TileSide, at.Y*grid.TileSide
		tile := span{max(x, r.bounds.X), min(x+grid.TileSide, r.bounds.X+r.bounds.W)}
		if tile.x >= tile.end {
			continue
		}
		n := len(r.bands)
		if n == 0 || r.bands[n-1].y != y {
			r.bands = append(r.bands, band{y: y})
			n++
		}
		spans := &r.bands[n-1].spans
		if m := len(*spans); m > 0 && (*spans)[m-1].end == tile.x {
			(*spans)[m-1].end = tile.end
		} else {
			*spans = append(*spans, tile)
		}
	}
	return r, nil
}

// next returns the first row from y on that may have cells, and false when there is none.
func (r *rows) next(y int) (int, bool) {
	y = max(y, r.bounds.Y)
	if r.bands != nil {
		i := r.band(y)
		if i == len(r.bands) {
			return 0, false
		}
		y = max(y, r.bands[i].y)
	}
	return y, y < r.bounds.Y+r.bounds.H
}

// band finds the first band that ends after row y.
func (r *rows) band(y int) int {
	return sort.Search(len(r.bands), func(i int) bool { return r.bands[i].y+grid.TileSide > y })
}

// spans returns where row y may have cells, left to right.
func (r *rows) spans(y int) []span {
	if r.bands == nil {
		return []span{{r.bounds.X, r.bounds.X + r.bounds.W}}
	}
	if i := r.band(y); i < len(r.bands) && r.bands[i].y <= y {
		return r.bands[i].spans
	}
	return nil
}

// strips cuts what may have cells into rectangles of at most width columns.
func (r *rows) strips(width int) iter.Seq[grid.Rect] {
	bands, height := r.bands, grid.TileSide
	if bands == nil {
		bands, height = []band{{r.bounds.Y, r.spans(r.bounds.Y)}}, r.bounds.H
	}
	return func(yield func(grid.Rect) bool) {
		for _, b := range bands {
			for _, s := range b.spans {
				for x := s.x; x < s.end; x += width {
					if !yield(grid.Rect{X: x, Y: b.y, W: min(width, s.end-x), H: height}) {
						return
					}
				}
			}
		}
	}
}

// chunks reads row y in pieces of at most windowCells: n cells from x on, in the words of r.
func (r *rows) chunks(y int, visit func(x, n int)) error {
	for _, s := range r.spans(y) {
		for x := s.x; x < s.end; x += windowCells {
			n := min(windowCells, s.end-x)
			for plane := range r.planes {
				if err := r.src.ReadRow(r.words[plane], plane, x, y, n); err != nil {
					return err
				}
			}
			visit(x, n)
		}
	}
	return nil
}

// runs cuts row y into runs of equal state, left to right, the first from the left edge of the bounds; dead cells at
// the right end are left out. An edge between runs is a cell that differs in some plane from the one before it:
//
//	plane     …01110011      edges = plane ^ (plane << 1 | last bit of the word before), or-ed over the planes
//	edges     …10010101      (least significant bit right); its bits are visited by counting trailing zeros
func (r *rows) runs(y int, emit func(state uint8, n int)) error {
	var state uint8
	start, end := r.bounds.X, r.bounds.X // the current run, and the end of what has been read
	var last [grid.MaxPlanes]uint64
	err := r.chunks(y, func(x, n int) {
		if x > end && state != 0 {
			emit(state, end-start)
			start, state = end, 0
			clear(last[:])
		}
		end = x + n
		for w := range (n + 63) >> 6 {
			var edges uint64
			for plane := range r.planes {
				word := r.words[plane][w]
				edges |= word ^ (word<<1 | last[plane])
				last[plane] = word >> 63
			}
			if rest := n - w<<6; rest < 64 {
				edges &= 1<<rest - 1
			}
			for ; edges != 0; edges &= edges - 1 {
				i := bits.TrailingZeros64(edges)
				if at := x + w<<6 + i; at > start {
					emit(state, at-start)
					start = at
				}
				state = 0
				for plane := range r.planes {
					state |= uint8(r.words[plane][w]>>i&1) << plane
				}
			}
		}
	})
	if err == nil && state != 0 {
		emit(state, end-start)
	}
	return err
}
