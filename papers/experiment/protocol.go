package experiment

import (
	"context"
	"math"
	"time"
)

// Protocol says how a method is measured. One realisation warms up and is not timed. Then realisations are
// timed until there are Most of them, or until there are Least and the mean is known well enough.
type Protocol struct {
	Universes     int     // universes that a step advances; 0: one
	Generations   int     // generations of a realisation; 0: as many as take Time
	Time          float64 // seconds that a realisation takes if Generations is 0
	MostRun       int     // greatest number of generations of a realisation; 0: no limit
	Least, Most   int     // number of realisations; Least is 1 or more
	RelativeError float64 // stop between Least and Most if the standard error is at most this share of the mean
	// Limit is the approximate number of seconds that all realisations together may take; 0: no limit. If they
	// would take longer, a realisation has fewer generations, at least one, and there are only Least realisations.
	Limit float64
	// Known is the time of a generation in seconds, measured just before; 0: unknown. If it is known, no
	// realisation warms up. It is used with Limit.
	Known float64
	// Before prepares a realisation, for example with a fresh soup; nil: nothing to do. It is not timed. The one
	// that warms up is number -1.
	Before func(realisation int) error
	// Energy reads the joules used so far; nil: they are not measured. They are measured in a run of EnergyTime
	// seconds after the last realisation.
	Energy     func() (joules float64, ok bool)
	EnergyTime float64
	// Settles means that generations of that run take a different time than those of a realisation. Then only the
	// power is taken from the run, and the time from the realisations.
	Settles bool
}

// Timing is the result of Measure.
type Timing struct {
	Universes    int // 0: one
	Generations  int
	Realisations int
	Seconds      float64   // a generation, mean over realisations
	StdErr       *float64  // of the mean; nil with one realisation
	Each         []float64 // seconds a generation, of each realisation
	Joules       *float64  // for a generation; nil if not available
	Clock        string    // "device" for steppers that are DeviceTimed, "wall" for others
}

// Measure measures a method that is loaded. It stops early with ctx.Err() if ctx is done.
func (p Protocol) Measure(ctx context.Context, s Stepper) (Timing, error) {
	t := Timing{Universes: p.Universes, Generations: p.Generations, Clock: "wall"}
	step := func(n int) (float64, error) {
		begin := time.Now()
		err := s.Step(n)
		return time.Since(begin).Seconds(), err
	}
	if d, ok := s.(DeviceTimed); ok {
		step, t.Clock = d.StepTimed, "device"
	}
	if err := p.before(-1); err != nil {
		return t, err
	}
	if err := p.warm(ctx, &t, step); err != nil {
		return t, err
	}
	var times []float64
	total := 0.0
	for len(times) < max(p.Most, p.Least, 1) {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if err := p.before(len(times)); err != nil {
			return t, err
		}
		took, err := step(t.Generations)
		if err != nil {
			return t, err
		}
		times = append(times, took/float64(t.Generations))
		total += took
		t.Seconds, t.StdErr = meanAndError(times)
		enough := t.StdErr != nil && *t.StdErr <= p.RelativeError*t.Seconds || p.Limit > 0 && total+took > p.Limit
		if len(times) >= max(p.Least, 1) && enough {
			break
		}
	}
	t.Realisations, t.Each = len(times), times
	return t, p.energy(ctx, &t, s)
}

func (p Protocol) before(realisation int) error {
	if p.Before == nil {
		return nil
	}
	return p.Before(realisation)
}

// warm runs the realisation that is not timed. It finds how many generations a realisation has if that is not given.
func (p Protocol) warm(ctx context.Context, t *Timing, step func(int) (float64, error)) error {
	most := math.MaxInt
	if p.MostRun > 0 {
		most = p.MostRun
	}
	n := max(t.Generations, 1)
	if p.Limit > 0 {
		n = 1
		if p.Known > 0 {
			t.Generations = p.within(p.Known)
			return nil
		}
	}
	for {
		took, err := step(n)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.Limit > 0 && n < p.Generations {
			t.Generations = p.within(took)
			if t.Generations == 1 {
				return nil
			}
			n, p.Limit = t.Generations, 0 // a method may prepare for this number in its first run
			continue
		}
		if t.Generations > 0 || took >= p.Time || n >= most {
			t.Generations = n
			return nil
		}
		// Increase by a factor of eight at most, because the first generations are the slowest.
		n = min(8*n, int(1.1*float64(n)*p.Time/max(took, 1e-9))+1, most)
	}
}

// within returns the greatest number of generations of a realisation so that Least realisations end within
// Limit, if a generation takes the given seconds.
func (p Protocol) within(seconds float64) int {
	return min(p.Generations, max(1, int(p.Limit/float64(max(p.Least, 1))/max(seconds, 1e-9))))
}

// energy measures the joules of a generation. It counts from one update of the meter to another, because a GPU
// updates it only a few times a second.
func (p Protocol) energy(ctx context.Context, t *Timing, s Stepper) error {
	if p.Energy == nil {
		return nil
	}
	last, ok := p.Energy()
	batch := max(t.Generations, int(energyBatch/t.Seconds))
	var first float64   // joules at the first update of the meter
	var begin time.Time // time of that update
	n := 0              // generations since
	for waited := time.Now(); ok; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.Step(batch); err != nil {
			return err
		}
		n += batch
		var joules float64
		joules, ok = p.Energy()
		moved := joules > last
		last = joules
		if !moved {
			if time.Since(waited) > meterPatience {
				return nil
			}
			continue
		}
		waited = time.Now()
		switch passed := waited.Sub(begin).Seconds(); {
		case begin.IsZero():
			first, begin, n = joules, waited, 0
		case passed >= p.EnergyTime:
			used := (joules - first) / float64(n)
			if p.Settles {
				used = (joules - first) / passed * t.Seconds
			}
			t.Joules = &used
			return nil
		}
	}
	return nil
}

const (
	energyBatch   = 0.05            // seconds between two readings of the meter, so that reading costs little
	meterPatience = 5 * time.Second // for a meter without an update
)

// meanAndError returns the mean and its standard error, which is nil for a single value.
func meanAndError(values []float64) (mean float64, stderr *float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if n < 2 {
		return mean, nil
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	e := math.Sqrt(squares / (n - 1) / n)
	return mean, &e
}

// Fill writes the timing into a measurement whose width and height are set.
func (t Timing) Fill(m *Measurement) {
	m.Generations, m.Realisations = int64(t.Generations), int64(t.Realisations)
	m.Seconds, m.StdErr, m.Each, m.Joules, m.Clock = t.Seconds, t.StdErr, t.Each, t.Joules, t.Clock
	m.CellsPerSec = float64(max(t.Universes, 1)) * float64(m.Width) * float64(m.Height) / t.Seconds
}
