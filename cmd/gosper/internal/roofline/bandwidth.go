// Package roofline measures what this processor can do at best, vector operations a second and bytes a second, and makes of both the
// bound for a rule (a roofline, Williams, Waterman and Patterson 2009). Speeds of engines are put beside it.
package roofline

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/host"
)

// Bandwidth is bytes a second, read and written ones added, of threads that each go along their part of some memory.
type Bandwidth struct {
	Level   string  `json:"tier"`  // L1, L2, L3, memory, or universe
	Bytes   uint64  `json:"bytes"` // all threads' parts together
	Threads int     `json:"threads"`
	Read    float64 `json:"read_bytes_per_second"`
	Copy    float64 `json:"copy_bytes_per_second"`   // from one half to the other
	Update  float64 `json:"update_bytes_per_second"` // changed in place, as engines do
}

// Levels are the places whose bandwidth is worth knowing, without the bandwidths: half a cache is surely in it, and memory twice the
// size of the last cache, 256 to 512 MiB, is mostly not. Memory comes twice where there are several threads: with one, with all.
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

// Universe is the place of a universe of so many bytes that threads share, its size rounded to what can be measured in a short time.
func Universe(m host.Machine, bytes uint64, threads int) Bandwidth {
	parts := uint64(threads) * 2 * granule
	return Bandwidth{Level: "universe", Bytes: max(parts, min(bytes, memoryBytes(m))/parts*parts), Threads: threads}
}

const (
	granule  = 1 << 10 // half a thread's part is a multiple of it: whole rounds of every code
	callSpan = 1 << 20 // bytes a call goes along at most
	callMove = 4 << 20 // bytes it goes along smaller memory, again and again
	least    = 1 << 30 // bytes all calls go along at least
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
	together(b.Threads, func(thread int) { // each its own: pages lie with the processor that touches them first
		memory[thread] = hugePages(int(part))
		for i := range memory[thread] {
			memory[thread][i] = 0x5A // some caches store zeros for less
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

// bandwidth goes along each thread's memory, a call for each stretch of it.
func (l *loop) bandwidth(memory [][]byte, b body) float64 {
	span, moved := len(memory[0]), 1
	if b == copying {
		span /= 2
	}
	if b != reading {
		moved = 2 // a byte read is written, too
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
