// Package chance describes the random part of a stochastic rule: the probabilities that a cell goes on to its next
// state, is updated at all, flips or is set. Package internal/random makes the random numbers. This package is
// independent of them and of the rule without chance.
//
// Start with [Chance].
package chance

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
)

// Probability is a probability in units of 2^-32: 0 to Certain.
type Probability uint64

// Certain is the probability 1.
const Certain Probability = 1 << 32

// Of returns the probability nearest to p, which is from 0 to 1.
func Of(p float64) Probability { return Probability(p*float64(Certain) + 0.5) }

// Float is the probability as a number from 0 to 1. It is exact.
func (p Probability) Float() float64 { return float64(p) / float64(Certain) }

// String is the shortest decimal number to which p is nearest.
func (p Probability) String() string {
	for digits := 1; ; digits++ {
		text := strconv.FormatFloat(p.Float(), 'g', digits, 64)
		if q, err := ParseProbability(text); err == nil && q == p {
			return text
		}
	}
}

// ParseProbability reads a decimal number from 0 to 1, like 0.25 or 1e-4.
func ParseProbability(text string) (Probability, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" || !(0 <= p && p <= 1) {
		return 0, fmt.Errorf("probability %q: want a number from 0 to 1", text)
	}
	return Of(p), nil
}

// Uses of chance. A cell has an independent random number for each, in every generation or, for UseSite, once
// for all. Probabilities of the same use share it.
const (
	UseAdvance = iota // the next state, or whether the cell goes on to it
	UseUpdate         // whether it is updated
	UseFlip           // whether it flips, or of more states, which other one is proposed
	UseSet            // whether it is set, and to what
	UseSite           // whether it is dead or frozen forever: the same in all generations
)

// Chance describes how chance changes the cells of a rule. In each generation
//
//   - a cell gets a new state. By default, the rule without chance gives it. If Advance is given, the cell goes on to
//     the next state (after the last comes 0) with a probability that depends on its state and its count, else it
//     keeps its state. If Function is given, the new state is one of those of an outcome. If Accept is given, one of
//     the other states is proposed, each with the same probability. The cell takes it if it is accepted, else it keeps
//     its state;
//   - then it flips with probability Flip, and is set to state s with probability Set[s];
//   - all of this happens only to the cells that are updated: each with probability Update, and of a
//     checkerboard only those whose column, row and generation have an even sum. All others keep their state;
//   - cells of quenched disorder do not take part in any of this: a share Dead of all cells is always dead, and
//     another share Frozen always keeps its state. Which cells these are does not change from generation to
//     generation.
//
// A cell of a checkerboard is updated at most once in an even generation and the odd generation after it. These two
// generations therefore share their random numbers: see Draw.
//
// All cells are updated at once, from the states of the generation before.
type Chance struct {
	Advance  [][]Probability // by state and count; nil where something else gives the state
	Function *local.Function // of the 3×3 block, with outcomes; nil where something else gives the state
	// by how many fewer neighbours have the state proposed than the old one, from 1 on; else it is accepted
	Accept       []Probability
	Update       Probability // Certain for all cells
	Checkerboard bool
	Flip         Probability   // of rules with two states
	Set          []Probability // by state, or nil; together at most Certain
	Dead, Frozen Probability   // together at most Certain
	// after each generation, cells in state 1 that others join to one in state 2 by edges are in state 2, too
	Burns  bool
	Seed   uint64 // of the random numbers
	Seeded bool   // the notation names the seed
	Model  string // the name of the model with its parameters, if it was written so
}

// Draw is the generation whose random numbers of a use are those of a generation. Pairs reports whether an even
// generation and the odd generation after it share their random numbers, as on a checkerboard. Those of UseSite are
// always the ones of generation 0.
func Draw(use uint8, pairs bool, generation uint64) uint64 {
	switch {
	case use == UseSite:
		return 0
	case pairs:
		return generation &^ 1
	}
	return generation
}

// Probability returns the probability that a cell with a state and a count goes on to the next state.
func (c *Chance) Probability(state uint8, count int) Probability {
	by := c.Advance[state]
	return by[min(count, len(by)-1)]
}

// Proposals returns the probabilities that decide which of the other states is proposed. The proposed state is the
// old state plus 1, plus 1 more for each probability that is not greater than the cell's number, modulo the number of
// states.
func (c *Chance) Proposals(states int) (below []Probability) {
	for i := 1; i < states-1; i++ {
		below = append(below, Of(float64(i)/float64(states-1)))
	}
	return below
}

// Equal reports whether both mean the same, with the same seed.
func (c *Chance) Equal(d *Chance) bool {
	if (c.Function == nil) != (d.Function == nil) || c.Function != nil && !c.Function.Equal(d.Function) {
		return false
	}
	return slices.EqualFunc(c.Advance, d.Advance, slices.Equal) && slices.Equal(c.Accept, d.Accept) &&
		c.Update == d.Update && c.Checkerboard == d.Checkerboard &&
		c.Flip == d.Flip && slices.Equal(c.Set, d.Set) && c.Dead == d.Dead && c.Frozen == d.Frozen && c.Burns == d.Burns &&
		c.Seed == d.Seed
}

// Suffix writes the options in the notation of Apply: ~async=0.5,flip=0.001,seed=7. It is empty if there are no
// options.
func (c *Chance) Suffix() string {
	var parts []string
	add := func(name string, p Probability) { parts = append(parts, name+"="+p.String()) }
	if c.Update != Certain {
		add("async", c.Update)
	}
	if c.Checkerboard {
		parts = append(parts, "checkerboard")
	}
	if c.Flip > 0 {
		add("flip", c.Flip)
	}
	for state, p := range c.Set {
		if p > 0 {
			add(fmt.Sprintf("set%d", state), p)
		}
	}
	if parts = append(parts, c.common()...); len(parts) == 0 {
		return ""
	}
	return "~" + strings.Join(parts, ",")
}

// common are the options that rules and models have: disorder, and the seed.
func (c *Chance) common() (parts []string) {
	if c.Dead > 0 {
		parts = append(parts, "dead="+c.Dead.String())
	}
	if c.Frozen > 0 {
		parts = append(parts, "frozen="+c.Frozen.String())
	}
	if c.Seeded {
		parts = append(parts, fmt.Sprintf("seed=%d", c.Seed))
	}
	return parts
}

// OfModel is the notation of a model: its name with its parameters, disorder, and the seed if there is one.
func (c *Chance) OfModel() string {
	parts := c.common()
	if len(parts) == 0 {
		return c.Model
	}
	separator := "~"
	if strings.Contains(c.Model, "~") {
		separator = ","
	}
	return c.Model + separator + strings.Join(parts, ",")
}

// Option is a part of a suffix: name=value, or a name alone.
type Option struct {
	Name, Value string
	At          int // where it begins in the suffix
}

// Options divides a suffix, without its ~, into its parts.
func Options(suffix string) []Option {
	var options []Option
	at := 0
	for part := range strings.SplitSeq(suffix, ",") {
		name, value, _ := strings.Cut(part, "=")
		options = append(options, Option{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value), at})
		at += len(part) + 1
	}
	return options
}

// Apply adds an option to a rule of some states.
func (c *Chance) Apply(o Option, states int) error {
	state, isSet := strings.CutPrefix(o.Name, "set")
	switch {
	case o.Name == "checkerboard":
		c.Checkerboard = true
		if o.Value != "" {
			return fmt.Errorf("checkerboard has no value")
		}
		return nil
	case o.Name == "seed":
		seed, err := strconv.ParseUint(o.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("seed %q: want a whole number below 2^64", o.Value)
		}
		c.Seed, c.Seeded = seed, true
		return nil
	case o.Name != "async" && o.Name != "flip" && o.Name != "dead" && o.Name != "frozen" && !isSet:
		return fmt.Errorf("%q: want async=P, checkerboard, flip=P, set0=P, set1=P, …, dead=P, frozen=P or seed=N", o.Name)
	}
	p, err := ParseProbability(o.Value)
	switch {
	case err != nil:
		return err
	case o.Name == "async":
		c.Update = p
	case o.Name == "dead":
		c.Dead = p
	case o.Name == "frozen":
		c.Frozen = p
	case o.Name == "flip":
		if states != 2 {
			return fmt.Errorf("flip is for two states: with %d, say to which state cells are set (set0=P, set1=P, …)", states)
		}
		c.Flip = p
	default:
		s, err := strconv.Atoi(state)
		if err != nil || s < 0 || s >= states {
			return fmt.Errorf("%q: want set0 to set%d", o.Name, states-1)
		}
		if c.Set == nil {
			c.Set = make([]Probability, states)
		}
		c.Set[s] = p
		var sum Probability
		for _, p := range c.Set {
			sum += p
		}
		switch {
		case sum > Certain:
			return fmt.Errorf("cells are set to some state with a probability of more than 1")
		case sum == 0:
			c.Set = nil
		}
	}
	if c.Dead+c.Frozen > Certain {
		return fmt.Errorf("more than all cells would be dead or frozen")
	}
	return nil
}

// Idle reports whether nothing is done to any cell.
func (c *Chance) Idle() bool {
	return c.Advance == nil && c.Function == nil && c.Accept == nil && c.Update == Certain && !c.Checkerboard &&
		c.Flip == 0 && c.Set == nil && c.Dead == 0 && c.Frozen == 0
}

// Births reports whether a dead cell whose neighbours are all dead, and which stays so without chance, can come alive.
func (c *Chance) Births() bool {
	return c.Flip > 0 || c.Accept != nil || c.Advance != nil && c.Advance[0][0] > 0 ||
		c.Function != nil && c.Function.Uniform(0) != 0 ||
		len(c.Set) > 0 && slices.ContainsFunc(c.Set[1:], func(p Probability) bool { return p > 0 })
}

// Distinct lists the probabilities of the next state in ascending order, each once, without 0 and Certain.
func (c *Chance) Distinct() []Probability {
	var all []Probability
	if c.Function != nil {
		for _, below := range c.Function.Thresholds() {
			all = append(all, Probability(below))
		}
	}
	for _, by := range append(c.Advance[:len(c.Advance):len(c.Advance)], c.Accept) {
		all = append(all, by...)
	}
	slices.SortFunc(all, cmp.Compare)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(p Probability) bool { return p == 0 || p == Certain })
}
