package synth

// code is a set of lookup tables over the eight neighbours. The neighbours have 51 orbits under the symmetries
// of the square, and the chosen outputs are a short binary number that almost identifies the orbit. An
// isotropic rule that is split by these bits has few points left in each part. The codes were found by
// simulated annealing, which minimised 3 × values used + weight × pairs of orbits with the same value. The raw
// cells tell such pairs apart.
type code struct {
	gates   []ringGate
	outputs []int
}

// ringGate reads signals by number: 0 to 7 the neighbours NW, N, NE, W, E, SW, S, SE; 8 to 10 u⊕d and 11 to 13
// u∧d of the left, centre and right column; 14 on the gates of the code.
type ringGate struct {
	imm     uint8
	a, b, c int
}

var codes = []code{
	{[]ringGate{
		{0xaa, 11, 2, 4},
		{0x1e, 12, 3, 14},
		{0x91, 10, 8, 10},
		{0x11, 10, 11, 13},
		{0x6f, 16, 2, 5},
		{0x65, 12, 1, 16},
		{0x64, 5, 12, 12},
		{0x02, 13, 13, 17},
		{0x21, 14, 20, 3},
		{0xc8, 18, 16, 8},
	}, []int{19, 9, 22, 18, 15, 23, 21, 17}},
	{[]ringGate{
		{0x36, 5, 2, 11}, {0x07, 11, 13, 2}, {0x11, 14, 4, 3}, {0x69, 4, 15, 3}, {0xde, 10, 14, 8}, {0x3d, 8, 10, 18},
	}, []int{18, 9, 17, 16, 12, 15, 19}},
}

// ring is the basis of a code. It splits by the cell and by the code's outputs.
func ring(c code) basis {
	return func(b *builder) []ref { return append([]ref{b.cell[4]}, b.encode(c)...) }
}

// encode adds a code's gates and returns its outputs.
func (b *builder) encode(c code) (outputs []ref) {
	s := make([]ref, 0, 32)
	for _, i := range []int{0, 1, 2, 3, 5, 6, 7, 8} {
		s = append(s, b.cell[i])
	}
	for x := range 3 {
		s = append(s, b.column(Up^Down, Source(x)))
	}
	for x := range 3 {
		s = append(s, b.column(Up&Down, Source(x)))
	}
	for _, g := range c.gates {
		s = append(s, b.lut(g.imm, s[g.a], s[g.b], s[g.c]))
	}
	for _, i := range c.outputs {
		outputs = append(outputs, s[i])
	}
	return outputs
}
