//go:build linux

package playne

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// The kernels themselves, compiled for the processor, agree with the reference and find the clusters that a flood
// fill finds. The test runs them with one row of threads and with several, with counters beside the cells and far
// from them, and with cells of 16 bits and of 32.
func TestOnHost(t *testing.T) {
	const h200 = 227 << 10 // bytes of shared memory that a block may have
	machine := cudatest.Open(t, "testdata/host.cpp")
	onHost := func(rows, shared int) opener {
		return openerOn((&gputest.Driver{Machine: machine, SharedBytes: shared}).Device(t), rows)
	}
	for _, rows := range []int{1, 2, 3, 4, 8, mostThreads} {
		t.Run(fmt.Sprint("rows=", rows), func(t *testing.T) {
			papertest.Run(t, papertest.Suite{
				Open:  stepper(onHost(rows, h200)),
				Sizes: square(1, 2, 3, 31, 48), Steps: []int{1, 3}, Refuse: append(square(339, 1025), [2]int{32, 33}),
			})
			for i, l := range []int{1, 3, 32, 45} {
				for _, connectivity := range []int{4, 8} {
					checkClusters(t, onHost(rows, h200), Config{L: l, Universes: 2, Connectivity: connectivity}, uint64(i), 0.5,
						[]int{1, 3})
				}
			}
			// counters are far
			checkClusters(t, onHost(rows, 4<<10), Config{L: 33, Universes: 2, Connectivity: 8}, 7, 0.5, []int{2})
		})
	}
	for _, l := range Sides {
		for _, rows := range RowsOfThreads(l) { // all that is measured; 240² has cells of 32 bits
			t.Run(fmt.Sprintf("L=%d rows=%d", l, rows), func(t *testing.T) {
				papertest.Run(t, papertest.Suite{Open: stepper(onHost(rows, h200)), Sizes: square(l), Steps: []int{1}})
				checkClusters(t, onHost(rows, h200), Config{L: l, Universes: 1, Connectivity: 8}, 1, 0.5, []int{1})
			})
		}
	}
}
