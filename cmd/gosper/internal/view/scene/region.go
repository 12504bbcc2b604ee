// Package scene turns the cells of a universe into what a viewer shows: the visible region, cells or densities
// of blocks of cells, ages, colours, and the camera that moves over them. It does not know engines or screens.
package scene

import (
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
)

const (
	// MaxScale is the largest Region.Scale.
	MaxScale = 50
	// maxPixels is the most pixels of a Region of a plane. maxCells is that of single cells of a volume: as many as
	// 256×256×256 has.
	maxPixels = 1 << 22
	maxCells  = 1 << 24

	furthest = 1 << 61 // largest distance of a region's corner from the origin, each way
)

// Region is a part of the universe on a viewer's screen: W×H pixels, each a block of 2^Scale × 2^Scale cells. (X, Y)
// is the upper left cell, in the universe's own coordinates. X and Y are multiples of 2^Scale.
type Region struct{ X, Y, W, H, Scale int }

// OnlyOfVolume reports whether a region is too large for a plane.
func (r Region) OnlyOfVolume() bool { return r.W*r.H > maxPixels }

// Validate refuses regions that are too large for any universe, too far away or not aligned.
func (r Region) Validate() error {
	most := maxPixels
	if r.Scale == 0 {
		most = maxCells
	}
	switch {
	case r.Scale < 0 || r.Scale > MaxScale:
		return fmt.Errorf("scale %d: want 0 to %d", r.Scale, MaxScale)
	case r.W < 1 || r.H < 1 || r.W > most || r.H > most || r.W*r.H > most:
		return fmt.Errorf("region of %d×%d pixels: want 1 to %d in all", r.W, r.H, most)
	case max(r.W, r.H) > 2*furthest>>r.Scale:
		return fmt.Errorf("region of %d×%d pixels of 2^%d cells: want at most 2^62 cells a side", r.W, r.H, r.Scale)
	case min(r.X, r.Y) < -furthest || max(r.X, r.Y) > furthest:
		return errors.New("the region is too far from the origin")
	case r.X&(1<<r.Scale-1) != 0 || r.Y&(1<<r.Scale-1) != 0:
		return fmt.Errorf("corner %d,%d of a region is not a multiple of 2^%d", r.X, r.Y, r.Scale)
	}
	return nil
}

// Cells is the rectangle of cells that the region shows.
func (r Region) Cells() grid.Rect {
	return grid.Rect{X: r.X, Y: r.Y, W: r.W << r.Scale, H: r.H << r.Scale}
}
