package multispin

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/bands"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// group is as many small universes as a vector has bits: bit b of vector j of row y is the cell (j, y) of
// universe b. To an engine that is one universe cut into strips, as always, except that each strip is closed to
// a ring:
//
//	         universe 0    universe 1        universe 511
//	row y ┌─────────────┬─────────────┬─ ··· ─┬─────────────┐
//	      │0 1 2 …  w-1 │0 1 2 …  w-1 │       │0 1 2 …  w-1 │
//	      └─│───────────┴─│───────────┴─ ··· ─┴─│───────────┘
//	        ▼ bit 0       ▼ bit 1               ▼ bit 511       of vector 1
//
// Therefore, the halo of a row is copies of whole vectors, or dead on a plane.
//
// In a volume there is such a row for each row of each layer.
type group struct {
	sim.Engine
	bands *bands.Engine // the same in two dimensions; nil in three
	rule  rule.Rule
	each  topology.Topology // of a universe
	plan  plan.Plan
	cells []uint64 // scratch: a row of all universes
}

// newGroup opens bands in which each bit of a word is a universe.
func newGroup(r *compile.Compiled, t topology.Topology, code codegen.Code, threads int) (*group, error) {
	p := code.Program(r)
	if code != codegen.Portable && len(p.Ops) > compile.LongestProgram {
		return nil, fmt.Errorf("%d operations are too many for %s", len(p.Ops), code)
	}
	chosen := plan.Plan{Code: code, Slabs: 1, Depth: depthFor(p, t, code), Threads: max(1, min(threads, t.H/8))}
	g := &group{rule: r.Rule, each: t, plan: chosen, cells: make([]uint64, t.W*code.Lanes())}
	if t.Volume() {
		g.plan.Threads = max(1, min(threads, t.D/8))
		var err error
		g.Engine, err = ofVolumes(t, p, g.plan)
		return g, err
	}
	e, err := bands.NewMultispin(t, p, chosen)
	if err != nil {
		return nil, err
	}
	g.Engine, g.bands = e, e
	g.seed(nil)
	return g, nil
}

// depthFor returns the number of generations of a pass: the largest number with room for its rows in the first-level
// cache. Programs with running sums start again at each pass, so they gain nothing from more than one.
func depthFor(p *rowprog.Program, t topology.Topology, code codegen.Code) int {
	const cache = 24 << 10
	if t.Volume() {
		return depthForVolumes(p, t, code)
	}
	if p.Warm > 0 {
		return 1
	}
	row := 8 * code.Lanes() * (t.W + 2*p.Radius())
	return max(1, min(6, cache/(row*p.Planes*(p.Up-p.Down+1))))
}

// depthForVolumes is depthFor in three dimensions. Several generations of a pass pay only if the universes do
// not fit the second-level cache. Measured on a core with AVX-512 for 3D4,5/5, in 10⁹ cells/s, 1 and 3
// generations a pass: 60 and 54 for 16³, 71 and 77 for 32³, 34 and 48 for 64³.
func depthForVolumes(p *rowprog.Program, t topology.Topology, code codegen.Code) int {
	const cache = 4 << 20
	if 8*code.Lanes()*t.W*t.H*p.Planes <= cache {
		return 1
	}
	return 3
}

// universes is the number of universes in a group.
func (g *group) universes() int { return 64 * g.plan.Code.Lanes() }

// width is the number of columns of all universes.
func (g *group) width() int { return g.each.W * g.universes() }

// fill makes the first universes soups.
func (g *group) fill(soups []soup.Soup) error {
	w := g.each.W
	row := make([]uint64, (w+63)/64)
	g.seed(soups)
	for y := range g.each.H {
		clear(g.cells)
		for b, s := range soups {
			s.Row(row, uint64(y)*uint64(w), w)
			put(g.cells, b*w, row, w)
		}
		if err := g.writeAll(0, y); err != nil {
			return err
		}
		clear(g.cells)
		for k := 1; k < g.Planes(); k++ {
			if err := g.writeAll(k, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// seed gives the random part of each universe the seed of its soup, unless the rule names a seed.
func (g *group) seed(soups []soup.Soup) {
	if !g.rule.Random() {
		return
	}
	seeds := make([]uint64, g.universes())
	for i := range seeds {
		seeds[i] = g.rule.Chance.Seed
		if !g.rule.Chance.Seeded && i < len(soups) {
			seeds[i] = soups[i].Seed()
		}
	}
	g.bands.Seed(seeds)
}

// writeAll writes a row of all universes from cells.
func (g *group) writeAll(plane, y int) error {
	return g.WriteRow(g.cells, plane, 0, y, g.width())
}

// put stores n cells in a packed row from bit x on. There must be zeros.
func put(dst []uint64, x int, src []uint64, n int) {
	for i := 0; i < n; i += 64 {
		layout.Store(dst, x+i, src[i>>6], min(64, n-i))
	}
}

// write makes universe b the cells of a grid.
func (g *group) write(b int, from *grid.Grid) error {
	return grid.Copy(g.Engine, from, from.Bounds(), b*g.each.W, 0)
}

// lay copies the cells of all universes to s, which is new or was used for universes of the same shape.
func (g *group) lay(s *side) error {
	g.prepare(s)
	for row := range s.rows {
		if err := g.layRow(s, row); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes room for lay.
func (g *group) prepare(s *side) {
	if s.rows == nil {
		s.t, s.planes = g.each, g.Planes()
		for range s.planes * s.t.H {
			s.rows = append(s.rows, make([]uint64, len(g.cells)))
		}
	}
}

// layRow copies one of the rows.
func (g *group) layRow(s *side, row int) error {
	return g.ReadRow(s.rows[row], row/s.t.H, 0, row%s.t.H, g.width())
}
