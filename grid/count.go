package grid

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Population is the number of cells not in state 0. It uses the source's own Population method if there is one,
// because an engine can count where its cells are stored.
func Population(src Source) (uint64, error) {
	switch c := src.(type) {
	case interface{ Population() uint64 }: // in memory
		return c.Population(), nil
	case interface{ Population() (uint64, error) }:
		return c.Population()
	}
	counts, err := StateCounts(src, 1<<src.Planes())
	if err != nil {
		return 0, err
	}
	var total uint64
	for _, n := range counts[1:] {
		total += n
	}
	return total, nil
}

// stateCounter is a source that counts states where its cells are stored.
type stateCounter interface {
	// AddStateCounts adds the cells in each state from 1 on to counts, modulo 2^64. There are 2^Planes counts at least.
	AddStateCounts(counts []uint64) error
}

// StateCounts returns the number of cells within the source's extent in each of the states 0 to states−1, modulo 2^64.
// It uses the source's own AddStateCounts method if there is one.
func StateCounts(src Source, states int) ([]uint64, error) {
	box, err := src.Extent()
	if err != nil {
		return nil, err
	}
	counts := make([]uint64, max(states, 1<<src.Planes()))
	if g, ok := src.(*Grid); ok {
		copy(counts, g.Counts())
		return counts[:states], nil
	}
	if c, ok := src.(stateCounter); ok {
		err = c.AddStateCounts(counts)
	} else {
		err = countOccupied(counts, src)
	}
	if err != nil {
		return nil, err
	}
	// The rest of the bounding box is dead.
	counts[0] = uint64(box.W) * uint64(box.H)
	for _, n := range counts[1:] {
		counts[0] -= n
	}
	return counts[:states], nil
}

// countOccupied adds the states of the cells of a source to counts.
func countOccupied(counts []uint64, src Source) error {
	parts, err := OccupiedRows(src)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := countRect(counts, src, part); err != nil {
			return err
		}
	}
	return nil
}

// countRect adds the states of the cells in a rectangle to counts.
func countRect(counts []uint64, src Source, r Rect) error {
	planes := make([][]uint64, src.Planes())
	for k := range planes {
		planes[k] = make([]uint64, wordsFor(r.W))
	}
	for y := range r.H {
		for k, row := range planes {
			if err := src.ReadRow(row, k, r.X, r.Y+y, r.W); err != nil {
				return err
			}
		}
		CountStates(counts, planes, r.W)
	}
	return nil
}

// Population is the number of cells not in state 0.
func (g *Grid) Population() uint64 {
	size := g.h * g.stride
	var total atomic.Uint64
	inBands(size, bandWords, func(from, to int) {
		var n int
		first := g.cells[from:to]
		if g.planes == 1 {
			for _, word := range first {
				n += bits.OnesCount64(word)
			}
		} else {
			for i, word := range first {
				for k := 1; k < g.planes; k++ {
					word |= g.cells[k*size+from+i]
				}
				n += bits.OnesCount64(word)
			}
		}
		total.Add(uint64(n))
	})
	return total.Load()
}

// Counts is the number of cells in each state, for all 2^Planes states.
func (g *Grid) Counts() []uint64 {
	var mu sync.Mutex
	total := make([]uint64, 1<<g.planes)
	inBands(g.h*g.stride, bandWords, func(from, to int) {
		counts := make([]uint64, len(total))
		planes := make([][]uint64, g.planes)
		for k := range planes {
			planes[k] = g.cells[k*g.h*g.stride:][from:to]
		}
		CountStates(counts, planes, (to-from)<<6)
		mu.Lock()
		defer mu.Unlock()
		for state, n := range counts {
			total[state] += n
		}
	})
	total[0] -= uint64(g.h) * uint64(g.stride<<6-g.w) // spare bits and padding were counted as dead cells
	return total
}

// CountStates adds the states of the first n cells of the planes to counts, which has 2^planes elements at least.
func CountStates(counts []uint64, planes [][]uint64, n int) {
	for i := range planes[0] {
		splitStates(counts, planes, i, lowBits(min(n-i<<6, 64)), len(planes)-1, 0)
	}
}

// splitStates counts the cells of mask in word i by the state bits of planes 0 to k; state has the bits above.
// It divides the mask by one plane after another and drops empty parts, so the usual word with few states takes
// few steps.
func splitStates(counts []uint64, planes [][]uint64, i int, mask uint64, k, state int) {
	switch {
	case mask == 0:
	case k < 0:
		counts[state] += uint64(bits.OnesCount64(mask))
	default:
		word := planes[k][i]
		splitStates(counts, planes, i, mask&^word, k-1, state)
		splitStates(counts, planes, i, mask&word, k-1, state|1<<k)
	}
}

// bandWords is the smallest part of a grid that is worth a goroutine: 1 MiB.
const bandWords = 1 << 17

// inBands calls work for ranges that cover 0 to n. There is one range for each core, or fewer if the ranges
// would have less than share.
func inBands(n, share int, work func(from, to int)) {
	bands := max(1, min(runtime.GOMAXPROCS(0), n/share))
	size := (n + bands - 1) / bands
	var wg sync.WaitGroup
	for from := 0; from < n; from += size {
		wg.Go(func() { work(from, min(from+size, n)) })
	}
	wg.Wait()
}
