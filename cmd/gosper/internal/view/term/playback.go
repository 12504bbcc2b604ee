package term

import (
	"context"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
)

// playback plays and steps.
type playback struct {
	orders  *orders
	display *display
	speed   int  // exponent of 2: generations per frame, or frames per generation if negative
	full    bool // full rate
}

// playOrPause changes the status at once, before the session confirms it, so that the screen reacts to
// the key.
func (p *playback) playOrPause() {
	if p.display.status.Playing {
		p.display.status.Playing = false
		p.orders.send(p.orders.session.Pause, "")
		return
	}
	p.display.status.Playing = true
	p.orders.send(p.orders.session.Play, "")
}

func (p *playback) step(n uint64) {
	p.orders.send(func(ctx context.Context) error { return p.orders.session.Step(ctx, n) }, "")
}

func (p *playback) back(n uint64) {
	p.orders.send(func(ctx context.Context) error { return p.orders.session.Back(ctx, n) }, "")
}

// stepSize is the number of generations of a step.
func (p *playback) stepSize() uint64 { return 1 << max(p.speed, 0) }

// faster changes the speed by factors of two. From the full rate it goes back to the speed before.
func (p *playback) faster(by int) {
	if p.full {
		p.full = false
	} else {
		p.speed = max(slowest, min(fastest, p.speed+by))
	}
	p.setSpeed()
}

func (p *playback) fullRate() {
	p.full = !p.full
	p.setSpeed()
}

// setSpeed tells the session. Below one generation a frame, frames come less often; above, each shows
// a longer step.
func (p *playback) setSpeed() {
	v := session.Speed{Step: p.stepSize(), PerSecond: framesPerSecond}
	if p.speed < 0 {
		v.PerSecond /= float64(uint64(1) << -p.speed)
	}
	if p.full {
		v = session.Speed{}
	}
	p.orders.send(func(ctx context.Context) error { return p.orders.session.SetSpeed(ctx, v) }, "")
}

func (p *playback) reset() { p.orders.send(p.orders.session.Reset, "went back to the start") }

// target returns the generation where playing ends, if a step or a jump is in progress.
func (p *playback) target() (generation uint64, ok bool) {
	return p.display.status.Target, p.display.status.Playing && p.display.status.Target != sim.Forever
}

// goTo runs to a generation, or with a plus sign by a number of generations. Separators within digits
// are ignored.
func (p *playback) goTo(text string) error {
	digits := strings.NewReplacer(",", "", "_", "", " ", "").Replace(text)
	relative := strings.HasPrefix(digits, "+")
	n, err := number.Whole(strings.TrimPrefix(digits, "+"))
	if err != nil {
		return fmt.Errorf("generation %q: want a number, or + and a number", text)
	}
	if relative {
		p.step(n)
		return nil
	}
	p.orders.send(func(ctx context.Context) error { return p.orders.session.Jump(ctx, n) }, "")
	return nil
}

// pace describes the speed.
func (p *playback) pace() string {
	text := "full rate"
	switch {
	case p.full:
	case p.speed >= 0:
		text = fmt.Sprintf("2^%d a frame", p.speed)
	default:
		text = fmt.Sprintf("every 2^%d frames", -p.speed)
	}
	if target, ok := p.target(); ok {
		text = "to " + number.Grouped(target)
	}
	if p.display.status.Playing && p.display.status.Rate > 0 {
		text += "  " + quantity(p.display.status.Rate) + " gen/s"
	}
	return text
}
