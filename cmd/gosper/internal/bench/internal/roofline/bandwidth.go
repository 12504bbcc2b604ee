// Package roofline measures the most that this processor can do: vector operations a second and bytes a second.
// From both it computes an upper bound on the speed of a rule (a roofline, Williams, Waterman and Patterson
// 2009), which the measured speeds of engines are compared with.
package roofline

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/host"
)

// Bandwidth is bytes a second, read and written together. Each thread goes through its own part of the memory.
type Bandwidth struct {
	Level   string  `json:"tier"`  // L1, L2, L3, memory, or universe
	Bytes   uint64  `json:"bytes"` // of all threads together
	Threads int     `json:"threads"`
	Read    float64 `json:"read_bytes_per_second"`
	Copy    float64 `json:"copy_bytes_per_second"`   // from one half of the memory to the other
	Update  float64 `json:"update_bytes_per_second"` // changed in place, as engines do
}

// Levels returns the caches and memories whose bandwidth is worth measuring, without the bandwidths. The sizes
// are chosen so that half a cache surely fits, and so that most of twice the last cache, at 256 to 512 MiB, is
// in memory. With several threads, memory occurs twice: for one thread and for all.
func Levels(m host.Machine, threads int) []Bandwidth {
	levels := []Bandwidth{
		{Level: "L1", Bytes: m.CacheBytes(1) / 2, Threads: 1},
		{Level: "L2", Bytes: m.CacheBytes(2) / 2, Threads: 1},
		{Level: "L3", Bytes: m.CacheBytes(3) / 2, Threads: 1},
		{Level: "memory", Bytes: memoryBytes(m), Threads: 1},
	}
	if threads > 1 {
		levels = append(levels, Bandwidth{Level: "memory", Bytes: memoryBytes(m), Threads: threads})
	}
	return levels
}

func memoryBytes(m host.Machine) uint64 { return min(max(2*m.CacheBytes(3), 256<<20), 512<<20) }

// Universe is the memory of a universe of the given size that threads share. The size is rounded so that
// measuring takes a short time.
func Universe(m host.Machine, bytes uint64, threads int) Bandwidth {
	parts := uint64(threads) * 2 * granule
	return Bandwidth{Level: "universe", Bytes: max(parts, min(bytes, memoryBytes(m))/parts*parts), Threads: threads}
}

const (
	granule  = 1 << 10 // half a thread's part is a multiple of it: a whole number of rounds of every code
	callSpan = 1 << 20 // most bytes that one call goes through
	callMove = 4 << 20 // bytes that a call reads from smaller memory, by repeating
	least    = 1 << 30 // fewest bytes of all calls together
)

// Measure measures the bandwidths with the given code.
func (b *Bandwidth) Measure(ctx context.Context, c Code) error {
	part := b.Bytes / uint64(b.Threads) / (2 * granule) * (2 * granule)
	if part == 0 {
		return fmt.Errorf("%d bytes are too few to measure: want %d or more a thread", b.Bytes, 2*granule)
	}
	if err := grid.Fits(b.Bytes); err != nil {
		return fmt.Errorf("measuring bandwidth %w", err)
	}
	memory := make([][]byte, b.Threads)
	// each thread touches its own part first, so that the pages are near its processor
	together(b.Threads, func(thread int) {
		memory[thread] = hugePages(int(part))
		for i := range memory[thread] {
			memory[thread][i] = 0x5A // some caches store zeros faster
		}
	})
	for _, m := range []struct {
		body body
		rate *float64
	}{{reading, &b.Read}, {copying, &b.Copy}, {updating, &b.Update}} {
		l, err := newLoop(c, m.body)
		if err != nil {
			return err
		}
		*m.rate = l.bandwidth(memory, m.body)
		if err := errors.Join(l.close(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// bandwidth goes through each thread's memory, with one call for each part of it.
func (l *loop) bandwidth(memory [][]byte, b body) float64 {
	span, moved := len(memory[0]), 1
	if b == copying {
		span /= 2
	}
	if b != reading {
		moved = 2 // a byte that is read is also written
	}
	stretch := min(span, callSpan)
	repeats := max(1, callMove/span)
	if span > callSpan {
		repeats = 1
	}
	stretches := span / stretch
	calls := max(3*stretches, least/(stretch*repeats))
	rate := callsPerSecond(len(memory), calls, func(thread, i int) {
		along := memory[thread][i%stretches*stretch:]
		args := loopArguments{from: unsafe.Pointer(&along[0]), rounds: uint64(stretch / l.round), repeats: uint64(repeats)}
		if b == copying {
			args.to = unsafe.Pointer(&along[span])
		}
		l.run(args)
	})
	return rate * float64(stretch*repeats*moved)
}
