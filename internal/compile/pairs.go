package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// forPairs returns the circuit of a rule for machines whose operations have two inputs. The shortest network of
// tables is not the shortest of such operations: of Conway's rule, 8 tables are 24 operations, 23 with a half
// sum shared, and ours are 19.
func forPairs(r rule.Rule) *circuit.Circuit {
	if number, ok := code.Of(r); ok && len(r.Neighbourhood.Offsets()) == 8 {
		for _, known := range shortPairs {
			if numberOf(known.rule) == number {
				return sums(known.next)
			}
		}
	}
	return circuit.Of(r)
}

// shortPairs are the next states of cells that a search has found to take fewer operations than a network of
// tables. They are made of these bits of the nine cells, by & (and), | (or), ^ (exclusive or) and - (and not):
//
//	s           the cell
//	o           the number of live neighbours is odd
//	a, b, c, d  how many of them are set is half of that number, rounded down; c, d and o are never all set
//
// For two rules that is to say: a sum of four is odd if it is one or three, and it is three if both of some two
// are set.
var shortPairs = []struct{ rule, next string }{
	{"B3/S23", "((((a^b)-(c|d))|((c^d)-(a|b)))&(o|s))"},
	{"B36/S23", "(((a^b)^(c^d))&(((a&b)|(c&d))^(o|s)))"},
	{"B3/S238", "((((a|b)&(c|d))^((a^b)|(c^d)))&(o|s))"},
}

// numberOf is Wolfram's code of a rule: see package code.
func numberOf(rule string) (number uint64) {
	alive := 0
	for _, c := range rule {
		switch c {
		case 'B', '/':
		case 'S':
			alive = 1
		default:
			number |= 1 << (2*int(c-'0') + alive)
		}
	}
	return number
}

// sums is a circuit of two-input tables whose next state is made of the bits that shortPairs names, which take
// ten operations. The half sum of a column, of the cells above and below, begins the sum of its three cells,
// which the columns beside it need, and is what its own cell needs.
//
//	column      half = up ^ down   both = up & down   sum = half ^ cell   carry = both | half & cell
//	neighbours  odd + 2·twos = left sum + half + right sum,  n = odd + 2·(twos + left carry + both + right carry)
func sums(next string) *circuit.Circuit {
	d := draft{&circuit.Circuit{Planes: 1}}
	two := func(imm uint8, a, b circuit.Tap) circuit.Tap { return d.lut(imm, a, b, b) }
	cell := d.node(circuit.Node{Kind: circuit.Input})
	half, both := two(lut.Xor, cell.At(0, -1), cell.At(0, 1)), two(lut.And, cell.At(0, -1), cell.At(0, 1))
	sum, carry := two(lut.Xor, half, cell), two(lut.Or, both, two(lut.And, half, cell))
	left, right := sum.At(-1, 0), sum.At(1, 0)
	beside := two(lut.Xor, left, right)
	odd, twos := two(lut.Xor, beside, half), two(lut.Or, two(lut.And, left, right), two(lut.And, beside, half))
	bits := map[byte]circuit.Tap{'s': cell, 'o': odd, 'a': carry.At(-1, 0), 'b': carry.At(1, 0), 'c': both, 'd': twos}
	operations := map[byte]uint8{'&': lut.And, '|': lut.Or, '^': lut.Xor, '-': lut.AndNot}
	var read func() circuit.Tap
	read = func() circuit.Tap {
		c := next[0]
		next = next[1:]
		if c != '(' {
			return bits[c]
		}
		x := read()
		imm := operations[next[0]]
		next = next[1:]
		y := read()
		next = next[1:] // the closing bracket
		return two(imm, x, y)
	}
	d.Out = []circuit.Tap{read()}
	return d.Circuit
}
