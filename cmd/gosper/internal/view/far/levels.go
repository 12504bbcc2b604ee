package far

import (
	"math"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
)

const (
	// Faintest and Brightest are the levels of pixels that a channel has something to say about. 0 is nothing.
	Faintest  = 1
	Brightest = 15
)

// Levels stores a channel of the map for a region: a level for each of its pixels. Activity goes from the least to
// the most in view by its logarithm. Quiet and Age go by the logarithm of the generations since, from now, the
// brightest, to the beginning of the universe. Blocks that were never seen to change have no level.
func (m *Map) Levels(dst []uint8, c Channel, r scene.Region) []uint8 {
	var value func(b *history) float64 // 0 is nothing
	switch c {
	case Activity:
		value = func(b *history) float64 { return float64(b.changed) }
	case Quiet:
		value = func(b *history) float64 {
			if b.last == 0 {
				return 0
			}
			return 1 / float64(1+m.generation-b.last)
		}
	case Age:
		value = func(b *history) float64 {
			if !b.alive {
				return 0
			}
			return 1 / float64(1+m.generation-b.born)
		}
	default:
		return none(dst, r)
	}
	values := gather(m.area, m.scale, r, func(i int) float64 { return value(&m.blocks[i]) })
	if c == Activity {
		return spread(dst, values, 0)
	}
	return spread(dst, values, 1/float64(1+m.generation))
}

// Levels stores the sizes in a region, from the smallest to the largest in view, by their logarithm.
func (s *Sizes) Levels(dst []uint8, r scene.Region) []uint8 {
	if s == nil {
		return none(dst, r)
	}
	return spread(dst, gather(s.area, s.scale, r, func(i int) float64 { return float64(s.cells[i]) }), 0)
}

func none(dst []uint8, r scene.Region) []uint8 { return append(dst[:0], make([]uint8, r.W*r.H)...) }

// gather finds the largest value of the blocks that each pixel of a region shows.
func gather(area grid.Rect, scale int, r scene.Region, value func(i int) float64) []float64 {
	values := make([]float64, r.W*r.H)
	seen := area.Intersect(r.Cells())
	if seen.Empty() {
		return values
	}
	across := area.W >> scale
	if scale <= r.Scale { // some blocks a pixel
		for y := (seen.Y - area.Y) >> scale; y<<scale < seen.Y+seen.H-area.Y; y++ {
			to := values[(area.Y+y<<scale-r.Y)>>r.Scale*r.W:][:r.W]
			for x := (seen.X - area.X) >> scale; x<<scale < seen.X+seen.W-area.X; x++ {
				at := &to[(area.X+x<<scale-r.X)>>r.Scale]
				*at = max(*at, value(y*across+x))
			}
		}
		return values
	}
	for py := (seen.Y - r.Y) >> r.Scale; py<<r.Scale < seen.Y+seen.H-r.Y; py++ {
		row := (r.Y + py<<r.Scale - area.Y) >> scale * across
		for px := (seen.X - r.X) >> r.Scale; px<<r.Scale < seen.X+seen.W-r.X; px++ {
			values[py*r.W+px] = value(row + (r.X+px<<r.Scale-area.X)>>scale)
		}
	}
	return values
}

// spread turns values into levels by their logarithm, from least to the largest value. If least is 0 it is the
// least of the values.
func spread(dst []uint8, values []float64, least float64) []uint8 {
	low, high := math.Inf(1), least
	for _, v := range values {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	if least > 0 {
		low, high = least, 1
	}
	dst = dst[:0]
	for _, v := range values {
		level := uint8(0)
		switch {
		case v <= 0:
		case high <= low:
			level = Brightest
		default:
			share := min(1, max(0, math.Log(v/low)/math.Log(high/low)))
			level = Faintest + uint8(math.Round((Brightest-Faintest)*share))
		}
		dst = append(dst, level)
	}
	return dst
}
