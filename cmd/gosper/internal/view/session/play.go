package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

const (
	// quantum is about how long the engine runs before it looks for commands and viewers.
	quantum = 10 * time.Millisecond
	// viewing limits viewers to a share of a busy engine's time: 1/viewing.
	viewing = 6
)

// loop is the goroutine that owns the engine.
func (s *Session) loop() {
	defer close(s.mail.ended)
	defer s.u.endRace()
	for s.u.ctx.Err() == nil {
		next := s.play
		if !s.u.playing {
			next = s.rest
			s.u.endRace()
		}
		if j := next(); j != nil {
			s.command(*j)
		}
	}
}

// rest makes frames until there is a command, which it returns. It returns nil when the session is closed.
func (s *Session) rest() *job {
	for {
		select {
		case j := <-s.mail.jobs:
			return &j
		case sh := <-s.shots:
			s.serve(sh)
		case <-s.u.ctx.Done():
			return nil
		}
	}
}

// play lets run.Run drive the engine until there is a command, which it returns, also if the session is closed
// at that moment. It returns nil when the target is reached, the engine has failed or the session is closed.
func (s *Session) play() *job {
	p := &player{Session: s, told: s.u.engine.Generation(), timer: time.NewTimer(time.Hour)}
	defer p.timer.Stop()
	defer s.u.terms.Turn.End()
	s.u.keep(time.Now())
	ended, err := run.Run(s.u.ctx, s.u.engine, run.Options{
		Config: s.u.config, Target: s.target, Quantum: quantum, Tuner: &s.u.tuner, Rival: s.u.rival,
		Observers: []run.Observer{p}, Hooks: []run.Hook{{Every: run.EveryStep, Call: p.between}},
	})
	if ended.Engine != nil {
		s.u.relieve(ended.Engine)
	}
	switch {
	case s.u.ctx.Err() != nil:
		return p.given // somebody waits for it
	case err != nil:
		s.u.fail(err)
	case ended.Reason == run.ReasonTarget:
		s.u.playing = false
	}
	p.stepped(time.Now())
	return p.given
}

// player is a session while run.Run drives its engine. It is the hook that runs before every step, and the
// observer that limits the length of a step.
type player struct {
	*Session
	told  uint64 // the last generation that was reported to the pace
	limit uint64 // the generation that the present step may reach
	given *job   // the command that ended the run; nil if there was none
	timer *time.Timer
}

// between serves viewers until a step is due and it is the engine's turn. A command ends the run, and a rival that has
// won.
func (p *player) between(ctx context.Context, _ run.Stepper) error {
	if p.beaten() {
		return run.ErrStop
	}
	p.u.terms.Turn.End()
	p.stepped(time.Now())
	breathe()
	for {
		now := time.Now()
		due, shots := p.due(now), p.shots
		var turn <-chan struct{}
		if due == 0 {
			p.timer.Reset(p.pace.Next().Sub(now))
		} else if turn = p.u.terms.Turn.Ask(); !p.pace.Whole(now) || now.Before(p.free) && begun(turn) {
			shots = nil
		}
		select { // commands and viewers come first
		case j := <-p.mail.jobs:
			p.given = &j
			return run.ErrStop
		case sh := <-shots:
			p.serve(sh)
			continue
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		select {
		case j := <-p.mail.jobs:
			p.given = &j
			return run.ErrStop
		case sh := <-shots:
			p.serve(sh)
		case <-ctx.Done():
			return ctx.Err()
		case <-turn:
			return p.allow(now, due)
		case <-p.timer.C:
		}
	}
}

// beaten reports whether a rival has won, in which case the run ends: the session's engine has been closed.
func (p *player) beaten() bool { return p.u.rival != nil && p.u.rival.Won() }

// due returns how many generations may run now: any number on the way to a target, else the number that the
// speed asks for.
func (p *player) due(now time.Time) uint64 {
	if p.target != sim.Forever {
		return sim.Forever
	}
	info := p.u.engine.Info()
	if info.Leaps {
		return p.pace.Due(now, 1)
	}
	return p.pace.Due(now, max(info.Grain, 1))
}

// allow lets the next step run n generations, or up to the probe's next look.
func (p *player) allow(now time.Time, n uint64) error {
	g := p.u.engine.Generation()
	if p.limit = g + n; p.limit < g {
		p.limit = sim.Forever
	}
	if p.u.info.Leaps {
		return nil
	}
	return p.u.probe.Before(p.u.engine, now, p.target)
}

// Next implements run.Observer.
func (p *player) Next(g uint64) uint64 {
	next := sim.Forever
	if g <= p.limit {
		next = p.limit
	}
	if final, known := p.u.probe.Final(p.target); known && g <= final {
		next = min(next, final)
	}
	if until, armed := p.u.probe.Until(); armed && g <= until {
		next = min(next, until)
	}
	return next
}

// Observe implements run.Observer.
func (p *player) Observe(context.Context, run.Stepper) error {
	if p.beaten() {
		p.u.probe.Disarm()
		return nil
	}
	return p.u.probe.After(p.u.engine)
}

// stepped reports the generations since the last call to the pace, the meter and the viewers.
func (p *player) stepped(now time.Time) {
	g := p.u.engine.Generation()
	if g == p.told && p.u.playing {
		return
	}
	p.pace.Ran(g - p.told)
	p.told = g
	p.meter.Look(now, g)
	if p.pace.Whole(now) || !p.u.playing {
		p.u.count(now)
		p.u.keep(now)
		p.publish()
	}
}

// command runs a job and posts the new status, if it may be one.
func (s *Session) command(j job) {
	err := j.do()
	if !j.quiet {
		s.publish()
	}
	j.done <- err
}

// serve makes a frame. If the engine could have run instead, it then gets viewing-1 times as long for itself
// before the next frame.
func (s *Session) serve(sh *shot) {
	begin := time.Now()
	budget := busyWords
	if !s.u.playing {
		budget = restWords
	}
	if s.u.count(begin) {
		s.publish()
	}
	var cells grid.Source = s.u.engine
	t := s.u.config.Topology
	if t.Volume() && sh.frame.Slice != (scene.Slice{}) {
		cells = sh.frame.Slice.Of(cells, t)
	}
	if sh.region.OnlyOfVolume() && !t.Volume() {
		sh.frame.Err = fmt.Errorf("a region of %d×%d cells is for universes of three dimensions", sh.region.W, sh.region.H)
	} else {
		sh.frame.Err = sh.frame.Read(cells, sh.region, budget)
	}
	if sh.frame.Levels = sh.frame.Levels[:0]; sh.frame.Channel != far.Density && sh.region.Scale > 0 {
		sh.frame.Levels = s.u.probe.Far.Levels(sh.frame.Levels, sh.frame.Channel, sh.region)
	}
	sh.frame.Status = s.Status()
	end := time.Now()
	s.free = end.Add((viewing - 1) * end.Sub(begin))
	close(sh.done)
}

const (
	busyWords = 1 << 18 // 64-bit words of cells that a frame may read while the universe plays: about 2 ms
	restWords = 1 << 23 // the same while it is at rest
)

// publish posts the present status.
func (s *Session) publish() {
	cfg := s.u.config
	st := Status{
		Generation: s.u.engine.Generation(), Playing: s.u.playing, Stepping: s.u.playing && s.stepping, Target: s.target,
		Speed:      s.pace.Speed,
		Population: s.u.counted.population, Box: s.u.counted.box, Counted: s.u.counted.generation,
		Config: cfg, Loaded: s.u.loaded, Universe: s.u.name(), Rule: cfg.Rule.String() + cfg.Topology.Suffix(),
		States:   cfg.Rule.States,
		Topology: cfg.Topology,
		Engine:   s.u.info, Background: s.u.background(), Name: s.u.origin.Meta.Name, Comments: s.u.origin.Meta.Comments,
		Soup:    s.u.origin.Soup,
		Edited:  s.u.edited,
		Outside: s.u.origin.Outside,
		Drawn:   s.u.drawings,
		Failure: s.u.failure, Chosen: s.u.chosen,
	}
	st.undo, st.redo = s.past.marks()
	if s.u.loads == 0 {
		st.Rule, st.Universe = "", ""
	}
	if s.u.playing {
		st.Rate = s.meter.Rate()
	}
	s.board.post(st)
}
