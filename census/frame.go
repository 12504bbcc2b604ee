package census

import "github.com/gosper-life/gosper/sim/cpu/sparse"

// A gun looks the same again after its period, but for the spaceships that are farthest out: each of the others is
// where the one before it was. The same holds of a rake or a puffer in a frame that moves with it. There the debris
// moves, and the oldest is what was not there before. The cells that a frame lacks are what the pattern made in a
// period. They are far from the rest, and easy to tell apart, even if they are large spaceships or form a dense stream.

// outputByFrame is the output of a pattern that grows as g does, from its cells in two generations, in order.
func (c *Counter) outputByFrame(before, after []Cell, generations int, g Growth) Output {
	moves := [2][]int{{0}, {0}} // of the frame, along each axis
	for i, s := range []Speed{{-g.Left.Cells, g.Left.Generations}, g.Right, {-g.Up.Cells, g.Up.Generations}, g.Down} {
		if s.Cells != 0 && generations%s.Generations == 0 {
			moves[i/2] = append(moves[i/2], s.Cells*generations/s.Generations)
		}
	}
	for _, dy := range moves[1] {
		for _, dx := range moves[0] {
			class := "rake"
			if dx == 0 && dy == 0 {
				class = "gun"
			}
			if made, ok := c.made(before, after, generations, dx, dy); ok {
				if out := outputOf(c.objects(made), generations, class); out.Class != "" {
					return out
				}
			}
		}
	}
	for _, dy := range moves[1] {
		for _, dx := range moves[0] {
			if isStretched(before, after, dx, dy) {
				return Output{Class: "wickstretcher", Generations: generations}
			}
		}
	}
	return Output{}
}

// made returns what a pattern has made between two generations if some of its cells are the same in a frame that moves
// by (dx, dy), and the others evolve as they do alone, without becoming more. ok is false for other patterns.
func (c *Counter) made(before, after []Cell, generations, dx, dy int) (made []Cell, ok bool) {
	same, others, rest := compare(before, after, dx, dy)
	if 2*same < len(before) {
		return nil, false
	}
	if len(others) > 0 {
		var u sparse.Universe
		u.Load(others)
		c.run(&u, generations)
		var missing []Cell
		if _, missing, rest = compare(u.Cells(), rest, 0, 0); len(missing) > 0 {
			return nil, false
		}
	}
	return rest, len(rest) > 0 && len(rest) == len(after)-len(before)
}

// objects counts the objects of cells that are far from all others. It returns nil if some do not come back.
func (c *Counter) objects(cells []Cell) map[string]int {
	s := &soup{}
	s.Load(cells)
	c.batch.Envelope(&s.Universe, longEnvelope)
	if !c.zones.Load(&s.Universe) {
		return nil
	}
	if c.addZones(s); s.endless {
		return nil
	}
	return c.tally(s)
}

// isStretched reports whether a pattern has become longer between two generations, and is otherwise the same: each of
// its cells stands still or has moved by (dx, dy), and so has each that it has now. Some have moved.
func isStretched(before, after []Cell, dx, dy int) bool {
	_, gone, _ := compare(before, after, 0, 0)
	_, _, added := compare(before, after, dx, dy)
	_, lost, _ := compare(gone, after, dx, dy)
	_, _, more := compare(before, added, 0, 0)
	return len(gone) > 0 && len(lost) == 0 && len(more) == 0
}

// compare counts the cells of before that are among those of after, moved by (dx, dy), and lists the others of both.
// All are in order.
func compare(before, after []Cell, dx, dy int) (same int, others, rest []Cell) {
	for len(before) > 0 && len(after) > 0 {
		moved := before[0]
		moved.X, moved.Y = moved.X+dx, moved.Y+dy
		switch order := sparse.ByRow(moved, after[0]); {
		case moved == after[0]:
			same, before, after = same+1, before[1:], after[1:]
		case order < 0:
			others, before = append(others, before[0]), before[1:]
		case order > 0:
			rest, after = append(rest, after[0]), after[1:]
		default: // of different ages
			others, before = append(others, before[0]), before[1:]
			rest, after = append(rest, after[0]), after[1:]
		}
	}
	return same, append(others, before...), append(rest, after...)
}
