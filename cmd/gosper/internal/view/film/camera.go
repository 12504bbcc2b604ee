package film

import (
	"slices"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
)

// Camera takes the frames of a region of a universe, one after the other.
type Camera struct {
	Region  scene.Region
	Up      int // pixels of a sample, each way: 1 or more
	Painter scene.Painter

	frame  scene.Frame
	ages   scene.Ages
	small  []uint8
	pixels []uint8
}

// Take returns the frame of a universe at a generation: (Up·Region.W)×(Up·Region.H) numbers of the painter's
// colours. It is valid until the next call. empty is the background of sim.Info.
func (c *Camera) Take(src grid.Source, generation uint64, empty uint8) ([]uint8, error) {
	if err := c.frame.Read(src, c.Region, scene.Unlimited); err != nil {
		return nil, err
	}
	var ages []uint8
	if c.Painter.ByAge(c.Region.Scale) {
		ages = c.ages.Update(&c.frame, generation, empty)
	}
	w, h := c.Region.W, c.Region.H
	c.small = slices.Grow(c.small[:0], w*h)[:w*h]
	c.pixels = slices.Grow(c.pixels[:0], w*h*c.Up*c.Up)[:w*h*c.Up*c.Up]
	c.Painter.Paint(c.small, &c.frame, ages, empty)
	for y := range h {
		row := c.pixels[y*c.Up*w*c.Up : (y*c.Up+1)*w*c.Up]
		for x, v := range c.small[y*w : (y+1)*w] {
			for i := range c.Up {
				row[x*c.Up+i] = v
			}
		}
		for i := 1; i < c.Up; i++ {
			copy(c.pixels[(y*c.Up+i)*w*c.Up:], row)
		}
	}
	return c.pixels, nil
}
