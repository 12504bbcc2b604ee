package census

import (
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/census/internal/islands"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// classifier identifies objects and remembers the ones it has seen. It is for one goroutine.
type classifier struct {
	batch      *sparse.Batch
	limits     Limits
	rule       rule.Rule          // without B0, with its table if it is of the 3×3 block; of even generations
	local      islands.Rule       // the rule as cells see it
	turns      int                // generations after which the rule does the same again: 1 or 2
	every      int                // generations between two checks of a soup
	symmetries []apgcode.Symmetry // those that leave the rule unchanged
	alone      sparse.Universe    // for single objects
	changes    []islands.Change   // scratch of history
	followed   atomic.Int64       // the generation that a pattern has been followed to
	lived      atomic.Int64       // its cells then
	work       int                // passes of its tiles until then
	mostWork   int                // the most of them; 0 means any number
}

// otherwise names the property of a rule that a census does not support.
func otherwise(r rule.Rule) string {
	switch kind := r.Kind(); kind {
	case rule.KindBlocks:
		return "blocks of 2×2 cells"
	case rule.KindAlternating:
		return "rules that take turns"
	case rule.KindFunction:
		return "other states than live ones and those of dying cells"
	case rule.KindCounting:
		switch {
		case r.Neighbourhood.Triangles:
			return "cells that are triangles"
		case r.Neighbourhood.Volume:
			return "three dimensions"
		}
		return "states that count as neighbours by weights"
	default:
		return kind.String()
	}
}

// Under a rule with B0 the plane around objects does not stay dead. The cells that differ from it evolve under a rule
// without B0, or under two that take turns (package background). With S of all neighbours the plane is live from the
// start, and the rule is that of the complement. Otherwise, it is live at odd generations. Then only even ones can be
// compared: all periods are even, and codes show phases of even generations. lifelib, apgsearch's library, does the
// same: genera/lifelike.py allows only even steps, and pattern2.h takes phases from every second generation.

// withoutB0 returns the rule under which cells evolve that differ from the plane around them, as one rule or as those
// of even and odd generations.
func withoutB0(r rule.Rule) (turns []rule.Rule, of rule.Rule, err error) {
	if !r.BirthOnEmpty() {
		return []rule.Rule{r}, r, nil
	}
	orbit, ok := background.Of(r)
	if ok {
		of, ok = orbit.Without()
	}
	switch {
	case !ok:
		return nil, of, fmt.Errorf(
			"rule %v: a census takes B0 only in rules of two states that count neighbours or have a table of the 3×3 block", r)
	case len(of.Phases) == 1:
		of = of.Phases[0]
		return []rule.Rule{of}, of, nil
	}
	return of.Phases, of, nil
}

// newClassifier refuses rules under which objects have no meaning: those with chance, those in which other states count
// than live cells, and those that see too far.
func newClassifier(r rule.Rule, limits Limits) (*classifier, error) {
	if r.Random() {
		return nil, fmt.Errorf("rule %v: a census needs a rule without chance, under which objects are what they are", r)
	}
	turns, of, err := withoutB0(r)
	if err != nil {
		return nil, err
	}
	local, ok := islands.RuleOf(turns...)
	if !ok || r.Kind() == rule.KindAlternating {
		return nil, fmt.Errorf(
			"rule %v: a census needs a rule of two states, or Generations of one, that counts neighbours or has a table of "+
				"the 3×3 block; this one has %s", r, otherwise(r))
	}
	b, err := sparse.NewBatch(of)
	if err != nil {
		return nil, fmt.Errorf("rule %v: %w", r, err)
	}
	c := &classifier{
		batch: b, limits: limits, rule: turns[0], local: local, turns: len(turns), every: checkEvery,
		symmetries: apgcode.SymmetriesOf(r),
	}
	if local.Radius > 1 {
		c.every = checkWideEvery
	}
	if t, ok := c.rule.AsTable(); ok {
		c.rule.Table = t
	}
	return c, nil
}

// step advances one object by a generation.
func (c *classifier) step(w *sparse.Universe) { c.batch.Pass([]*sparse.Universe{w}, 1) }

// period runs cells, in order, on their own until they come back, in place or elsewhere. It returns the number of
// generations and how far they have moved. The period is 0 if they die, have too many cells or do not come back within
// most generations. It compares lists of cells with the first one alone: what does not come back to its first state is
// no object. They must be those of an even generation if rules take turns.
func (c *classifier) period(cells []Cell, most int) (period, dx, dy int) {
	w := &c.alone
	w.Load(cells)
	for period := 1; period <= most; period++ {
		c.step(w)
		n := w.Population()
		if n == 0 || n > c.limits.Population {
			break
		}
		if n == len(cells) && period%c.turns == 0 {
			if dx, dy, ok := displacement(cells, w.Cells()); ok {
				return period, dx, dy
			}
		}
		if period%sweepEvery == 0 {
			w.Sweep()
		}
	}
	return 0, 0, 0
}

// phases runs cells on their own and returns the cells of each generation, from the first on.
func (c *classifier) phases(cells []Cell, generations int) [][]Cell {
	phases := [][]Cell{cells}
	w := &c.alone
	w.Load(cells)
	for len(phases) < generations {
		c.step(w)
		phases = append(phases, w.Cells())
	}
	return phases
}

// sweepEvery is the number of generations dead tiles are kept.
const sweepEvery = 48

// history runs cells, in order, on their own for some generations, and gives the changes of each.
func (c *classifier) history(cells []Cell, generations int) iter.Seq[[]islands.Change] {
	return func(yield func([]islands.Change) bool) {
		w := &c.alone
		w.Load(cells)
		for generation := 1; generation <= generations; generation++ {
			c.step(w)
			c.changes = c.changes[:0]
			w.Changes(func(x, y int, from, to uint8) {
				c.changes = append(c.changes, islands.Change{X: x, Y: y, From: from, To: to})
			})
			if !yield(c.changes) {
				return
			}
			if generation%sweepEvery == 0 {
				w.Sweep()
			}
		}
	}
}

// object describes the object whose first phase is cells, in order. It comes back after a period, moved by (dx, dy).
// Its code shows phases in which the first rule is next, if rules take turns.
func (c *classifier) object(cells []Cell, period, dx, dy int) Object {
	o := Object{Period: period, DX: dx, DY: dy, box: apgcode.BoxOf(cells), least: len(cells)}
	number := period
	switch {
	case dx != 0 || dy != 0:
		o.Kind = Spaceship
	case o.Period > 1:
		o.Kind = Oscillator
	default:
		o.Kind, number = StillLife, len(cells)
	}
	var small [][]Cell // phases that may have a text
	if apgcode.Fits(o.box) {
		small = append(small, cells)
	}
	born := boxOf(o.box)
	population, generation := len(cells), 0
	for changes := range c.history(cells, period-1) {
		for _, change := range changes {
			if change.From == 0 {
				population++
				born = born.With(change.X, change.Y)
			}
			if change.To == 0 {
				population--
			}
		}
		if generation++; generation%c.turns != 0 {
			continue
		}
		o.least = min(o.least, population)
		if b, _ := c.alone.Bounds(); apgcode.Fits(rectOf(b)) {
			small = append(small, c.alone.Cells())
		}
	}
	o.box = rectOf(born)
	prefix := kindPrefixes[o.Kind]
	if text := apgcode.Canonical(small, c.symmetries, c.rule.States); text != "" {
		o.Code = fmt.Sprintf("%s%d_%s", prefix, number, text)
	} else {
		o.Code = fmt.Sprintf("ov_%s%d", prefix[1:], number)
	}
	return o
}

// rectOf is a box as a rectangle.
func rectOf(b sparse.Box) grid.Rect {
	return grid.Rect{X: b.Left, Y: b.Top, W: b.Right - b.Left + 1, H: b.Bottom - b.Top + 1}
}

// boxOf is a rectangle as a box.
func boxOf(r grid.Rect) sparse.Box {
	return sparse.Box{Left: r.X, Top: r.Y, Right: r.X + r.W - 1, Bottom: r.Y + r.H - 1}
}

// identify describes the object that cells, in order, are together. ok is false if they do not come back, and
// do not die, within most generations.
func (c *classifier) identify(cells []Cell, most int) (o Object, ok bool) {
	if len(cells) == 0 {
		return Object{Code: nothing, Kind: Dead}, true
	}
	period, dx, dy := c.period(cells, most)
	if period > 0 {
		return c.object(cells, period, dx, dy), true
	}
	return Object{Code: nothing, Kind: Dead}, c.alone.Population() == 0
}

// divide divides a periodic pattern into objects. The pattern is given by the cells of its first phase, in order, and
// moves by (dx, dy) in a period.
func (c *classifier) divide(cells []Cell, period, dx, dy int) []Object {
	groups := c.groups(cells, period, dx, dy)
	if len(groups) <= 1 {
		return []Object{c.object(cells, period, dx, dy)}
	}
	var objects []Object
	for _, group := range groups {
		// A part may have a shorter period than the whole, and may consist of several objects.
		part := sorted(group)
		partPeriod, partX, partY := c.period(part, c.limits.Period)
		if partPeriod == 0 {
			return []Object{c.object(cells, period, dx, dy)}
		}
		objects = append(objects, c.divide(part, partPeriod, partX, partY)...)
	}
	return objects
}

// groups puts the cells of a periodic pattern into groups that evolve on their own as they do among the others. There
// are none if it cannot be divided.
func (c *classifier) groups(cells []Cell, period, dx, dy int) []islands.Island {
	return islands.Groups(islands.Joined(islands.Of(&c.local, cells, dx, dy, c.history(cells, period))))
}

// nothing is the code for no cells.
const nothing = "xs0_0"

// Identify describes a pattern under a rule: all its cells together, as one object. Limits say when to give up.
// It fails for rules that Search does not accept, and for cells in states that the rule does not have.
func Identify(r rule.Rule, cells []Cell, limits Limits) (Object, error) {
	c, err := NewCounter(r, limits)
	if err != nil {
		return Object{}, err
	}
	return c.Identify(cells), nil
}
