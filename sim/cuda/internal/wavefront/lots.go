package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
)

// lots are the random bits of a level. They come with the row that enters it, which is the one that entered the first level `ago` rows before.
type lots struct {
	ago   int
	next  [][]ptx.B32 // rows loaded or drawn ahead: by row of the turn, then plane·words + word
	base  []ptx.B64   // by plane: the lane's words of row 0
	ahead []ptx.B64   // by plane: those of row Prefetched
	// Where lanes draw them:
	uses   []*noise.LaneUse
	planes [][]int // by use and probability
	like   *lots   // the level before, which had the same bits `up + 1` rows earlier; nil: they are drawn
}

// Shares reports whether the levels of a schedule take turns to draw: an even generation's bits are also those of the next one. Such a pass must begin with
// an even generation.
func (s Schedule) Shares(f *warpprog.Program) bool {
	return s.Drawn && s.Depth%2 == 0 && s.Unroll > f.Up && f.Chances()[0].Pairs
}

// RandomArguments are the parameters of a pass that draws its random bits and begins with a generation.
func (s Schedule) RandomArguments(f *warpprog.Program, seed, generation uint64) []uint64 {
	list := noise.LaneKeys(seed)
	for l := range s.Depth {
		list = append(list, noise.LaneUses(f.Chances(), generation+uint64(l))...)
	}
	return list
}

// randomParams declares the parameters about random bits: for each level the address of its planes, or what draws them.
func (s *writer) randomParams(to *[]ptx.B64) (keys [random.Rounds][2]ptx.B32, uses int) {
	each := min(1, len(s.chances))
	if s.Drawn {
		keys, each = noise.ReadKeys(s.k), noise.CountUses(s.chances)
	}
	for range s.Depth * each {
		*to = append(*to, s.k.Param64())
	}
	return keys, each
}

// prepareDraws prepares the draws of all levels, each with the counters of its uses.
func (s *writer) prepareDraws(lane *noise.Lane, uses int, counters []ptx.B64) {
	for l, r := range s.random {
		if l%2 == 1 && s.Shares(s.f) {
			r.like = s.random[l-1]
			continue
		}
		r.uses, r.planes = lane.Uses(s.chances, counters[l*uses:])
	}
}

// makeTrail makes the registers of the rows that levels take their random bits from.
func (s *writer) makeTrail() {
	if len(s.random) == 0 {
		return
	}
	for range s.random[len(s.random)-1].ago + 1 {
		r := s.k.NewB32()
		s.k.Move(r, s.entersNext())
		s.keptTrail = append(s.keptTrail, r)
	}
	s.trail = s.keptTrail
	for _, r := range s.random {
		for range s.Unroll {
			regs := make([]ptx.B32, len(s.chances)*s.Words)
			for i := range regs {
				regs[i] = s.k.NewB32()
				s.k.Assign(regs[i], 0)
			}
			r.next = append(r.next, regs)
		}
	}
}

// entersNext is the row that is loaded next: where it lies in memory or, if random bits are drawn, in the universe.
func (s *writer) entersNext() ptx.B32 {
	if s.Drawn {
		return s.place
	}
	return s.in.row
}

// remember puts the row that the cells are loaded from into the trail.
func (s *writer) remember() {
	if len(s.keptTrail) == 0 {
		return
	}
	row := s.k.NewB32()
	s.k.Move(row, s.entersNext())
	s.trail = append([]ptx.B32{row}, s.trail[:len(s.trail)-1]...)
}

// keepTrail moves the trail to where it is kept from turn to turn, from the oldest row on.
func (s *writer) keepTrail() {
	for i, r := range slices.Backward(s.trail) {
		s.k.Move(s.keptTrail[i], r)
	}
	s.trail = s.keptTrail
}

// loadLots gets the random bits of all levels into the registers of row u of a turn, after the cells.
func (s *writer) loadLots(u int) {
	for _, r := range slices.Backward(s.random) { // before the level that they are like has its next ones
		switch {
		case r.like != nil:
			for i, v := range r.like.next[(u-s.f.Up-1+s.Unroll)%s.Unroll] {
				s.k.Move(r.next[u][i], v)
			}
		case s.Drawn:
			s.drawLot(u, r)
		default:
			s.loadLot(u, r)
		}
	}
}

func (s *writer) loadLot(u int, r *lots) {
	k := s.k
	row := s.trail[r.ago]
	for p, base := range r.base {
		for j, v := range k.Load(k.MulWide(row, s.in.stride, base), 0, s.Words) {
			k.Move(r.next[u][p*s.Words+j], v)
		}
	}
	for _, base := range r.ahead {
		k.Prefetch(k.MulWide(row, s.in.stride, base))
	}
}

func (s *writer) drawLot(u int, r *lots) {
	for i, use := range r.uses {
		for j, v := range use.Row(s.trail[r.ago]) {
			s.k.Move(r.next[u][r.planes[i][j]], v)
		}
	}
}

// lot is word j of a node of random bits in the row that enters level l. It is a copy if it is needed after the next row has been loaded.
func (s *writer) lot(l, n, j int) ptx.B32 {
	r := s.random[l].next[s.pos][slices.Index(s.chances, s.f.Nodes[n].Chance)*s.Words+j]
	if s.f.Delay[n] > 0 {
		return s.k.Or(r, r)
	}
	return r
}

// passing reports whether a node's register is about to take another row.
func (s *writer) passing(n int) bool {
	kind := s.f.Nodes[n].Kind
	return kind == dataflow.Input || kind == dataflow.Random
}
