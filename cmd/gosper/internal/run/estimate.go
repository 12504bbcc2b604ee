package run

import (
	"context"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/sim/run"
)

const (
	// watchedFor is the time that a run is observed before its duration is estimated.
	watchedFor = 5 * time.Second
	// tooLong is the shortest remaining time that the user is told about.
	tooLong = time.Minute
)

// hashed opens the same universe with hashed life.
func (r *running) hashed(ctx context.Context) (sim.Engine, error) {
	return sim.Open(ctx, hashlife.Name, r.start.Config)
}

// drawn opens the same universe with an engine that stores its cells one by one.
func (r *running) drawn(ctx context.Context) (sim.Engine, error) {
	cfg := r.start.Config
	cfg.Outlook = sim.Outlook{}
	return sim.Open(ctx, sim.Auto, cfg)
}

// estimate is a hook that prints once, early in a long run, how long the run will take, if hashed life might
// make it short. Whether it can run the rule is looked at only then, as most runs are over sooner than that.
func (r *running) estimate(c *console.Console) *run.Hook {
	begin := time.Now()
	return &run.Hook{First: watchedFor, Every: 1 << 62, Call: func(ctx context.Context, e run.Stepper) error {
		g := e.Generation()
		if g == r.start.Generation {
			return nil
		}
		text := timeLeft(r.target-g, time.Since(begin).Seconds()/float64(g-r.start.Generation))
		if text == "" {
			return nil
		}
		if e, err := r.hashed(ctx); err != nil || e.Close() != nil {
			return nil // it is no help
		}
		r.progress.Erase()
		fmt.Fprintln(c.Err, "gosper:", text)
		return nil
	}}
}

// timeLeft says how long the remaining generations will take, at the given seconds for each. It is empty if
// that is not long.
func timeLeft(generations uint64, perGeneration float64) string {
	ahead := float64(generations) * perGeneration
	if ahead < tooLong.Seconds() {
		return ""
	}
	return fmt.Sprintf("at %s the remaining %s take %s; --engine hashlife may be much faster",
		number.Rate(1/perGeneration, "generations"), number.Count(generations, "generation"), long(ahead))
}

// long writes a time of minutes or more in words.
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
