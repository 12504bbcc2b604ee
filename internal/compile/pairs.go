package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// forPairs returns the circuit of a rule for machines whose operations have two inputs. The shortest network of tables is not the shortest of such
// operations: of Conway's rule, 8 tables are 24 operations, 23 with a half sum shared, and life is 19.
func forPairs(r rule.Rule) *circuit.Circuit {
	const conway = 224
	if c, ok := code.Of(r); ok && c == conway && len(r.Neighbourhood.Offsets()) == 8 {
		return life()
	}
	return circuit.Of(r)
}

// life is Conway's rule in 19 tables of two inputs. The half sum of a column, of the cells above and below, begins the sum of its three cells, which the
// columns beside it need, and is what its own cell needs.
//
//	column      half = up ^ down   both = up & down   sum = half ^ cell   carry = both | half & cell
//	neighbours  ones + 2·twos = left sum + half + right sum,  n = ones + 2·(twos + left carry + both + right carry)
//	next        exactly one of the four twos, and ones or the cell: n is 3, or 2 and the cell is alive
func life() *circuit.Circuit {
	d := draft{&circuit.Circuit{Planes: 1}}
	two := func(imm uint8, a, b circuit.Tap) circuit.Tap { return d.lut(imm, a, b, b) }
	cell := d.node(circuit.Node{Kind: circuit.Input})
	half, both := two(lut.Xor, cell.At(0, -1), cell.At(0, 1)), two(lut.And, cell.At(0, -1), cell.At(0, 1))
	sum, carry := two(lut.Xor, half, cell), two(lut.Or, both, two(lut.And, half, cell))
	left, right := sum.At(-1, 0), sum.At(1, 0)
	beside := two(lut.Xor, left, right)
	ones, twos := two(lut.Xor, beside, half), two(lut.Or, two(lut.And, left, right), two(lut.And, beside, half))
	left, right = carry.At(-1, 0), carry.At(1, 0)
	outer := two(lut.AndNot, two(lut.Xor, left, right), two(lut.Or, both, twos))
	inner := two(lut.AndNot, two(lut.Xor, both, twos), two(lut.Or, left, right))
	d.Out = []circuit.Tap{two(lut.And, two(lut.Or, outer, inner), two(lut.Or, ones, cell))}
	return d.Circuit
}
