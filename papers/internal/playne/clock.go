package playne

import (
	"runtime"
	"time"
)

// CoreClock measures the clock of the core it runs on in hertz, by a chain of additions of which each needs the one before: one a
// cycle on every processor of the last twenty years. It takes about 20 ms.
func CoreClock() float64 {
	const rounds, links = 1 << 18, 16
	best := 0.0
	x, y := uint64(time.Now().UnixNano()), uint64(time.Now().UnixNano()>>3)
	for range 32 { // what other processes take of the time makes no round faster
		begin := time.Now()
		for range rounds {
			x += y
			y ^= x
			x += y
			y ^= x
			x += y
			y ^= x
			x += y
			y ^= x
			x += y
			y ^= x
			x += y
			y ^= x
			x += y
			y ^= x
			x += y
			y ^= x
		}
		best = max(best, rounds*links/time.Since(begin).Seconds())
	}
	runtime.KeepAlive(x + y) // without a use the chain would be left out
	return best
}
