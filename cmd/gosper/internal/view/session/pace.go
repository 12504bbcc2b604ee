package session

import (
	"time"

	"github.com/gosper-life/gosper/sim"
)

// patience is the longest time that a Step of a Speed may take before viewers get a frame within it.
const patience = 200 * time.Millisecond

// Speed says how fast a session plays: Step generations at once, PerSecond times a second. If a step takes less
// than 200 ms, frames show only whole multiples of Step. Steps of ten or more passes of the engine
// (sim.Info.Grain) are rounded to whole passes, because after a partial pass a settled universe would be
// computed in full. Step 0 is the full rate of the engine; frames then show any generation.
type Speed struct {
	Step      uint64
	PerSecond float64
}

// pacer says when the next step of a Speed is due.
type pacer struct {
	Speed Speed
	all   uint64    // generations of the present step
	left  uint64    // those that have not been run
	owed  uint64    // generations left over for the next step
	next  time.Time // when the next step is due
	begun time.Time // when the present step was due
}

// Start makes a step due.
func (p *pacer) Start(now time.Time) { p.left, p.owed, p.next = 0, 0, now }

// Next returns when the next step is due.
func (p *pacer) Next() time.Time { return p.next }

// Due returns how many generations may run now. It is 0 before next. Long steps are multiples of grain. The
// remainder runs with the next step.
func (p *pacer) Due(now time.Time, grain uint64) uint64 {
	if p.Speed.Step == 0 {
		return sim.Forever
	}
	if p.left == 0 && !now.Before(p.next) {
		p.left, p.owed, p.begun = p.Speed.Step+p.owed, 0, now
		if p.left >= 10*grain {
			p.owed = p.left % grain
			p.left -= p.owed
		}
		p.all = p.left
		p.next = p.next.Add(time.Duration(float64(time.Second) / p.Speed.PerSecond))
		if p.next.Before(now) {
			p.next = now // missed steps are not made up for
		}
	}
	return p.left
}

// Ran takes n generations off the present step.
func (p *pacer) Ran(n uint64) { p.left -= min(p.left, n) }

// Whole reports whether a frame may be shown. A step that is due and has not run yet is no reason against it: if the
// engine cannot keep the pace, the next step is always due.
func (p *pacer) Whole(now time.Time) bool {
	return p.left == 0 || p.left == p.all || now.Sub(p.begun) > patience
}

// meter measures the generations a second.
type meter struct {
	since      time.Time
	generation uint64 // at since
	rate       float64
}

// Start resets the meter.
func (m *meter) Start(now time.Time, generation uint64) {
	*m = meter{since: now, generation: generation}
}

// Look updates the rate a few times a second.
func (m *meter) Look(now time.Time, generation uint64) {
	if passed := now.Sub(m.since); passed >= 300*time.Millisecond {
		m.rate = float64(generation-m.generation) / passed.Seconds()
		m.since, m.generation = now, generation
	}
}

// Rate returns the generations a second, 0 at first.
func (m *meter) Rate() float64 { return m.rate }
