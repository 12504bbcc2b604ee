package multispin

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// The sums of a sample are 64-bit numbers, one for each size below labeller.small in each of these rows.
const (
	sumClusters = iota
	sumSquares  // of each universe's clusters
	sumLargest  // universes whose largest cluster has the size
	sumTies     // clusters of the size in those universes
	sumRows
)

// The numbers of a universe in a sample, of its clusters below labeller.small.
const (
	numberCells = iota
	numberClusters
	numberMoment  // the sum of the squares of sizes
	numberLargest // its largest cluster
	numberWords
)

// sampleBytes is the size of a sample of n universes: the sums, then the numbers of each universe.
func (l *labeller) sampleBytes(n int) int { return 8*sumRows*l.small + 4*numberWords*n }

// writeSums adds the kernel that adds up the clusters of all universes:
//
//	cells, sample, large, cursor, first
//
// large lists the clusters of at least `small` cells: the number of their universe, which is first for universe
// 0, and their size. All universes share the cursor, which says where the next are written.
func (l *labeller) writeSums(m *ptx.Module, name string) {
	k := m.Kernel(name, ptx.Lanes*l.warps, 0)
	base, sample, large, cursor, first := k.Param64(), k.Param64(), k.Param64(), k.Param64(), k.Param32()
	block, thread := l.begin(k)
	l.separate(thread)
	l.fetch(thread, l.universe(k, base, block))
	l.label(thread)
	l.leaveOne(thread)
	l.sum(thread, block, sample, large, cursor, first)
}

// writeSamples adds the kernel that advances universes and adds up their clusters many times. It is for so few
// universes that launches would take longer than their work:
//
//	cells, sample, large, cursor, first, universes, samples, generations to the first sample, and to each of the others
//
// The first warp of a block advances a universe in registers. All warps find its clusters in shared memory. Then the
// last warp adds them up, while the first goes on.
func (l *labeller) writeSamples(m *ptx.Module, name string, f *warpprog.Program) {
	k := m.Kernel(name, ptx.Lanes*l.warps, 0)
	base, sample, large, cursor := k.Param64(), k.Param64(), k.Param64(), k.Param64()
	number, universes, samples, before, every := k.Param32(), k.Param32(), k.Param32(), k.Param32(), k.Param32()
	block, thread := l.begin(k)
	s := newStepper(k, l.shape, f, nil)
	home := s.home(l.universe(k, base, block))
	s.cells = s.load(home)
	shared := k.Add(l.cells, k.MulN(s.lane, 4*s.perLane()))
	others := k.CompareN("ge", thread, ptx.Lanes)           // warps that do not advance cells
	idle := k.CompareN("lt", thread, ptx.Lanes*(l.warps-1)) // warps that do not add up
	left, first, at := k.NewB32(), k.NewB32(), k.NewB64()
	generations, size := k.NewB32(), k.MulWideN(universes, 4*numberWords, k.Const64(uint64(l.sampleBytes(0))))
	k.Move(left, samples)
	k.Move(generations, before)
	k.Move(first, number)
	k.Move64(at, sample)

	next, generation, advanced, there, summed := k.NewLabel(), k.NewLabel(), k.NewLabel(), k.NewLabel(), k.NewLabel()
	k.Place(next)
	l.separate(thread)
	k.BranchIf(others, there)
	k.BranchIf(k.CompareN("eq", generations, 0), advanced)
	k.Place(generation)
	s.generation()
	k.Increase(generations, -1)
	k.BranchIf(k.CompareN("gt", generations, 0), generation)
	k.Place(advanced)
	s.eachWordOfLane(func(i int, v ptx.B32, some ptx.Pred) {
		if some == 0 {
			k.StoreShared(shared, 4*i, v)
		} else {
			k.StoreSharedIf(some, shared, 4*i, v)
		}
	})
	k.Place(there)
	l.label(thread)
	k.BranchIf(idle, summed)
	l.sum(k.AndN(thread, ptx.Lanes-1), block, at, large, cursor, first)
	k.Place(summed)
	k.Move(generations, every)
	k.Move(first, k.Add(first, universes))
	k.Increase64(at, size)
	k.Increase(left, -1)
	k.BranchIf(k.CompareN("gt", left, 0), next)
	l.leaveOne(thread)
	s.store(home)
}

// sum adds the clusters of a universe to a sample, by one warp.
func (l *labeller) sum(lane, block ptx.B32, sample, large, cursor ptx.B64, first ptx.B32) {
	k := l.k
	length := k.LoadShared(l.length, 0, 1)[0]
	counts := make([]ptx.B32, l.small/ptx.Lanes) // of sizes lane, lane + 32, …
	cells, clusters, moment, largest := k.Const(0), k.Const(0), k.Const(0), k.Const(0)
	for i := range counts {
		c, size := k.LoadShared(k.Add(l.sizes, k.ShlN(lane, 2)), 4*i*ptx.Lanes, 1)[0], k.AddN(lane, i*ptx.Lanes)
		counts[i] = c
		some := k.Ballot(k.CompareN("ne", c, 0))
		// A ballot has a bit for each lane, and so for each of 32 sizes. Its highest bit is the largest of these.
		top := k.Sub(k.Const(i*ptx.Lanes+31), k.Clz(some))
		largest = k.Select(k.CompareN("ne", some, 0), top, largest)
		all := k.Mul(c, size)
		cells, clusters, moment = k.Add(cells, all), k.Add(clusters, c), k.MulAdd(all, size, moment)
	}
	alone := k.CompareN("eq", length, 0) // no cluster is larger than those that are counted here
	for i, c := range counts {
		some, size := k.CompareN("ne", c, 0), k.AddN(lane, i*ptx.Lanes)
		at := k.MulWideN(size, 8, sample)
		row := func(n int) ptx.B64 { return k.Add64N(at, int64(8*n*l.small)) }
		k.AddAtomicIf(some, row(sumClusters), k.Wide(c))
		k.AddAtomicIf(some, row(sumSquares), k.MulWideU(c, c))
		most := k.AndPred(some, k.AndPred(alone, k.Compare("eq", size, largest)))
		k.AddAtomicIf(most, row(sumLargest), k.Const64(1))
		k.AddAtomicIf(most, row(sumTies), k.Wide(c))
	}
	cells, clusters, moment = k.SumLanes(cells), k.SumLanes(clusters), k.SumLanes(moment)
	numbers := k.MulWideN(block, 4*numberWords, k.Add64N(sample, int64(8*sumRows*l.small)))
	one := k.CompareN("eq", lane, 0)
	k.StoreIf(one, numbers, 0, cells, clusters, moment, largest)

	// The others, which are few.
	end := k.NewLabel()
	k.BranchIf(alone, end)
	start, fetched := k.NewB32(), k.NewLabel()
	k.Assign(start, 0)
	k.DivergeIf(k.CompareN("ne", lane, 0), fetched)
	k.Move(start, k.FetchAdd(cursor, 0, length))
	k.Place(fetched)
	place, universe, n := k.ShuffleFrom(start, k.Const(0)), k.Add(first, block), k.NewB32()
	k.Move(n, lane)
	top, done := k.NewLabel(), k.NewLabel()
	k.Place(top)
	k.DivergeIf(k.Compare("ge", n, length), done)
	size := k.LoadShared(k.Add(l.list, k.ShlN(n, 2)), 0, 1)[0]
	k.Store(k.MulWideN(k.Add(place, n), 8, large), 0, universe, size)
	k.Increase(n, ptx.Lanes)
	k.Branch(top)
	k.Place(done)
	k.Place(end)
}
