package circuit

import (
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// pointsUp is the bit of triangles that point up. Triangles are stored as a square grid, in which
// those that point up and those that point down alternate like the fields of a chessboard:
//
//	\  /\  /\          row 0:   down up down up …
//	 \/  \/  \
//	 /\  /\  /         row 1:   up down up down …
//	/  \/  \/
var pointsUp = Parity{Column: true, Row: true}

// mostTriangles is the largest number of neighbours of a triangle that are added up cell by cell. mostSum is the
// largest sum of their weights. Larger neighbourhoods would be slow, because rows of sums are not shared here, as
// they are with neighbour sums, and because each count of a birth or survival is compared on its own.
const mostTriangles, mostSum = 2048, 1 << 14

// triangles is 1 where a triangle is born or survives. Triangles that point up see the neighbourhood
// upside down: if the weights above and below differ, cells above and below change places.
//
// A neighbour sum cannot do that, because its offsets are the same for all cells. Therefore the bits
// of all neighbours are added up here, those of a column first.
func (c *Circuit) triangles(state []Tap, alive Tap, r rule.Rule) Tap {
	digits := []Tap{alive}
	if r.StateWeights != nil {
		digits = c.stateWeight(state, r.StateWeights)
	}
	up, hood := c.node(Node{Kind: Given, Parity: pointsUp}), r.Neighbourhood
	total := tally{c: c}
	for dx := -hood.Radius; dx <= hood.Radius; dx++ {
		column := tally{c: c} // columns that are alike share their sum
		for k, digit := range digits {
			column.add(digit.At(dx, 0), 0, hood.Weight(dx, 0)<<k)
			for dy := 1; dy <= hood.Radius; dy++ {
				above, below := hood.Weight(dx, -dy), hood.Weight(dx, dy)
				over, under := digit.At(0, -dy), digit.At(0, dy)
				if above != below {
					over, under = c.lut(choose, up, under, over), c.lut(choose, up, over, under)
					if dx%2 != 0 { // they point the other way there
						over, under = under, over
					}
				}
				column.add(over.At(dx, 0), 0, above<<k)
				column.add(under.At(dx, 0), 0, below<<k)
			}
		}
		for k, digit := range column.digits() {
			total.add(digit, k, 1)
		}
		total.least += column.least
	}
	return c.table(append([]Tap{alive}, total.digits()...), func(number int) bool {
		count := number>>1 + total.least
		if number&1 == 1 {
			return has(r.Survival, count)
		}
		return has(r.Birth, count)
	})
}

// tally adds up weighted bits. A bit with weight 5 is added to the bits of 2^0 and to those of 2^2.
// Then full adders reduce the bits of each power to one and carry into the next power.
type tally struct {
	c      *Circuit
	powers [][]Tap // by power of two: the bits that are still to be added
	least  int     // to be added to the digits
}

// add counts a bit 2^power · weight. A bit with a negative weight counts if it is 0.
func (t *tally) add(bit Tap, power, weight int) {
	if weight < 0 {
		t.least += weight << power
		bit, weight = t.c.lut(lut.NotA, bit, bit, bit), -weight
	}
	for ; weight != 0; power, weight = power+1, weight>>1 {
		for len(t.powers) <= power {
			t.powers = append(t.powers, nil)
		}
		if weight&1 == 1 {
			t.powers[power] = append(t.powers[power], bit)
		}
	}
}

// digits are the binary digits of the sum less the least one, lowest first.
func (t *tally) digits() []Tap {
	var digits []Tap
	for k := 0; k < len(t.powers); k++ {
		bits := t.powers[k]
		for len(bits) > 1 {
			a, b, sum := bits[0], bits[1], Tap{}
			if len(bits) == 2 {
				sum, bits = t.c.lut(lut.Xor, a, b, b), nil
				t.add(t.c.lut(lut.And, a, b, b), k+1, 1)
			} else {
				sum = t.c.lut(lut.Xor3, a, b, bits[2])
				t.add(t.c.lut(lut.Maj, a, b, bits[2]), k+1, 1)
				bits = bits[3:]
			}
			bits = append(bits, sum)
		}
		if len(bits) == 0 {
			zero := Tap{} // any node
			bits = []Tap{t.c.lut(0, zero, zero, zero)}
		}
		digits = append(digits, bits[0])
	}
	return digits
}
