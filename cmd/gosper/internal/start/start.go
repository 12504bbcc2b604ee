// Package start is what the commands share that start with a universe: where it comes from, what computes it, and how far that is.
package start

import (
	"context"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/view/session"
)

// Opener finds out what universe the flags ask for and what opens engines for it and those that follow.
func Opener(ctx context.Context, f *origin.Flags, with *EngineFlags) (*origin.Origin, session.Opener, error) {
	if err := CheckThreads(with.Threads); err != nil {
		return nil, nil, err
	}
	u, err := Origin(ctx, f, nil)
	if err != nil {
		return nil, nil, err
	}
	with.Configure(&u.Config)
	return u, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return u.OpenFor(ctx, with.Engine, cfg)
	}, nil
}

// Origin is what the flags ask for. A pattern file is read until ctx is done; a checkpoint is not, so nobody waits for it.
func Origin(ctx context.Context, f *origin.Flags, reading func(bytes int64)) (*origin.Origin, error) {
	if f.Resume == "" {
		return f.Origin(ctx, reading)
	}
	return console.Await(ctx, func() (*origin.Origin, error) { return f.Origin(ctx, nil) })
}

// Session is what a session starts from, and goes back to when it is reset.
func Session(u *origin.Origin, from *origin.Flags) (session.Origin, error) {
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
