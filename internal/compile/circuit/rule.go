package circuit

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/synth"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

// Of returns the circuit of a rule. A rule of the 3×3 block becomes the shortest known network of tables. A
// function of many states becomes choices between states, and a block rule becomes tables over its block. An
// alternating rule has the circuits of all its rules, and chooses among their outputs. The neighbours of
// triangles are added up one by one. Every other rule becomes a neighbour sum and a threshold. Check says which
// rules have no circuit. Callers share the circuit and must not change it.
func Of(r rule.Rule) *Circuit {
	c, state := inputs(r.States)
	switch kind := r.Kind(); kind {
	case rule.KindFunction:
		return localCircuit(r.Local)
	case rule.KindBlocks:
		c.Out = []Tap{c.blocks(state[0], r.Block)}
		return c
	case rule.KindSwaps:
		c.Out = []Tap{c.swaps(state[0])}
		return c
	case rule.KindAlternating:
		c.Out = c.phases(state, r.Phases)
		return c
	case rule.KindStochastic:
		c.Out = c.stochastic(state, r)
		return c
	case rule.KindTable, rule.KindCounting:
		c.Out = c.counting(state, r)
		return c
	default:
		panic(fmt.Sprintf("circuit: rules of kind %d have no circuit", kind))
	}
}

// errInside says why swaps inside of edges have no circuit: it would have to know where the edges are.
var errInside = errors.New("no cell crosses an edge, and a circuit does not know where these are")

var errTooLarge = fmt.Errorf("its circuit would take more than %d choices", mostChoices)

// Check returns an error if a rule has no circuit: a rule of an unknown kind, a local function whose circuit would be
// slower than a lookup for every cell, alone or in turns with other rules.
func Check(r rule.Rule) error {
	switch kind := r.Kind(); kind {
	case rule.KindTable, rule.KindBlocks:
		return nil
	case rule.KindSwaps:
		if r.Edged() {
			return errInside
		}
		return nil
	case rule.KindCounting:
		if r.Neighbourhood.Triangles {
			return checkTriangles(r)
		}
		return nil
	case rule.KindFunction:
		return checkFunction(r.Local)
	case rule.KindAlternating:
		for _, p := range r.Phases {
			if err := Check(p); err != nil {
				return err
			}
		}
		return nil
	case rule.KindStochastic:
		if r.Chance.Function != nil {
			if err := checkFunction(r.Chance.Function); err != nil {
				return err
			}
		}
		if base, ok := r.Base(); ok {
			return Check(base)
		}
		if r.Neighbourhood.Triangles {
			return checkTriangles(r)
		}
		return nil
	default:
		return fmt.Errorf("%v have no circuits", kind)
	}
}

func checkFunction(f *local.Function) error {
	if localCircuit(f) == nil {
		return errTooLarge
	}
	return nil
}

// checkTriangles says why a rule of triangles has no circuit.
func checkTriangles(r rule.Rule) error {
	lo, hi := r.CountRange()
	if n := r.Neighbourhood.Size(); n > mostTriangles || hi-lo >= mostSum {
		return fmt.Errorf("circuits of triangles count at most %d neighbours, up to %d; it has %d, and counts up to %d",
			mostTriangles, mostSum, n, hi-lo)
	}
	return nil
}

// counting returns the next state by a rule that counts neighbours, or looks up the states of a block.
func (c *Circuit) counting(state []Tap, r rule.Rule) []Tap {
	alive := c.equals(state, 1)
	var keep Tap // 1 where the cell is born or survives
	if r.Neighbourhood.Triangles {
		keep = c.triangles(state, alive, r)
	} else if table, ok := r.AsTable(); ok {
		keep = c.block(alive, synth.Block(*table))
	} else {
		digits := []Tap{alive}
		if r.StateWeights != nil {
			digits = c.stateWeight(state, r.StateWeights)
		}
		sum := &NeighbourSum{Digits: digits, Offsets: r.Neighbourhood.Offsets()}
		keep = c.node(Node{Kind: Threshold, Sum: sum, Cell: alive, Birth: r.Birth, Survival: r.Survival})
	}
	if r.States == 2 {
		return []Tap{keep}
	}
	return c.age(state, alive, keep, r.States)
}

// inputs returns a circuit that has only the planes of the cell's state.
func inputs(states int) (*Circuit, []Tap) {
	c := &Circuit{Planes: bits.Len(uint(states - 1))}
	state := make([]Tap, c.Planes)
	for k := range state {
		state[k] = c.node(Node{Kind: Input, Plane: k})
	}
	return c, state
}

// block adds a network over the 3×3 block of a tap. A network has columns and gates. Its columns are tables
// of a cell and those above and below it. A gate reads columns, of the cell or of the cells on the
// left and right, and other gates:
//
//	columns      left       centre     right        one node each, read at three places
//	               \          |          /
//	gates           tables of columns and gates
//
// As a node is computed for every cell, a column that is read on the left, in the middle and on the
// right costs one table and not three.
func (c *Circuit) block(cell Tap, n synth.Network) Tap {
	columns := make([]Tap, len(n.Columns))
	for k, imm := range n.Columns {
		columns[k] = c.lut(imm, cell.At(0, -1), cell, cell.At(0, 1))
	}
	gates := make([]Tap, 0, len(n.Gates))
	operand := func(o synth.Operand) Tap {
		if o.Source == synth.Inner {
			return gates[o.Index]
		}
		return columns[o.Index].At(int(o.Source)-int(synth.Centre), 0)
	}
	for _, g := range n.Gates {
		gates = append(gates, c.lut(g.Imm, operand(g.A), operand(g.B), operand(g.C)))
	}
	return gates[len(gates)-1]
}

// equals is 1 where the number with the given digits is k.
func (c *Circuit) equals(digits []Tap, k int) Tap {
	and := func(a, b Tap, bit int) Tap {
		if bit == 1 {
			return c.lut(lut.And, a, b, b)
		}
		return c.lut(lut.AndNot, a, b, b)
	}
	t := digits[0]
	if k&1 == 0 {
		t = c.lut(lut.NotA, t, t, t)
	}
	for i, d := range digits[1:] {
		t = and(t, d, k>>(i+1)&1)
	}
	return t
}

// stateWeight gives the four binary digits of the weight of a cell's state. Digit k is 1 for the
// states whose weight has it.
func (c *Circuit) stateWeight(state []Tap, weights []int) []Tap {
	var digits []Tap
	for k := range 4 {
		var sum Tap
		some := false
		for s, w := range weights {
			if w>>k&1 == 0 {
				continue
			}
			is := c.equals(state, s)
			if some {
				is = c.lut(lut.Or, sum, is, is)
			}
			sum, some = is, true
		}
		if !some {
			sum = c.lut(0, state[0], state[0], state[0])
		}
		digits = append(digits, sum)
	}
	return digits
}

// age computes the next state of a Generations rule. A dead or live cell becomes state 1 where keep is 1.
// Otherwise a dead cell remains dead, any other state goes up by one, and the last state goes to 0.
func (c *Circuit) age(state []Tap, alive, keep Tap, states int) []Tap {
	dead := c.equals(state, 0)
	last := c.equals(state, states-1)
	toOne := c.lut(0xE0, keep, dead, alive)            // keep and (dead or alive)
	toZero := c.lut(lut.Or, dead, last, last)          // unless toOne
	out := []Tap{c.lut(0xF1, toOne, toZero, state[0])} // toOne or (not toZero and not bit 0)
	// The state plus 1, by half adders. A sum beyond the last state needs no care: toZero replaces it.
	carry := state[0]
	for _, d := range state[1:] {
		sum := c.lut(lut.Xor, d, carry, carry)
		carry = c.lut(lut.And, d, carry, carry)
		out = append(out, c.lut(0x10, sum, toOne, toZero)) // neither toOne nor toZero
	}
	return out
}
