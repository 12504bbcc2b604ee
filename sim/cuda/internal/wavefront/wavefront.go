// Package wavefront writes the kernels that advance a universe, as text in PTX. One warp goes down all rows of
// a strip, and advances them by several generations at once.
package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
)

// Plan describes how a kernel goes down the rows of a strip. It never changes the result.
//
// The words of a lane are interleaved. With two words, a lane has 64 columns:
//
//	column   0  1  2  3  4  5  …  62  63
//	word     0  1  0  1  0  1      0   1
//	bit      0  0  1  1  2  2     31  31
//
// The right neighbours of all cells of word 0 are then the cells of word 1, without any shift. Only
// word 1 has neighbours at other bits: those of word 0, one bit further.
type Plan struct {
	Depth  int // generations a pass
	Words  int // words of 32 cells in a lane, interleaved: column c of a group of 32·words is bit c/words of word c%words
	Unroll int // rows a turn of the loop
	// parts of the warm-up, each with more generations at work, and of the cool-down; one for programs with random
	// bits
	Stages int
	Kept   int  // nodes with a long past that is kept in registers anyway
	Ring   int  // lanes that hold a row as a ring: the first and the last are neighbours; 0: a row is no ring
	Plane  bool // cells outside the universe are dead and stay so
	Volume bool // rows are layers: see volume.go
	Drawn  bool // lanes draw the random bits that they need; else they load them
	Block  int  // warps of a block, which may load what another of them has loaded; 0 is 1
}

// BlockWarps is the number of warps of a block.
func (p Plan) BlockWarps() int { return max(1, p.Block) }

// A writer writes the kernel that advances a strip of the universe by depth generations while it goes down the
// rows once (a wavefront). One warp has one strip, a lane has a few words of it. When row e enters, level l
// makes generation l+1 of row e - l·(up+1) - up. It makes it of rows that it remembers in registers, or for
// long delays in shared memory. It hands the row to the next level, which uses it one iteration later, so the
// levels of an iteration do not wait for each other.
//
//	row e              ──▶ level 0        iteration i: e = y0 - depth·radius + i
//	row e - (up+1)     ──▶ level 1
//	row e - 2·(up+1)   ──▶ level 2 …      a level is at work from the first row it needs on to the last one
//
// At each level radius columns at the sides of a strip become wrong, so its outer lanes are not stored. With a
// program that looks to the right only, only columns on the right become wrong: such a strip starts
// depth·radius columns to the left of its first group.
type writer struct {
	Plan
	f *warpprog.Program
	k *ptx.Kernel

	levels []*level
	pos    int // row of the turn being written

	column   []ptx.B32 // by word, plane only: the bits that lie in the universe
	inside   ptx.B32   // plane only: bit b says whether row e-b lies in the universe
	entering ptx.B32   // plane only: row e+1, of a volume e, not wrapped
	interior ptx.Pred  // plane only: all that the strip looks at lies in the universe

	margin []ptx.B32 // by word, programs that drift only: see margins

	// by source, plane of a volume only: all ones if the row lies in the universe; 0 for rows that always do
	beside []ptx.B32

	given given

	keeps   []bool // by node, see chooseKept
	rings   ringAllocation
	cursors map[cursor]ptx.B32
	scratch ptx.B64
	block   ptx.B32 // number of the strip
	warp    ptx.B32 // of the block, if it has several
	number  ptx.B32 // of the lane
	lane    ptx.B32 // the same until rings begin; then the lane's place in shared memory
	left    ptx.B32 // ring only: the lane on the left
	right   ptx.B32

	fetched map[fetch]ptx.B32
	shifted map[fetch]ptx.B32
	sides   map[int]ptx.Pred // programs that drift only, by how many lanes on: there is such a lane

	next    [][]ptx.B32 // rows loaded ahead: by row of the turn, then plane·words + word
	in      loader
	sources []warpprog.Entering // of the program: the rows that are loaded together
	rereads []*reread
	chances []circuit.Chance // of the program
	random  []*lots          // by level: their bits, a plane for each
	// makes them if they are rare and drawn: a turn's, those of row u of level l as task l·unroll + u
	shower *noise.Shower
	fallen map[[2]int][]ptx.B32
	// the row to load, as one of the universe, where random bits are drawn; of a lane's task for a shower
	place  ptx.B32
	placed struct{ top, tall ptx.B32 } // see Place
	tall   ptx.B32                     // rows of the universe: see Arguments
	// The rows that were loaded last, the newest first, and where they are kept from turn to turn: see lots.
	trail, keptTrail []ptx.B32
	out              storer
	// by plane: where a lane's words are, of row 0 and of row Prefetched
	loads func(n int, first ptx.B64) (base, ahead []ptx.B64)
	i     ptx.B32
	rows  ptx.B32
}

// level is the state of one generation.
type level struct {
	number int
	past   [][][]ptx.B32 // registers of the past by node, word and delay-1, for short delays
	// rows of the past loaded from shared memory for this turn, by node and word; index: row of the turn and delay
	ahead [][][]ptx.B32
	made  [][][]ptx.B32 // rows made in this turn, by node and word
	out   []ptx.B32     // what the level handed on in the last iteration, by plane·words + word
	kept  []ptx.B32     // where out is kept from turn to turn
}

// fetch names a register moved by some lanes or bits.
type fetch struct {
	r ptx.B32
	n int
}

// cursor is a moving place in the rings of one length: the turn that many turns ahead (mod the ring).
type cursor struct{ slots, turn int }

// Prefetched is the number of rows ahead a row is brought into the cache before it is loaded. As many rows
// exist below the last one.
const Prefetched = 8

// leastResident is the smallest number of warps that must fit on a multiprocessor. It is so small that a thread
// may use all registers.
const leastResident = 8

// firstIteration is the first iteration in which level l is needed, when the first row that counts
// enters it. Level l reads rows from y0 - (depth-l)·radius on, because each of the levels from it on
// needs radius rows more than it makes. A row enters level l up+1 iterations after it has entered
// level l-1.
func (s *writer) firstIteration(l int) int { return l * (s.f.Radius + s.f.Up + 1) }

// LastIteration is the last iteration in which level l is needed, less the rows of the strip. Level l
// makes row
//
//	y0 - depth·radius + i - l·(up+1) - up          in iteration i
//	y0 + rows - 1 + (depth-1-l)·radius             at last
//
// Both are equal in the iteration that is returned, plus rows.
func (p Plan) LastIteration(f *warpprog.Program, l int) int {
	return (2*p.Depth-1-l)*f.Radius - 1 + (l+1)*f.Up + l
}

// Halo is the number of groups on either side whose cells a strip looks at.
func (p Plan) Halo(f *warpprog.Program) int {
	if p.Ring > 0 {
		return 0
	}
	columns := p.Depth * f.Radius
	if f.Drifts {
		columns += f.Radius // see margins
	}
	return (columns + 32*p.Words - 1) / (32 * p.Words)
}

// Stored is the number of groups of a strip that are stored, from lane `from` on.
func (p Plan) Stored(f *warpprog.Program) (from, n int) {
	h := p.Halo(f)
	if f.Lead > 0 {
		return 0, ptx.Lanes - (2*p.Depth*f.Radius+32*p.Words-1)/(32*p.Words)
	}
	return h, ptx.Lanes - 2*h
}

// Folds reports whether the strip of a warp may begin in one tier and go on in the next.
//
// A tier is the rows of a strip over the whole width. The groups of all tiers are laid end to end, with the cells
// around them in between, and dealt to warps. Each warp gets as many groups as it stores. Therefore, only the last
// warp has lanes left over. Programs that use the sides of a strip, or its place, do not fold: each tier then ends
// with its own warp. Programs that read old rows again do not fold either, because folding made them slower. A row that
// is a ring of some lanes has no cells around it.
//
//	tier 0                       tier 1
//	├ groups ┤ around │ groups ┤ around │ …
//	├ warp 0 ──┤├ warp 1 ──┤├ warp 2 ──┤├ …
func (p Plan) Folds(f *warpprog.Program) bool {
	rereads := slices.ContainsFunc(f.Nodes, func(n dataflow.Node) bool { return n.Ago > 0 })
	return (!p.Plane || p.Volume) && p.Ring < ptx.Lanes && !p.Drawn && !f.Drifts && !rereads
}

// Across is the number of strips side by side in a tier, where warps do not fold.
func (p Plan) Across(f *warpprog.Program, groups int) int {
	_, stored := p.Stored(f)
	return (groups + stored - 1) / stored
}

// Warps returns the number of strips that cover the given groups and rows, with the given rows of a strip. deep is the
// number of rows of a layer; 1 in two dimensions.
func (p Plan) Warps(f *warpprog.Program, groups, deep, height, rows int) int {
	tiers := (height + rows - 1) / rows * deep
	if !p.Folds(f) {
		return tiers * p.Across(f, groups)
	}
	_, stored := p.Stored(f)
	return ((tiers-1)*(groups+ptx.Lanes-stored) + groups + stored - 1) / stored
}

// Write adds the kernel to a module. It returns the bytes that the rings of a warp take, in shared memory where they
// fit. A plan with random bits in shared memory has no rings there.
func Write(m *ptx.Module, name string, f *warpprog.Program, p Plan) int {
	warps := p.BlockWarps()
	s := &writer{Plan: p, f: f, k: m.Kernel(name, ptx.Lanes*warps, leastResident/warps), sources: f.Entering()}
	s.prologue()
	if s.Plane && !s.Volume {
		s.planeBodies()
	} else {
		s.body()
	}
	return s.rings.total
}

// inRegisters reports whether a node's past is kept in registers.
func (s *writer) inRegisters(n int) bool {
	return s.f.Delay[n] <= warpprog.LongestInRegisters || s.keeps[n]
}

// chooseKept picks the nodes with a long past that the plan keeps in registers.
func (s *writer) chooseKept() {
	s.keeps = make([]bool, len(s.f.Nodes))
	left := s.Kept
	for n, d := range s.f.Delay {
		if d > warpprog.LongestInRegisters && left > 0 {
			s.keeps[n] = true
			left--
		}
	}
}

// state makes the registers and rings of all levels, all zero. Rows of the past that were never made
// count as dead, which the warm-up allows for: the rows that it makes are not stored.
func (s *writer) state() {
	k := s.k
	zero := func() ptx.B32 {
		r := k.NewB32()
		k.Assign(r, 0)
		return r
	}
	s.chooseKept()
	s.rings = newRings(s)
	for l := range s.Depth {
		lev := &level{number: l, past: make([][][]ptx.B32, len(s.f.Nodes))}
		for n := range s.f.Nodes {
			lev.past[n] = make([][]ptx.B32, s.Words)
			if !s.inRegisters(n) {
				continue
			}
			for j := range s.Words {
				for range s.f.Delay[n] {
					lev.past[n][j] = append(lev.past[n][j], zero())
				}
			}
		}
		if l < s.Depth-1 {
			for range s.f.Planes * s.Words {
				lev.kept = append(lev.kept, zero())
			}
		}
		s.levels = append(s.levels, lev)
	}
	s.clearRings()
	s.makeRereads()
	s.makeTrail()
	for u := range s.Unroll {
		s.loadRereads(u, s.rereads...)
		s.next = append(s.next, nil)
		for range len(s.sources) * s.Words * s.parts() {
			s.next[u] = append(s.next[u], k.NewB32())
		}
		s.load(u)
		s.loadLots(u)
	}
	s.keepTrail()
}

// planeBodies writes the loops twice. Strips that see only cells of the universe take the one that does not
// keep other cells dead.
func (s *writer) planeBodies() {
	edge, end := s.k.NewLabel(), s.k.NewLabel()
	s.k.BranchUnless(s.interior, edge)
	s.Plane = false
	s.body()
	s.k.Branch(end)
	s.k.Place(edge)
	s.Plane = true
	s.body()
	s.k.Place(end)
}

// body writes the loops. The warm-up goes in stages, each with more active levels than the one before. In the
// cool-down each stage has fewer.
func (s *writer) body() {
	stages := max(1, min(s.Stages, s.Depth))
	bound := func(i int) int { return i * s.Depth / stages } // the first level of a stage
	for i := 1; i < stages; i++ {
		until := s.firstIteration(bound(i)) / s.Unroll * s.Unroll
		s.loop(0, bound(i), s.k.Const(until))
	}
	for i := 1; i <= stages; i++ {
		lowest := bound(i - 1)
		s.loop(lowest, s.Depth, s.k.AddN(s.rows, s.LastIteration(s.f, bound(i)-1)+1))
	}
}

// loop writes turns with levels low ≤ l < high until iteration `until`, none if it is reached already.
func (s *writer) loop(low, high int, until ptx.B32) {
	k := s.k
	top, end := k.NewLabel(), k.NewLabel()
	k.BranchUnless(k.Compare("lt", s.i, until), end)
	k.Place(top)
	s.turn(low, high)
	k.Increase(s.i, s.Unroll)
	k.BranchIf(k.Compare("lt", s.i, until), top)
	k.Place(end)
}

// turn writes the iterations of a turn of the loop. Within a turn, a row of the past is a register
// that the writer knows by name, and nothing is moved. Only at the end of the turn do the newest rows
// move to the registers in which the next turn finds them.
func (s *writer) turn(low, high int) {
	s.given.made = map[mask]ptx.B32{}
	s.fall()
	s.loadPast(low, high)
	for l := range s.levels {
		s.levels[l].out = s.levels[l].kept
	}
	for l := low; l < high; l++ {
		lev := s.levels[l]
		lev.made = make([][][]ptx.B32, len(s.f.Nodes))
		for n := range lev.made {
			lev.made[n] = make([][]ptx.B32, s.Words)
		}
	}
	for s.pos = range s.Unroll {
		s.iteration(low, high)
	}
	for l := low; l < high; l++ {
		s.keep(s.levels[l])
	}
	for l := low; l < min(high, s.Depth-1); l++ {
		for i, r := range s.levels[l].kept {
			s.k.Move(r, s.levels[l].out[i])
		}
	}
	s.storePast(low, high)
	s.keepTrail()
	s.k.Increase(s.out.row, s.Unroll)
}

// iteration writes the code for a row that enters: the active levels make a row each.
func (s *writer) iteration(low, high int) {
	k := s.k
	if s.Plane && !s.Volume {
		p := k.Below(s.entering, s.tall)
		k.Move(s.inside, k.Or(k.ShlN(s.inside, 1), k.SelectN(p, 1, 0)))
		k.Increase(s.entering, 1)
	}
	// The highest level comes first. Each takes the row that the level below it has handed on in the iteration before.
	for l := high - 1; l >= low; l-- {
		var in []ptx.B32
		if l > 0 {
			in = s.wanted(l, s.levels[l-1].out)
		} else {
			in = s.inVolume(s.entered(s.pos), 0)
			s.load(s.pos)
		}
		out := s.compute(l, in)
		switch {
		case s.Plane && s.Volume:
			for i := range out {
				out[i] = k.And(out[i], s.column[i%s.Words])
			}
			k.Increase(s.entering, 1)
		case s.Plane:
			// Level l makes row e - (l+1)·up - l.
			row := s.insideRow((l+1)*s.f.Up + l)
			for i := range out {
				out[i] = k.Lop3(0x80, out[i], row, s.column[i%s.Words])
			}
		}
		if l == s.Depth-1 {
			s.store(out)
			continue
		}
		s.levels[l].out = out
	}
	s.loadLots(s.pos)
}

// insideRow is all ones if the row the given number of rows before the entering one lies in the universe.
func (s *writer) insideRow(before int) ptx.B32 {
	if before < 32 {
		return s.k.BitMask(s.inside, before)
	}
	return s.k.SelectN(s.k.Below(s.k.AddN(s.entering, -1-before), s.tall), -1, 0)
}

// wanted makes the rows that enter level l zeros until the first that counts, if the level has running sums.
func (s *writer) wanted(l int, in []ptx.B32) []ptx.B32 {
	if !s.f.Recurrent {
		return in
	}
	k := s.k
	mask := k.SelectN(k.CompareN("ge", k.AddN(s.i, s.pos), s.firstIteration(l)), -1, 0)
	masked := make([]ptx.B32, len(in))
	for i, r := range in {
		masked[i] = k.And(r, mask)
	}
	return masked
}

// compute makes one row of level l.
func (s *writer) compute(l int, in []ptx.B32) []ptx.B32 {
	k, lev := s.k, s.levels[l]
	s.fetched, s.shifted, s.sides = map[fetch]ptx.B32{}, map[fetch]ptx.B32{}, map[int]ptx.Pred{}
	old := map[int][]ptx.B32{}
	for _, r := range s.rereads {
		old[r.ago] = s.enteredBefore(r.ago)
	}
	s.loadRereads(s.pos, s.rereads...)
	for n, nd := range s.f.Nodes {
		for j := range s.Words {
			var r ptx.B32
			switch nd.Kind {
			case dataflow.Given: // made where it is used
			case dataflow.Input:
				from := in
				if nd.Ago > 0 {
					from = old[nd.Ago]
				}
				r = from[slices.Index(s.sources, warpprog.Entering{Plane: nd.Plane, Layer: nd.Layer})*s.Words+j]
				if s.margin != nil {
					r = k.And(r, s.margin[j])
				}
			case dataflow.Random:
				r = s.lot(l, n, j)
			case dataflow.Moved:
				r = s.operand(lev, nd.In[0], j)
			case dataflow.Const:
				r = k.Const(-int(nd.Imm & 1))
			default:
				var x [3]ptx.B32
				for i, o := range nd.Inputs() {
					x[i] = s.operand(lev, o, j)
				}
				for i := nd.N; i < 3; i++ {
					x[i] = x[0]
				}
				r = k.Lop3(nd.Imm, x[0], x[1], x[2])
			}
			lev.made[n][j] = append(lev.made[n][j], r)
		}
	}
	out := make([]ptx.B32, 0, s.f.Planes*s.Words)
	for _, o := range s.f.Out {
		for j := range s.Words {
			r := s.operand(lev, o, j)
			if o.Delay > 0 || s.f.Follows(o.Node) || s.passing(o.Node) { // a register that is about to take another row
				r = k.Or(r, r)
			}
			out = append(out, r)
		}
	}
	return out
}

// operand is word j of a reference in the row being made.
func (s *writer) operand(lev *level, o dataflow.Ref, j int) ptx.B32 {
	if s.f.Follows(o.Node) {
		return s.parity(lev.number, o, j)
	}
	source, q := warpprog.Split(j+o.DX, s.Words)
	return s.shift(s.past(lev, o.Node, source, o.Delay), q)
}

// past is a word of a node as it was delay iterations ago.
func (s *writer) past(lev *level, n, j, delay int) ptx.B32 {
	at := s.pos - delay
	switch {
	case at >= 0:
		return lev.made[n][j][at]
	case s.inRegisters(n):
		return lev.past[n][j][-at-1]
	default:
		return lev.ahead[n][j][s.rings.index(s.f, n, at)]
	}
}

// shift moves a word of the strip by q columns of the same residue: bit b of the result is bit b+q.
//
//	q = 3     bits 3 … 31 of this lane, then bits 0 … 2 of the lane to the right
//	q = 35    the same, of the next lane and the one after it
func (s *writer) shift(r ptx.B32, q int) ptx.B32 {
	if q == 0 {
		return r
	}
	if v, ok := s.shifted[fetch{r, q}]; ok {
		return v
	}
	// A distance of q columns is some whole lanes and some bits. The bits that are missing come from the lane after it.
	m, bits := warpprog.LanesOf(q)
	v := s.fetch(r, m)
	switch {
	case bits == 0:
	case m < 0 && m == -1:
		v = s.k.FunnelL(v, r, 32-bits)
	default:
		v = s.k.FunnelR(v, s.fetch(r, m+1), bits)
	}
	s.shifted[fetch{r, q}] = v
	return v
}

// fetch is r of the lane m lanes on.
func (s *writer) fetch(r ptx.B32, m int) ptx.B32 {
	if m == 0 {
		return r
	}
	if v, ok := s.fetched[fetch{r, m}]; ok {
		return v
	}
	var v ptx.B32
	k := s.k
	switch {
	case s.Ring == 1:
		v = r
	case s.Ring > 0 && m == 1:
		v = k.ShuffleFrom(r, s.right)
	case s.Ring > 0 && m == -1:
		v = k.ShuffleFrom(r, s.left)
	case s.Ring > 0:
		v = k.ShuffleFrom(r, s.around(m))
	case m >= ptx.Lanes || m <= -ptx.Lanes:
		v = s.beyond(m, r)
	case m > 0:
		v = s.beyond(m, k.ShuffleDown(r, m))
	default:
		v = s.beyond(m, k.ShuffleUp(r, -m))
	}
	s.fetched[fetch{r, m}] = v
	return v
}

// around is the lane that is m lanes on in a ring.
func (s *writer) around(m int) ptx.B32 {
	k := s.k
	lane := k.AndN(k.AddN(s.number, m), uint32(s.Ring-1))
	if s.Ring < ptx.Lanes {
		lane = k.Or(lane, k.AndN(s.number, uint32(ptx.Lanes-s.Ring)))
	}
	return lane
}

// beyond is v, a word of the lane m lanes on, made safe for lanes that have no such lane. A drifting program reads
// zeros there. Any other program may get anything, because it feeds no lane that is stored.
func (s *writer) beyond(m int, v ptx.B32) ptx.B32 {
	if !s.f.Drifts {
		return v
	}
	if _, ok := s.sides[m]; !ok {
		s.sides[m] = s.k.Below(s.k.AddN(s.number, m), s.k.Const(ptx.Lanes))
	}
	return s.k.Select(s.sides[m], v, s.k.Const(0))
}

// keep moves the newest rows of a turn to the registers of the past.
func (s *writer) keep(lev *level) {
	for n, words := range lev.past {
		for j, regs := range words {
			made := lev.made[n][j]
			for d := len(regs); d >= 1; d-- { // from the oldest: each takes the place of one that is no longer needed
				if d <= len(made) {
					s.k.Move(regs[d-1], made[len(made)-d])
				} else {
					s.k.Move(regs[d-1], regs[d-1-len(made)])
				}
			}
		}
	}
}
