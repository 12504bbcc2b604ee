package session

import (
	"math/bits"
	"slices"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// Sample is a point of the graph of a universe's life.
type Sample struct {
	Generation uint64
	Population uint64
	// Activity is the share of cells that differed from six generations earlier, measured shortly before. Still lifes
	// and oscillators of period 2, 3 or 6 have none. It is negative if it has not been measured yet. If a bounded
	// universe is too large, only some of its rows are read. For an infinite universe only the bounding box is read.
	Activity float64
}

// series holds at most maxSamples samples, at least every generations apart, and the latest one. When it is
// full, it drops every second one.
type series struct {
	every   uint64
	samples []Sample
	latest  Sample
}

const maxSamples = 1024

// Add adds a sample. Samples of generations that are known already are not needed.
func (s *series) Add(p Sample) {
	s.latest = p
	n := len(s.samples)
	switch {
	case n > 0 && s.samples[n-1].Generation == p.Generation:
		s.samples[n-1] = p
		return
	case n > 0 && p.Generation < s.samples[n-1].Generation: // the universe has gone back: this is known
		return
	case n > 0 && p.Generation-s.samples[n-1].Generation < s.every:
		return
	case n == maxSamples:
		for i := range n / 2 {
			s.samples[i] = s.samples[2*i]
		}
		s.samples = s.samples[:n/2]
		s.every = 2 * max(s.every, (s.samples[n/2-1].Generation-s.samples[0].Generation)/maxSamples)
	}
	s.samples = append(s.samples, p)
}

// Cut drops the samples after a generation that the universe has gone back to.
func (s *series) Cut(generation uint64) {
	i, _ := slices.BinarySearchFunc(s.samples, generation+1, func(p Sample, g uint64) int {
		if p.Generation < g {
			return -1
		}
		return 1
	})
	s.samples, s.latest, s.every = s.samples[:i], Sample{}, 0
	if i > 0 {
		s.every = (s.samples[i-1].Generation - s.samples[0].Generation) / maxSamples
	}
}

// Copy returns a copy that shares no memory with s.
func (s *series) Copy() series {
	c := *s
	c.samples = slices.Clone(s.samples)
	return c
}

// All returns the samples in a new slice.
func (s *series) All() []Sample {
	all := slices.Clone(s.samples)
	if n := len(all); n > 0 && s.latest.Generation > all[n-1].Generation {
		all = append(all, s.latest)
	}
	return all
}

// probe measures from time to time how many cells change in probeSpan generations.
type probe struct {
	activity float64 // last measurement; negative if there is none
	next     time.Time
	armed    bool
	until    uint64 // the generation to compare with
	area     grid.Rect
	step     int // distance of the rows that are read
	old, new []uint64
	last     time.Time     // when the last measurement ended
	cost     time.Duration // of that
	// Far has the same for each part of the universe.
	Far far.Map
}

const (
	probeEvery = time.Second / 2
	probeWords = 1 << 15 // of a plane
	finalShare = 5       // the same of the last one on the way to a target
	cheapWords = 1 << 18 // of a universe that may be measured at the end of every step
	share      = 80      // measuring takes at most this part of the time
	// probeSpan is the number of generations that Sample.Activity compares. It is a whole pass over tiles. After a
	// single generation, the tiles of a settled universe would have to detect again which cells repeat.
	probeSpan = 6
)

// newProbe returns a probe that has not measured yet.
func newProbe() probe { return probe{activity: -1} }

// Activity returns the last measurement. It is negative if there is none.
func (p *probe) Activity() float64 { return p.activity }

// Until returns the generation to compare with, if a measurement is under way.
func (p *probe) Until() (generation uint64, armed bool) { return p.until, p.armed }

// Disarm gives up a measurement: cells have been changed by hand.
func (p *probe) Disarm() { p.armed = false }

// Final returns the generation probeSpan before a target. A measurement that begins there ends at the target, so a
// universe at rest is seen as it is then. known is false if there is no such generation.
func (p *probe) Final(target uint64) (generation uint64, known bool) {
	return target - probeSpan, target != sim.Forever && target >= probeSpan
}

// Before copies rows of the universe when a measurement is due, or in the final generations before a target if
// the way there took long enough.
func (p *probe) Before(src sim.Engine, now time.Time, target uint64) (err error) {
	final, known := p.Final(target)
	ends := known && src.Generation() == final && (p.Far.Words() <= cheapWords || now.Sub(p.last) > finalShare*p.cost)
	if !ends && (p.armed || now.Before(p.next)) {
		return nil
	}
	if p.area, err = src.Extent(); err != nil {
		return err
	}
	p.area.W = min(p.area.W, 64*probeWords)
	words := (p.area.W + 63) / 64
	p.step = max(1, (p.area.H*words+probeWords-1)/probeWords)
	if p.old, err = p.read(p.old, src); err != nil {
		return err
	}
	p.armed, p.until = true, src.Generation()+probeSpan
	err = p.Far.Begin(src)
	p.cost = time.Since(now)
	return err
}

// read copies every step-th row of the probe's area, in all planes.
func (p *probe) read(into []uint64, src grid.Source) ([]uint64, error) {
	words := (p.area.W + 63) / 64
	rows := (p.area.H + p.step - 1) / p.step
	into = slices.Grow(into[:0], rows*words*src.Planes())[:rows*words*src.Planes()]
	for i := range rows * src.Planes() {
		if err := src.ReadRow(into[i*words:(i+1)*words], i/rows, p.area.X, p.area.Y+i%rows*p.step, p.area.W); err != nil {
			return into, err
		}
	}
	return into, nil
}

// After compares the rows with their copies once the generations have been run.
func (p *probe) After(src sim.Engine) (err error) {
	if !p.armed || src.Generation() < p.until {
		return nil
	}
	begin := time.Now()
	p.armed = false
	if p.new, err = p.read(p.new, src); err != nil {
		return err
	}
	plane := len(p.new) / src.Planes()
	changed := 0
	for i := range plane {
		var v uint64
		for k := i; k < len(p.new); k += plane {
			v |= p.new[k] ^ p.old[k]
		}
		changed += bits.OnesCount64(v)
	}
	cells := p.area.W * ((p.area.H + p.step - 1) / p.step)
	p.activity = float64(changed) / float64(max(cells, 1))
	err = p.Far.End(src)
	p.last = time.Now()
	p.cost += p.last.Sub(begin)
	p.next = begin.Add(max(probeEvery, share*p.cost))
	return err
}
