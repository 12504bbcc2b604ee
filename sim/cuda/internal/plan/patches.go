package plan

import (
	"math"

	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/patches"
	"github.com/gosper-life/gosper/topology"
)

// OfPatches is the part of a plan of patches that a kernel needs to know.
func (p Plan) OfPatches() patches.Plan {
	return patches.Plan{Depth: p.Depth, Words: p.Words, Rows: p.Rows}
}

// PatchGrid returns the patches of a plan, and whether it fits a universe.
func (p Plan) PatchGrid(f *warpprog.Program, t topology.Topology) (patches.Grid, bool) {
	if !t.WrapsStraight() || !patches.Suits(f) {
		return patches.Grid{}, false
	}
	return p.OfPatches().Divide(f, t.W, t.H)
}

// ChoosePatches picks the plan of patches that should be fastest on a GPU with the given number of multiprocessors.
// Patches are not possible for universes that do not fit its registers, for universes other than a torus without a
// shift, and for rules that do not suit patches.
func (ps Programs) ChoosePatches(cfg sim.Config, multiprocessors int) (best Plan, ok bool) {
	t := cfg.Topology
	if uint64(t.W)*uint64(t.H) > uint64(multiprocessors*schedulers*mostPatchWords*32*ptx.Lanes) ||
		cfg.Rule.Random() || !t.WrapsStraight() {
		return Plan{}, false
	}
	least := math.Inf(1)
	for _, words := range []int{2, 1, 4} {
		f, err := ps.Of(cfg, Plan{Patches: true, Words: words})
		if err != nil || !patches.Suits(f) {
			return Plan{}, false
		}
		for depth := 1; depth*f.Radius <= patches.MostReach; depth++ {
			for rows := 1; rows*words*f.Planes <= mostPatchWords; rows++ {
				p := Plan{Patches: true, Depth: depth, Words: words, Rows: rows}
				if cost := p.patchCost(f, t, multiprocessors); cost < least {
					best, least = p, cost
				}
			}
		}
	}
	return best, best.Patches
}

// The costs of patches, in cycles, measured on an H200. An instruction of the logic pipe takes two. Two warps
// of a scheduler come to an exchange at the same time, so they would hide nothing from each other: each
// scheduler has one at most.
const (
	shuffleWait  = 40   // a generation
	exchangeWait = 1250 // an exchange, from giving cells to taking them: at least so long,
	exchangeBase = 300  // and this
	exchangeRow  = 260  // and this for each row of a lane
)

// patchCost is the time of a generation, infinite for plans that are not possible.
func (p Plan) patchCost(f *warpprog.Program, t topology.Topology, multiprocessors int) float64 {
	grid, ok := p.PatchGrid(f, t)
	if !ok || grid.Patches() > schedulers*multiprocessors || f.Tables()*p.Words*(p.Rows+f.Radius) > bodyLimit {
		return math.Inf(1)
	}
	depth := float64(p.Depth)
	// rows of other lanes are partly computed again
	tables := float64(f.Tables()*p.Words) * (float64(p.Rows) + 0.5*float64(f.Radius))
	exchange := max(exchangeWait, exchangeBase+exchangeRow*float64(p.Rows*f.Planes))
	return 2*tables + shuffleWait + exchange/depth
}
