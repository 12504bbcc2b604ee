package synth

// OuterTotalistic returns a network of the Moore-neighbourhood rule B/S: bit n of birth is set when a dead cell with n live
// neighbours is born, bit n of survival when a live one stays. Bits above 8 are ignored.
func OuterTotalistic(birth, survival uint16) Network {
	b := newBuilder()
	// The count of all nine cells is parity + 2·(carry + pairs) + 4·fours.
	var p, q [3]ref
	for x := range 3 {
		p[x] = b.column(immXor3, Source(x))
		q[x] = b.column(immMaj3, Source(x))
	}
	parity, carry := b.xor3(p[0], p[1], p[2]), b.maj3(p[0], p[1], p[2])
	pairs, fours := b.xor3(q[0], q[1], q[2]), b.maj3(q[0], q[1], q[2])
	var byParity [2]ref
	for odd := range 2 {
		var state [2]ref
		for s := range 2 {
			set := birth
			if s == 1 {
				set = survival << 1
			}
			var imm uint8
			for k := range 8 {
				halves := k>>2&1 + k>>1&1 + k&1*2
				imm |= uint8(set>>(2*halves+odd)&1) << k
			}
			state[s] = b.lut(imm, carry, pairs, fours)
		}
		byParity[odd] = b.mux(b.cell[4], state[1], state[0])
	}
	return b.network(b.mux(parity, byParity[1], byParity[0]))
}
