package circuit

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// Chance is a bit that a cell is given by chance: whether its random number of a use is below a probability.
// Most is the greatest probability of the use, which decides how the numbers are made.
type Chance struct {
	Use         uint8
	Below, Most chance.Probability
	Pairs       bool // an even generation and the odd one after it share random numbers
}

// Draw is the generation whose random numbers are those of a generation.
func (c Chance) Draw(generation uint64) uint64 { return chance.Draw(c.Use, c.Pairs, generation) }

// At is the bit of cell (x, y) in a generation.
func (c Chance) At(seed uint64, x, y int, generation uint64) bool {
	return random.At(seed, c.Draw(generation)).Row(y, c.Use).Below(x, uint64(c.Below), uint64(c.Most))
}

// String is the probability and the use: "chance 0.001 of flips".
func (c Chance) String() string {
	return fmt.Sprintf("chance %v of %s", c.Below, [...]string{"going on", "updates", "flips", "settings", "sites"}[c.Use])
}

// chances adds the bits of one use, for probabilities from the smallest to the greatest. All bits of a
// use come from one random number of the cell. If it is below a probability, it is also below all
// greater ones:
//
//	number        below[0]    below[1]    below[2]
//	   |  1 1 1  |   0 1 1   |   0 0 1   |  0 0 0       the bits of below[0], below[1], below[2]
//
// A choice among several outcomes therefore needs one number and not several.
func (c *Circuit) chances(of *chance.Chance, use uint8, below []chance.Probability) []Tap {
	taps := make([]Tap, len(below))
	for i, p := range below {
		switch p {
		case 0, chance.Certain:
			// Certain is 1<<32, so the table is 0xFF (always) for it and 0x00 (never) for 0.
			taps[i] = c.lut(uint8(-(p >> 32)), Tap{}, Tap{}, Tap{})
		default:
			taps[i] = c.node(Node{Kind: Random, Chance: Chance{use, p, below[len(below)-1], of.Checkerboard}})
		}
	}
	return taps
}

// stochastic adds the next state by a rule with chance. The order of the steps is part of what a rule
// means, and sim/reference has the same one:
//
//	next state, by the rule without chance, by outcomes, by proposals or by probabilities
//	flips of the result
//	states that are set
//	cells that are not updated keep their state
//	sites that are dead or frozen
func (c *Circuit) stochastic(state []Tap, r rule.Rule) []Tap {
	c.Seed = r.Chance.Seed
	var next []Tap
	base, added := r.Base()
	switch {
	case added:
		next = c.include(state, Of(base))
	case r.Chance.Function != nil:
		next = c.include(state, localCircuit(r.Chance.Function))
		for i := range c.Nodes {
			c.Nodes[i].Chance.Pairs = c.Nodes[i].Kind == Random && r.Chance.Checkerboard
		}
	case r.Chance.Accept != nil:
		next = c.propose(state, r)
	default:
		next = c.advance(state, r)
	}
	if r.Chance.Flip > 0 {
		flip := c.chances(r.Chance, chance.UseFlip, []chance.Probability{r.Chance.Flip})[0]
		next = []Tap{c.lut(lut.Xor, next[0], flip, flip)}
	}
	next = c.set(next, r.Chance)
	if r.Chance.Update < chance.Certain || r.Chance.Checkerboard {
		next = c.update(state, next, r.Chance, r.Volume())
	}
	return c.sites(state, next, r.Chance)
}

// update keeps the state of cells that are not updated. layers says that the universe is a volume.
func (c *Circuit) update(state, next []Tap, of *chance.Chance, layers bool) []Tap {
	still := c.lut(0, state[0], state[0], state[0]) // the cell is not updated
	if of.Checkerboard {
		still = c.node(Node{Kind: Given, Parity: Parity{Column: true, Row: true, Layer: layers, Cycle: 2, On: 2}})
	}
	if of.Update < chance.Certain {
		update := c.chances(of, chance.UseUpdate, []chance.Probability{of.Update})[0]
		still = c.lut(orNot, still, update, update)
	}
	for k := range next {
		next[k] = c.lut(choose, still, state[k], next[k])
	}
	return next
}

// sites makes cells dead whose number is below Dead, and keeps the state of the others whose number is below
// Dead and Frozen together.
func (c *Circuit) sites(state, next []Tap, of *chance.Chance) []Tap {
	var below []chance.Probability
	if of.Dead > 0 {
		below = append(below, of.Dead)
	}
	if of.Frozen > 0 {
		below = append(below, of.Dead+of.Frozen)
	}
	taps := c.chances(of, chance.UseSite, below)
	for k := range next {
		if of.Frozen > 0 {
			next[k] = c.lut(choose, taps[len(taps)-1], state[k], next[k])
		}
		if of.Dead > 0 {
			next[k] = c.lut(lut.AndNot, next[k], taps[0], taps[0])
		}
	}
	return next
}

// lots adds, for each probability of a function's outcomes, whether a cell's number is below it.
func (c *Circuit) lots(f *local.Function) []Tap {
	of := &chance.Chance{Function: f}
	return c.chances(of, chance.UseAdvance, of.Distinct())
}

// odds translates the results of a function with random outcomes into decision diagrams. The last variables of a
// diagram are the random bits (lots) that choose the outcome.
type odds struct {
	*local.Function
	first int      // of those variables
	below []uint64 // of all lots
}

// digit returns digit k of the next state. The outcomes of a result divide the range of random
// numbers. The diagram asks whether the number is below the first limit, then the second, and so on.
// The last outcome needs no question.
func (o odds) digit(b *bdd, result uint8, k int) edge {
	var is edge
	for _, share := range slices.Backward(o.Outcome(result)) {
		state := constFalse - edge(share.State>>k&1)
		if share.Below == uint64(chance.Certain) {
			is = state
			continue
		}
		lot, _ := slices.BinarySearch(o.below, share.Below)
		is = b.choose(o.first+lot, state, is)
	}
	return is
}

// advance adds the state of cells that go on to the next one with a probability for each state and count.
func (c *Circuit) advance(state []Tap, r rule.Rule) []Tap {
	counted := c.equals(state, 1)
	if r.StateWeights != nil {
		for s, w := range r.StateWeights {
			if w == 1 {
				counted = c.equals(state, s)
			}
		}
	}
	var near []Tap
	for _, o := range r.Neighbourhood.Offsets() {
		near = append(near, counted.At(o.DX, o.DY).Layer(o.DZ))
	}
	if next, is := c.metropolis(state, near, r.Chance); is {
		return []Tap{next}
	}
	inputs, planes := c.Count(near), len(state)
	inputs = append(append([]Tap(nil), state...), inputs...)
	// The cells of a class, by state and count, go on with the same probability.
	goes := c.decided(r.Chance, func(p chance.Probability) Tap {
		return c.tableWhere(inputs, func(n int) (one, is bool) {
			s, count := n&(1<<planes-1), n>>planes
			if s >= r.States || count > len(near) {
				return false, false
			}
			return r.Chance.Probability(uint8(s), count) == p, true
		})
	})
	if r.States == 2 {
		return []Tap{c.lut(lut.Xor, state[0], goes, goes)}
	}
	next := make([]Tap, planes)
	for k := range next {
		next[k] = c.tableWhere(append(append([]Tap(nil), state...), goes), func(n int) (one, is bool) {
			s := n & (1<<planes - 1)
			return (s+n>>planes)%r.States>>k&1 == 1, s < r.States
		})
	}
	return next
}

// metropolis adds the next state of a spin with four neighbours. The spin always flips if at most two neighbours are
// aligned with it. With three and with four aligned neighbours it flips with two given probabilities, the second one
// not greater than the first. They do not depend on its own state. That takes half as many tables as a count of
// neighbours.
func (c *Circuit) metropolis(state, near []Tap, of *chance.Chance) (next Tap, is bool) {
	three, four := of.Probability(1, 3), of.Probability(1, 4)
	is = len(state) == 1 && len(near) == 4 && four <= three && three < chance.Certain
	for n, p := range []chance.Probability{chance.Certain, chance.Certain, chance.Certain, three, four} {
		is = is && of.Probability(1, n) == p && of.Probability(0, 4-n) == p
	}
	if !is {
		return Tap{}, false
	}
	// most is the majority of the first three neighbours.
	//
	// If most is the spin's own value, two or three of these are aligned with it: three if all are
	// alike. Then two, three or four of all neighbours are aligned.
	//
	// If most is the other value, at most two neighbours are aligned, and the spin always flips: to
	// most. Therefore the last table may return most if the spin keeps, and the opposite of the spin
	// if not. Both are the same here, so that keeps may have any value.
	spin, lots := state[0], c.chances(of, chance.UseAdvance, slices.Compact([]chance.Probability{four, three}))
	most := c.lut(lut.Maj, near[0], near[1], near[2])
	alike, last := c.lut(xnor, c.lut(lut.Xor3, near[0], near[1], near[2]), most, most), c.lut(xnor, near[3], spin, spin)
	// with two of the first three aligned: four are, or three and it does not flip
	keeps := c.lut(0xD4, alike, last, lots[len(lots)-1])
	keeps = c.lut(lut.AndNot, keeps, lots[0], lots[0]) // who does not flip with three does not with four
	return c.lut(0xC5, keeps, most, spin), true
}

// propose adds the state of cells to which one of the other states is proposed: it is accepted with a
// probability for how many fewer neighbours have it.
//
// The energy of a Potts model is the number of neighbours in other states. A change from the old state
// to the proposed one raises it by the number of neighbours with the old state less the number with
// the proposed one.
func (c *Circuit) propose(state []Tap, r rule.Rule) []Tap {
	lots := c.chances(r.Chance, chance.UseFlip, r.Chance.Proposals(r.States))
	inputs := append(append([]Tap(nil), state...), lots...)
	planes := len(state)
	proposed := make([]Tap, planes)
	for k := range proposed {
		proposed[k] = c.tableWhere(inputs, func(n int) (one, is bool) {
			s, drawn := n&(1<<planes-1), n>>planes
			// a number that is below one probability is also below those that follow
			above := len(lots) - bits.OnesCount(uint(drawn))
			return (s+1+above)%r.States>>k&1 == 1, s < r.States && drawn&(1<<above-1) == 0
		})
	}
	same := func(s []Tap, o rule.Offset) Tap { // whether a neighbour's state is s
		t := c.lut(xnor, s[0], state[0].At(o.DX, o.DY).Layer(o.DZ), s[0])
		for k := 1; k < planes; k++ {
			t = c.lut(andSame, t, s[k], state[k].At(o.DX, o.DY).Layer(o.DZ))
		}
		return t
	}
	// A neighbour with the old state counts 2, one with any other but that proposed 1.
	var near []Tap
	for _, o := range r.Neighbourhood.Offsets() {
		other := same(proposed, o)
		near = append(near, same(state, o), c.lut(lut.NotA, other, other, other))
	}
	digits := c.Count(near)
	accepted := c.decided(r.Chance, func(p chance.Probability) Tap {
		return c.tableWhere(digits, func(n int) (one, is bool) {
			fewer := n - len(near)/2
			switch {
			case n > len(near):
				return false, false
			case fewer <= 0:
				return p == chance.Certain, true
			}
			return r.Chance.Accept[fewer-1] == p, true
		})
	})
	next := make([]Tap, planes)
	for k := range next {
		next[k] = c.lut(choose, accepted, proposed[k], state[k])
	}
	return next
}

const (
	xnor    = 0xC3 // the table of a the same as b
	andSame = 0x90 // a and (b the same as c)
	orNot   = 0xF3 // a or not b
	orAnd   = 0xF8 // a or (b and c)
)

// decided is 1 where a cell's number is below the probability of its class. class tells which cells belong to a
// probability.
func (c *Circuit) decided(of *chance.Chance, class func(p chance.Probability) Tap) Tap {
	is := class(chance.Certain)
	distinct := of.Distinct()
	for i, bit := range c.chances(of, chance.UseAdvance, distinct) {
		is = c.lut(orAnd, is, class(distinct[i]), bit)
	}
	return is
}

// Count adds the digits of how many taps are 1, the lowest first. A full adder replaces three bits of
// a digit by one bit of that digit (their sum modulo 2) and one of the next digit (their majority). A
// half adder does this for two. The carries are then added up in the same way.
func (c *Circuit) Count(taps []Tap) []Tap {
	var digits []Tap
	for len(taps) > 0 {
		var carries []Tap
		for len(taps) > 1 {
			x, y := taps[0], taps[1]
			if len(taps) > 2 {
				z := taps[2]
				carries, taps = append(carries, c.lut(lut.Maj, x, y, z)), append(taps[3:], c.lut(lut.Xor3, x, y, z))
				continue
			}
			carries, taps = append(carries, c.lut(lut.And, x, y, y)), append(taps[2:], c.lut(lut.Xor, x, y, y))
		}
		digits, taps = append(digits, taps[0]), carries
	}
	return digits
}

// set adds the states of cells that are set: those whose number is below the first probability to state 0,
// below the sum of the first two to state 1, and so on.
func (c *Circuit) set(next []Tap, of *chance.Chance) []Tap {
	var states []int
	var below []chance.Probability
	var sum chance.Probability
	for s, p := range of.Set {
		if sum += p; p > 0 {
			states, below = append(states, s), append(below, sum)
		}
	}
	taps := c.chances(of, chance.UseSet, below)
	for i := len(taps) - 1; i >= 0; i-- {
		for k := range next {
			if states[i]>>k&1 == 1 {
				next[k] = c.lut(lut.Or, next[k], taps[i], taps[i])
			} else {
				next[k] = c.lut(lut.AndNot, next[k], taps[i], taps[i])
			}
		}
	}
	return next
}
