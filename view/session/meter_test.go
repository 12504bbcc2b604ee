package session

import (
	"testing"
	"time"
)

// TestMeter holds how many generations a step has on engines of several kinds, each given as what a step of n generations takes when
// the one before it had last, after a number of steps.
func TestMeter(t *testing.T) {
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
	}{
		"fast":                       {perGeneration(ms / 100), 1, 960, 1000},
		"middling":                   {perGeneration(ms), 1, 6, 10},
		"passes":                     {func(n, _ uint64) time.Duration { return time.Duration((n+5)/6) * 20 * ms }, 1, 6, 6},
		"slow":                       {perGeneration(50 * ms), 1, 1, 1},
		"very slow":                  {perGeneration(5 * time.Second), 1, 1, 1},
		"tiles":                      {tiles, 1, 12, 20},
		"huge tiles after bands":     {huge, 6, 6, 6},
		"tiles after one generation": {tiles, 1, 12, 20},
	} {
		m := meter{chunk: c.first}
		last := uint64(6)
		for step := range 40 {
			n := m.chunk
			if name == "tiles after one generation" && step == 20 {
				last = 1 // the probe's
			}
			m.stepped(n, c.took(n, last))
			last = n
		}
		if m.chunk < c.from || m.chunk > c.to {
			t.Errorf("%s: steps of %d generations, want %d to %d", name, m.chunk, c.from, c.to)
		}
	}
}

// TestPace: short steps are exact; long ones are multiples of the grain and stay within it of where they should be.
func TestPace(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ step, grain, within uint64 }{{1, 6, 0}, {7, 6, 0}, {59, 6, 0}, {60, 6, 0}, {64, 6, 5}, {1024, 6, 5}, {1024, 1, 0}} {
		p := pace{speed: Speed{Step: c.step, PerSecond: 1000}}
		p.start(now)
		total := uint64(0)
		for frame := range uint64(100) {
			n := p.due(now, c.grain)
			now = now.Add(time.Millisecond)
			total += n
			p.ran(n)
			if want := (frame + 1) * c.step; total > want || total+c.within < want || c.within > 0 && n%c.grain != 0 {
				t.Errorf("step %d, grain %d: %d generations, in all %d after %d steps", c.step, c.grain, n, total, frame+1)
				break
			}
		}
	}
}
