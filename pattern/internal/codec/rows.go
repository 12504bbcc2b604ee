package codec

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sort"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/quadtree"
)

// Rows reads a source row by row, and knows where a sparse one has no cells. Writers must not visit each cell
// of the bounding box, which two gliders that fly apart can make as large as they like.
type Rows struct {
	Bounds grid.Rect
	Planes int                      // the planes that the states need
	Words  [grid.MaxPlanes][]uint64 // the words that Pieces has read, by plane

	ctx   context.Context // ends reading
	src   grid.Source
	bands []band // the rows that may have cells, from top to bottom
}

// band is rows y ≤ row < end that may have cells in the same columns: the spans, from left to right.
type band struct {
	y, end int
	spans  []Span
}

// Span is the cells x ≤ column < end.
type Span struct{ X, End int }

// NewRows returns the rows of a source with the given number of states, at most 256. Reading them fails soon
// after ctx is done.
func NewRows(ctx context.Context, src grid.Source, states int) (*Rows, error) {
	bounds, err := src.Extent()
	if err != nil {
		return nil, err
	}
	r := &Rows{ctx: ctx, src: src, Bounds: bounds, Planes: min(src.Planes(), grid.PlanesOf(states))}
	for k := range r.Planes {
		r.Words[k] = make([]uint64, SpanWords)
	}
	var parts []grid.Rect
	if tree, isTree := src.(*quadtree.Tree); isTree {
		if tree.Tiles() > mostTiles {
			return nil, fmt.Errorf("%d×%d cells, in more than 2^26 squares of 256×256, are too far apart to read; "+
				"a macrocell file (.mc) holds them", bounds.W, bounds.H)
		}
		parts, err = tree.Tiled(ctx)
	} else {
		parts, err = grid.Occupied(src)
	}
	if err == nil {
		r.bands, err = bandsOf(ctx, parts, bounds)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// mostTiles is the largest number of tiles of a tree that are written row by row. A file with more tiles than that
// has a gigabyte or more.
const mostTiles = 1 << 26

// bandsOf returns the rows that rectangles cover within the bounds. A new band begins where a rectangle begins or ends:
//
//	┌───┐           band 0   spans of a
//	│ a │ ┌───┐     band 1   spans of a and b
//	└───┘ │ b │
//	      └───┘     band 2   spans of b
func bandsOf(ctx context.Context, parts []grid.Rect, bounds grid.Rect) ([]band, error) {
	const often = 1 << 12
	inside := make([]grid.Rect, 0, len(parts))
	edges := make([]int, 0, 2*len(parts))
	for _, part := range parts {
		if part = part.Intersect(bounds); !part.Empty() {
			inside = append(inside, part)
			edges = append(edges, part.Y, part.Y+part.H)
		}
	}
	slices.SortFunc(inside, func(a, b grid.Rect) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var bands []band
	var open []grid.Rect // those that cover the row, by their columns
	for i := range max(len(edges)-1, 0) {
		if i%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		y, end := edges[i], edges[i+1]
		open = slices.DeleteFunc(open, func(r grid.Rect) bool { return r.Y+r.H <= y })
		n := 0
		for n < len(inside) && inside[n].Y == y {
			n++
		}
		sorted := len(open) == 0
		open, inside = append(open, inside[:n]...), inside[n:]
		if !sorted {
			slices.SortFunc(open, func(a, b grid.Rect) int { return cmp.Compare(a.X, b.X) })
		}
		if len(open) > 0 {
			bands = append(bands, band{y, end, spansOf(open)})
		}
	}
	return bands, nil
}

// spansOf joins the columns of rectangles, which come from left to right.
func spansOf(row []grid.Rect) (spans []Span) {
	for _, r := range row {
		if n := len(spans); n > 0 && r.X <= spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, r.X+r.W)
		} else {
			spans = append(spans, Span{r.X, r.X + r.W})
		}
	}
	return spans
}

// MostBytes and MostPixels are log2 of the most cells in formats that have a byte for each, and in pictures, which
// compress empty space a thousandfold.
const (
	MostBytes  = 36
	MostPixels = 40
)

// Fit returns an error if the bounds have more cells than a format that writes each of them may hold: two cells far
// apart must not fill a disk or take days.
func (r *Rows) Fit(log2 int) error {
	if b := r.Bounds; grid.Product(uint64(b.W), uint64(b.H)) > 1<<log2 {
		const text = "the format holds at most 2^%d cells, the pattern has %d×%d; RLE, macrocell and Life 1.06 hold more"
		return fmt.Errorf(text, log2, b.W, b.H)
	}
	return nil
}

// Next returns the first row from y on that may have cells. It returns false if there is none.
func (r *Rows) Next(y int) (int, bool) {
	i := r.band(y)
	if i == len(r.bands) {
		return 0, false
	}
	return max(y, r.bands[i].y), true
}

// band finds the first band that ends after row y.
func (r *Rows) band(y int) int {
	return sort.Search(len(r.bands), func(i int) bool { return r.bands[i].end > y })
}

// Spans returns where row y may have cells, left to right.
func (r *Rows) Spans(y int) []Span {
	if i := r.band(y); i < len(r.bands) && r.bands[i].y <= y {
		return r.bands[i].spans
	}
	return nil
}

// Strips divides the areas that may have cells into rectangles of at most width columns.
func (r *Rows) Strips(width int) iter.Seq[grid.Rect] {
	return func(yield func(grid.Rect) bool) {
		for _, b := range r.bands {
			for _, s := range b.spans {
				for x := s.X; x < s.End; x += width {
					if !yield(grid.Rect{X: x, Y: b.y, W: min(width, s.End-x), H: b.end - b.y}) {
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

// Pieces reads row y in pieces of at most SpanCells: n cells from x on, in the words of r.
func (r *Rows) Pieces(y int, visit func(x, n int)) error {
	for _, s := range r.Spans(y) {
		for x := s.X; x < s.End; x += SpanCells {
			n := min(SpanCells, s.End-x)
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

// Runs divides row y into runs of equal state, from left to right. The first begins at the left edge of the
// bounds. Dead cells at the right end are left out. An edge between runs is a cell that differs in some plane
// from the cell before it:
//
//	plane     …01110011      edges = plane ^ (plane << 1 | last bit of the word before), or-ed over the planes
//	edges     …10010101      (least significant bit right); its bits are visited by counting trailing zeros
func (r *Rows) Runs(y int, emit func(state uint8, n int)) error {
	var state uint8
	start, end := r.Bounds.X, r.Bounds.X // the current run, and the end of what has been read
	var last [grid.MaxPlanes]uint64
	err := r.Pieces(y, func(x, n int) {
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
