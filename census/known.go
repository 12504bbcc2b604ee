package census

import (
	"encoding/binary"
	"slices"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// zone describes the cells of a zone as they evolve on their own.
type zone struct {
	codes          []int // numbers of its objects' codes; empty if the zone does not come back
	cells          int   // of its objects, each in its smallest phase
	dx, dy, period int
}

// small looks up a zone.
func (c *Counter) small(q sparse.Square) *zone {
	z, ok := c.seen[q]
	if !ok {
		cells := q.Cells()
		if z, ok = c.image(cells); !ok {
			z = c.zone(cells)
		}
		if len(c.seen) == mostSeen {
			clear(c.seen)
		}
		c.seen[q] = z
	}
	return z
}

// image looks up the mirror images and rotations of a zone, which have objects with the same codes.
func (c *Counter) image(cells []Cell) (*zone, bool) {
	turned := make([]Cell, len(cells))
	for _, s := range c.symmetries {
		for i, at := range cells {
			turned[i].X, turned[i].Y = s.Apply(at.X, at.Y)
		}
		q, fits := sparse.SquareOf(turned, apgcode.BoxOf(turned))
		if known, ok := c.seen[q]; ok && fits {
			z := *known
			z.dx, z.dy = s.Inverse().Apply(known.dx, known.dy)
			return &z, true
		}
	}
	return nil, false
}

// mostSeen is the number of zones that are remembered, in some tens of megabytes. A million soups of Life have fewer.
const mostSeen = 1 << 18

// large looks up a zone that is not small.
func (c *Counter) large(cells []Cell) *zone {
	if c.rule.States == 2 {
		if q, ok := sparse.SquareOf(cells, apgcode.BoxOf(cells)); ok {
			return c.small(q)
		}
	}
	shape := zoneShape(cells)
	z, ok := c.shapes[shape]
	if !ok {
		z = c.zone(cells)
		if c.shapeBytes+len(shape) > mostShapeBytes {
			clear(c.shapes)
			c.shapeBytes = 0
		}
		c.shapes[shape] = z
		c.shapeBytes += len(shape)
	}
	return z
}

// mostShapeBytes is the size of the shapes that are remembered, apart from what a map needs besides.
const mostShapeBytes = 1 << 25

// zoneShape writes cells, in order, without their place: the distances and ages from cell to cell.
func zoneShape(cells []Cell) string {
	var shape []byte
	var last Cell
	for i, c := range cells {
		if i == 0 {
			last = c
		}
		shape = binary.AppendUvarint(shape, uint64(c.Y-last.Y))
		shape = binary.AppendVarint(shape, int64(c.X-last.X))
		shape = append(shape, c.Age)
		last = c
	}
	return string(shape)
}

// zone identifies the objects of a zone.
func (c *Counter) zone(cells []Cell) *zone {
	z := new(zone)
	if z.period, z.dx, z.dy = c.period(cells, c.limits.Period); z.period == 0 {
		return z
	}
	// Under wider rules, and if rules take turns, islands that see each other only in later generations are one object,
	// but often leave each other unchanged. They would pass as independent here.
	if c.rule.States == 2 && c.local.Radius == 1 && c.turns == 1 {
		if islands := sparse.Touching(cells, 1); len(islands) > 1 && c.independent(z, cells, islands) {
			return z
		}
	}
	for _, o := range c.divide(cells, z.period, z.dx, z.dy) {
		z.codes = append(z.codes, c.number(o.Code))
		z.cells += o.least
	}
	return z
}

// independent reports whether the islands of a zone evolve together as each does on its own. If so, it gives
// the zone their objects. Most zones consist of common objects that happen to be close together.
func (c *Counter) independent(z *zone, cells []Cell, islands [][]Cell) bool {
	if len(c.apart) < len(islands) {
		c.apart = append(c.apart, make([]sparse.Universe, len(islands)-len(c.apart))...)
	}
	var codes []int
	population := 0
	period := z.period
	for i, island := range islands {
		box := apgcode.BoxOf(island)
		q, ok := sparse.SquareOf(island, box)
		if !ok {
			return false
		}
		known := c.small(q)
		if known.period == 0 || known.dx*z.period != z.dx*known.period || known.dy*z.period != z.dy*known.period {
			return false
		}
		codes = append(codes, known.codes...)
		population += known.cells
		if period = leastCommonMultiple(period, known.period); period > c.limits.Period {
			return false
		}
		c.apart[i].Load(island)
	}
	c.alone.Load(cells)
	universes := []*sparse.Universe{&c.alone}
	for i := range islands {
		universes = append(universes, &c.apart[i])
	}
	var together, each []Cell
	for range period {
		c.batch.Pass(universes, 1)
		together, each = c.alone.AppendCells(together[:0]), each[:0]
		for i := range islands {
			each = c.apart[i].AppendCells(each)
		}
		if len(together) != len(each) {
			return false
		}
		slices.SortStableFunc(together, sparse.ByRow)
		slices.SortStableFunc(each, sparse.ByRow)
		if !slices.Equal(together, each) {
			return false
		}
	}
	z.codes, z.cells = codes, population
	return true
}

func leastCommonMultiple(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
