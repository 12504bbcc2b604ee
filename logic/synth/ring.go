package synth

// code is a set of lookup tables over the eight neighbours whose chosen outputs nearly tell the 51 orbits of the neighbours under
// the symmetries of the square from each other, in few different values: a short binary name of the orbit. Splitting an isotropic
// rule by such bits leaves few points a side. Found by simulated annealing on
// 3 × values used + weight × pairs of orbits confused; the raw cells settle what is confused.
type code struct {
	gates   []ringGate
	outputs []int
}

// ringGate reads signals by number: 0 to 7 the neighbours NW, N, NE, W, E, SW, S, SE; 8 to 10 u⊕d and 11 to 13 u∧d of the left,
// centre and right column; 14 on the gates of the code.
type ringGate struct {
	imm     uint8
	a, b, c int
}

var codes = []code{
	{[]ringGate{
		{0x36, 5, 2, 11}, {0x07, 11, 13, 2}, {0x11, 14, 4, 3}, {0x69, 4, 15, 3}, {0xde, 10, 14, 8}, {0x3d, 8, 10, 18},
	}, []int{18, 9, 17, 16, 12, 15, 19}},
	{[]ringGate{
		{0x5e, 3, 4, 4}, {0x85, 10, 8, 8}, {0x6f, 15, 7, 5}, {0x1e, 12, 3, 4}, {0xa4, 5, 13, 0}, {0x9d, 8, 10, 18}, {0x03, 13, 18, 2},
	}, []int{20, 14, 9, 17, 16, 19}},
	{[]ringGate{
		{0x99, 1, 10, 8}, {0x93, 4, 12, 3}, {0xe9, 13, 14, 5}, {0x25, 4, 9, 3}, {0x73, 6, 15, 9}, {0x6f, 14, 16, 7}, {0x60, 15, 17, 9}, {0x0e, 17, 1, 6}, {0x3d, 11, 13, 19}, {0xbe, 0, 7, 19},
	}, []int{23, 21, 22, 14, 18, 21, 20}},
}

// ring prepares a code.
func ring(c code) plan {
	return func(b *builder) []ref {
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
		splits := []ref{b.cell[4]}
		for _, i := range c.outputs {
			splits = append(splits, s[i])
		}
		return splits
	}
}
