package gosper

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// closed takes the place of the engine of a universe that has been closed: machine code and cells are gone, and
// a call that went on to them would end the program.
type closed struct {
	planes     int
	generation uint64
	info       sim.Info
}

var errClosed = errors.New("the universe is closed")

// Step implements sim.Engine.
func (closed) Step(context.Context, uint64) (uint64, error) { return 0, errClosed }

// Generation implements sim.Engine. It is the last generation.
func (c closed) Generation() uint64 { return c.generation }

// SetGeneration implements sim.Engine.
func (closed) SetGeneration(uint64) {}

// Population implements sim.Engine.
func (closed) Population() (uint64, error) { return 0, errClosed }

// Info implements sim.Engine.
func (c closed) Info() sim.Info { return c.info }

// Close implements sim.Engine.
func (closed) Close() error { return nil }

// Extent implements grid.Source.
func (closed) Extent() (grid.Rect, error) { return grid.Rect{}, errClosed }

// Planes implements grid.Source.
func (c closed) Planes() int { return c.planes }

// ReadRow implements grid.Source.
func (closed) ReadRow([]uint64, int, int, int, int) error { return errClosed }

// WriteRow implements grid.Sink.
func (closed) WriteRow([]uint64, int, int, int, int) error { return errClosed }
