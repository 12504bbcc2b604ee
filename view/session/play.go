package session

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/gosper-life/gosper/sim"
)

const (
	// quantum is about how long the engine runs between looks at commands and viewers.
	quantum = 10 * time.Millisecond
	// patience is how long a Step of a Speed may last before viewers get a frame within it.
	patience = 200 * time.Millisecond
	// viewing is the share of a busy engine's time that viewers may take: one part in so many.
	viewing = 6
)

// pace says when the next step of a Speed is due.
type pace struct {
	speed Speed
	left  uint64    // generations of the step under way
	owed  uint64    // and those that it leaves to the next one
	next  time.Time // when the next step is due
	begun time.Time // when the step under way was due
}

func (p *pace) start(now time.Time) { p.left, p.owed, p.next = 0, 0, now }

// due is how many generations may be run now; 0: none before next. Long steps are multiples of grain, and in all come to what they should.
func (p *pace) due(now time.Time, grain uint64) uint64 {
	if p.speed.Step == 0 {
		return sim.Forever
	}
	if p.left == 0 && !now.Before(p.next) {
		p.left, p.owed, p.begun = p.speed.Step+p.owed, 0, now
		if p.left >= 10*grain {
			p.owed = p.left % grain
			p.left -= p.owed
		}
		p.next = p.next.Add(time.Duration(float64(time.Second) / p.speed.PerSecond))
		if p.next.Before(now) {
			p.next = now // what was missed is not made up for
		}
	}
	return p.left
}

// ran takes n generations off the step under way.
func (p *pace) ran(n uint64) { p.left -= min(p.left, n) }

// whole reports whether a frame may be shown.
func (p *pace) whole(now time.Time) bool { return p.left == 0 || now.Sub(p.begun) > patience }

// meter finds how many generations run in a quantum, and how many a second are run in all.
type meter struct {
	chunk      uint64
	block      time.Duration // what leastBlock generations took last
	slow       bool          // and that it was too long, for the first time
	since      time.Time
	generation uint64 // at since
	rate       float64
	free       time.Time // when a busy engine may serve the next frame
}

func (m *meter) start(now time.Time, generation uint64) {
	m.since, m.generation, m.rate = now, generation, 0
}

// stepped learns from n generations that took so long.
func (m *meter) stepped(n uint64, took time.Duration) {
	next := 4 * max(m.chunk, 1)
	if took > 0 {
		next = min(next, uint64(float64(n)*float64(quantum)/float64(took)))
	}
	next = min(max(next, 1), 1<<40)
	if n >= leastBlock {
		m.block = took / time.Duration(n/leastBlock)
	}
	// Tiles know after a lone generation nothing of what repeats: it takes longer than a block, and so does the block after it. So
	// one slow block is no reason for shorter steps, shorter steps that do not help are none to stay with, and a block is tried once.
	once := n >= leastBlock && next < leastBlock && !m.slow
	useless := n < leastBlock && (2*took > m.block && m.block > 0 || took < worthTrying && m.block == 0)
	bearable := m.block > 0 && m.block <= blockFor
	if next < leastBlock && (once || useless || bearable) {
		next = leastBlock
	}
	m.slow = once
	// Schedules run 2, 3, 4, 6, 8 … generations a pass: other numbers leave a remainder that costs a pass of its own.
	for _, block := range []uint64{48, 24, 12, leastBlock} {
		if next >= block {
			next -= next % block
			break
		}
	}
	m.chunk = next
}

// leapt learns from a step of an engine that leaps: its steps are powers of two, and it has seen most of a longer one when it has made
// two of half the length.
func (m *meter) leapt(took time.Duration) {
	switch {
	case took < quantum:
		m.chunk = min(2*m.chunk, longestLeap)
	case took > 4*quantum:
		m.chunk = max(m.chunk/2, 1)
	}
}

const longestLeap = 1 << 40

// leastBlock is the generations of a pass over tiles, which sees by them what has a period of 1, 2, 3 or 6.
const leastBlock = 6

// blockFor is how long a block may take without shorter steps being tried, most of which cost as much as a block: 30 frames a second
// leave room for it.
const blockFor = 3 * quantum

// worthTrying is how long a generation may take for a block of them to be tried.
const worthTrying = 200 * time.Millisecond

// look updates the rate, a few times a second.
func (m *meter) look(now time.Time, generation uint64) {
	if passed := now.Sub(m.since); passed >= 300*time.Millisecond {
		m.rate = float64(generation-m.generation) / passed.Seconds()
		m.since, m.generation = now, generation
	}
}

// loop is the goroutine that owns the engine.
func (s *Session) loop() {
	defer close(s.ended)
	timer := time.NewTimer(time.Hour)
	for s.ctx.Err() == nil {
		now := time.Now()
		due := uint64(0)
		switch {
		case s.playing && s.target != sim.Forever: // a step or a jump
			due = sim.Forever
		case s.playing:
			due = s.pace.due(now, s.grain())
		}
		shots := s.shots
		if due > 0 && (now.Before(s.meter.free) || !s.pace.whole(now)) {
			shots = nil
		}
		if due > 0 {
			select {
			case j := <-s.jobs:
				s.command(j)
				continue
			case sh := <-shots:
				s.serve(sh)
				continue
			case <-s.ctx.Done():
				return
			default:
			}
			s.advance(due)
			continue
		}
		wait := time.Hour
		if s.playing {
			wait = s.pace.next.Sub(now)
		}
		timer.Reset(wait)
		select {
		case j := <-s.jobs:
			s.command(j)
		case sh := <-shots:
			s.serve(sh)
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
	}
}

// grain is the number whose multiples the engine runs best: a pass over tiles, unless it leaps.
func (s *Session) grain() uint64 {
	if s.info.Leaps {
		return 1
	}
	return leastBlock
}

// command carries out a job and posts what came of it.
func (s *Session) command(j job) {
	err := j.do()
	s.publish()
	j.done <- err
}

// serve makes a frame. While the engine could run instead it gets viewing-1 times as long for itself before the next.
func (s *Session) serve(sh *shot) {
	begin := time.Now()
	budget := busyWords
	if !s.playing {
		budget = restWords
	}
	if s.count(begin) {
		s.publish()
	}
	sh.frame.Err = sh.frame.Read(s.engine, sh.region, budget)
	sh.frame.Status = s.notice.status()
	end := time.Now()
	s.meter.free = end.Add((viewing - 1) * end.Sub(begin))
	close(sh.done)
}

const (
	busyWords = 1 << 18 // 64-bit words of cells that a frame may read while the universe plays: about 2 ms
	restWords = 1 << 23 // the same while it is at rest
)

// advance runs the engine for about a quantum and at most n generations.
func (s *Session) advance(n uint64) {
	g := s.engine.Generation()
	n = min(n, s.target-g, max(s.meter.chunk, 1))
	begin, most := time.Now(), n
	var err error
	if s.info.Leaps {
		most = aligned(n, g)
	} else {
		most, err = s.probe.before(s.engine, begin, n)
	}
	var done uint64
	if err == nil {
		done, err = s.step(most)
	}
	end := time.Now()
	switch {
	case s.info.Leaps:
		s.meter.leapt(end.Sub(begin))
	case most == n: // those of a probe are too few to learn from
		s.meter.stepped(max(done, 1), end.Sub(begin))
	}
	s.pace.ran(done)
	if err == nil {
		err = s.probe.after(s.engine)
	}
	if err != nil && s.ctx.Err() == nil {
		s.fail(err)
	}
	if s.engine.Generation() == s.target {
		s.playing = false
	}
	s.meter.look(end, s.engine.Generation())
	if s.pace.whole(end) || !s.playing {
		s.count(end)
		s.publish()
	}
}

// fail pauses for good: the engine is of no use any more.
func (s *Session) fail(err error) { s.failure, s.playing = err.Error(), false }

// aligned is the largest power of two of at most n generations by which a universe at generation g is divisible: an engine that leaps
// knows the universe at such generations best.
func aligned(n, g uint64) uint64 {
	n = 1 << (bits.Len64(n) - 1)
	if g > 0 {
		n = min(n, g&-g)
	}
	return n
}

// step runs n generations, fewer where they take much longer than the meter thought: a universe may slow down a thousandfold from one
// step to the next.
func (s *Session) step(n uint64) (done uint64, err error) {
	ctx, cancel := s.ctx, func() {}
	if n > 1 {
		ctx, cancel = context.WithTimeout(s.ctx, 10*quantum)
	}
	defer cancel()
	done, err = s.engine.Step(ctx, n)
	switch {
	case err != nil && errors.Is(err, ctx.Err()) && s.ctx.Err() == nil:
		return done, nil
	case err == nil && done != n:
		return done, errors.New("the engine stopped")
	}
	return done, err
}

// publish posts the present status.
func (s *Session) publish() {
	cfg := s.config
	st := Status{
		Generation: s.engine.Generation(), Playing: s.playing, Target: s.target, Speed: s.pace.speed,
		Population: s.counted.population, Box: s.counted.box, Counted: s.counted.generation,
		Config: cfg, Loaded: s.loaded, Rule: cfg.Rule.String() + cfg.Topology.Suffix(), States: cfg.Rule.States, Topology: cfg.Topology,
		Engine: s.info, Background: s.background(), Name: s.origin.Meta.Name, Soup: s.origin.Soup, Edited: s.edited,
		Failure: s.failure,
	}
	st.undo, st.redo = s.history.marks()
	if s.loads == 0 {
		st.Rule = ""
	}
	if s.playing {
		st.Rate = s.meter.rate
	}
	s.notice.post(st)
}
