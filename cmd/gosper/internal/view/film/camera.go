package film

import (
	"slices"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/lattice"
)

// Camera takes the frames of a region of a universe, one after the other.
type Camera struct {
	Region  scene.Region
	Up      int // pixels of a sample, each way: 1 or more
	Lattice lattice.Kind
	Painter scene.Painter

	frame  scene.Frame
	ages   scene.Ages
	small  []uint8
	pixels []uint8
	at     []int32 // the sample of each pixel; empty for squares
}

// Take returns the frame of a universe at a generation: numbers of the painter's colours, as many as Lattice.Size says.
// It is valid until the next call. empty is the background of sim.Info.
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
	c.Painter.Paint(c.small, &c.frame, ages, empty)
	if c.Lattice != lattice.Squares {
		return c.tile(), nil
	}
	c.pixels = slices.Grow(c.pixels[:0], w*h*c.Up*c.Up)[:w*h*c.Up*c.Up]
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

// tile returns the frame of hexagons or triangles. Beyond them it is as dead cells are.
func (c *Camera) tile() []uint8 {
	if c.at == nil {
		r := c.Region
		c.at = c.Lattice.Pixels(r.X>>r.Scale, r.Y>>r.Scale, r.W, r.H, c.Up)
		c.pixels = make([]uint8, len(c.at))
	}
	for i, sample := range c.at {
		if sample >= 0 {
			c.pixels[i] = c.small[sample]
		}
	}
	return c.pixels
}
