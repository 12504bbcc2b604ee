// Package hashlife implements Bill Gosper's hashed life (1984). The universe is a quadtree in which equal squares share one node, and each square
// remembers its own future. So a structure that repeats in space or time is computed once. Guns, breeders and computers run for 10^12 generations
// and more. A random soup does not repeat, and other engines run it faster.
//
// The engine runs rules whose background stays the same or alternates, including rules of 2×2 blocks and rules that take turns. The universe is the
// unbounded plane or a torus of 2^n × 2^n cells. Open lists what it refuses.
package hashlife

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/background"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
	"github.com/gosper-life/gosper/topology"
)

// Name is the name the engine is registered under.
const Name = "hashlife"

func init() { sim.Register(Name, priority, Open) }

// first is the priority of this engine when it should be tried before any other.
const first = 50

// priority makes Auto choose hashed life only for patterns that no other engine can run in reasonable time. On a soup,
// another engine can be a thousand times faster.
func priority(cfg sim.Config) int {
	kind, o := cfg.Topology.Kind, &cfg.Outlook
	if kind == topology.Unbounded && (isTree(o) || isEndless(o)) || kind == topology.Torus && isEndless(o) {
		return first
	}
	return 0
}

// isTree reports whether the pattern is a large quadtree with many repeated squares.
func isTree(o *sim.Outlook) bool {
	const large = 16 << 20 // bytes
	return o.Drawn > large && o.Drawn > 4*o.Tree
}

// isEndless reports whether the pattern has few cells and runs for very many generations. An engine that computes one generation after another
// needs minutes at least for that, even for a glider.
func isEndless(o *sim.Outlook) bool {
	const (
		few = 1 << 20
		far = 1 << 30
	)
	return o.Ahead >= far && 0 < o.Population && o.Population <= few
}

// engine is a universe. Its tree holds cells as differences from the background.
type engine struct {
	rule        rule.Rule
	tree        *tree.Tree
	centreX     int // the column that begins in the middle of the root
	centreY     int // the row that begins in the middle of the root
	edits       edits
	torus       bool
	full        bool // the background is always alive
	alternating bool // the background is alive at odd generations
	flipped     bool // the tree now holds the complement of the cells; only on a torus with a B0 rule, because a torus has no background
	threads     int
	generation  uint64
	under       atomic.Pointer[underway] // the current step, or the last one
	longest     int                      // the binary logarithm of the longest step allowed; shorter steps need less memory
}

// Open makes an engine with a dead universe. It returns *sim.Unsupported for a topology that is not a quadtree, for a plan, for triangles, for a rule
// that has no circuit, and for B0 in a rule of more than two states or in a rule with a period.
func Open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what any, why string) (sim.Engine, error) {
		return nil, &sim.Unsupported{Engine: Name, What: fmt.Sprint(what), Why: why}
	}
	if cfg.Plan != "" {
		return refuse(fmt.Sprintf("plan %q", cfg.Plan), "it has one way to run")
	}
	if cfg.Rule.Triangles() {
		return refuse(cfg.Rule, "its cells are triangles")
	}
	if cfg.Rule.Chance != nil {
		return refuse(cfg.Rule, "equal squares have different futures by chance")
	}
	e := &engine{longest: maxStep, threads: cfg.Threads, torus: cfg.Topology.Kind == topology.Torus, rule: cfg.Rule}
	if e.threads == 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	rules := []rule.Rule{cfg.Rule}
	if cfg.Rule.Phases != nil && !cfg.Rule.Blocks() { // single phases would lose the parities that blocks need
		rules = cfg.Rule.Phases
	}
	switch {
	case cfg.Rule.BirthOnEmpty() && cfg.Rule.Period() > 1:
		return refuse(cfg.Rule, "B0 must do the same in every generation")
	case cfg.Rule.BirthOnEmpty():
		var why string
		if rules, why = e.withoutB0(cfg); why != "" {
			return refuse(cfg.Rule, why)
		}
	}
	shape := shapeOf(rules, int(max(cfg.Rule.Period(), uint64(len(rules)))))
	level := max(bits.Len(uint(cfg.Topology.W))-1, 0) // of a torus
	switch t := cfg.Topology; {
	case t.Kind != topology.Unbounded && !e.torus:
		return refuse(t, "only the unbounded plane and tori are quadtrees")
	case e.torus && (t != topology.Topology{Kind: topology.Torus, W: 1 << level, H: 1 << level} || level < shape.Base()):
		return refuse(t, fmt.Sprintf("a torus must be a square of 2^%d cells a side or more, a power of two", shape.Base()))
	}
	var compiled []*compile.Compiled
	for _, r := range rules {
		if err := circuit.Check(r); err != nil {
			return refuse(r, err.Error())
		}
		compiled = append(compiled, compile.New(r))
	}
	var err error
	e.tree, err = tree.New(shape, cfg.Memory, e.threads, func() (tree.Stepper, error) { return newStepper(shape, compiled) })
	if err != nil {
		return nil, err
	}
	if e.torus {
		e.tree.Level = level
		e.centreX, e.centreY = 1<<(level-1), 1<<(level-1)
		if e.full { // a dead torus has only live cells under the complement of the rule
			e.flipped = true
			e.tree.Fill()
		}
	}
	e.edits = newEdits(e)
	if !e.torus {
		return unbounded{e}, nil
	}
	return e, nil
}

// withoutB0 returns the rules without B0 that replace a rule with B0, or the reason why there are none.
func (e *engine) withoutB0(cfg sim.Config) (rules []rule.Rule, why string) {
	if cfg.Rule.SurvivesFull() {
		if c, ok := background.Complement(cfg.Rule); ok {
			e.full = true
			return []rule.Rule{c}, ""
		}
	} else if even, odd, ok := background.Alternating(cfg.Rule); ok {
		e.alternating = true
		return []rule.Rule{even, odd}, ""
	}
	return nil, "B0 needs two states"
}

// shapeOf returns the shape of the tree. Its leaves have 32×32 cells, or more if the radius or the period needs that: four leaves must determine their
// middle for a whole period.
func shapeOf(rules []rule.Rule, period int) tree.Shape {
	radius := 1
	for _, r := range rules {
		radius = max(radius, r.Radius())
	}
	slow := bits.Len(uint(radius - 1))
	const least = 5
	shape := tree.Shape{Leaf: max(least, slow+1+bits.Len(uint(period-1))), Planes: grid.PlanesOf(rules[0].States), Slow: slow}
	shape.Turn = shape.Most() - shape.Most()%period
	return shape
}

// settled puts the edits into the tree. For a rule of blocks it also aligns the tree with the blocks, which begin at even rows.
func (e *engine) settled() error {
	err := e.settle()
	if err == nil && e.rule.Blocks() {
		err = e.centre(0)
	}
	return err
}

// maxStep is the binary logarithm of the longest step. The root of such a step must not be above tree.MaxLevel.
const maxStep = tree.MaxLevel - 3

// Step implements sim.Engine. If the squares of a long step do not fit in memory, it takes shorter steps.
func (e *engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	if err := e.settled(); err != nil {
		return 0, err
	}
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		step, err := e.advance(ctx, n-done)
		var short *sim.OutOfMemory
		if errors.As(err, &short) && step > 1 {
			if err := e.tree.Forget(); err != nil {
				return done, err
			}
			e.longest = bits.Len64(step-1) / 2
			continue
		}
		if err != nil {
			return done, err
		}
		if step == 1<<e.longest && e.longest < maxStep {
			e.longest++
		}
		done += step
		e.generation += step
		if e.torus && e.alternating {
			e.flipped = e.flipped != (step%2 == 1)
		}
	}
	return done, nil
}

// advance makes one step of up to n generations and returns their number. If there is an error it advances none.
func (e *engine) advance(ctx context.Context, n uint64) (step uint64, err error) {
	step = min(n, 1<<e.longest)
	period, phase := e.rule.Period(), int(e.generation%e.rule.Period())
	if e.alternating {
		period = 2
		if phase = 0; e.isOdd() {
			phase = 1
		}
	}
	if phase > 0 {
		step = min(step, period-uint64(phase))
	}
	if e.torus {
		step = min(step, e.tree.Generations(e.tree.Level+1))
	}
	e.under.Store(&underway{e.generation, 0}) // Share still describes the last step here
	e.tree.ForgetShare()
	e.under.Store(&underway{e.generation, step})
	if !e.torus {
		return step, e.tree.Advance(ctx, step, phase)
	}
	return step, e.tree.AdvanceTorus(ctx, step, phase)
}

// isOdd reports whether the second of two alternating rules comes next.
func (e *engine) isOdd() bool {
	if e.torus {
		return e.alternating && e.flipped
	}
	return e.alternating && e.generation%2 == 1
}

// underway is a step: the generation at which it begins, and its length.
type underway struct{ from, generations uint64 }

// Underway implements sim.Teller.
func (e *engine) Underway() uint64 {
	for {
		u := e.under.Load()
		if u == nil {
			return 0
		}
		reached := u.from + uint64(e.tree.Share()*float64(u.generations))
		if e.under.Load() == u {
			return reached
		}
	}
}

// Generation implements sim.Engine.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// BigPopulation implements sim.BigCounter.
func (e *engine) BigPopulation() (*big.Int, error) {
	if err := e.settle(); err != nil {
		return nil, err
	}
	n := e.tree.BigPopulation()
	if e.flipped {
		n.Sub(new(big.Int).Lsh(big.NewInt(1), uint(2*e.tree.Level)), n)
	}
	return n, nil
}

// Population implements sim.Engine.
func (e *engine) Population() (uint64, error) {
	if err := e.settle(); err != nil {
		return 0, err
	}
	if e.flipped {
		n, err := e.BigPopulation()
		if err != nil || !n.IsUint64() {
			return math.MaxUint64, err
		}
		return n.Uint64(), nil
	}
	return e.tree.Population(), nil
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	info := sim.Info{Engine: Name, Device: "CPU, one core", Plan: "quadtree", Bytes: e.tree.Bytes(), Leaps: true}
	if e.threads > 1 {
		info.Device = fmt.Sprintf("CPU, %d threads", e.threads)
	}
	if !e.torus && (e.full || e.isOdd()) {
		info.Background = 1
	}
	return info
}

// Close implements sim.Engine.
func (e *engine) Close() error { return e.tree.Close() }
