// Package hashlife is Bill Gosper's hashed life (1984): the universe is a quadtree in which equal squares are one node, and each node
// remembers its own future, so that what is regular in space or time is computed once. Guns, breeders and computers run 10^12 generations
// and more; a random soup, where nothing repeats, is better off with any other engine.
//
// It runs rules of two states that look at the 3×3 cells around a cell, on the unbounded plane.
package hashlife

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
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
	if cfg.Topology.Kind == topology.Unbounded && (isTree(&cfg.Outlook) || isEndless(&cfg.Outlook)) {
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
	tree       *tree
	root       uint32
	background uint8
	generation uint64
	longest    int // the logarithm of the longest leap: shorter ones need less memory
}

// Open makes an engine for the dead unbounded plane. It refuses other universes, plans, rules of more states or a larger radius, and rules
// under which the background is not the same in every generation.
func Open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what any, why string) (sim.Engine, error) {
		return nil, &sim.Unsupported{Engine: Name, What: fmt.Sprint(what), Why: why}
	}
	if cfg.Plan != "" {
		return refuse(fmt.Sprintf("plan %q", cfg.Plan), "it has one way to run")
	}
	if cfg.Topology.Kind != topology.Unbounded {
		return refuse(cfg.Topology, "only the unbounded plane is a quadtree")
	}
	r := cfg.Rule
	table, ok := r.AsTable()
	if !ok || r.States != 2 {
		return refuse(r, "it takes two states and the 3×3 cells around a cell")
	}
	e := &engine{longest: maxLeap}
	if r.BirthOnEmpty() {
		c, ok := r.Complement()
		if !ok || !r.SurvivesFull() {
			return refuse(r, "B0 without S of all neighbours: the background changes")
		}
		if table, ok = c.AsTable(); !ok {
			return refuse(r, "its complement is no rule of 3×3 cells")
		}
		e.background = 1
	}
	e.tree = newTree(newBlocks(table), cfg.Memory)
	e.root = e.tree.empty[leafLevel+1]
	return e, nil
}

// maxLeap is the logarithm of the longest leap that leaves the root room to be numbered.
const maxLeap = maxLevel - 3

// Step implements sim.Engine. Any number of generations is done in leaps of powers of two, shorter ones first, while the pattern is small.
// What a leap finds out on its way may take more memory than there is: then it goes in shorter ones.
func (e *engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		leap := min(bits.TrailingZeros64(n-done), e.longest)
		err := e.leap(ctx, leap)
		var full *sim.OutOfMemory
		if errors.As(err, &full) && leap > 0 {
			e.longest = leap / 2
			continue
		}
		if err != nil {
			return done, err
		}
		if leap == e.longest && leap < maxLeap && !e.tree.isTight() {
			e.longest++
		}
		done += 1 << leap
		e.generation += 1 << leap
	}
	return done, nil
}

// leap advances 2^leap generations, or none at all.
func (e *engine) leap(ctx context.Context, leap int) error {
	t := e.tree
	root := t.shrink(e.root)
	if t.isEmpty(root) {
		return nil
	}
	// Cells travel 2^leap at most: an eighth of the root's side, from the quarter in its middle to the half that comes out.
	for grown := 0; grown < 2 || t.level(root) < leap+3; grown++ {
		if t.level(root) == maxLevel {
			return fmt.Errorf("the pattern would spread over more than 2^%d cells", maxLevel-2)
		}
		root = t.grow(root)
	}
	t.ctx, t.err = ctx, nil
	t.held = append(t.held[:0], e.root, root)
	next := t.advance(root, leap)
	if next == 0 {
		return t.err
	}
	e.root = t.shrink(next)
	const countable = 32 // levels whose squares have 2^64 cells at most
	if t.level(e.root) >= countable && t.population(e.root) == math.MaxUint64 {
		return errors.New("the pattern has grown to 2^64 cells and more, which is past counting")
	}
	return nil
}

// Generation implements sim.Engine.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *engine) Population() (uint64, error) { return e.tree.population(e.root), nil }

// Extent implements grid.Source.
func (e *engine) Extent() (grid.Rect, error) { return e.tree.bounds(e.root), nil }

// Planes implements grid.Source.
func (e *engine) Planes() int { return 1 }

// half is the number of columns and rows of the root left of and above (0, 0).
func (e *engine) half() int { return 1 << (e.tree.level(e.root) - 1) }

// ReadRow implements grid.Source.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	if n <= 0 {
		return nil
	}
	clear(dst[:(n+63)/64])
	if row := (grid.Rect{X: x, Y: y, W: n, H: 1}).Intersect(e.area()); plane == 0 && !row.Empty() {
		e.tree.readRow(dst, e.root, x+e.half(), y+e.half(), n)
	}
	return nil
}

// area is the square that the root stands for.
func (e *engine) area() grid.Rect {
	half := e.half()
	return grid.Rect{X: -half, Y: -half, W: 2 * half, H: 2 * half}
}

// WriteRow implements grid.Sink. Cells further out than 2^60 are dropped.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) error {
	if n <= 0 || plane != 0 {
		return nil
	}
	t := e.tree
	if t.used >= t.limit {
		t.held, t.err = append(t.held[:0], e.root), nil
		if t.collect(); t.err != nil {
			return t.err
		}
	}
	// Live cells may need a larger root, dead ones do not.
	first, end := grid.BitSpan(src[:(n+63)/64])
	live := grid.Rect{X: x + first, Y: y, W: min(end, n) - first, H: 1}
	for !live.Empty() && live.Intersect(e.area()) != live && t.level(e.root) < maxLevel-1 {
		e.root = t.grow(e.root)
	}
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(e.area())
	if !row.Empty() {
		e.root = t.writeRow(e.root, src, x+e.half(), y+e.half(), n)
	}
	return nil
}

var _ sim.Counter = (*engine)(nil)

// Counts implements sim.Counter, for blocks of 8×8 cells and more.
func (e *engine) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if scale < leafLevel {
		return false, nil
	}
	clear(dst[:(area.W>>scale)*(area.H>>scale)])
	for e.tree.level(e.root) < scale+1 {
		if e.tree.level(e.root) == maxLevel {
			return false, nil
		}
		e.root = e.tree.grow(e.root) // so that the corner of a block is at (0, 0)
	}
	e.tree.population(e.root) // whatever it needs is known then
	half := e.half()
	e.tree.countBlocks(dst, e.root, (-half-area.X)>>scale, (-half-area.Y)>>scale, area.W>>scale, area.H>>scale, scale)
	return true, nil
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	return sim.Info{
		Engine: Name, Device: "CPU, one core", Plan: "quadtree", Bytes: e.tree.bytes(), Background: e.background, Leaps: true,
	}
}

// Close implements sim.Engine.
func (e *engine) Close() error { return nil }
