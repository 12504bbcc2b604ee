package session

import (
	"context"
	"errors"
	"time"

	"github.com/gosper-life/gosper/sim"
)

// playback advances the universe: how fast, and how far.
type playback struct {
	mail     *mailbox
	board    *board
	u        *universe
	past     *history
	pace     pacer
	meter    meter
	target   uint64 // where playing ends; sim.Forever if it does not
	stepping bool   // whether the target is that of Step
}

// Play runs until Pause.
func (p *playback) Play(ctx context.Context) error {
	return p.mail.do(ctx, func() error { return p.run(ctx, sim.Forever) })
}

// Pause ends playing, stepping or jumping.
func (p *playback) Pause(ctx context.Context) error {
	return p.mail.set(ctx, func() { p.u.playing = false })
}

// SetSpeed changes the speed of Play.
func (p *playback) SetSpeed(ctx context.Context, v Speed) error {
	if v.Step > 0 && !(v.PerSecond >= 0.01 && v.PerSecond <= 1000) {
		return errors.New("speed: want 0.01 to 1000 steps a second")
	}
	return p.mail.set(ctx, func() { p.pace = pacer{Speed: v} })
}

// Step runs n generations at full rate and then pauses. It does not wait for them; Idle does. Steps that come
// faster than they are done are all done.
func (p *playback) Step(ctx context.Context, n uint64) error {
	return p.mail.do(ctx, func() error {
		g := p.u.engine.Generation()
		if p.u.playing && p.stepping {
			g = p.target
		}
		if n > sim.Forever-1-g {
			return errors.New("this many generations cannot be counted")
		}
		if err := p.run(ctx, g+n); err != nil {
			return err
		}
		p.stepping = true
		return nil
	})
}

// Idle waits until nothing is playing.
func (p *playback) Idle(ctx context.Context) error {
	for {
		st := p.board.Status()
		if !st.Playing {
			return nil
		}
		if err := p.board.wait(ctx, st.Version); err != nil {
			return err
		}
	}
}

// run starts playing to a target.
func (p *playback) run(ctx context.Context, target uint64) error {
	switch {
	case p.u.failure != "":
		return errors.New(p.u.failure)
	case !p.u.changeable():
		return ErrMaking
	}
	p.past.keepStart(personOf(ctx))
	p.target, p.u.playing, p.stepping = target, target > p.u.engine.Generation(), false
	p.u.startRace(target)
	p.pace.Start(time.Now())
	p.meter.Start(time.Now(), p.u.engine.Generation())
	return nil
}
