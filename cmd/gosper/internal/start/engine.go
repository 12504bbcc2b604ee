package start

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

// EngineFlags choose the engine and its resources.
type EngineFlags struct {
	Engine  string   `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine: auto, or one that gosper engines lists."`
	Threads int      `placeholder:"N" env:"GOSPER_THREADS" help:"Threads to compute with. Default: all cores."`
	Memory  ByteSize `placeholder:"SIZE" env:"GOSPER_MEMORY" help:"Memory limit for an unbounded universe (800M, 6G). Reading a pattern may take half of it. Default: three quarters of the free memory."`
	Plan    string   `placeholder:"P" help:"Plan to force, or parts of one: avx2, portable,depth=1. Default: the engine chooses."`
}

// maxThreads is more than the cores of any machine. There is a limit because a program is compiled for each thread.
const maxThreads = 4096

// CheckThreads refuses numbers of threads that are out of range.
func CheckThreads(n int) error {
	if n < 0 || n > maxThreads {
		return fmt.Errorf("--threads %d: want 1 to %d, or 0 for all cores", n, maxThreads)
	}
	return nil
}

// ByteSize is a flag such as "800M", "1.5G" or "6GiB". Units are binary; without a unit it is bytes.
type ByteSize uint64

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *ByteSize) UnmarshalText(text []byte) error {
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
		return fmt.Errorf("memory %q: want a size such as 800M or 6G, at least 1M", text)
	}
	*b = ByteSize(n)
	return nil
}

// Configure applies the flags. It looks at the free memory now, before the universe takes any.
func (f *EngineFlags) Configure(cfg *sim.Config) {
	cfg.Threads, cfg.Plan, cfg.Memory = f.Threads, f.Plan, uint64(f.Memory)
	free, known := grid.Room()
	if !known {
		return
	}
	if cfg.Memory == 0 {
		cfg.Memory = free / 4 * 3
	}
	if os.Getenv("GOMEMLIMIT") == "" { // collect garbage before it fills the memory
		debug.SetMemoryLimit(int64(min(free/8*7, math.MaxInt64)))
	}
}
