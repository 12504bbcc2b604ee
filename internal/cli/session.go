package cli

import (
	"context"
	"strconv"

	"github.com/gosper-life/gosper/internal/universe"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/gollyb0"
	"github.com/gosper-life/gosper/view/session"
)

// openSession starts a session, for viewers, with the universe that the flags ask for.
func openSession(ctx context.Context, from *universe.Flags, with *engineFlags) (*session.Session, *universe.Start, error) {
	u, open, err := opener(from, with)
	if err != nil {
		return nil, nil, err
	}
	origin, err := originOf(u, from)
	if err != nil {
		return nil, nil, err
	}
	s, err := session.New(ctx, open, origin)
	return s, u, err
}

// opener finds out what universe the flags ask for and what opens engines for it and those that follow.
func opener(f *universe.Flags, with *engineFlags) (*universe.Start, session.Opener, error) {
	if err := with.checkThreads(); err != nil {
		return nil, nil, err
	}
	u, err := f.Start()
	if err != nil {
		return nil, nil, err
	}
	u.Config.Threads, u.Config.Plan = with.Threads, with.Plan
	return u, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		if u.GollyB0 && cfg.Rule.Equal(u.Config.Rule) && cfg.Topology.Bounded() {
			return gollyb0.Open(ctx, with.Engine, cfg)
		}
		return sim.Open(ctx, with.Engine, cfg)
	}, nil
}

// originOf is what a session starts from, and goes back to when it is reset.
func originOf(u *universe.Start, from *universe.Flags) (session.Origin, error) {
	o := session.Origin{
		Config: u.Config, Generation: u.Generation, Meta: u.Meta,
		Load: func(ctx context.Context, e sim.Engine) error { return u.Load(ctx, e, nil) },
	}
	if from.Resume != "" {
		next := u
		o.Load = func(ctx context.Context, e sim.Engine) (err error) {
			if next == nil { // a checkpoint is closed once it is loaded
				if next, err = from.Start(); err != nil {
					return err
				}
			}
			load := next.Load
			next = nil
			return load(ctx, e, nil)
		}
	}
	if u.Seed == "" {
		return o, nil
	}
	area := from.Size
	if t := u.Config.Topology; t.Bounded() {
		area = universe.Size{W: t.W, H: t.H}
	}
	seed, err := strconv.ParseUint(u.Seed, 10, 64)
	o.Soup = &session.Soup{W: area.W, H: area.H, Seed: seed, Density: u.Density}
	return o, err
}
