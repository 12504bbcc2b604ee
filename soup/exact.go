package soup

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/gosper-life/gosper/grid"
)

// sparse is the least number of cells for each one that is placed on its own.
const sparse = 64

// exactly makes cells of exact numbers in memory: all ways to place them are equally likely.
func (s Start) exactly(ctx context.Context, in Setting) (func() rowMaker, error) {
	parts := s.parts
	area := float64(in.W) * float64(in.H)
	if len(parts) == 0 {
		if !(in.Density >= 0 && in.Density <= 1) {
			return nil, fmt.Errorf("density %v: must be from 0 to 1", in.Density)
		}
		parts = []part{{at: []int{1}, value: math.Floor(float64(in.Density*area) + 0.5)}}
	}
	if area > 1<<53 {
		return nil, fmt.Errorf("start %v: %d×%d cells are too many to place a number of them", s, in.W, in.H)
	}
	counts := make([]uint64, in.States)
	counts[0] = uint64(in.W) * uint64(in.H)
	for _, p := range parts {
		counts[p.at[0]] += uint64(p.value)
		counts[0] -= uint64(p.value)
	}
	g, err := grid.New(in.W, in.H, grid.PlanesOf(in.States))
	if err != nil {
		return nil, err
	}
	if err := place(ctx, g, counts, in.Seed, in.Threads, 6); err != nil {
		return nil, err
	}
	return copied(g, 0, 0), nil
}

// place sets a given number of cells of a grid to each state. All ways of doing so are equally likely.
//
// It makes a soup of the states in which each has somewhat less than its number: by some standard deviations.
// Then it puts cells of the commonest state, each chosen among all of them, in the other states, until the
// numbers are right. If the soup has too much of a state, there is another soup. No step knows a cell from
// others but by chance, so the result is exchangeable. If few cells are wanted, the soup is left out.
func place(ctx context.Context, g *grid.Grid, counts []uint64, seed uint64, threads int, deviations float64) error {
	common := 0
	for state, n := range counts {
		if n > counts[common] {
			common = state
		}
	}
	area := uint64(g.W()) * uint64(g.H())
	var parts []part
	for state, n := range counts {
		if mean := float64(n) - deviations*math.Sqrt(float64(n)); state != common && n > 0 &&
			area-counts[common] >= area/sparse && mean > 0 {
			parts = append(parts, part{at: []int{state}, value: mean / float64(area)})
		}
	}
	for attempt := uint64(0); ; attempt += 2 {
		l, err := newLayers(derived(seed, useExact+attempt), parts)
		if err != nil {
			return err
		}
		f := filling{sink: g, w: g.W(), h: g.H(), planes: g.Planes()}
		err = f.run(ctx, threads, func() rowMaker {
			row := l.maker(g.W())
			return func(dst [][]uint64, x, y, n int) error {
				for k, plane := range dst {
					clear(plane)
					if common>>k&1 == 1 {
						setBits(plane, 0, n)
					}
				}
				row(dst, x, y, n)
				return nil
			}
		})
		if err != nil {
			return err
		}
		if missing, ok := lacking(g.Counts(), counts, common); ok {
			return fillUp(ctx, g, missing, uint8(common), rand.NewPCG(seed, useExact+attempt+1))
		}
	}
}

// lacking is the number of cells that are missing of each state but the commonest; ok is false if there are too
// many of one.
func lacking(have, want []uint64, common int) (missing []uint64, ok bool) {
	missing = make([]uint64, len(want))
	for state, n := range want {
		if state != common {
			if have[state] > n {
				return nil, false
			}
			missing[state] = n - have[state]
		}
	}
	return missing, true
}

// fillUp puts cells of the commonest state in others.
func fillUp(ctx context.Context, g *grid.Grid, missing []uint64, common uint8, random *rand.PCG) error {
	area := uint64(g.W()) * uint64(g.H())
	for state, n := range missing {
		for tries := 0; n > 0; tries++ {
			if tries&(1<<20-1) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			i := below(random, area)
			x, y := int(i%uint64(g.W())), int(i/uint64(g.W()))
			if g.Get(x, y) == common {
				g.Set(x, y, uint8(state))
				n--
			}
		}
	}
	return nil
}

// below is a number from 0 to n-1, all equally likely (Lemire, "Fast random integer generation in an interval", 2019).
func below(random *rand.PCG, n uint64) uint64 {
	for {
		number, rest := bits.Mul64(random.Uint64(), n)
		if rest >= -n%n {
			return number
		}
	}
}
