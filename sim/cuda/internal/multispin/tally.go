package multispin

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/batch"
)

// mostTallied is the largest side of blocks whose patterns are counted. Larger blocks have more patterns than a
// universe has words, so that its cells are copied sooner than the counts.
const mostTallied = 2

// tallyKernel names the kernel for blocks of a side.
func tallyKernel(block int) string { return fmt.Sprintf("tally%d", block) }

// writeTally adds the kernel that counts what batch.Tally says, and patterns unless block is 0, by one warp for each
// universe:
//
//	cells, cells remembered, tallies, patterns
func writeTally(m *ptx.Module, s shape, block int) {
	k := m.Kernel(tallyKernel(block), ptx.Lanes, 0)
	base, before, tallies, patterns := k.Param64(), k.Param64(), k.Param64(), k.Param64()
	universe, lane := k.Special("ctaid.x"), k.Special("tid.x")
	home, earlier := s.universe(k, base, universe), s.universe(k, before, universe)
	var numbers, found []ptx.B32
	for range 4 {
		numbers = append(numbers, k.NewB32())
	}
	if block > 0 {
		for range 1 << (block * block) {
			found = append(found, k.NewB32())
		}
	}
	for _, n := range append(numbers, found...) {
		k.Assign(n, 0)
	}
	each(k, lane, ptx.Lanes, s.perUniverse(), func(i ptx.B32) {
		y, j := s.place(k, i)
		last := k.CompareN("eq", j, s.words-1)
		valid, end := k.SelectN(last, int(int32(s.valid(s.words-1))), -1), k.SelectN(last, (s.w-1)%32, 31)
		load := func(home ptx.B64, i ptx.B32) ptx.B32 { return k.Load(k.MulWideN(i, 4, home), 0, 1)[0] }
		// row returns a word of a row, and the word of which each column is the next one in the row.
		row := func(i ptx.B32) (here, right ptx.B32) {
			here = load(home, i)
			next := load(home, k.Add(i, k.SelectN(last, 1-s.words, 1)))
			return here, k.Or(k.ShrN(here, 1), k.Shl(k.AndN(next, 1), end))
		}
		add := func(n, v ptx.B32) { k.Move(n, k.Add(n, k.Popc(v))) }
		here, right := row(i)
		below, belowRight := row(k.Add(i, k.SelectN(k.CompareN("eq", y, s.h-1), (1-s.h)*s.words, s.words)))
		was := load(earlier, i)
		add(numbers[0], here)
		add(numbers[1], k.And(here, k.Not(was)))
		add(numbers[2], k.And(was, k.Not(here)))
		for _, other := range []ptx.B32{right, below} { // one of the two lives
			add(numbers[3], k.And(valid, k.Or(k.And(here, k.Not(other)), k.And(other, k.Not(here)))))
		}
		terms := []ptx.B32{valid} // the columns that have each pattern of the planes so far
		for _, plane := range map[int][]ptx.B32{1: {here}, 2: {here, below, right, belowRight}}[block] {
			var longer []ptx.B32
			for _, t := range terms {
				longer = append(longer, k.And(t, k.Not(plane)), k.And(t, plane))
			}
			terms = longer
		}
		for n := range found {
			add(found[n], terms[n])
		}
	})
	first := k.CompareN("eq", lane, 0)
	store := func(at ptx.B64, counts []ptx.B32) {
		for n, c := range counts {
			k.StoreIf(first, at, 4*n, k.SumLanes(c))
		}
	}
	store(k.MulWideN(universe, 4*len(numbers), tallies), numbers)
	if block > 0 {
		store(k.MulWideN(universe, 4*len(found), patterns), found)
	}
}

// CanTally implements batch.Sampler.
func (u *universes) CanTally(block int) bool { return u.turns == nil && block <= mostTallied }

// alloc allocates memory at first. The device must be current.
func (u *universes) alloc(at *uint64, bytes uint64) error {
	if *at != 0 {
		return nil
	}
	var err error
	if *at, err = u.dev.Alloc(bytes); err != nil {
		return fmt.Errorf("%d universes of %d×%d: %w", u.n, u.w, u.h, err)
	}
	u.held = append(u.held, *at)
	u.bytes += bytes
	return nil
}

// Remember implements batch.Sampler.
func (u *universes) Remember(ctx context.Context) error {
	return u.dev.Do(func() error {
		err := ctx.Err()
		if err == nil {
			err = u.alloc(&u.before, u.cellBytes())
		}
		if err == nil {
			err = u.dev.CopyFrom(u.before, u.dev, u.cells, u.cellBytes())
		}
		u.remembers = err == nil
		return err
	})
}

// Tally implements batch.Sampler.
func (u *universes) Tally(ctx context.Context, block int, dst []batch.Tally, patterns []uint32) error {
	kinds := 0
	if block > 0 {
		kinds = u.n << (block * block)
	}
	if !u.CanTally(block) || len(dst) != u.n || len(patterns) != kinds {
		return fmt.Errorf("%d tallies and %d patterns of %d universes, with blocks of side %d", len(dst), len(patterns), u.n,
			block)
	}
	return u.dev.Do(func() error {
		err := ctx.Err()
		if err == nil {
			err = u.alloc(&u.tallies, uint64(len(gpu.Bytes(dst))))
		}
		if err == nil && kinds > 0 {
			err = u.alloc(&u.patterns[block], uint64(len(gpu.Bytes(patterns))))
		}
		before := u.cells
		if u.remembers {
			before = u.before
		}
		if err == nil {
			err = u.launch(tallyKernel(block), u.cells, before, u.tallies, u.patterns[block])
		}
		if err == nil {
			err = u.dev.Read(gpu.Bytes(dst), u.tallies)
		}
		if err == nil {
			err = u.dev.Read(gpu.Bytes(patterns), u.patterns[block])
		}
		return err
	})
}
