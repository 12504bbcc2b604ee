package run

import (
	"context"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
)

const (
	// watchedFor is how long a run is watched before it is said how long it will take.
	watchedFor = 5 * time.Second
	// tooLong is the time left from which on it is said.
	tooLong = time.Minute
)

// estimate is a hook that says once, early in a run that will take long, how long, where hashed life may make it short; nil where that
// cannot run it or does.
func (r *running) estimate(ctx context.Context, c *console.Console) *sim.Hook {
	if r.target == sim.Forever || r.engine.Info().Leaps {
		return nil
	}
	other, err := sim.Open(ctx, hashlife.Name, r.start.Config)
	if err != nil || other.Close() != nil {
		return nil
	}
	begin := time.Now()
	return &sim.Hook{First: watchedFor, Every: 1 << 62, Call: func(_ context.Context, e sim.Stepper) error {
		if g := e.Generation(); g > r.start.Generation {
			perGeneration := time.Since(begin).Seconds() / float64(g-r.start.Generation)
			if text := timeLeft(r.target-g, perGeneration); text != "" {
				r.progress.Erase()
				fmt.Fprintln(c.Err, "gosper:", text)
			}
		}
		return nil
	}}
}

// timeLeft says how long so many generations will take, of so many seconds each; nothing where that is not too long.
func timeLeft(generations uint64, perGeneration float64) string {
	ahead := float64(generations) * perGeneration
	if ahead < tooLong.Seconds() {
		return ""
	}
	return fmt.Sprintf("at %s the %s left take %s; --engine hashlife may take moments",
		number.Rate(1/perGeneration, "generations"), number.Count(generations, "generation"), long(ahead))
}

// long is a time of minutes or more, in words.
func long(seconds float64) string {
	const day = 86400
	for _, unit := range []struct {
		name    string
		seconds float64
	}{{"year", 365.25 * day}, {"day", day}, {"hour", 3600}} {
		if n := seconds / unit.seconds; n >= 2 {
			return "about " + number.Count(uint64(n), unit.name)
		}
	}
	return "about " + number.Count(uint64(seconds/60), "minute")
}
