package cpu

import (
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	batches "github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// abreast is as many small universes as a vector has bits: bit b of vector j of row y is the cell (j, y) of universe b. To an engine that
// is one universe, cut into strips as always, but that each strip is closed upon itself:
//
//	         universe 0    universe 1        universe 511
//	row y ┌─────────────┬─────────────┬─ ··· ─┬─────────────┐
//	      │0 1 2 …  w-1 │0 1 2 …  w-1 │       │0 1 2 …  w-1 │
//	      └─│───────────┴─│───────────┴─ ··· ─┴─│───────────┘
//	        ▼ bit 0       ▼ bit 1               ▼ bit 511       of vector 1
//
// So the ghosts at the ends of a row are copies of whole vectors, or dead on a plane.
type abreast struct {
	*engine
	each topology.Topology // of a universe
}

// abreastTopology reports whether universes of a topology can lie side by side: rows and columns must only be copies of their own.
func abreastTopology(t topology.Topology) bool {
	return t.Bounded() && (t.Kind == topology.Torus && t.Axis == topology.NoAxis || t.Kind == topology.Plane)
}

func newAbreast(r rule.Rule, t topology.Topology, code Code, threads int) (*abreast, error) {
	circuit := logic.Compile(r)
	p := logic.LowerColumns(circuit)
	if code == Portable {
		p = logic.Lower(circuit)
	} else if len(p.Ops) > longestCode {
		return nil, fmt.Errorf("%d operations are too many for %s", len(p.Ops), code)
	}
	l := newLayout(t.W, t.H, code.lanes(), 1, radius(p))
	l.nv, l.w = t.W, t.W*l.strips
	l.stride = ((l.nv+2*l.ghost)*l.lanes + 7) &^ 7
	plan := Plan{Code: code, Slabs: 1, Depth: abreastDepth(p, &l), Threads: max(1, min(threads, t.H/8))}
	spare := plan.Threads * maxDrift(p)
	if err := grid.Fits(grid.Product(8, uint64(l.stride), uint64(p.Planes), uint64(t.H+spare))); err != nil {
		return nil, err
	}
	all := t
	all.W = l.w
	u := newUniverse(all, p.Planes, l, spare)
	u.ghosts = l.closed(t.Kind == topology.Plane)
	a := &abreast{&engine{plan: plan, u: u, cells: make([]uint64, (l.w+63)/64)}, t}
	for i := range plan.Threads {
		k, err := newKernel(code, p, &u.layout, u.ghosts)
		if err != nil {
			return nil, err
		}
		a.bands = append(a.bands, newBand(u, p, k, plan.Depth, i*t.H/plan.Threads, (i+1)*t.H/plan.Threads, i))
	}
	return a, nil
}

// abreastDepth is as many generations a pass as rows find room for in a first-level cache; sums that start anew gain nothing by more.
func abreastDepth(p *logic.Program, l *layout) int {
	const cache = 24 << 10
	if p.Warm > 0 {
		return 1
	}
	return max(1, min(6, cache/(8*l.stride*p.Planes*(p.Up-p.Down+1))))
}

// closed are the ghosts of strips that are each closed upon themselves, or dead beyond their ends.
func (l *layout) closed(dead bool) []move {
	var all []move
	for k := range l.ghost {
		for _, m := range []move{
			{dst: -1 - k, src: ((-1-k)%l.nv + l.nv) % l.nv},
			{dst: l.nv + k, src: k % l.nv},
		} {
			if dead {
				m.src = none
			}
			all = append(all, m)
		}
	}
	return all
}

// universes is how many there are.
func (a *abreast) universes() int { return a.u.strips }

// fill makes the first universes soups.
func (a *abreast) fill(soups []soup.Soup) {
	w := a.each.W
	row := make([]uint64, (w+63)/64)
	for y := range a.each.H {
		clear(a.cells)
		for b, s := range soups {
			s.Row(row, uint64(y)*uint64(w), w)
			put(a.cells, b*w, row, w)
		}
		a.writeRow(0, y, a.cells)
		clear(a.cells)
		for k := 1; k < a.u.planes; k++ {
			a.writeRow(k, y, a.cells)
		}
	}
}

func (a *abreast) writeRow(plane, y int, cells []uint64) {
	row := a.u.row(plane, y)
	a.u.pack(row, 0, cells)
	a.u.mend(row, a.u.ghosts)
}

// put stores n cells in a packed row from bit x on, where there were zeros.
func put(dst []uint64, x int, src []uint64, n int) {
	for i := 0; i < n; i += 64 {
		store(dst, x+i, src[i>>6], min(64, n-i))
	}
}

// write makes universe b the cells of a grid.
func (a *abreast) write(b int, g *grid.Grid) {
	w := a.each.W
	row := make([]uint64, (w+63)/64)
	for y := range a.each.H {
		for k := range a.u.planes {
			a.u.unpack(a.cells, a.u.row(k, y), 0)
			g.ReadRow(row, k, 0, y, w)
			for i := 0; i < w; i += 64 {
				replace(a.cells, b*w+i, row[i>>6], min(64, w-i))
			}
			a.writeRow(k, y, a.cells)
		}
	}
}

// side is the cells of all universes, row by row of all of them: where they can be looked at one by one.
type side struct {
	t      topology.Topology
	planes int
	rows   [][]uint64 // of plane k: row y at k·h + y; universe b begins at bit b·w
	first  int        // the bit at which the universe in hand begins
}

// lay lays all universes side by side; s has been laid before by universes of the same shape, or never.
func (a *abreast) lay(s *side) {
	a.prepare(s)
	for row := range s.rows {
		a.layRow(s, row)
	}
}

// prepare makes room for lay.
func (a *abreast) prepare(s *side) {
	if s.rows == nil {
		s.t, s.planes = a.each, a.u.planes
		for range s.planes * s.t.H {
			s.rows = append(s.rows, make([]uint64, (a.u.w+63)/64))
		}
	}
}

// layRow lays one of the rows.
func (a *abreast) layRow(s *side, row int) {
	a.u.unpack(s.rows[row], a.u.row(row/s.t.H, row%s.t.H), 0)
}

// hold takes universe b in hand.
func (s *side) hold(b int) { s.first = b * s.t.W }

// Bounds implements grid.Source.
func (s *side) Bounds() grid.Rect { return grid.Rect{W: s.t.W, H: s.t.H} }

// Planes implements grid.Source.
func (s *side) Planes() int { return s.planes }

// ReadRow implements grid.Source for rows that lie in the universe.
func (s *side) ReadRow(dst []uint64, plane, x, y, n int) {
	row := s.rows[plane*s.t.H+y]
	for i := 0; i < n; i += 64 {
		dst[i>>6] = load(row, s.first+x+i, min(64, n-i))
	}
}

// population counts the cells not in state 0 of the universe in hand.
func (s *side) population() (n uint64) {
	for y := range s.t.H {
		for x := 0; x < s.t.W; x += 64 {
			var live uint64
			for k := range s.planes {
				live |= load(s.rows[k*s.t.H+y], s.first+x, min(64, s.t.W-x))
			}
			n += uint64(bits.OnesCount64(live))
		}
	}
	return n
}

// clusters adds the counts of the universe in hand to counts.
func (s *side) clusters(l *component.Labeller, c component.Connectivity, counts []batches.Count) ([]batches.Count, error) {
	found, err := l.Label(s, s.t, c)
	if err != nil {
		return nil, fmt.Errorf("clusters: %w", err)
	}
	for size, n := range found.Sizes.All() {
		counts = append(counts, batches.Count{Size: uint32(size), Count: uint32(n)})
	}
	return counts, nil
}
