package scene

import "github.com/gosper-life/gosper/grid"

// MaxZoom is the largest Camera.Zoom: cells of 64×64 pixels.
const MaxZoom = 6

// Camera looks down on a universe. Cell (X, Y) is in the middle of the screen. At zoom z ≥ 0 a cell is 2^z ×
// 2^z pixels, at z < 0 a pixel is 2^-z × 2^-z cells.
type Camera struct{ X, Y, Zoom int }

// Region returns the region that a screen of w×h pixels shows. At Zoom 0 and below it has one sample for each pixel;
// above, one for each cell, including cells that are cut by the right and lower edges.
func (c Camera) Region(w, h int) Region {
	if c.Zoom >= 0 {
		cw, ch := (w-1)>>c.Zoom+1, (h-1)>>c.Zoom+1
		return Region{X: c.X - w>>c.Zoom/2, Y: c.Y - h>>c.Zoom/2, W: cw, H: ch}
	}
	k := -c.Zoom
	return Region{X: (c.X>>k - w/2) << k, Y: (c.Y>>k - h/2) << k, W: w, H: h, Scale: k}
}

// At is the cell under a pixel of a screen of w×h pixels. If the pixel shows several cells, it is the upper left one.
func (c Camera) At(w, h, px, py int) (x, y int) {
	r := c.Region(w, h)
	if c.Zoom >= 0 {
		return r.X + px>>c.Zoom, r.Y + py>>c.Zoom
	}
	return r.X + px<<r.Scale, r.Y + py<<r.Scale
}

// Pan moves the camera by pixels, to the right and down. It moves by at least one cell.
func (c Camera) Pan(dx, dy int) Camera {
	if c.Zoom < 0 {
		c.X, c.Y = c.X+dx<<-c.Zoom, c.Y+dy<<-c.Zoom
	} else {
		c.X, c.Y = c.X+cells(dx, c.Zoom), c.Y+cells(dy, c.Zoom)
	}
	c.X, c.Y = within(c.X), within(c.Y)
	return c
}

// cells converts d pixels to cells of 2^zoom pixels, rounded away from 0.
func cells(d, zoom int) int {
	if d < 0 {
		return -cells(-d, zoom)
	}
	return (d + 1<<zoom - 1) >> zoom
}

// within limits a coordinate to the range of valid regions.
func within(x int) int { return max(-furthest/2, min(furthest/2, x)) }

// Magnify changes the zoom by steps. The cell under the given pixel of a screen of w×h stays in place, as
// nearly as whole cells allow.
func (c Camera) Magnify(steps, w, h, px, py int) Camera {
	x, y := c.At(w, h, px, py)
	c.Zoom = max(-MaxScale, min(MaxZoom, c.Zoom+steps))
	nx, ny := c.At(w, h, px, py)
	c.X, c.Y = within(c.X+x-nx), within(c.Y+y-ny)
	return c
}

// Fit returns a camera that shows a whole rectangle on a screen of w×h pixels. It is as large as possible, but
// no cell is larger than 2^most pixels.
func Fit(box grid.Rect, w, h, most int) Camera {
	c := Camera{X: box.X + box.W/2, Y: box.Y + box.H/2, Zoom: min(most, MaxZoom)}
	if box.Empty() {
		return c
	}
	for c.Zoom > -MaxScale {
		if seen := c.Region(w, h).whole(w, h, c.Zoom); seen.Union(box) == seen {
			break
		}
		c.Zoom--
	}
	return c
}

// whole returns the rectangle of the cells that a screen shows completely.
func (r Region) whole(w, h, zoom int) grid.Rect {
	cells := r.Cells()
	if zoom > 0 {
		cells.W, cells.H = w>>zoom, h>>zoom
	}
	return cells
}
