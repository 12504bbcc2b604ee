package codec

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"sort"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/quadtree"
)

// Rows reads a source row by row, and knows where a sparse one has no cells. Writers must not visit each cell of the bounding box, which two gliders
// that fly apart can make as large as they like.
type Rows struct {
	Bounds grid.Rect
	Planes int                      // the planes that the states need
	Words  [grid.MaxPlanes][]uint64 // what Chunks has read, by plane

	ctx   context.Context // ends reading
	src   grid.Source
	bands []band // of a source made of tiles, or a tree: rows of tiles from top to bottom; nil for others
}

// band is a row of tiles, given by the spans they cover.
type band struct {
	y     int // first row
	spans []Span
}

// Span is the cells x ≤ column < end.
type Span struct{ X, End int }

// tiled is a source that can list where its cells are: grid.Tiles and some engines.
type tiled interface {
	All() iter.Seq2[grid.TileAt, *grid.Tile]
}

// NewRows returns the rows of a source with the given number of states, at most 256. Reading them fails soon after ctx is done.
func NewRows(ctx context.Context, src grid.Source, states int) (*Rows, error) {
	bounds, err := src.Extent()
	if err != nil {
		return nil, err
	}
	r := &Rows{ctx: ctx, src: src, Bounds: bounds, Planes: min(src.Planes(), grid.PlanesOf(states))}
	for k := range r.Planes {
		r.Words[k] = make([]uint64, WindowWords)
	}
	switch src := src.(type) {
	case tiled:
		r.bands = []band{}
		for at := range src.All() {
			r.add(at.X*grid.TileSide, at.Y*grid.TileSide)
		}
	case *quadtree.Tree:
		if tiles := src.Tiles(); tiles > mostTiles {
			return nil, fmt.Errorf("%d×%d cells, in more than 2^26 squares of 256×256, are too far apart to read; a macrocell file (.mc) holds them", bounds.W, bounds.H)
		}
		r.bands = []band{}
		for _, part := range src.Occupied() {
			r.add(part.X, part.Y)
		}
	}
	return r, nil
}

// mostTiles is the largest number of tiles of a tree that are written row by row. A file of so many has a gigabyte or more.
const mostTiles = 1 << 26

// add adds a tile to the bands. Tiles come from top to bottom and from left to right.
func (r *Rows) add(x, y int) {
	tile := Span{max(x, r.Bounds.X), min(x+grid.TileSide, r.Bounds.X+r.Bounds.W)}
	if tile.X >= tile.End {
		return
	}
	n := len(r.bands)
	if n == 0 || r.bands[n-1].y != y {
		r.bands = append(r.bands, band{y: y})
		n++
	}
	spans := &r.bands[n-1].spans
	if m := len(*spans); m > 0 && (*spans)[m-1].End == tile.X {
		(*spans)[m-1].End = tile.End
	} else {
		*spans = append(*spans, tile)
	}
}

// FitBytes returns an error if a byte for each cell of the bounds would take more than 64 gibibytes: two cells far apart must not fill a disk.
func (r *Rows) FitBytes() error {
	if b := r.Bounds; grid.Product(uint64(b.W), uint64(b.H)) > 1<<36 {
		return fmt.Errorf("the format holds at most 2^36 cells, the pattern has %d×%d; RLE, macrocell and Life 1.06 hold more", b.W, b.H)
	}
	return nil
}

// Next returns the first row from y on that may have cells. It returns false if there is none.
func (r *Rows) Next(y int) (int, bool) {
	y = max(y, r.Bounds.Y)
	if r.bands != nil {
		i := r.band(y)
		if i == len(r.bands) {
			return 0, false
		}
		y = max(y, r.bands[i].y)
	}
	return y, y < r.Bounds.Y+r.Bounds.H
}

// band finds the first band that ends after row y.
func (r *Rows) band(y int) int {
	return sort.Search(len(r.bands), func(i int) bool { return r.bands[i].y+grid.TileSide > y })
}

// Spans returns where row y may have cells, left to right.
func (r *Rows) Spans(y int) []Span {
	if r.bands == nil {
		return []Span{{r.Bounds.X, r.Bounds.X + r.Bounds.W}}
	}
	if i := r.band(y); i < len(r.bands) && r.bands[i].y <= y {
		return r.bands[i].spans
	}
	return nil
}

// Strips divides the areas that may have cells into rectangles of at most width columns.
func (r *Rows) Strips(width int) iter.Seq[grid.Rect] {
	bands, height := r.bands, grid.TileSide
	if bands == nil {
		bands, height = []band{{r.Bounds.Y, r.Spans(r.Bounds.Y)}}, r.Bounds.H
	}
	return func(yield func(grid.Rect) bool) {
		for _, b := range bands {
			for _, s := range b.spans {
				for x := s.X; x < s.End; x += width {
					if !yield(grid.Rect{X: x, Y: b.y, W: min(width, s.End-x), H: height}) {
						return
					}
				}
			}
		}
	}
}

// ReadRow is that of the source.
func (r *Rows) ReadRow(dst []uint64, plane, x, y, n int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.src.ReadRow(dst, plane, x, y, n)
}

// Chunks reads row y in pieces of at most WindowCells: n cells from x on, in the words of r.
func (r *Rows) Chunks(y int, visit func(x, n int)) error {
	for _, s := range r.Spans(y) {
		for x := s.X; x < s.End; x += WindowCells {
			n := min(WindowCells, s.End-x)
			for plane := range r.Planes {
				if err := r.ReadRow(r.Words[plane], plane, x, y, n); err != nil {
					return err
				}
			}
			visit(x, n)
		}
	}
	return nil
}

// Runs divides row y into runs of equal state, from left to right. The first begins at the left edge of the bounds. Dead cells at the right end are
// left out. An edge between runs is a cell that differs in some plane from the cell before it:
//
//	plane     …01110011      edges = plane ^ (plane << 1 | last bit of the word before), or-ed over the planes
//	edges     …10010101      (least significant bit right); its bits are visited by counting trailing zeros
func (r *Rows) Runs(y int, emit func(state uint8, n int)) error {
	var state uint8
	start, end := r.Bounds.X, r.Bounds.X // the current run, and the end of what has been read
	var last [grid.MaxPlanes]uint64
	err := r.Chunks(y, func(x, n int) {
		if x > end && state != 0 {
			emit(state, end-start)
			start, state = end, 0
			clear(last[:])
		}
		end = x + n
		for w := range (n + 63) >> 6 {
			var edges uint64
			for plane := range r.Planes {
				word := r.Words[plane][w]
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
				for plane := range r.Planes {
					state |= uint8(r.Words[plane][w]>>i&1) << plane
				}
			}
		}
	})
	if err == nil && state != 0 {
		emit(state, end-start)
	}
	return err
}
