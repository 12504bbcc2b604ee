package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Engine advances one universe. Engines are not safe for concurrent use. Their cells are read and written through the Source and Sink that they embed,
// between steps only. Every method that asks a device can fail, and then returns an error: it never returns wrong cells instead.
type Engine interface {
	grid.Source
	grid.Sink
	// Step advances up to n generations and returns how many were done, fewer only with an error or when ctx is done (then
	// err is ctx.Err()). The universe is whole after every return: a step is never left half done. If a device fails during a step, the
	// cells are lost, and every later call that needs them returns an error.
	Step(ctx context.Context, n uint64) (done uint64, err error)
	// Generation counts from the generation the universe was loaded at.
	Generation() uint64
	// SetGeneration tells the engine the generation of cells just loaded; its parity matters to alternating B0 rules.
	SetGeneration(g uint64)
	// Population is the number of cells not in state 0 (not in the background state where Info.Background is 1).
	Population() (uint64, error)
	Info() Info
	Close() error
}

// Counter is an engine that counts cells where they are. A viewer that sees a universe from afar then needs only a number for each pixel, not all
// cells.
type Counter interface {
	// Counts stores how many cells of each block of 2^scale × 2^scale cells of an area are not in state 0 (not in the background
	// state), row of blocks after row. The corner and the sides of the area are multiples of 2^scale; what lies outside the universe
	// counts nothing. It returns false without an error if the engine cannot count these cells: then they must be read.
	Counts(dst []uint64, area grid.Rect, scale int) (bool, error)
}

// ClusterCounter is an engine that finds clusters where its cells are.
type ClusterCounter interface {
	// Clusters finds the connected clusters of cells in state 1 as component.Label does.
	Clusters(c component.Connectivity) (component.Clusters, error)
}

// Clusters finds the connected clusters of the cells in state 1 of an engine, whose topology is t. The engine does it if it can.
func Clusters(e Engine, t topology.Topology, c component.Connectivity) (component.Clusters, error) {
	if counter, ok := e.(ClusterCounter); ok {
		return counter.Clusters(c)
	}
	return component.Label(e, t, c)
}

// Info describes a running engine.
type Info struct {
	Engine     string   // "reference", "cpu", …
	Device     string   // what it runs on, in words
	Plan       string   // the schedule, printable
	Bytes      uint64   // memory held for the universe and its schedule
	Background uint8    // the state of all but finitely many cells of an unbounded universe
	GPUs       []string // PCI bus ids of the GPUs it runs on, whose energy can be measured by them; empty: the processor
	Steady     bool     // a generation takes the same work whatever the cells are
	Leaps      bool     // long steps take little more time than short ones: Run doubles them whatever time they take
	Grain      uint64   // generations of a pass: steps of multiples of it leave no remainder, which would cost a pass; 0: any number
}

// DeviceError is an error of a device that an engine runs on: the device or its driver failed. The request was not wrong. What the device held may be
// lost.
type DeviceError interface {
	error
	DeviceFailed() // does nothing: it marks the error
}

// IsDeviceError reports whether an error is a DeviceError, or has one in it.
func IsDeviceError(err error) bool {
	var failed DeviceError
	return errors.As(err, &failed)
}

// OutOfMemory ends a step if an infinite universe, or what an engine keeps to advance it, would outgrow the memory that it may take. The universe is
// whole and can be saved.
type OutOfMemory struct {
	What string // has grown, and how far
	Why  error  // there is no more
}

func (e *OutOfMemory) Error() string { return e.What + ": " + e.Why.Error() }

func (e *OutOfMemory) Unwrap() error { return e.Why }

// AllowMemory tells an engine that holds some bytes how many it may hold before it must ask again. A limit other than 0 is never exceeded. Engines ask
// for a little at a time, so that universes can use all the memory there is.
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
	Threads  int    // 0: all cores
	Memory   uint64 // bytes that an infinite universe may come to take; 0: what grid.Fits allows
	Plan     string // a schedule to force, as Info.Plan prints it; empty: the engine chooses
	Device   string // what Open found behind ":" in the engine's name: which devices to use; empty: the engine chooses
	Outlook  Outlook
}

// Outlook is what is known of a run before it has an engine. It helps Auto to choose one. 0 always stands for: not known.
type Outlook struct {
	Population uint64 // of the cells that will be loaded
	Ahead      uint64 // generations that will be run without a look at the cells
	Drawn      uint64 // bytes of the cells of a quadtree once they are drawn
	Tree       uint64 // bytes of the quadtree itself
	Brief      bool   // few cells for few generations at a time: to hand them to a device costs more than it saves
}
