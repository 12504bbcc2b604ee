package cli

import (
	"context"
	"strconv"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/view/session"
)

// openSession starts a session, for viewers, with the universe that the flags ask for.
func openSession(ctx context.Context, from *universeFlags, with *engineFlags) (*session.Session, *universe, error) {
	u, open, err := from.opener(with)
	if err != nil {
		return nil, nil, err
	}
	origin, err := u.origin(from)
	if err != nil {
		return nil, nil, err
	}
	s, err := session.New(ctx, open, origin)
	return s, u, err
}

// opener finds out what universe the flags ask for and what opens engines for it and those that follow.
func (f *universeFlags) opener(with *engineFlags) (*universe, session.Opener, error) {
	if err := with.checkThreads(); err != nil {
		return nil, nil, err
	}
	u, err := f.universe()
	if err != nil {
		return nil, nil, err
	}
	u.config.Threads, u.config.Plan = with.Threads, with.Plan
	return u, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		if u.gollyB0 && cfg.Rule.Equal(u.config.Rule) && cfg.Topology.Bounded() {
			return openGollyB0(ctx, with.Engine, cfg)
		}
		return sim.Open(ctx, with.Engine, cfg)
	}, nil
}

// origin is what a session starts from, and goes back to when it is reset.
func (u *universe) origin(from *universeFlags) (session.Origin, error) {
	o := session.Origin{
		Config: u.config, Generation: u.generation, Meta: u.meta,
		Load: func(ctx context.Context, e sim.Engine) error { return u.load(ctx, e, nil) },
	}
	if from.Resume != "" {
		next := u
		o.Load = func(ctx context.Context, e sim.Engine) (err error) {
			if next == nil { // a checkpoint is closed once it is loaded
				if next, err = fromCheckpoint(from.Resume); err != nil {
					return err
				}
			}
			load := next.load
			next = nil
			return load(ctx, e, nil)
		}
	}
	if u.seed == "" {
		return o, nil
	}
	area := from.Size
	if t := u.config.Topology; t.Bounded() {
		area = size{t.W, t.H}
	}
	seed, err := strconv.ParseUint(u.seed, 10, 64)
	o.Soup = &session.Soup{W: area.W, H: area.H, Seed: seed, Density: u.density}
	return o, err
}
