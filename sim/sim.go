package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Engine advances one universe. Engines are not safe for concurrent use. Their cells are read and written through the
// embedded Source and Sink, and only between steps. Every method that asks a device can fail. It then returns an error
// and never wrong cells.
type Engine interface {
	grid.Source
	grid.Sink
	// Step advances up to n generations and returns the number done. It does fewer only with an error or when ctx is
	// done (err is then ctx.Err()). After every return the universe is whole: a step is never half done. If a device
	// fails during a step, the cells are lost, and every later call that needs them returns an error.
	Step(ctx context.Context, n uint64) (done uint64, err error)
	// Generation counts from the generation at which the universe was loaded.
	Generation() uint64
	// SetGeneration tells the engine the generation of cells just loaded; rules that take turns and B0 rules depend on
	// it.
	SetGeneration(g uint64)
	// Population is the number of cells not in state 0 (if Info.Background is not 0: not in the background state).
	// math.MaxUint64 stands for that number and more: see Population.
	Population() (uint64, error)
	Info() Info
	Close() error
}

// Counter is an engine that counts cells where they are stored. A viewer that shows a universe at a small scale needs
// only a number for each pixel, not all cells.
type Counter interface {
	// Counts stores, for each block of 2^scale × 2^scale cells of an area, how many cells are not in state 0 (not in
	// the background state). The order is row by row. The corner and the sides of the area are multiples of 2^scale.
	// Cells outside the universe count as 0. It returns false without an error if the engine cannot count these cells;
	// then they must be read.
	Counts(dst []uint64, area grid.Rect, scale int) (bool, error)
}

// ChangeCounter is an engine that can tell how many cells have changed since a moment. A viewer shows with it where a
// universe is still active.
type ChangeCounter interface {
	// Mark remembers the cells as they are, until the next call. It does nothing if there is no memory for that.
	Mark()
	// Changes stores, in the form of Counter.Counts, the number of cells in each block that differ from their state at
	// Mark. It returns false without an error if the engine does not know: cells have been written or moved since, or
	// too many have changed to remember them all.
	Changes(dst []uint64, area grid.Rect, scale int) (bool, error)
}

// BigCounter is an engine that counts more cells than 64 bits can.
type BigCounter interface {
	// BigPopulation is Engine.Population, exactly.
	BigPopulation() (*big.Int, error)
}

// Population is an engine's Population, exactly.
func Population(e Engine) (*big.Int, error) {
	if counter, ok := e.(BigCounter); ok {
		return counter.BigPopulation()
	}
	n, err := e.Population()
	return new(big.Int).SetUint64(n), err
}

// Seeder is an engine that makes random bits, for rules with chance. It begins with the seed of its rule.
type Seeder interface {
	// Reseed gives it another seed. Bits follow from the seed and the generation.
	Reseed(seed uint64) error
}

// Reseed gives an engine the seed of a universe, if its rule is one with chance that names no seed: see
// rule.Rule.WithSeed. An engine that cannot take it is an error: all universes would have the same chance.
func Reseed(e Engine, r rule.Rule, seed uint64) error {
	if !r.Random() || r.Chance.Seeded {
		return nil
	}
	s, ok := e.(Seeder)
	if !ok {
		return fmt.Errorf("engine %s takes no seed after its rule's", e.Info().Engine)
	}
	return s.Reseed(seed)
}

// Placer is an engine that makes random bits, for a band of a larger universe. Bits depend on the row of a cell.
type Placer interface {
	// Place says before the first step that row 0 is a row of a universe of some rows, which may be negative. The last row
	// of that universe is followed by the first. Layers of a volume count with all their rows.
	// It fails if the universe has too few rows for the engine.
	Place(first, rows int) error
}

// Teller is an engine whose steps may take long, and that tells meanwhile how far it is.
type Teller interface {
	// Underway is the generation that the step under way has about reached. Any goroutine may call it at any time.
	Underway() uint64
}

// Metered is an engine that measures its steps by what it computes. Unlike time, that is the same in every run of one
// thread, so a race of two such engines always ends in the same way.
type Metered interface {
	// Work is about the time that all steps until now take on a usual core. It is reckoned from counts of what they have
	// computed.
	Work() time.Duration
	// StepWithin is Engine.Step, but ends with ErrWork soon after Work has grown by most. An engine that leaps keeps what
	// it has found out by then.
	StepWithin(ctx context.Context, n uint64, most time.Duration) (done uint64, err error)
}

// ErrWork ends a step that has done the work that it was allowed: see Metered.
var ErrWork = errors.New("the work allowed is done")

// ClusterCounter is an engine that finds clusters where its cells are stored.
type ClusterCounter interface {
	// Clusters finds the connected clusters of cells in state 1 as component.Label does, with 8 or 4 neighbours.
	Clusters(c component.Connectivity) (component.Clusters, error)
}

// Clusters finds the connected clusters of the cells in state 1 of an engine whose topology is t. It uses the engine's
// own method if there is one.
func Clusters(e Engine, t topology.Topology, c component.Connectivity) (component.Clusters, error) {
	if counter, ok := e.(ClusterCounter); ok && c != component.Six && !t.Volume() {
		return counter.Clusters(c)
	}
	return component.Label(e, t, c)
}

// Info describes a running engine.
type Info struct {
	Engine     string // "reference", "cpu", …
	Device     string // the device in words
	Plan       string // how it computes, in the form that Config.Plan accepts
	Bytes      uint64 // memory for the universe and the plan
	Background uint8  // the state of all but finitely many cells of an unbounded universe
	// PCI bus ids of the GPUs that it runs on, by which their energy can be measured; empty for the processor
	GPUs   []string
	Steady bool // a generation takes the same work for all cells
	// long steps take little more time than short ones, so Run doubles them without regard to the quantum
	Leaps bool
	// generations of a pass: steps that are multiples of it leave no partial pass, which would cost a whole one; 0
	// means any number
	Grain uint64
}

// DeviceReader is an engine that stores cells in memory of its GPU that belongs to another process: they never pass
// through the host. It may also be a batch, whose universes follow each other like the rows of one.
type DeviceReader interface {
	// ReadOnDevice stores the states of the cells of an area within the universe, one byte each, row after row. handle is
	// what the other process got from cuIpcGetMemHandle for memory that is large enough.
	ReadOnDevice(handle [64]byte, area grid.Rect) error
}

// DeviceError is an error of a device that an engine runs on. The device or its driver failed; the request was not
// wrong. The contents of the device's memory may be lost.
type DeviceError interface {
	error
	DeviceFailed() // does nothing: it marks the type
}

// IsDeviceError reports whether an error is a DeviceError or wraps one.
func IsDeviceError(err error) bool {
	var failed DeviceError
	return errors.As(err, &failed)
}

// OutOfMemory ends a step if an infinite universe, or the data that an engine keeps to advance it, would exceed its
// memory limit. The universe is whole and can be saved.
type OutOfMemory struct {
	What string // the object that has grown, and its size
	Why  error  // which limit it exceeds
}

func (e *OutOfMemory) Error() string { return e.What + ": " + e.Why.Error() }

func (e *OutOfMemory) Unwrap() error { return e.Why }

// OutOfSpace ends a step if cells of an infinite universe would get so far apart that their coordinates are no numbers.
// The universe is whole and can be saved.
type OutOfSpace struct {
	What string // would happen
}

func (e *OutOfSpace) Error() string { return e.What }

// AllowMemory tells an engine that holds some bytes how many it may hold before it must ask again. A limit other than 0
// is never exceeded. Engines ask for a little at a time, so that universes can use all free memory.
func AllowMemory(held, limit uint64) (allowed uint64, err error) {
	more := max(held/8, 4<<20)
	if limit > 0 && held > limit {
		return 0, fmt.Errorf("it takes %d MiB of the %d MiB allowed", held>>20, limit>>20)
	}
	if err := grid.Fits(2 * more); err != nil {
		return 0, err
	}
	allowed = held + more
	if limit > 0 {
		allowed = min(allowed, limit)
	}
	return allowed, nil
}

// Config says what to simulate. The universe starts dead at generation 0.
type Config struct {
	Rule     rule.Rule
	Topology topology.Topology
	Threads  int    // 0 means all cores
	Memory   uint64 // bytes that an infinite universe may take; 0 means what grid.Fits allows
	Plan     string // a plan to force, in the form of Info.Plan; empty lets the engine choose
	Device   string // the devices to use, as after ":" in the engine's name; empty lets the engine choose
	Outlook  Outlook
}

// Volume reports whether the universe or the rule has three dimensions.
func (cfg Config) Volume() bool { return cfg.Topology.Volume() || cfg.Rule.Volume() }

// Outlook describes a run before its engine is opened. It helps Auto to choose. 0 always means not known.
type Outlook struct {
	Population uint64 // of the cells that will be loaded
	Area       uint64 // cells of the rectangle around them
	Ahead      uint64 // generations that will run without a look at the cells
	Drawn      uint64 // bytes of the cells of a quadtree when all of them are stored one by one
	Tree       uint64 // bytes of the quadtree itself
	Quadtree   bool   // the cells come from a quadtree, even a small one, which suggests that they repeat
	Brief      bool   // few cells for few generations at a time, for which a device would cost more time than it saves
}

// leapPart stands behind the plan of a run that has leapt over whole periods of its universe. Package sim/run leaps, so
// engines do not see it. In a plan that is asked for, it allows such leaps.
const leapPart = "leap"

// WithLeap returns a plan with the part that says that the run leaps.
func WithLeap(plan string) string { return plan + "," + leapPart }

// CutLeap returns a plan without the part that says that the run leaps, and whether it had one.
func CutLeap(plan string) (rest string, leaps bool) {
	if plan == leapPart {
		return "", true
	}
	return strings.CutSuffix(plan, ","+leapPart)
}

// Forever is the target of a run that only its context or a condition ends.
const Forever uint64 = math.MaxUint64

// EmptyEvery is the least number of generations of which all multiples have a background in state 0: 1 for most
// universes, Forever if only generation 0 has one, and 0 if not even that.
func (cfg Config) EmptyEvery() uint64 {
	if cfg.Topology.Bounded() || !cfg.Rule.BirthOnEmpty() {
		return 1
	}
	orbit, ok := background.Of(cfg.Rule)
	if !ok {
		return 0
	}
	return orbit.Rest()
}

// CheckEmpty returns an error unless the background is in state 0 at a generation and at its multiples. The error
// names the work that is due at the generation.
func (cfg Config) CheckEmpty(what string, g uint64) error {
	every := cfg.EmptyEvery()
	where := fmt.Sprintf("dead only at generations that are multiples of %d", every)
	switch {
	case every == 0:
		where = "alive"
	case g%every == 0:
		return nil
	case every == Forever:
		where = "alive after generation 0"
	}
	return fmt.Errorf(
		"cannot %s generation %d: the background of this rule is %s, and pictures, clusters and most files cannot hold a live one; rle and macrocell can",
		what, g, where)
}
