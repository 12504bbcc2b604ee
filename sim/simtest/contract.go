package simtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
)

// contractCases has universes for every kind of storage in an engine: one and several words in a row, several
// planes, no edges.
var contractCases = []Case{
	{Rule: "B3/S23", Topology: "T130,70", Percent: 40},
	{Rule: "B3/S23", Topology: "P64,64", Percent: 40},
	{Rule: "B36/S23", Topology: "K63*,65", Percent: 40},
	{Rule: "345/2/7", Topology: "P65,33", Percent: 30},
	{Rule: "R3,C0,M1,S14..23,B14..18,NM", Topology: "C77,41", Percent: 30},
	{Rule: "B3/S23", Topology: "T0", Percent: 40},
	{Rule: "12/34/5", Topology: "T0", Percent: 30},
	{Rule: "B0123478/S01234678", Topology: "T0", Percent: 30},
	{Rule: "B02/S", Topology: "T0", Percent: 30},
	{Rule: "B03/S23/5", Topology: "T0", Percent: 30},
	{Rule: "B02/S8/3", Topology: "T0", Percent: 30},
	{Rule: "R2,C3,M0,S3..8,B0..3,NM", Topology: "T0", Percent: 30},
	{Rule: "B3/S23", Topology: "T40,0", Percent: 40},
	{Rule: "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", Topology: "T130,70", Percent: 30},
	{Rule: "M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0", Topology: "T0", Percent: 30},
	{Rule: "B3/S23|B36/S125|B34/S34", Topology: "T0", Percent: 40},
	{Rule: "B3/S23~flip=0.01,async=0.7,seed=3", Topology: "T130,70", Percent: 40},
	{Rule: "B3/S23~dead=0.1,frozen=0.1,async=0.7", Topology: "T130,70", Percent: 40},
	{Rule: "PN/0,0.3,0.5,0.7/0.1,0.02/0.2~set2=0.001", Topology: "P65,33", Percent: 30},
}

// contracts are the promises of sim.Engine, besides the right next generation.
var contracts = []struct {
	name  string
	check func(ctx context.Context, open Opener, c Case, p *pair) error
}{
	{"the engine says what it is", checkInfo},
	{"rows are read and written at any offset", checkRows},
	{"a step of 0 generations changes nothing", checkStepZero},
	{"a cancelled step leaves a whole universe", checkCancelled},
	{"a step ends soon after its deadline", checkDeadline},
	{"cells can be edited between steps", checkEdits},
	{"generations are numbered as told", checkSetGeneration},
	{"engines share no state", checkTwins},
}

// checkRows writes and reads parts of rows inside, across and outside the edges, and compares the buffers
// including spare bits.
func checkRows(ctx context.Context, _ Opener, c Case, p *pair) error {
	const guard = 0xA5A5A5A5A5A5A5A5
	choose := random(c.Seed + 1)
	area := grid.Rect{X: -70, Y: -5, W: 300, H: 90}
	for range 300 {
		plane := choose("plane", 0, p.want.Planes()-1)
		x, y := area.X+choose("x", 0, area.W), area.Y+choose("y", 0, area.H)
		n := choose("n", 0, 200)
		words := (n + 63) / 64

		src := make([]uint64, words)
		for i := range src {
			src[i] = uint64(choose("word", 0, 1<<62)) << choose("up", 0, 2)
		}
		// The planes together must form states of the rule. If some combinations are not states, only take cells away.
		if p.cfg.Rule.States != 1<<p.want.Planes() {
			clear(src)
		}
		written := slices.Clone(src)
		if err := p.write(src, plane, x, y, n); err != nil {
			return err
		}
		if !slices.Equal(src, written) {
			return fmt.Errorf("WriteRow(plane %d, x %d, y %d, n %d) changed its source", plane, x, y, n)
		}

		x, n = x+choose("shift", -70, 70), choose("n", 0, 200)
		words = (n + 63) / 64
		got, want := make([]uint64, words+1), make([]uint64, words+1)
		for i := range got {
			got[i], want[i] = guard, guard
		}
		if err := errors.Join(p.got.ReadRow(got, plane, x, y, n), p.want.ReadRow(want, plane, x, y, n)); err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("ReadRow(plane %d, x %d, y %d, n %d) stored %x, want %x", plane, x, y, n, got, want)
		}
	}
	return p.compare(ctx)
}

// write writes to both engines.
func (p *pair) write(src []uint64, plane, x, y, n int) error {
	return errors.Join(p.got.WriteRow(src, plane, x, y, n), p.want.WriteRow(src, plane, x, y, n))
}

func checkStepZero(ctx context.Context, _ Opener, _ Case, p *pair) error {
	if err := p.step(ctx, 0); err != nil {
		return err
	}
	return p.step(ctx, 2)
}

// checkCancelled steps with a context that is already done, and with one that is done soon.
func checkCancelled(ctx context.Context, _ Opener, _ Case, p *pair) error {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := p.stepUntilDone(ctx, cancelled, 10); err != nil {
		return err
	}
	return p.step(ctx, 3)
}

// stepUntilDone makes a step that limited may cut short, and then lets the reference catch up.
func (p *pair) stepUntilDone(ctx, limited context.Context, n uint64) error {
	from := p.got.Generation()
	done, err := p.got.Step(limited, n)
	switch {
	case done > n:
		return fmt.Errorf("Step(%d) did %d generations", n, done)
	case done < n && !errors.Is(err, limited.Err()):
		return fmt.Errorf("Step(%d) did %d generations and returned error %v, want %v", n, done, err, limited.Err())
	case done == n && err != nil:
		return fmt.Errorf("Step(%d) did all generations and returned error %v", n, err)
	case p.got.Generation() != from+done:
		return fmt.Errorf("generation %d after %d generations from %d", p.got.Generation(), done, from)
	}
	if _, err := p.want.Step(ctx, done); err != nil {
		return err
	}
	return p.compare(ctx)
}

// patience is a context whose deadline passes when it has been looked at a given number of times. That is the
// same work on every machine. With a deadline in time, a slow machine would do little and a fast one would
// finish.
type patience struct {
	context.Context
	looks atomic.Int64
	ended chan struct{}
}

func newPatience(ctx context.Context, looks int64) *patience {
	p := &patience{Context: ctx, ended: make(chan struct{})}
	p.looks.Store(looks)
	return p
}

// look counts a look at the context.
func (p *patience) look() {
	if p.looks.Add(-1) == 0 {
		close(p.ended)
	}
}

// Done implements context.Context.
func (p *patience) Done() <-chan struct{} {
	p.look()
	return p.ended
}

// Err implements context.Context.
func (p *patience) Err() error {
	p.look()
	select {
	case <-p.ended:
		return context.DeadlineExceeded
	default:
		return p.Context.Err()
	}
}

// checkDeadline asks for more generations than any engine runs before the deadline. The reference is too slow
// to follow, so a second engine of the same kind does.
func checkDeadline(ctx context.Context, open Opener, c Case, p *pair) error {
	const endless = 1 << 58 // an engine may leap over a settled universe, but need not support coordinates beyond 2^60
	done, err := p.got.Step(newPatience(ctx, 5), endless)
	if done < endless && !errors.Is(err, context.DeadlineExceeded) || done == endless && err != nil {
		return fmt.Errorf("Step(2^58) with a deadline did %d generations, error %v", done, err)
	}
	again, err := openPair(ctx, open, c)
	if err != nil {
		return err
	}
	defer again.got.Close()
	if n, err := again.got.Step(ctx, done); n != done || err != nil {
		return fmt.Errorf("Step(%d) did %d generations, error %v", done, n, err)
	}
	return (&pair{p.got, again.got, p.cfg}).compare(ctx)
}

// checkEdits writes into a running universe. An engine that skips what is at rest must notice.
func checkEdits(ctx context.Context, _ Opener, c Case, p *pair) error {
	choose := random(c.Seed + 2)
	for range 5 {
		if err := p.step(ctx, 2); err != nil {
			return err
		}
		for range 20 {
			x, y, word := choose("x", -20, 130), choose("y", -20, 70), []uint64{uint64(choose("word", 0, 1<<40))}
			for plane := range p.want.Planes() {
				if plane > 0 { // keep to states 0 and 1
					word = []uint64{0}
				}
				if err := p.write(word, plane, x, y, 40); err != nil {
					return err
				}
			}
		}
		if err := p.compare(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkSetGeneration jumps between generations, on which blocks and alternating rules depend.
func checkSetGeneration(ctx context.Context, _ Opener, _ Case, p *pair) error {
	for _, g := range []uint64{6, 1 << 40, 2} {
		p.got.SetGeneration(g)
		p.want.SetGeneration(g)
		if err := p.compare(ctx); err != nil {
			return err
		}
		if err := p.step(ctx, 4); err != nil {
			return err
		}
	}
	return nil
}

// checkTwins runs two engines of one kind in turns: they must not share anything that changes.
func checkTwins(ctx context.Context, open Opener, c Case, p *pair) error {
	c.Seed++
	twin, err := openPair(ctx, open, c)
	if err != nil {
		return err
	}
	defer twin.got.Close()
	for range 3 {
		if err := p.step(ctx, 2); err != nil {
			return err
		}
		if err := twin.step(ctx, 3); err != nil {
			return fmt.Errorf("a second engine of the same kind: %w", err)
		}
	}
	return nil
}

// checkInfo checks that an engine says what it is, and that it runs the plan that was asked for.
func checkInfo(_ context.Context, _ Opener, c Case, p *pair) error {
	info := p.got.Info()
	switch {
	case info.Engine == "" || info.Device == "" || info.Plan == "":
		return fmt.Errorf("incomplete: %+v", info)
	case info.Bytes == 0:
		return errors.New("Info.Bytes is 0")
	case c.Plan != "" && info.Plan != c.Plan:
		return fmt.Errorf("asked for plan %q, but %q runs", c.Plan, info.Plan)
	}
	return nil
}

// checkContract checks one promise on one case.
func checkContract(ctx context.Context, open Opener, c Case,
	check func(context.Context, Opener, Case, *pair) error,
) error {
	p, err := openPair(ctx, open, c)
	if err != nil {
		return err
	}
	defer p.got.Close()
	if err := check(ctx, open, c, p); err != nil {
		return fmt.Errorf("%w; in %v", err, c)
	}
	return nil
}
