package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
	"github.com/gosper-life/gosper/view/session"
)

// isTerminal reports whether somebody may be looking at f.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// progressEvery is the time between two looks of the progress line.
const progressEvery = 200 * time.Millisecond

// progress shows one line that is written over again and again. A nil progress shows nothing.
type progress struct {
	out     io.Writer
	start   uint64 // generation
	target  uint64
	cells   float64 // of the universe; 0: unbounded
	begin   time.Time
	shown   bool
	painted time.Time
}

func newProgress(out io.Writer, start, target uint64, t topology.Topology) *progress {
	return &progress{out: out, start: start, target: target, cells: float64(t.W) * float64(t.H)}
}

// hook shows the generation between steps.
func (p *progress) hook() sim.Hook {
	p.begin = time.Now()
	return sim.Hook{Every: progressEvery, Call: func(_ context.Context, e sim.Stepper) error {
		p.paint(p.line(e.Generation(), time.Since(p.begin)))
		return nil
	}}
}

// line says how far the run is after some time.
func (p *progress) line(g uint64, elapsed time.Duration) string {
	perSecond := float64(g-p.start) / elapsed.Seconds()
	speed := rate(perSecond, "gen")
	if p.cells > 0 {
		speed = rate(perSecond*p.cells, "cells")
	}
	if p.target == sim.Forever {
		return fmt.Sprintf("generation %s  %s", grouped(g), speed)
	}
	percent := 100 * float64(g-p.start) / float64(max(p.target-p.start, 1))
	line := fmt.Sprintf("generation %s of %s  %.0f %%  %s", grouped(g), grouped(p.target), percent, speed)
	if g > p.start {
		eta := float64(p.target-g) / perSecond
		if eta < (100 * 365 * 24 * time.Hour).Seconds() {
			line += fmt.Sprintf("  %v left", time.Duration(eta*float64(time.Second)).Round(time.Second))
		}
	}
	return line
}

// filling shows how much of a soup is made.
func (p *progress) filling(done, total uint64) {
	if p != nil && time.Since(p.painted) >= progressEvery {
		p.paint(fmt.Sprintf("filling the soup  %.0f %%", 100*float64(done)/float64(total)))
	}
}

// loading shows how much of a universe is loaded, as far as that is known.
func (p *progress) loading(of *session.Progress) {
	switch {
	case p == nil || of == nil:
	case of.Total == 0:
		p.paint("reading the universe")
	default:
		p.paint(fmt.Sprintf("loading the universe  %.0f %%", 100*float64(of.Done)/float64(of.Total)))
	}
}

func (p *progress) paint(line string) {
	fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	p.shown, p.painted = true, time.Now()
}

// erase leaves an empty line behind.
func (p *progress) erase() {
	if p != nil && p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
