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
	defer close(s.ended)
	defer s.endRace()
	for s.ctx.Err() == nil {
		next := s.play
		if !s.playing {
			next = s.rest
			s.endRace()
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
		case j := <-s.jobs:
			return &j
		case sh := <-s.shots:
			s.serve(sh)
		case <-s.ctx.Done():
			return nil
		}
	}
}

// play lets run.Run drive the engine until there is a command, which it returns, also if the session is closed
// at that moment. It returns nil when the target is reached, the engine has failed or the session is closed.
func (s *Session) play() *job {
	p := &player{Session: s, told: s.engine.Generation(), timer: time.NewTimer(time.Hour)}
	defer p.timer.Stop()
	defer s.terms.Turn.End()
	s.keep(time.Now())
	ended, err := run.Run(s.ctx, s.engine, run.Options{
		Config: s.config, Target: s.target, Quantum: quantum, Tuner: &s.tuner, Rival: s.rival,
		Observers: []run.Observer{p}, Hooks: []run.Hook{{Every: run.EveryStep, Call: p.between}},
	})
	if ended.Engine != nil {
		s.relieve(ended.Engine)
	}
	switch {
	case s.ctx.Err() != nil:
		return p.given // somebody waits for it
	case err != nil:
		s.fail(err)
	case ended.Reason == run.ReasonTarget:
		s.playing = false
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
	p.terms.Turn.End()
	p.stepped(time.Now())
	breathe()
	for {
		now := time.Now()
		due, shots := p.due(now), p.shots
		var turn <-chan struct{}
		if due == 0 {
			p.timer.Reset(p.pace.Next().Sub(now))
		} else if turn = p.terms.Turn.Ask(); !p.pace.Whole(now) || now.Before(p.free) && begun(turn) {
			shots = nil
		}
		select { // commands and viewers come first
		case j := <-p.jobs:
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
		case j := <-p.jobs:
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
func (p *player) beaten() bool { return p.rival != nil && p.rival.Won() }

// due returns how many generations may run now: any number on the way to a target, else the number that the
// speed asks for.
func (p *player) due(now time.Time) uint64 {
	if p.target != sim.Forever {
		return sim.Forever
	}
	info := p.engine.Info()
	if info.Leaps {
		return p.pace.Due(now, 1)
	}
	return p.pace.Due(now, max(info.Grain, 1))
}

// allow lets the next step run n generations, or up to the probe's next look.
func (p *player) allow(now time.Time, n uint64) error {
	g := p.engine.Generation()
	if p.limit = g + n; p.limit < g {
		p.limit = sim.Forever
	}
	if p.info.Leaps {
		return nil
	}
	return p.probe.Before(p.engine, now, p.target)
}

// Next implements run.Observer.
func (p *player) Next(g uint64) uint64 {
	next := sim.Forever
	if g <= p.limit {
		next = p.limit
	}
	if final, known := p.probe.Final(p.target); known && g <= final {
		next = min(next, final)
	}
	if until, armed := p.probe.Until(); armed && g <= until {
		next = min(next, until)
	}
	return next
}

// Observe implements run.Observer.
func (p *player) Observe(context.Context, run.Stepper) error {
	if p.beaten() {
		p.probe.Disarm()
		return nil
	}
	return p.probe.After(p.engine)
}

// stepped reports the generations since the last call to the pace, the meter and the viewers.
func (p *player) stepped(now time.Time) {
	g := p.engine.Generation()
	if g == p.told && p.playing {
		return
	}
	p.pace.Ran(g - p.told)
	p.told = g
	p.meter.Look(now, g)
	if p.pace.Whole(now) || !p.playing {
		p.count(now)
		p.keep(now)
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
	if !s.playing {
		budget = restWords
	}
	if s.count(begin) {
		s.publish()
	}
	var cells grid.Source = s.engine
	t := s.config.Topology
	if t.Volume() && sh.frame.Slice != (scene.Slice{}) {
		cells = sh.frame.Slice.Of(cells, t)
	}
	if sh.region.OnlyOfVolume() && !t.Volume() {
		sh.frame.Err = fmt.Errorf("a region of %d×%d cells is for universes of three dimensions", sh.region.W, sh.region.H)
	} else {
		sh.frame.Err = sh.frame.Read(cells, sh.region, budget)
	}
	if sh.frame.Levels = sh.frame.Levels[:0]; sh.frame.Channel != far.Density && sh.region.Scale > 0 {
		sh.frame.Levels = s.probe.Far.Levels(sh.frame.Levels, sh.frame.Channel, sh.region)
	}
	sh.frame.Status = s.notice.Read()
	end := time.Now()
	s.free = end.Add((viewing - 1) * end.Sub(begin))
	close(sh.done)
}

const (
	busyWords = 1 << 18 // 64-bit words of cells that a frame may read while the universe plays: about 2 ms
	restWords = 1 << 23 // the same while it is at rest
)

// fail pauses for good, because the engine cannot be used any more.
func (s *Session) fail(err error) { s.failure, s.playing = err.Error(), false }

// publish posts the present status.
func (s *Session) publish() {
	cfg := s.config
	st := Status{
		Generation: s.engine.Generation(), Playing: s.playing, Stepping: s.playing && s.stepping, Target: s.target,
		Speed:      s.pace.Speed,
		Population: s.counted.population, Box: s.counted.box, Counted: s.counted.generation,
		Config: cfg, Loaded: s.loaded, Universe: s.universe(), Rule: cfg.Rule.String() + cfg.Topology.Suffix(),
		States:   cfg.Rule.States,
		Topology: cfg.Topology,
		Engine:   s.info, Background: s.background(), Name: s.origin.Meta.Name, Soup: s.origin.Soup, Edited: s.edited,
		Drawn:   s.drawings,
		Failure: s.failure, Chosen: s.chosen,
	}
	st.undo, st.redo = s.history.marks()
	if s.loads == 0 {
		st.Rule, st.Universe = "", ""
	}
	if s.playing {
		st.Rate = s.meter.Rate()
	}
	s.post(st)
}
