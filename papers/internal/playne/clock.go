package playne

import (
	"runtime"
	"time"
)

// CoreClock measures the clock of its core in hertz. It times a chain of additions, each of which needs the one
// before. Every processor of the last twenty years does one of them in a cycle. It takes about 20 ms.
func CoreClock() float64 {
	const rounds, links = 1 << 18, 16
	best := 0.0
	x, y := uint64(time.Now().UnixNano()), uint64(time.Now().UnixNano()>>3)
	for range 32 { // other processes can only make a round slower
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
	runtime.KeepAlive(x + y) // without a use the compiler would remove the chain
	return best
}
