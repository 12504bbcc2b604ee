// Package void is the universe before the first one is loaded.
package void

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// New returns an empty plane that stays empty, and its configuration.
func New() (sim.Engine, sim.Config) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		panic(err) // the rule above is valid
	}
	return engine{}, sim.Config{Rule: r}
}

type engine struct{}

func (engine) Extent() (grid.Rect, error)                   { return grid.Rect{}, nil }
func (engine) Planes() int                                  { return 1 }
func (engine) WriteRow([]uint64, int, int, int, int) error  { return nil }
func (engine) Step(context.Context, uint64) (uint64, error) { return 0, errEmpty }
func (engine) Generation() uint64                           { return 0 }
func (engine) SetGeneration(uint64)                         {}
func (engine) Population() (uint64, error)                  { return 0, nil }
func (engine) Info() sim.Info                               { return sim.Info{} }
func (engine) Close() error                                 { return nil }

var errEmpty = errors.New("there is no universe yet")

// ReadRow implements grid.Source.
func (engine) ReadRow(dst []uint64, _, _, _, _ int) error {
	clear(dst)
	return nil
}
