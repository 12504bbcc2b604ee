package circuit

// Exchanged returns the circuit for cells that are held with state 0 and another state exchanged: before in the cells, and after in their next state
// (package background).
func Exchanged(c *Circuit, before, after uint8) *Circuit {
	if before == 0 && after == 0 {
		return c
	}
	e := &Circuit{Planes: c.Planes, Seed: c.Seed}
	state := make([]Tap, c.Planes)
	for k := range state {
		state[k] = e.node(Node{Kind: Input, Plane: k})
	}
	e.Out = e.exchanged(e.include(e.exchanged(state, before), c), after)
	return e
}

// exchanged returns the planes of a state after state 0 and another one have been exchanged.
func (c *Circuit) exchanged(planes []Tap, other uint8) []Tap {
	if other == 0 {
		return planes
	}
	const turnOver = 0x1E // a xor (b or c)
	zero, is := c.equals(planes, 0), c.equals(planes, int(other))
	out := make([]Tap, len(planes))
	for k, p := range planes {
		out[k] = p
		if other>>k&1 == 1 {
			out[k] = c.lut(turnOver, p, zero, is)
		}
	}
	return out
}
