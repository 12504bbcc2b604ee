package circuit

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/synth"
	"github.com/gosper-life/gosper/rule/local"
)

// byQuestions adds the circuit of a function that asks questions. Each question becomes a rule of the 3×3 block
// whose live cells are those that the question marks. Choices by the state and the answers follow.
func byQuestions(c *Circuit, state []Tap, f *local.Function) {
	asking := f.Asking()
	variables := backward(state)
	marks := map[string]Tap{} // by the states that are marked
	for _, q := range asking.Questions {
		key := fmt.Sprint(q.Among)
		mark, ok := marks[key]
		if !ok {
			mark = c.among(state, f.States, q.Among)
			marks[key] = mark
		}
		variables = append(variables, c.block(mark, synth.Block(q.Yes)))
	}
	odds := odds{f, len(variables), f.Thresholds()}
	variables = append(variables, c.lots(f)...)
	b := newBDD(len(variables))
	roots := make([]edge, len(state))
	differ := make([]bool, len(state)) // by plane: whether the circuit computes its difference from the cell's own plane
	for k := range state {
		d := decisions{bdd: b, odds: odds, asking: asking, states: f.States, planes: len(state), plane: k}
		roots[k], _ = d.state(len(state)-1, 0)
		own := b.choose(len(state)-1-k, constTrue, constFalse)
		if delta := b.xor(roots[k], own, map[[2]edge]edge{}); b.size(delta) < b.size(roots[k]) {
			roots[k], differ[k] = delta, true
		}
	}
	b.keep(roots)
	b.sift()
	g := choices{Circuit: c, bdd: b, variables: variables, made: map[int]Tap{}}
	for k, root := range roots {
		out := g.value(root)
		if differ[k] {
			out = c.lut(lut.Xor, out, state[k], state[k])
		}
		c.Out = append(c.Out, out)
	}
}

// among returns a tap that is 1 where a cell's state is one of the given ones.
func (c *Circuit) among(state []Tap, states int, among []uint8) Tap {
	in := make([]bool, 1<<len(state))
	for _, s := range among {
		in[s] = true
	}
	b := newBDD(len(state))
	root := digitOf(b, len(state)-1, func(s int) (bool, bool) { return in[s], s < states })
	b.keep([]edge{root})
	b.sift()
	return (&choices{Circuit: c, bdd: b, variables: backward(state), made: map[int]Tap{}}).value(root)
}

// decisions makes the diagram of a plane of the next state. It asks the digits of the state, the highest first,
// and then the answers.
type decisions struct {
	*bdd
	odds                  odds
	asking                *local.Asking
	states, planes, plane int
}

// state chooses by a digit of the state and the digits below it. The higher digits are already known.
func (d *decisions) state(digit, number int) (f edge, is bool) {
	if digit < 0 {
		if number >= d.states {
			return constFalse, false // there is no such state, so any value will do
		}
		return d.answers(uint8(number), 0, 0), true
	}
	high, some := d.state(digit-1, number|1<<digit)
	low, others := d.state(digit-1, number)
	switch {
	case !some:
		return low, others
	case !others:
		return high, true
	}
	return d.choose(d.planes-1-digit, high, low), true
}

// answers chooses by the answer to the next question. Bit q of known says that question q has been
// asked on this path, and bit q of yes that its answer was yes. Which question is next depends on the
// state and on the answers, so paths differ in length.
func (d *decisions) answers(state uint8, known, yes uint64) edge {
	next, asks := d.asking.Decide(state, known, yes)
	if asks < 0 {
		return d.odds.digit(d.bdd, next, d.plane)
	}
	known |= 1 << asks
	return d.choose(d.planes+asks, d.answers(state, known, yes|1<<asks), d.answers(state, known, yes))
}
