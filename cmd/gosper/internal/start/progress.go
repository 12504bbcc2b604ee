package start

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// Progress shows how far a universe has run. If its line is nil it shows nothing.
type Progress struct {
	*console.Line
	start  uint64 // generation
	target uint64
	cells  float64 // of the universe; 0 if unbounded
	begin  time.Time
}

// NewProgress shows on a line how a universe runs from one generation to another, which may be sim.Forever.
func NewProgress(line *console.Line, start, target uint64, t topology.Topology) *Progress {
	return &Progress{Line: line, start: start, target: target, cells: float64(t.W) * float64(t.H), begin: time.Now()}
}

// Hooks show the generation between steps. Time counts from now on.
func (p *Progress) Hooks() []run.Hook {
	if p.Line == nil {
		return nil
	}
	p.begin = time.Now()
	return []run.Hook{{Every: console.Moment, During: p.about, Call: func(_ context.Context, e run.Stepper) error {
		p.Reached(e.Generation())
		return nil
	}}}
}

// Reached shows the progress at a generation.
func (p *Progress) Reached(g uint64) {
	p.Show(func() string { return p.Text(g) })
}

// about shows the progress at a generation within a long step.
func (p *Progress) about(g uint64) {
	if g >= p.start {
		p.Show(func() string { return "about " + p.text(g, time.Since(p.begin)) })
	}
}

// Text says how far the run is at a generation.
func (p *Progress) Text(g uint64) string { return p.text(g, time.Since(p.begin)) }

// text says how far the run is after the elapsed time.
func (p *Progress) text(g uint64, elapsed time.Duration) string {
	done, total := float64(g-p.start), float64(p.target-p.start)
	speed := number.Rate(done/elapsed.Seconds(), "gen")
	if p.cells > 0 {
		speed = number.Rate(done/elapsed.Seconds()*p.cells, "cells")
	}
	if p.target == sim.Forever {
		return fmt.Sprintf("generation %s  %s", number.Grouped(g), speed)
	}
	return fmt.Sprintf("generation %s of %s  %.0f %%  %s%s",
		number.Grouped(g), number.Grouped(p.target), 100*done/max(total, 1), speed, console.Left(elapsed, done, total))
}

// Filling shows how much of a universe has been filled.
func (p *Progress) Filling(done, total uint64) {
	p.Show(func() string { return fmt.Sprintf("filling the universe  %.0f %%", 100*float64(done)/float64(total)) })
}

// After is the generation n after g.
func After(g, n uint64) (uint64, error) {
	if g == math.MaxUint64 || n > math.MaxUint64-1-g {
		return 0, fmt.Errorf("%d generations after generation %d would end beyond %d", n, g, uint64(math.MaxUint64-1))
	}
	return g + n, nil
}
