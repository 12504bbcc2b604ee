// Package start is shared by the commands that start with a universe: it finds the universe, opens the engine,
// and shows progress.
package start

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// Opener finds the universe that the flags ask for. It also returns the function that opens engines for it and
// for later ones.
func Opener(ctx context.Context, f *origin.Flags, with *EngineFlags) (*origin.Origin, session.Opener, error) {
	if err := CheckThreads(with.Threads); err != nil {
		return nil, nil, err
	}
	u, err := Origin(ctx, f, with, nil)
	if err != nil {
		return nil, nil, err
	}
	with.Configure(&u.Config)
	return u, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return u.OpenFor(ctx, with.Engine, cfg)
	}, nil
}

// Origin returns the universe that the flags ask for. A pattern may take half of --memory while it is read,
// because its cells are there twice when the universe is loaded. It returns as soon as ctx is done. Reading a
// pattern file then ends early. Reading a checkpoint or a rule file does not look at ctx, and goes on alone.
func Origin(
	ctx context.Context, f *origin.Flags, with *EngineFlags, reading func(bytes int64),
) (*origin.Origin, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.Reading = uint64(with.Memory) / 2
	if f.Resume != "" {
		reading = nil
	}
	return console.Await(ctx, func() (*origin.Origin, error) { return f.Origin(ctx, reading) })
}

// Session returns the origin of a viewer's session. The session starts from it and returns to it on a reset.
func Session(u *origin.Origin, from *origin.Flags) (session.Origin, error) {
	o := session.Origin{
		Config: u.Config, Generation: u.Generation, Meta: u.Meta, Outside: u.Outside,
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
	if u.Seed == "" || u.Start.HasPattern() {
		return o, nil
	}
	area := from.Size
	if t := u.Config.Topology; t.Bounded() {
		area = origin.Size{W: t.W, H: t.H}
	}
	seed, err := strconv.ParseUint(u.Seed, 10, 64)
	o.Soup = &session.Soup{W: area.W, H: area.H, Seed: seed, Density: u.Density, Start: u.Start}
	return o, err
}

// NoteReading says on standard error how a rule that two notations read differently was read.
func NoteReading(c *console.Console, ruleText string) {
	if reading := rule.Reading(ruleText); reading != "" {
		fmt.Fprintln(c.Err, "gosper:", reading)
	}
}
