package cli

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// byteSize is a flag that reads "800M", "1.5G", "6GiB": binary units, bytes without one.
type byteSize uint64

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *byteSize) UnmarshalText(text []byte) error {
	const units = "KMGT"
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(string(text)), "B"), "I")
	factor := 1.0
	if n := len(digits); n > 0 {
		if i := strings.IndexByte(units, digits[n-1]); i >= 0 {
			digits, factor = digits[:n-1], math.Ldexp(1, 10*(i+1))
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if n *= factor; err != nil || !(n >= 1<<20 && n <= 1<<60) {
		return fmt.Errorf("memory %q: want a size such as 800M or 6G, 1M at least", text)
	}
	*b = byteSize(n)
	return nil
}

// configure says what the flags ask for. The memory that is free is looked at now, before the universe takes any.
func (f *engineFlags) configure(cfg *sim.Config) {
	cfg.Threads, cfg.Plan, cfg.Memory = f.Threads, f.Plan, uint64(f.Memory)
	free, known := grid.Room()
	if !known {
		return
	}
	if cfg.Memory == 0 {
		cfg.Memory = free / 4 * 3
	}
	if os.Getenv("GOMEMLIMIT") == "" { // garbage is collected before it is in the way
		debug.SetMemoryLimit(int64(min(free/8*7, math.MaxInt64)))
	}
}
