package rule

import "strconv"

// customCells reads the hexadecimal bits of N@: the cells of the square around the centre, row by row from the
// north-west, without the centre. An L may follow, for triangles.
func (s *scanner) customCells(radius int) (Neighbourhood, error) {
	side := 2*radius + 1
	digits := (side*side - 1) / 4
	cells := make([]bool, 0, side*side)
	for range digits {
		d, ok := hexDigit(s.peek())
		if !ok {
			return Neighbourhood{}, s.fail(s.pos, "want a hexadecimal digit: at radius %d there are %d", radius, digits)
		}
		s.pos++
		for bit := 3; bit >= 0; bit-- {
			if len(cells) == side*side/2 {
				cells = append(cells, false)
			}
			cells = append(cells, d>>bit&1 == 1)
		}
	}
	n, err := NewCustom(radius, cells)
	n.Triangles = s.accept('L')
	return n, err
}

// weights reads the hexadecimal weights of NW: one or two digits for each cell, with the highest bit for the
// sign, row by row from the north-west and including the centre. A comma and a digit for each state may follow,
// and then an L for triangles, or an H, which only asks viewers for a hexagonal grid.
func (s *scanner) weights(radius, states int) (n Neighbourhood, stateWeights []int, err error) {
	side := 2*radius + 1
	digits := 0
	for digits < len(s.rest()) {
		if _, ok := hexDigit(upper(s.rest()[digits])); !ok {
			break
		}
		digits++
	}
	perCell := digits / (side * side)
	if digits%(side*side) != 0 || perCell < 1 || perCell > 2 {
		return n, nil, s.fail(s.pos+digits, "%d hexadecimal digits of weights: at radius %d there are %d or %d",
			digits, radius, side*side, 2*side*side)
	}
	cells := make([]int, side*side)
	sign := 1 << (4*perCell - 1)
	for i := range cells {
		w := s.hexValue(perCell)
		if w >= sign {
			w = sign - w
		}
		cells[i] = w
	}
	if n, err = NewWeighted(radius, cells); err != nil {
		return n, nil, err
	}
	if s.accept(',') {
		for s.pos < s.end {
			d, ok := hexDigit(s.peek())
			if !ok {
				break
			}
			s.pos++
			stateWeights = append(stateWeights, d)
		}
		if len(stateWeights) != states {
			return n, nil, s.fail(s.pos, "%d weights of states: each of the %d states has one hexadecimal digit",
				len(stateWeights), states)
		}
	}
	n.Triangles = s.accept('L')
	if !n.Triangles {
		s.accept('H')
	}
	return n, stateWeights, nil
}

// hexValue reads a number of digits that have been checked.
func (s *scanner) hexValue(digits int) int {
	v := 0
	for range digits {
		d, _ := hexDigit(s.peek())
		v = 16*v + d
		s.pos++
	}
	return v
}

// stateWeightsString writes a comma and a digit for each state, or nothing.
func (r Rule) stateWeightsString() string {
	if r.StateWeights == nil {
		return ""
	}
	b := []byte{','}
	for _, w := range r.StateWeights {
		b = strconv.AppendInt(b, int64(w), 16)
	}
	return string(b)
}

// hexDigit returns the value of an upper-case digit.
func hexDigit(c byte) (int, bool) {
	switch {
	case isDigit(c):
		return int(c - '0'), true
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10, true
	default:
		return 0, false
	}
}
