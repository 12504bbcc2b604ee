package session

import (
	"context"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// void is the engine of a session whose first universe is not loaded yet: an empty plane that stays empty.
type void struct{}

// voidConfig is the configuration of a void.
func voidConfig() sim.Config {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		panic(err) // the rule above is valid
	}
	return sim.Config{Rule: r}
}

func (void) Extent() (grid.Rect, error)                   { return grid.Rect{}, nil }
func (void) Planes() int                                  { return 1 }
func (void) WriteRow([]uint64, int, int, int, int) error  { return nil }
func (void) Step(context.Context, uint64) (uint64, error) { return 0, ErrMaking }
func (void) Generation() uint64                           { return 0 }
func (void) SetGeneration(uint64)                         {}
func (void) Population() (uint64, error)                  { return 0, nil }
func (void) Info() sim.Info                               { return sim.Info{} }
func (void) Close() error                                 { return nil }

// ReadRow implements grid.Source.
func (void) ReadRow(dst []uint64, _, _, _, _ int) error {
	clear(dst)
	return nil
}
