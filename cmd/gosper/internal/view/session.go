// Package view holds the commands gosper view and gosper serve: a universe to watch and edit, in a terminal or
// in browsers.
package view

import (
	"context"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
)

// startSession starts a session with the universe that the flags ask for. Viewers can watch while the universe
// is read and loaded. Then it begins to play if play is set.
func startSession(ctx context.Context, from *origin.Flags, with *start.EngineFlags, on session.Terms,
	play bool,
) (s *session.Session, ready <-chan error, err error) {
	if err := start.CheckThreads(with.Threads); err != nil {
		return nil, nil, err
	}
	if from.Pattern != "" && from.Resume == "" {
		if err := origin.Named(from.Pattern); err != nil { // report at once what can be checked at once
			return nil, nil, err
		}
	}
	if from.Rule != "" {
		if _, _, err := rule.ParseApart(from.Rule); err != nil {
			return nil, nil, err
		}
	}
	if with.Engine == "" || with.Engine == sim.Auto {
		on.Rival = hashed
	}
	var open session.Opener
	s = session.StartOn(ctx, on, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return open(ctx, cfg) },
		func(ctx context.Context) (session.Origin, error) {
			u, opened, err := start.Opener(ctx, from, with)
			if err != nil {
				return session.Origin{}, err
			}
			open = opened
			return start.Session(u, from)
		})
	done := make(chan error, 1)
	go func() {
		err := s.Ready(ctx)
		if err == nil && play {
			err = s.Play(ctx)
		}
		done <- console.Bad(err)
	}()
	return s, done, nil
}

// hashed opens hashed life, which races with other engines to far generations.
func hashed(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	return sim.Open(ctx, hashlife.Name, cfg)
}

// endSession closes a session. If its universe is still being read, the session ends with the process, because
// reading cannot be interrupted.
func endSession(s *session.Session) {
	if s.Status().Loaded > 0 {
		s.Close()
	}
}

// openPattern opens the pattern that the user of a viewer names.
func openPattern(ctx context.Context) func(name string) (*pattern.Pattern, error) {
	return func(name string) (*pattern.Pattern, error) {
		return origin.OpenPattern(ctx, name, pattern.Options{Squares: true})
	}
}
