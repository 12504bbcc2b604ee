// Package hashlife is Bill Gosper's hashed life (1984): the universe is a quadtree in which equal squares are one, and each square remembers
// its own future, so that what is regular in space or time is computed once. Guns, breeders and computers run 10^12 generations and more;
// a random soup, where nothing repeats, is better off with any other engine.
//
// It runs every rule under which the background stays what it is, or alternates, also rules of 2×2 blocks and rules that take turns, on the unbounded plane and on tori of 2^n × 2^n cells.
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

// first is the priority of this engine where it should be tried before any other.
const first = 50

// priority has Auto take hashed life where it can run what nothing else can in time, and only there: a soup is a thousand times better
// off with any other engine.
func priority(cfg sim.Config) int {
	kind, o := cfg.Topology.Kind, &cfg.Outlook
	if kind == topology.Unbounded && (isTree(o) || isEndless(o)) || kind == topology.Torus && isEndless(o) {
		return first
	}
	return 0
}

// isTree reports whether the pattern is a large quadtree that is mostly the same squares again and again.
func isTree(o *sim.Outlook) bool {
	const large = 16 << 20 // bytes
	return o.Drawn > large && o.Drawn > 4*o.Tree
}

// isEndless reports whether a few cells are to run for so long that any engine that computes generation after generation takes minutes
// at least, even for a glider.
func isEndless(o *sim.Outlook) bool {
	const (
		few = 1 << 20
		far = 1 << 30
	)
	return o.Ahead >= far && 0 < o.Population && o.Population <= few
}

// engine holds cells as differences from the background.
type engine struct {
	rule        rule.Rule
	tree        *tree.Tree
	centreX     int // the column that begins in the middle of the root
	centreY     int // the row that does
	edits       edits
	torus       bool
	full        bool // the background is always alive
	alternating bool // the background is alive at odd generations
	flipped     bool // the tree has the complement of the cells: of a torus under a rule with B0, which has no background
	threads     int
	generation  uint64
	under       atomic.Pointer[underway] // the step under way, or the last one
	longest     int                      // the logarithm of the longest step: shorter ones need less memory
}

// Open makes an engine for a dead universe. It refuses universes that are no quadtree, plans, and rules of more than two states under which
// dead cells do not stay dead.
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
	e := &engine{longest: maxStep, threads: cfg.Threads, torus: cfg.Topology.Kind == topology.Torus, rule: cfg.Rule}
	if e.threads == 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	rules := []rule.Rule{cfg.Rule}
	if cfg.Rule.Phases != nil && !cfg.Rule.Blocks() { // rows of words know nothing of the parities that blocks need
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
		if e.full { // a dead torus is one of live cells under the rule of the complement
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

// withoutB0 is the rules that stand for one with B0, or why there are none.
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

// shapeOf is the smallest leaves that are worth it, and large enough for what cells see in as many generations as the rules have a period of.
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

// settled is settle, with blocks where their rule has them: they begin at even rows.
func (e *engine) settled() error {
	err := e.settle()
	if err == nil && e.rule.Blocks() {
		err = e.centre(0)
	}
	return err
}

// maxStep is the logarithm of the longest step that leaves the root room to be numbered.
const maxStep = tree.MaxLevel - 3

// Step implements sim.Engine. What a step finds out on its way may take more memory than there is: then it goes in shorter ones.
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

// advance advances up to n generations, as many as one step may take, or none with an error.
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
	e.under.Store(&underway{e.generation, 0}) // the share is that of the last step
	e.tree.ForgetShare()
	e.under.Store(&underway{e.generation, step})
	if !e.torus {
		return step, e.tree.Advance(ctx, step, phase)
	}
	return step, e.tree.AdvanceTorus(ctx, step, phase)
}

// isOdd reports whether the second of two rules that alternate is next.
func (e *engine) isOdd() bool {
	if e.torus {
		return e.alternating && e.flipped
	}
	return e.alternating && e.generation%2 == 1
}

// underway is a step.
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
