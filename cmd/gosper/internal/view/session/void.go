package session

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// newVoid returns an empty plane that stays empty, and its configuration.
func newVoid() (sim.Engine, sim.Config) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		panic(err) // the rule above is valid
	}
	return void{}, sim.Config{Rule: r}
}

type void struct{}

func (void) Extent() (grid.Rect, error)                   { return grid.Rect{}, nil }
func (void) Planes() int                                  { return 1 }
func (void) WriteRow([]uint64, int, int, int, int) error  { return nil }
func (void) Step(context.Context, uint64) (uint64, error) { return 0, errVoid }
func (void) Generation() uint64                           { return 0 }
func (void) SetGeneration(uint64)                         {}
func (void) Population() (uint64, error)                  { return 0, nil }
func (void) Info() sim.Info                               { return sim.Info{} }
func (void) Close() error                                 { return nil }

var errVoid = errors.New("there is no universe yet")

// ReadRow implements grid.Source.
func (void) ReadRow(dst []uint64, _, _, _, _ int) error {
	clear(dst)
	return nil
}
