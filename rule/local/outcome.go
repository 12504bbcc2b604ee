package local

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"
)

// certain is the probability 1 in units of 2^-32.
const certain = 1 << 32

// Outcome says which states come next and how likely each is: State where a cell's random number, from 0 to
// 2^32-1, is below Below and not below that of the share before. Below rises from share to share, and the last
// one's is 2^32.
type Outcome []share

type share = struct {
	Below uint64
	State uint8
}

// State returns the next state for a random number.
func (o Outcome) State(number uint64) uint8 {
	return o[slices.IndexFunc(o, func(s share) bool { return number < s.Below })].State
}

// Thresholds lists the numbers Below of all outcomes, rising, each once, without 2^32.
func (f *Function) Thresholds() (below []uint64) {
	for _, o := range f.Outcomes {
		for _, s := range o[:len(o)-1] {
			below = append(below, s.Below)
		}
	}
	slices.Sort(below)
	return slices.Compact(below)
}

// Outcome returns the meaning of a result of Next or Define: a state that is certain, or one of Outcomes.
func (f *Function) Outcome(result uint8) Outcome {
	if int(result) < f.States {
		return Outcome{{certain, result}}
	}
	return f.Outcomes[int(result)-f.States]
}

// lottery collects the outcomes of a table whose lines may be passed over by chance. Its terminals are states,
// and trails beyond them: numbers of lines that match the same block, in their order, up to the first that is
// never passed over.
type lottery struct {
	*builder
	table    *Lines
	trails   [][]step
	at       map[string]int // by trail
	outcomes []Outcome
	number   map[string]uint8 // by outcome: the result
}

// step is a line that matches, and the state that it gives.
type step struct {
	line  int
	state uint8
}

func newLottery(t *Lines, b *builder) *lottery {
	return &lottery{builder: b, table: t, at: map[string]int{}, number: map[string]uint8{}}
}

// follow is the terminal of line i that matches with a state.
func (l *lottery) follow(i, state int) int {
	if l.table.Lines[i].Unless == 0 {
		return state
	}
	return l.trail([]step{{i, uint8(state)}})
}

// trail returns the number of a list of outcomes. Equal lists have one number.
func (l *lottery) trail(steps []step) int {
	key := fmt.Sprint(steps)
	n, ok := l.at[key]
	if !ok {
		n = l.table.States + len(l.trails)
		l.held += 4 + len(steps)
		l.at[key], l.trails = n, append(l.trails, steps)
	}
	return n
}

// always stands for all lines that are never passed over.
const always = -1

// steps is the trail of a terminal.
func (l *lottery) steps(result int) []step {
	if result < l.table.States {
		return []step{{always, uint8(result)}}
	}
	return l.trails[result-l.table.States]
}

// meet is the terminal where the lines of x come before those of y.
func (l *lottery) meet(x, y ref) ref {
	first := l.steps(x.result())
	if first[len(first)-1].line == always {
		return x
	}
	return terminal(l.trail(slices.Concat(first, l.steps(y.result()))))
}

// result is the number of the outcome of a trail.
func (l *lottery) result(steps []step) (uint8, error) {
	var o Outcome
	left := 1.0 // how likely all lines so far were passed over
	for _, s := range steps {
		var unless uint64
		if s.line != always {
			unless = l.table.Lines[s.line].Unless
		}
		// This line applies if all lines before were passed over and it is not. Below is the probability that one of the
		// lines up to it applies.
		left *= math.Ldexp(float64(unless), -32)
		below := certain - uint64(math.Round(math.Ldexp(left, 32)))
		switch n := len(o); {
		case n == 0 && below == 0, n > 0 && o[n-1].Below == below: // never
		case n > 0 && o[n-1].State == s.state:
			o[n-1].Below = below
		default:
			o = append(o, share{below, s.state})
		}
	}
	if len(o) == 1 {
		return o[0].State, nil
	}
	key := fmt.Sprint(o)
	n, ok := l.number[key]
	if !ok {
		if l.table.States+len(l.outcomes) > math.MaxUint8 {
			return 0, fmt.Errorf("too large: its probabilities combine to more than %d outcomes", 256-l.table.States)
		}
		n = uint8(l.table.States + len(l.outcomes))
		l.number[key], l.outcomes = n, append(l.outcomes, o)
	}
	return n, nil
}

// define finds the lines that match a block up to the first that is never passed over.
func (l *lottery) define(b *Around) uint8 {
	var steps []step
	for i := range l.table.Lines {
		state, ok := l.table.match(i, b)
		if !ok {
			continue
		}
		if l.table.Lines[i].Unless == 0 {
			steps = append(steps, step{always, state})
			break
		}
		steps = append(steps, step{i, state})
	}
	steps = append(steps, step{always, b[C]}) // nothing where a line was certain
	n, err := l.result(steps)
	if err != nil {
		panic("local: an outcome that the diagram does not have: " + err.Error())
	}
	return n
}

// function is the function of the table.
func (l *lottery) function() (*Function, error) {
	b := l.builder
	root, err := b.lines(l.table, l)
	if err != nil {
		return nil, err
	}
	root, err = b.mapped(root, func(result int) (int, error) {
		n, err := l.result(l.steps(result))
		return int(n), err
	})
	if err != nil {
		return nil, err
	}
	// Equal functions have their outcomes in the same order.
	order := slices.Clone(l.outcomes)
	slices.SortStableFunc(order, compareOutcomes)
	to := make([]int, len(order))
	for i, o := range order {
		n := l.number[fmt.Sprint(o)]
		to[int(n)-l.table.States], l.number[fmt.Sprint(o)] = l.table.States+i, uint8(l.table.States+i)
	}
	l.outcomes = order
	root, err = b.mapped(root, func(result int) (int, error) {
		if result >= l.table.States {
			result = to[result-l.table.States]
		}
		return result, nil
	})
	if err != nil {
		return nil, err
	}
	f := newFunction(l.table.States, b.diagram(root), l.define)
	l.builder = nil // the definition does not need it
	f.withOutcomes(l.outcomes)
	return f, nil
}

// withOutcomes adds outcomes to a function of a diagram, also to its digest.
func (f *Function) withOutcomes(outcomes []Outcome) {
	f.Outcomes = outcomes
	of := f.digest
	f.digest = sync.OnceValue(func() [sha256.Size]byte {
		sum := sha256.New()
		fmt.Fprintf(sum, "%x %v", of(), outcomes)
		return [sha256.Size]byte(sum.Sum(nil))
	})
}

func compareOutcomes(o, p Outcome) int {
	return slices.CompareFunc(o, p, func(s, t share) int {
		return cmp.Or(cmp.Compare(s.Below, t.Below), cmp.Compare(s.State, t.State))
	})
}
