package session

import (
	"testing"
	"time"
)

// TestPace: short steps are exact; long ones are multiples of the grain and stay within it of where they should be.
func TestPace(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ step, grain, within uint64 }{
		{1, 6, 0},
		{7, 6, 0},
		{59, 6, 0},
		{60, 6, 0},
		{64, 6, 5},
		{1024, 6, 5},
		{1024, 1, 0},
	} {
		p := pacer{Speed: Speed{Step: c.step, PerSecond: 1000}}
		p.Start(now)
		total := uint64(0)
		for frame := range uint64(100) {
			n := p.Due(now, c.grain)
			now = now.Add(time.Millisecond)
			total += n
			p.Ran(n)
			if want := (frame + 1) * c.step; total > want || total+c.within < want || c.within > 0 && n%c.grain != 0 {
				t.Errorf("step %d, grain %d: %d generations, in all %d after %d steps", c.step, c.grain, n, total, frame+1)
				break
			}
		}
	}
}
