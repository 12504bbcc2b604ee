// Package simtest is the suite that every engine and every plan must pass: bit for bit agreement with sim/reference
// for rules of every family, awkward sizes and every topology; the contract of sim.Engine; and published results. It
// does not import testing, so a program can check an engine on its user's machine (Verify) with the same checks that
// tests use (Run).
package simtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// Opener makes the engine under test.
type Opener func(cfg sim.Config) (sim.Engine, error)

// Case is one comparison of an engine with the reference. It prints as a Go expression that repeats it.
type Case struct {
	Rule       string
	Topology   string // as Golly's suffix, without the colon: "T63,65"
	Seed       uint64 // of the random cells to start from
	Percent    int    // of cells not in state 0
	Generation uint64 // of the start
	Steps      []uint64
	Plan       string
	Threads    int
}

// String is a Go expression that evaluates to c.
func (c Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simtest.Case{Rule: %q, Topology: %q, Seed: %d, Percent: %d", c.Rule, c.Topology, c.Seed, c.Percent)
	if c.Generation != 0 {
		fmt.Fprintf(&b, ", Generation: %d", c.Generation)
	}
	fmt.Fprintf(&b, ", Steps: %#v", c.Steps)
	if c.Plan != "" {
		fmt.Fprintf(&b, ", Plan: %q", c.Plan)
	}
	if c.Threads != 0 {
		fmt.Fprintf(&b, ", Threads: %d", c.Threads)
	}
	b.WriteByte('}')
	return b.String()
}

// Check runs c on the engine and on the reference. It compares everything that a caller can see, before the
// first step and after each. The error says how to repeat the case. If the engine refuses the case, the error
// is its *sim.Unsupported.
func Check(ctx context.Context, open Opener, c Case) error {
	p, err := openPair(ctx, open, c)
	if err != nil {
		return err
	}
	defer p.got.Close()
	for _, n := range c.Steps {
		if err := p.step(ctx, n); err != nil {
			return fmt.Errorf("%w; to repeat: %v", err, c)
		}
	}
	return nil
}

// pair is an engine under test and the reference, in the same state.
type pair struct {
	got, want sim.Engine
	cfg       sim.Config
}

// openPair opens both engines for c, loads the same cells into them and compares.
func openPair(ctx context.Context, open Opener, c Case) (*pair, error) {
	cfg, err := c.config()
	if err != nil {
		return nil, fmt.Errorf("%w in %v", err, c)
	}
	plain := cfg
	plain.Plan = ""
	plain.Rule = plain.Rule.WithSeed(c.Seed) // the engine gets it as ensembles give it, by another way
	want, err := reference.Open(ctx, plain)
	if err != nil {
		return nil, err
	}
	got, err := open(cfg)
	if err != nil {
		return nil, fmt.Errorf("%w; to repeat: %v", err, c)
	}
	p := &pair{got, want, cfg}
	err = p.compare(ctx)
	if err == nil {
		for _, e := range []sim.Engine{got, want} {
			err = errors.Join(err, scatter(e, cfg, c.Seed, c.Percent))
			e.SetGeneration(c.Generation)
		}
		err = errors.Join(err, sim.Reseed(got, cfg.Rule, c.Seed))
	}
	if err == nil {
		err = p.compare(ctx)
	}
	if err != nil {
		got.Close()
		return nil, fmt.Errorf("%w; to repeat: %v", err, c)
	}
	return p, nil
}

func (c Case) config() (sim.Config, error) {
	if err := rulefiletest.Define(c.Rule); err != nil {
		return sim.Config{}, err
	}
	r, err := rule.Parse(c.Rule)
	if err != nil {
		return sim.Config{}, err
	}
	t, err := topology.Parse(c.Topology)
	return sim.Config{Rule: r, Topology: t, Plan: c.Plan, Threads: c.Threads}, err
}

// step advances both by n generations and compares them.
func (p *pair) step(ctx context.Context, n uint64) error {
	done, err := p.got.Step(ctx, n)
	if err != nil || done != n {
		return fmt.Errorf("Step(%d) did %d generations, error %v", n, done, err)
	}
	if _, err := p.want.Step(ctx, n); err != nil {
		return err
	}
	return p.compare(ctx)
}

// compare reports the first difference between the engine and the reference.
func (p *pair) compare(ctx context.Context) error {
	got, want := p.got, p.want
	at := fmt.Sprintf("at generation %d", want.Generation())
	switch {
	case got.Generation() != want.Generation():
		return fmt.Errorf("generation %d, want %d", got.Generation(), want.Generation())
	case got.Planes() != want.Planes():
		return fmt.Errorf("%d planes, want %d", got.Planes(), want.Planes())
	case got.Info().Background != want.Info().Background:
		return fmt.Errorf("background %d %s, want %d", got.Info().Background, at, want.Info().Background)
	}
	// The search covers the extents of both, so that an extra cell is reported as a cell and not as a wrong extent.
	x, y, differ, err := grid.FirstDifference(got, want)
	if err != nil {
		return err
	}
	if differ {
		gotState, gotErr := stateAt(got, x, y)
		wantState, wantErr := stateAt(want, x, y)
		return errors.Join(gotErr, wantErr, fmt.Errorf("cell (%d,%d) is %d %s, want %d", x, y, gotState, at, wantState))
	}
	gotBox, gotErr := got.Extent()
	wantBox, wantErr := want.Extent()
	if err := errors.Join(gotErr, wantErr); err != nil {
		return err
	}
	if gotBox != wantBox && !(gotBox.Empty() && wantBox.Empty()) {
		return fmt.Errorf("extent %v %s, want %v", gotBox, at, wantBox)
	}
	gotCells, gotErr := got.Population()
	wantCells, wantErr := want.Population()
	if err := errors.Join(gotErr, wantErr); err != nil {
		return err
	}
	if gotCells != wantCells {
		return fmt.Errorf("population %d %s, want %d", gotCells, at, wantCells)
	}
	gotStates, gotErr := grid.StateCounts(got, p.cfg.Rule.States)
	wantStates, wantErr := grid.StateCounts(want, p.cfg.Rule.States)
	if err := errors.Join(gotErr, wantErr); err != nil {
		return err
	}
	if !slices.Equal(gotStates, wantStates) {
		return fmt.Errorf("cells in each state %v %s, want %v", gotStates, at, wantStates)
	}
	g, gotErr := grid.StateHash(ctx, got, p.cfg.Rule.States, !p.cfg.Topology.Bounded())
	w, wantErr := grid.StateHash(ctx, want, p.cfg.Rule.States, !p.cfg.Topology.Bounded())
	// too far apart to hash, and equal in everything else
	tooLarge := gotErr != nil && wantErr != nil && !p.cfg.Topology.Bounded()
	if g != w || (gotErr != nil || wantErr != nil) && !tooLarge {
		return fmt.Errorf("state hash %x (%v) %s though all cells agree, want %x (%v)", g, gotErr, at, w, wantErr)
	}
	return nil
}

func stateAt(s grid.Source, x, y int) (state int, err error) {
	for k := range s.Planes() {
		var word [1]uint64
		if err := s.ReadRow(word[:], k, x, y, 1); err != nil {
			return 0, err
		}
		state |= int(word[0]) << k
	}
	return state, nil
}

// patches are areas where cells of an infinite universe are scattered: around the origin, far away and close by.
var patches = []grid.Rect{{X: -13, Y: -7, W: 21, H: 13}, {X: 270, Y: 2, W: 11, H: 9}, {X: -60, Y: 30, W: 3, H: 5}}

// scatter puts random states on the given percentage of the cells. Half of them get state 1, the others any
// other state.
func scatter(sink grid.Sink, cfg sim.Config, seed uint64, percent int) error {
	random := splitMix(seed)
	areas := patches
	if t := cfg.Topology; t.Bounded() {
		areas = []grid.Rect{{W: t.W, H: t.H}}
	} else if t.W > 0 || t.H > 0 {
		areas = []grid.Rect{{W: max(t.W, 21), H: max(t.H, 21)}}
	}
	planes := grid.PlanesOf(cfg.Rule.States)
	for _, a := range areas {
		if !cfg.Topology.Bounded() && seed%2 == 1 { // far away in the other direction
			a = grid.Rect{X: a.Y, Y: a.X, W: a.H, H: a.W}
		}
		for y := a.Y; y < a.Y+a.H; y++ {
			rows := make([][]uint64, planes)
			for k := range rows {
				rows[k] = make([]uint64, (a.W+63)/64)
			}
			for x := range a.W {
				state := uint64(0)
				if random()%100 < uint64(percent) {
					state = 1
					if random()%2 == 0 {
						state = 1 + random()%uint64(cfg.Rule.States-1)
					}
				}
				for k, row := range rows {
					row[x/64] |= state >> k & 1 << (x % 64)
				}
			}
			for k, row := range rows {
				if err := sink.WriteRow(row, k, a.X, y, a.W); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// splitMix is the SplitMix64 generator. The meaning of a Case depends on it, so it must never change.
func splitMix(seed uint64) func() uint64 {
	return func() uint64 {
		seed += 0x9E3779B97F4A7C15
		z := seed
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return z ^ z>>31
	}
}
