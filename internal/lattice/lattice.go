// Package lattice is the geometry of cells that are hexagons or triangles: where they lie in a picture, as the page and
// the element draw them. Rows of hexagons lie half a cell to the left of the row above. A triangle is two columns wide;
// those whose column and row have an even sum point down. The page's camera (camera.ts) and its shader have the same
// geometry.
package lattice

import (
	"math"

	"github.com/gosper-life/gosper/rule"
)

// Kind is the shape of cells.
type Kind string

// The kinds. Their names are those that the page knows.
const (
	Squares   Kind = ""
	Hexagons  Kind = "hex"
	Triangles Kind = "tri"
)

// Of returns the kind of a rule's cells.
func Of(r rule.Rule) Kind {
	switch {
	case r.Hexagons():
		return Hexagons
	case r.Triangles():
		return Triangles
	}
	return Squares
}

// lean returns the offset of a row to the right of the row above, and its height, both in columns.
func (k Kind) lean() (right, down float64) {
	switch k {
	case Hexagons:
		return -0.5, math.Sqrt(3) / 2
	case Triangles:
		return 0, math.Sqrt(3)
	}
	return 0, 1
}

// frame is the rectangle around w×h cells, in columns: the corner from the upper left corner of the first cell, and the
// size.
func (k Kind) frame(w, h float64) (x, y, width, height float64) {
	right, down := k.lean()
	switch k {
	case Hexagons: // the upper and lower corners of hexagons reach into other rows
		reach := 1/math.Sqrt(3) - down/2
		return right * (h - 0.5), -reach, w - right*(h-1), down*h + 2*reach
	case Triangles:
		return -0.5, 0, w + 1, down * h
	}
	return 0, 0, w, h
}

// Size is the size of a picture of w×h cells whose columns are up pixels wide.
func (k Kind) Size(w, h, up int) (width, height int) {
	if k == Squares {
		return w * up, h * up
	}
	_, _, across, along := k.frame(float64(w), float64(h))
	return int(math.Ceil(across*float64(up) - 1e-9)), int(math.Ceil(along*float64(up) - 1e-9))
}

// Pixels returns for each pixel of the picture the number of its cell, row after row, and -1 for pixels beyond the
// cells. (x, y) is the first cell.
func (k Kind) Pixels(x, y, w, h, up int) []int32 {
	width, height := k.Size(w, h, up)
	left, top, _, _ := k.frame(float64(w), float64(h))
	right, down := k.lean()
	odd := (x + y) & 1
	pixels := make([]int32, 0, width*height)
	const aside = 1e-6 // no middle of a pixel lies on a side of a cell
	for py := range height {
		v := (top + (float64(py)+0.5)/float64(up)) / down
		for px := range width {
			u := left + (float64(px)+0.5+aside)/float64(up) - right*v
			i, j := k.cellAt(u, v+aside, odd)
			if i < 0 || j < 0 || i >= w || j >= h {
				pixels = append(pixels, -1)
			} else {
				pixels = append(pixels, int32(j*w+i))
			}
		}
	}
	return pixels
}

// cellAt is the cell at a point. odd is 1 if the column and row of the first cell have an odd sum.
func (k Kind) cellAt(x, y float64, odd int) (i, j int) {
	i, j = int(math.Floor(x)), int(math.Floor(y))
	right, down := k.lean()
	least := math.Inf(1)
	switch k {
	case Hexagons: // each point is in the hexagon whose middle is nearest
		first, top := int(math.Floor(x-0.5)), int(math.Floor(y-0.5))
		for n := range 4 {
			dx, dy := x-float64(first+n%2)-0.5, y-float64(top+n/2)-0.5
			if far := math.Hypot(dx+right*dy, dy*down); far < least {
				least, i, j = far, first+n%2, top+n/2
			}
		}
	case Triangles: // each column is in two triangles, which a slanting side divides
		at := i
		for c := at - 1; c <= at+1; c++ {
			dx, dy := x-float64(c)-0.5, y-float64(j)-0.5
			if (c+j+odd)&1 == 1 {
				dy = -dy
			}
			if far := math.Abs(dx) + dy; far < least {
				least, i = far, c
			}
		}
	}
	return i, j
}
