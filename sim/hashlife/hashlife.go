// Package hashlife implements Bill Gosper's hashed life (1984). The universe is a quadtree in which equal squares
// share one node, and each square remembers its own future, so a structure that repeats in space or time is computed
// once. Guns, breeders and computers run for 10^12 generations and more. A random soup does not repeat, and other
// engines run it faster.
//
// The engine runs rules with any effect on the background, including rules of 2×2 blocks and alternating rules. The
// universe is the unbounded plane, a plane with edges or a torus of 2^n × 2^n cells. Open lists the rules and
// universes that it refuses.
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
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/square"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
	"github.com/gosper-life/gosper/topology"
)

// Name is the name the engine is registered under.
const Name = "hashlife"

func init() { sim.Register(scope, openChecked) }

// scope has the rules without triangles and chance, on universes that are quadtrees. Open checks the steps that run in
// place of a rule.
var scope = sim.Scope{
	Engine: Name, Plan: "quadtree",
	Kinds: []rule.Kind{
		rule.KindCounting, rule.KindTable, rule.KindFunction, rule.KindBlocks, rule.KindAlternating, rule.KindStochastic,
	},
	Rule: func(r rule.Rule) error {
		if r.Kind() == rule.KindStochastic {
			return errors.New("equal squares have different futures by chance")
		}
		return nil
	},
	Topologies: []topology.Kind{topology.Unbounded, topology.Plane, topology.Torus},
	Universe: func(r rule.Rule, t topology.Topology) error {
		if t.Kind == topology.Torus && (t.W != t.H || bits.OnesCount(uint(t.W)) != 1 || t.Shift != 0) {
			return errors.New("a torus must be a square whose side is a power of two")
		}
		return nil
	},
}

// engine is a universe. Its tree holds cells with state 0 and that of the background exchanged.
type engine struct {
	rule       rule.Rule
	orbit      background.Orbit // of an infinite universe
	topology   topology.Topology
	tree       *tree.Tree
	cells      grid.Rect // all cells of a plane with edges or a torus
	centreX    int       // the column that begins in the middle of the root
	centreY    int       // the row that begins in the middle of the root
	edits      edits
	once       uint64 // generations that come before the rules take turns
	period     uint64 // of the rules that run in place of the rule
	threads    int
	generation uint64
	under      atomic.Pointer[underway] // the current step, or the last one
	longest    int                      // the binary logarithm of the longest step allowed; shorter steps need less memory
}

// longestPeriod is the longest period of a rule and its background. It makes leaves of 256×256 cells.
const longestPeriod = 128

// Open makes an engine with a dead universe. It returns *sim.Unsupported for a rule or topology outside the scope,
// for a rule that has no circuit, and for B0 without a background of one state on an infinite universe.
func Open(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	if err := scope.Check(cfg); err != nil {
		return nil, err
	}
	return openChecked(ctx, cfg)
}

// openChecked is Open after the scope has been checked.
func openChecked(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what any, why string) (sim.Engine, error) { return nil, scope.Refuse(fmt.Sprint(what), why) }
	e := &engine{longest: maxStep, threads: cfg.Threads, rule: cfg.Rule, topology: cfg.Topology}
	if e.threads == 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	steps, ok := e.steps()
	if !ok {
		return refuse(cfg.Rule, "B0 on an infinite universe needs empty cells that all do the same, and no edges")
	}
	if e.period = max(steps[0].Rule.Period(), uint64(len(steps))-e.once); e.period > longestPeriod {
		return refuse(cfg.Rule, fmt.Sprintf("it does the same again only after %d generations: up to %d are allowed",
			e.period, longestPeriod))
	}
	level := max(bits.Len(uint(cfg.Topology.W))-1, 0) // of a torus
	t := cfg.Topology
	// The mask marks the cells within a plane's edges. A torus also gets a mask if dead cells do not stay dead under the
	// rule. Its mask leaves out no cell, so no square counts as dead.
	masked := t.Kind == topology.Plane || e.isTorus() && cfg.Rule.BirthOnEmpty()
	table, looked := tableOf(steps, masked)
	var rules []*compile.Compiled
	for _, s := range steps {
		if looked {
			break
		}
		if err := circuit.Check(s.Rule); err != nil {
			return refuse(s.Rule, err.Error())
		}
		compiled := compile.Exchanged(s.Rule, s.Before, s.After)
		if masked {
			compiled = compile.Masked(s.Rule)
		}
		rules = append(rules, compiled)
	}
	least := leastLeaf
	if looked {
		least = tableLeaf
	}
	for ; ; least++ {
		shape := shapeOf(steps, int(e.period), e.once > 0, masked, least)
		if e.isTorus() && level < shape.Base() {
			return refuse(t, fmt.Sprintf("a torus must have 2^%d cells a side or more", shape.Base()))
		}
		var err error
		e.tree, err = tree.New(shape, cfg.Memory, e.threads, func() (tree.Stepper, error) {
			if looked {
				return newTableStepper(table, shape, cfg.Memory)
			}
			return newStepper(shape, rules[:e.once], rules[e.once:])
		})
		if err == nil {
			break
		}
		if !errors.Is(err, square.ErrNoWords) {
			return nil, err
		}
	}
	e.lay(level)
	e.edits = newEdits(e)
	if t.Kind == topology.Unbounded {
		return unbounded{e}, nil
	}
	return e, nil
}

// steps returns the steps that run in place of the rule: e.once of them first, and then the others in turns. ok is
// false if infinitely many empty cells have no common state.
func (e *engine) steps() (steps []background.Step, ok bool) {
	r := e.rule
	if !e.topology.Bounded() {
		if e.orbit, ok = background.Of(r); !ok || r.BirthOnEmpty() && e.topology.Kind == topology.Plane {
			return nil, false
		}
		if r.BirthOnEmpty() && !r.Blocks() {
			e.once = uint64(e.orbit.Once())
			return e.orbit.Steps(), true
		}
		if r, ok = e.orbit.Without(); !ok {
			return nil, false
		}
	}
	if r.Kind() != rule.KindAlternating || r.Blocks() { // single phases would lose the parities that blocks need
		return []background.Step{{Rule: r}}, true
	}
	for _, p := range r.Phases {
		steps = append(steps, background.Step{Rule: p})
	}
	return steps, true
}

// lay makes the dead universe: of a torus, the root has the given level.
func (e *engine) lay(level int) {
	t := e.topology
	e.cells = grid.Rect{W: t.W, H: t.H}
	switch t.Kind {
	case topology.Torus:
		e.tree.Level = level
		e.centreX, e.centreY = 1<<(level-1), 1<<(level-1)
	case topology.Plane:
		if t.W == 0 {
			e.cells.X, e.cells.W = -endless, 2*endless
		}
		if t.H == 0 {
			e.cells.Y, e.cells.H = -endless, 2*endless
		}
		e.tree.Level = max(e.tree.Base(), 1+bits.Len(uint(max(e.cells.X+e.cells.W, e.cells.Y+e.cells.H)-1)))
	}
	if e.tree.Masked {
		x, y := e.corner()
		e.tree.Mask(grid.Rect{X: e.cells.X - x, Y: e.cells.Y - y, W: e.cells.W, H: e.cells.H})
	}
}

func (e *engine) isTorus() bool { return e.topology.Kind == topology.Torus }

// endless is the distance from cell (0, 0) to the last cells of a plane that is infinite in one direction. No
// cell in another state comes near them.
const endless = 1 << (tree.MaxLevel - 4)

// leastLeaf is the level of the smallest leaves: 16×16 cells.
const leastLeaf = 4

// shapeOf returns the shape of the tree. Its leaves have at least the given level. They are larger if the
// radius or the period needs that: four leaves must determine their middle for a whole period. If there are
// steps that come once, a turn is more than one generation, so that single ones are never in node.full.
func shapeOf(steps []background.Step, period int, once, masked bool, least int) tree.Shape {
	radius := 1
	for _, s := range steps {
		radius = max(radius, s.Rule.Radius())
	}
	slow := bits.Len(uint(radius - 1))
	turn := period
	if once {
		turn = max(turn, 2)
	}
	shape := tree.Shape{
		Leaf: max(least, slow+1+bits.Len(uint(turn-1))), Planes: grid.PlanesOf(steps[0].Rule.States), Masked: masked,
		Slow: slow,
	}
	if masked {
		shape.Planes++
	}
	shape.Turn = shape.Most() - shape.Most()%period
	return shape
}

// settled puts the edits into the tree. For a rule of blocks it also aligns the tree with the blocks, which
// begin at even rows.
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
			// The next step is about the square root of this one. After that, steps grow again by factors of two.
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
	}
	return done, nil
}

// Work implements sim.Metered.
func (e *engine) Work() time.Duration { return time.Duration(e.tree.Work()) }

// StepWithin implements sim.Metered.
func (e *engine) StepWithin(ctx context.Context, n uint64, most time.Duration) (done uint64, err error) {
	e.tree.Allow(uint64(most))
	defer e.tree.Allow(math.MaxUint64)
	return e.Step(ctx, n)
}

// advance makes one step of up to n generations and returns their number. If there is an error it advances none.
func (e *engine) advance(ctx context.Context, n uint64) (step uint64, err error) {
	step = min(n, 1<<e.longest)
	var phase int
	if g := e.generation; g < e.once {
		step, phase = 1, int(e.period+g)
	} else if phase = int((g - e.once) % e.period); phase > 0 {
		step = min(step, e.period-uint64(phase))
	}
	if err := e.hasRoom(step); err != nil {
		return step, err
	}
	if e.isTorus() {
		step = min(step, e.tree.Generations(e.tree.Level+1))
	}
	e.under.Store(&underway{e.generation, 0}) // Share still describes the last step here
	e.tree.ForgetShare()
	e.under.Store(&underway{e.generation, step})
	if e.isTorus() {
		return step, e.tree.AdvanceTorus(ctx, step, phase)
	}
	return step, e.tree.Advance(ctx, step, phase)
}

// hasRoom returns an error if the cells of a plane that is infinite in one direction could come near its last
// cells in a step.
func (e *engine) hasRoom(step uint64) error {
	if e.topology.Kind != topology.Plane || e.topology.Bounded() {
		return nil
	}
	box, err := e.Extent()
	if err != nil || box.Empty() {
		return err
	}
	reach := step << e.tree.Slow
	if far := endless - max(-box.X, -box.Y, box.X+box.W, box.Y+box.H); reach>>e.tree.Slow != step || far < 0 ||
		reach > uint64(far) {
		return &sim.OutOfSpace{What: fmt.Sprintf("the pattern could spread further than 2^%d cells from the edges",
			bits.Len(endless)-1)}
	}
	return nil
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
		// The share belongs to this step only if the step is still the same afterwards.
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
	return e.tree.BigPopulation(), nil
}

// Population implements sim.Engine.
func (e *engine) Population() (uint64, error) {
	if err := e.settle(); err != nil {
		return 0, err
	}
	return e.tree.Population(), nil
}

// AddStateCounts counts the cells of each state: see grid.StateCounts.
func (e *engine) AddStateCounts(counts []uint64) error {
	if err := e.settle(); err != nil {
		return err
	}
	e.tree.AddStateCounts(counts)
	return nil
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	info := sim.Info{Engine: Name, Device: "CPU, one core", Plan: scope.Plan, Bytes: e.tree.Bytes(), Leaps: true}
	if e.threads > 1 {
		info.Device = fmt.Sprintf("CPU, %d threads", e.threads)
	}
	if !e.topology.Bounded() {
		info.Background = e.orbit.At(e.generation)
	}
	return info
}

// Close implements sim.Engine.
func (e *engine) Close() error { return e.tree.Close() }
