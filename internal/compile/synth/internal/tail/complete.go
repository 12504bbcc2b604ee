package tail

// Gate is a lookup table over earlier signals, by number: the five of a base, then the gates.
type Gate struct {
	Imm     uint8
	A, B, C int
}

// Last returns a gate over three of the signals that computes f at every point of care.
func Last(f, care Function, signals []Function) (Gate, bool) {
	for _, t := range allTriples[:choose3(len(signals))] {
		if imm, ok := table(f, care, signals[t[0]], signals[t[1]], signals[t[2]]); ok {
			return Gate{imm, t[0], t[1], t[2]}, true
		}
	}
	return Gate{}, false
}

// table returns the lookup table over a, b and c that equals f at every point of care.
func table(f, care, a, b, c Function) (imm uint8, ok bool) {
	for index := range 8 {
		m := minterm(index, a, b, c) & care
		switch m & f {
		case 0:
		case m:
			imm |= 1 << index
		default:
			return 0, false
		}
	}
	return imm, true
}

// lastTwo returns two gates that compute f at every point of care. The second reads the first.
func lastTwo(f, care Function, signals []Function) ([2]Gate, bool) {
	n := len(signals)
	for _, t := range allTriples[:choose3(n)] {
		// The first gate reads this triple. Its table is not fixed yet: the second gate reads it with two other signals,
		// and between finds a table that makes this possible.
		var ones, zeros [8]Function // the points of each of the first gate's indices
		for index := range ones {
			m := minterm(index, signals[t[0]], signals[t[1]], signals[t[2]]) & care
			ones[index], zeros[index] = m&f, m&^f
		}
		for x := range n {
			for y := range x {
				imm, ok := between(&ones, &zeros, signals[x], signals[y])
				if !ok {
					continue
				}
				inner := Lookup(imm, signals[t[0]], signals[t[1]], signals[t[2]])
				if last, ok := table(f, care, inner, signals[x], signals[y]); ok {
					return [2]Gate{{imm, t[0], t[1], t[2]}, {last, n, x, y}}, true
				}
			}
		}
	}
	return [2]Gate{}, false
}

// between returns a table g by which f is a function of g, x and y. For each index of g, ones and zeros have the points
// where f is 1 and 0. The signals x and y divide the points into four parts. Within each part, g must differ between
// the points where f is 1 and those where f is 0, so g is a colouring of eight nodes, its indices, with two colours: in
// each part the ones have one colour and the zeros the other.
func between(ones, zeros *[8]Function, x, y Function) (imm uint8, ok bool) {
	var one, zero [4]uint8 // the indices of g that occur in each part
	for i, part := range [4]Function{^(x | y), y &^ x, x &^ y, x & y} {
		for index := range ones {
			if ones[index]&part != 0 {
				one[i] |= 1 << index
			}
			if zeros[index]&part != 0 {
				zero[i] |= 1 << index
			}
		}
		if one[i]&zero[i] != 0 {
			return 0, false
		}
	}
	var black, white uint8
	for index := range 8 {
		if (black|white)>>index&1 == 1 {
			continue
		}
		white |= 1 << index
		for before := uint8(0); before != black|white; { // colour the connected component of this index
			before = black | white
			for i := range one {
				if one[i] == 0 || zero[i] == 0 {
					continue
				}
				if one[i]&white != 0 || zero[i]&black != 0 {
					white, black = white|one[i], black|zero[i]
				}
				if one[i]&black != 0 || zero[i]&white != 0 {
					white, black = white|zero[i], black|one[i]
				}
			}
			if white&black != 0 {
				return 0, false
			}
		}
	}
	return black, true
}
