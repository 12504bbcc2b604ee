package cli

import (
	"context"
	"strconv"

	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/gollyb0"
	"github.com/gosper-life/gosper/view/session"
)

// startSession starts a session, for viewers, with the universe that the flags ask for: it is read and loaded while they look on, and begins
// to play then where play says so.
func startSession(ctx context.Context, from *origin.Flags, with *engineFlags, play bool) (s *session.Session, ready <-chan error, err error) {
	if err := with.checkThreads(); err != nil {
		return nil, nil, err
	}
	if from.Pattern != "" && from.Resume == "" {
		if err := origin.Named(from.Pattern); err != nil { // what can be told at once is told at once
			return nil, nil, err
		}
	}
	if from.Rule != "" {
		if _, _, err := rule.ParseApart(from.Rule); err != nil {
			return nil, nil, err
		}
	}
	var open session.Opener
	s = session.Start(ctx, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return open(ctx, cfg) },
		func(ctx context.Context) (session.Origin, error) {
			u, opened, err := opener(ctx, from, with)
			if err != nil {
				return session.Origin{}, err
			}
			open = opened
			return originOf(u, from)
		})
	done := make(chan error, 1)
	go func() {
		err := s.Ready(ctx)
		if err == nil && play {
			err = s.Play(ctx)
		}
		done <- inputUnlessCancelled(err)
	}()
	return s, done, nil
}

// endSession closes a session. One whose universe is still being read ends with the process: reading does not look up.
func endSession(s *session.Session) {
	if s.Status().Loaded > 0 {
		s.Close()
	}
}

// opener finds out what universe the flags ask for and what opens engines for it and those that follow.
func opener(ctx context.Context, f *origin.Flags, with *engineFlags) (*origin.Origin, session.Opener, error) {
	if err := with.checkThreads(); err != nil {
		return nil, nil, err
	}
	u, err := startOf(ctx, f, nil)
	if err != nil {
		return nil, nil, err
	}
	with.configure(&u.Config)
	return u, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		if u.GollyB0 && cfg.Rule.Equal(u.Config.Rule) && cfg.Topology.Bounded() {
			return gollyb0.Open(ctx, with.Engine, cfg)
		}
		return sim.Open(ctx, with.Engine, cfg)
	}, nil
}

// startOf is what the flags ask for. A pattern file is read until ctx is done; a checkpoint is not, so nobody waits for it.
func startOf(ctx context.Context, f *origin.Flags, reading func(bytes int64)) (*origin.Origin, error) {
	if f.Resume == "" {
		return f.Origin(ctx, reading)
	}
	return await(ctx, func() (*origin.Origin, error) { return f.Origin(ctx, nil) })
}

// openPattern opens what a user of a viewer names.
func openPattern(ctx context.Context) func(name string) (*pattern.Pattern, error) {
	return func(name string) (*pattern.Pattern, error) { return origin.OpenPattern(ctx, name, pattern.Options{}) }
}

// originOf is what a session starts from, and goes back to when it is reset.
func originOf(u *origin.Origin, from *origin.Flags) (session.Origin, error) {
	o := session.Origin{
		Config: u.Config, Generation: u.Generation, Meta: u.Meta,
		Load: u.Load,
	}
	if from.Resume != "" {
		next := u
		o.Load = func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) (err error) {
			if next == nil { // a checkpoint is closed once it is loaded
				if next, err = from.Origin(ctx, nil); err != nil {
					return err
				}
			}
			load := next.Load
			next = nil
			return load(ctx, e, progress)
		}
	}
	if u.Seed == "" {
		return o, nil
	}
	area := from.Size
	if t := u.Config.Topology; t.Bounded() {
		area = origin.Size{W: t.W, H: t.H}
	}
	seed, err := strconv.ParseUint(u.Seed, 10, 64)
	o.Soup = &session.Soup{W: area.W, H: area.H, Seed: seed, Density: u.Density}
	return o, err
}
