package run

import (
	"testing"
	"time"
)

// TestTuner holds how many generations a step has on engines of several kinds, each given as what a step of n
// generations takes when the one before it had last, after a number of steps.
func TestTuner(t *testing.T) {
	const ms = time.Millisecond
	perGeneration := func(each time.Duration) func(n, last uint64) time.Duration {
		return func(n, _ uint64) time.Duration { return time.Duration(n) * each }
	}
	tiles := func(n, last uint64) time.Duration {
		if n%6 != 0 {
			return 90 * ms
		}
		if last%6 != 0 {
			return 145 * ms
		}
		return time.Duration(n) * ms / 2
	}
	huge := func(n, last uint64) time.Duration { return 16 * tiles(n, last) }
	for name, c := range map[string]struct {
		took     func(n, last uint64) time.Duration
		first    uint64
		from, to uint64
		patient  bool
	}{
		"fast":     {perGeneration(ms / 100), 1, 960, 1000, false},
		"middling": {perGeneration(ms), 1, 6, 10, false},
		"passes": {func(n, _ uint64) time.Duration {
			return time.Duration((n+5)/6) * 20 * ms
		}, 1, 6, 6, false},
		"slow":                 {perGeneration(50 * ms), 1, 1, 1, false},
		"very slow":            {perGeneration(5 * time.Second), 1, 1, 1, false},
		"slow, unwatched":      {perGeneration(500 * ms), 1, 6, 6, true},
		"very slow, unwatched": {perGeneration(5 * time.Second), 1, 1, 1, true},
		"slow passes, unwatched": {func(n, _ uint64) time.Duration {
			return time.Duration((n+5)/6) * 700 * ms
		}, 1, 6, 6, true},
		"tiles":                      {tiles, 1, 12, 20, false},
		"huge tiles after bands":     {huge, 6, 6, 6, false},
		"tiles after one generation": {tiles, 1, 12, 20, false},
	} {
		tuner := Tuner{length: c.first}
		last := uint64(6)
		for step := range 40 {
			n := tuner.next()
			if name == "tiles after one generation" && step == 20 {
				last = 1 // a lone generation was asked for
			}
			tuner.took(n, 6, c.took(n, last), 10*ms, c.patient)
			last = n
		}
		if n := tuner.next(); n < c.from || n > c.to {
			t.Errorf("%s: steps of %d generations, want %d to %d", name, n, c.from, c.to)
		}
	}
}

// TestTunerGrain: long steps are multiples of the engine's own grain, and a few generations that were due change
// nothing.
func TestTunerGrain(t *testing.T) {
	const ms = time.Millisecond
	for _, grain := range []uint64{0, 1, 5, 6, 24, 32} {
		var tuner Tuner
		for range 20 {
			n := tuner.next()
			tuner.took(n, grain, time.Duration(n)*ms/100, 10*ms, false)
		}
		n := tuner.next()
		if n > 1000 || n <= 1000-max(grain, 1) || n%max(grain, 1) != 0 {
			t.Errorf("grain %d: steps of %d generations, want the largest multiple up to 1000", grain, n)
		}
		tuner.took(3, grain, ms, 10*ms, false)
		if tuner.next() != n {
			t.Errorf("grain %d: steps of %d generations after a short one, want %d", grain, tuner.next(), n)
		}
		tuner.took(3, grain, 300*ms, 10*ms, false)
		if tuner.next() >= n {
			t.Errorf("grain %d: steps of %d generations after a slow one", grain, tuner.next())
		}
	}
}

func TestTunerLeaps(t *testing.T) {
	const ms = time.Millisecond
	var patient, viewed Tuner
	for range 100 {
		patient.leapt(time.Hour, 0)
		viewed.leapt(time.Duration(viewed.next())*ms/1000, 40*ms)
	}
	if n := patient.next(); n != longestStep {
		t.Errorf("steps of %d generations where nobody waits, want %d", n, uint64(longestStep))
	}
	if n := viewed.next(); n < 10_000 || n > 40_000 || n&(n-1) != 0 {
		t.Errorf("steps of %d generations where somebody waits 10 ms", n)
	}
	for _, c := range []struct{ n, g, want uint64 }{{1, 7, 1}, {100, 0, 64}, {100, 96, 32}, {8, 96, 8}, {9, 1 << 40, 8}} {
		if got := aligned(c.n, c.g); got != c.want {
			t.Errorf("%d generations from %d on: a leap of %d, want %d", c.n, c.g, got, c.want)
		}
	}
}
