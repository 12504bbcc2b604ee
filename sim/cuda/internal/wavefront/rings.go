package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// ringAllocation places rows with a long delay in shared memory. Each node of each level has a ring of its own.
// The length of a ring is a whole number of turns of the loop, so within a turn every row is at a fixed place
// behind a cursor:
//
//	slot   0   1   2   3 │ 4   5   6   7 │ 8   9  10  11        delay 11, unroll 4: 3 turns
//	                     └ cursor of this turn              row i of the turn is made at slot 4+i and was last seen at 4+i+1
//
// All rows of the past that a turn uses are loaded before it stores its own. Rings that do not fit in shared memory
// are in global memory.
type ringAllocation struct {
	unroll, words int
	warps         int     // of a block
	scratch       ptx.B64 // global memory only: the block's rings
	far           map[ptx.B32]ptx.B64
	base          [][]int // by level and node: bytes from the cursor; -1: none
	total         int
}

// SharedBytes is the shared memory that a block may have.
const SharedBytes = 227 << 10

// newRings gives each node with a long delay a place, level by level.
func newRings(s *writer) ringAllocation {
	a := ringAllocation{unroll: s.Unroll, words: s.Words, warps: s.BlockWarps()}
	for range s.Depth {
		bases := make([]int, len(s.f.Nodes))
		for n := range bases {
			bases[n] = -1
			if !s.inRegisters(n) {
				bases[n] = a.total
				a.total += a.slots(s.f.Delay[n]) * a.slotBytes()
			}
		}
		a.base = append(a.base, bases)
	}
	return a
}

// slots is the length of a ring for a delay: whole turns.
func (a *ringAllocation) slots(delay int) int { return (delay + a.unroll - 1) / a.unroll * a.unroll }

// slotBytes is the size of one row of a strip.
func (a *ringAllocation) slotBytes() int { return 4 * a.words * ptx.Lanes }

// outside reports whether the rings lie in global memory.
func (a *ringAllocation) outside() bool { return Outside(a.total, a.warps) }

// Outside reports whether the rings of a block's warps lie in global memory, because they do not fit in shared memory.
func Outside(ringBytes, warps int) bool { return ringBytes*warps > SharedBytes }

// index is the place where in level.ahead the row of position at < 0 of the turn is.
func (a *ringAllocation) index(f *warpprog.Program, n, at int) int { return at + a.slots(f.Delay[n]) }

// clearRings makes the cursors and zeroes all rings.
func (s *writer) clearRings() {
	if s.rings.total == 0 {
		return
	}
	k := s.k
	var start ptx.B32
	if s.rings.outside() {
		start = k.MulN(s.lane, 4*s.Words)
		strip := s.block
		if s.Volume { // of a batch
			strip = k.MulAdd(k.Special("ctaid.y"), k.MulN(k.Special("nctaid.x"), s.BlockWarps()), strip)
		}
		s.rings.scratch = k.Add64(s.scratch, k.Mul64(k.Wide(strip), k.Const64(uint64(s.rings.total))))
	} else {
		start = k.MulAdd(s.lane, k.Const(4*s.Words), k.Shared())
		if s.BlockWarps() > 1 {
			start = k.MulAdd(s.warp, k.Const(s.rings.total), start)
		}
	}
	zero := make([]ptx.B32, s.Words)
	for j := range zero {
		zero[j] = k.Const(0)
	}
	at, top := k.NewB32(), k.NewLabel()
	k.Move(at, start)
	end := k.AddN(start, s.rings.total)
	k.Place(top)
	s.rings.store(k, at, 0, zero)
	k.Increase(at, s.rings.slotBytes())
	k.BranchIf(k.Compare("lt", at, end), top)

	s.cursors = map[cursor]ptx.B32{}
	for _, c := range s.usedCursors() {
		r := k.NewB32()
		k.Move(r, k.AddN(start, c.turn*s.Unroll*s.rings.slotBytes()))
		s.cursors[c] = r
	}
	s.lane = start // from here on only the lane's place in shared memory is needed
}

// usedCursors are the turns, by length of the ring, whose rows some reference needs, and the one being made.
func (s *writer) usedCursors() []cursor {
	var used []cursor
	add := func(slots, at int) {
		turns := slots / s.Unroll
		c := cursor{slots, (warpprog.FloorDiv(at, s.Unroll) + turns) % turns}
		if !slices.Contains(used, c) {
			used = append(used, c)
		}
	}
	s.eachPast(func(n, at int) {
		add(s.rings.slots(s.f.Delay[n]), at)
	})
	for n, d := range s.f.Delay {
		if !s.inRegisters(n) {
			add(s.rings.slots(d), 0)
		}
	}
	return used
}

// eachPast calls do for every row before this turn that the turn takes from shared memory, at < 0 its position.
func (s *writer) eachPast(do func(n, at int)) {
	seen := map[[2]int]bool{}
	visit := func(r dataflow.Ref) {
		if s.inRegisters(r.Node) {
			return
		}
		for u := range s.Unroll {
			if at := u - r.Delay; at < 0 && !seen[[2]int{r.Node, at}] {
				seen[[2]int{r.Node, at}] = true
				do(r.Node, at)
			}
		}
	}
	for _, n := range s.f.Nodes {
		for _, r := range n.Inputs() {
			visit(r)
		}
	}
	for _, r := range s.f.Out {
		visit(r)
	}
}

// at is the address of an offset in rings in global memory.
func (a *ringAllocation) at(k *ptx.Kernel, offset ptx.B32) ptx.B64 {
	address, ok := a.far[offset]
	if !ok {
		address = k.Add64(a.scratch, k.WideS(offset))
		if a.far != nil {
			a.far[offset] = address
		}
	}
	return address
}

func (a *ringAllocation) load(k *ptx.Kernel, from ptx.B32, offset int) []ptx.B32 {
	if a.outside() {
		return k.LoadChanging(a.at(k, from), offset, a.words)
	}
	return k.LoadShared(from, offset, a.words)
}

func (a *ringAllocation) store(k *ptx.Kernel, to ptx.B32, offset int, regs []ptx.B32) {
	if a.outside() {
		k.Store(a.at(k, to), offset, regs...)
		return
	}
	k.StoreShared(to, offset, regs...)
}

// loadPast reads the rows that the turn needs from the rings.
func (s *writer) loadPast(low, high int) {
	s.rings.far = map[ptx.B32]ptx.B64{} // cursors stay where they are during a turn
	for l := low; l < high; l++ {
		lev := s.levels[l]
		lev.ahead = make([][][]ptx.B32, len(s.f.Nodes))
		s.eachPast(func(n, at int) {
			slots := s.rings.slots(s.f.Delay[n])
			if lev.ahead[n] == nil {
				lev.ahead[n] = make([][]ptx.B32, s.Words)
				for j := range s.Words {
					lev.ahead[n][j] = make([]ptx.B32, slots)
				}
			}
			turns := slots / s.Unroll
			turn := warpprog.FloorDiv(at, s.Unroll)
			from := s.cursors[cursor{slots, (turn + turns) % turns}]
			offset := s.rings.base[l][n] + (at-turn*s.Unroll)*s.rings.slotBytes()
			for j, r := range s.rings.load(s.k, from, offset) {
				lev.ahead[n][j][at+slots] = r
			}
		})
	}
}

// storePast writes the rows the turn has made to the rings and moves the cursors.
func (s *writer) storePast(low, high int) {
	if s.rings.total == 0 {
		return
	}
	k := s.k
	for l := low; l < high; l++ {
		lev := s.levels[l]
		for n, base := range s.rings.base[l] {
			if base < 0 {
				continue
			}
			to := s.cursors[cursor{s.rings.slots(s.f.Delay[n]), 0}]
			for u := range s.Unroll {
				regs := make([]ptx.B32, s.Words)
				for j := range regs {
					regs[j] = lev.made[n][j][u]
				}
				s.rings.store(k, to, base+u*s.rings.slotBytes(), regs)
			}
		}
	}
	// All cursors of a ring move on by a turn, and return to its beginning together with the ring's
	// length.
	for _, c := range s.usedCursors() {
		turn := s.Unroll * s.rings.slotBytes()
		size := c.slots * s.rings.slotBytes()
		r := s.cursors[c]
		k.Increase(r, turn)
		past := k.Compare("ge", r, k.AddN(s.lane, size))
		k.Move(r, k.Select(past, k.AddN(r, -size), r))
	}
}
