package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
)

// lots are the random bits of a level. They enter the level together with its row. That row entered the first level
// `ago` rows before.
type lots struct {
	ago   int
	next  [][]ptx.B32 // rows loaded or drawn ahead: by row of the turn, then plane·words + word
	base  []ptx.B64   // by plane: the lane's words of row 0
	ahead []ptx.B64   // by plane: those of row Prefetched
	// Where lanes draw them:
	uses []*noise.Use
	like *lots // the level before, which had the same bits `up + 1` rows earlier; nil: they are drawn
}

// Shares reports whether the levels of a plan take turns to draw: an even generation's bits are also those of
// the next one. Such a pass must begin with an even generation.
func (p Plan) Shares(f *warpprog.Program) bool {
	return p.Drawn && p.Depth%2 == 0 && p.Unroll > f.Up && f.Chances()[0].Pairs
}

// showers reports whether random bits are drawn as rare ones are.
func (p Plan) showers(f *warpprog.Program) bool { return p.Drawn && !noise.Frequent(f.Chances()) }

// Place says where cells lie in the universe that has the random bits: row 0 is row Top of it, and Tall is the
// number of its rows. It differs from that of Arguments if the cells are those of one of several hosts.
type Place struct{ Top, Tall int }

// RandomArguments are the parameters of a pass that draws its random bits and begins with a generation. Rare
// bits need a table in the device's memory.
func (p Plan) RandomArguments(f *warpprog.Program, seed, generation, table uint64, at Place) []uint64 {
	list := append(noise.Keys(seed), uint64(uint32(at.Top)), uint64(uint32(at.Tall)))
	if p.showers(f) {
		return append(append(list, table), noise.Counters(f.Chances(), generation)...)
	}
	for l := range p.Depth {
		list = append(list, noise.Counters(f.Chances(), generation+uint64(l))...)
	}
	return list
}

// DrawnBytes is the shared memory that a pass takes for its random bits.
func (p Plan) DrawnBytes(f *warpprog.Program) int {
	if !p.showers(f) {
		return 0
	}
	return noise.ShowerBytes(p.Depth * p.Unroll)
}

// readRandom declares the parameters about random bits. It returns a function that prepares them for the lane's
// group, which must exist, and the strip's first group. start is the first row to enter.
func (s *writer) readRandom(groups, wrap ptx.B32) func(own, group, start ptx.B32) {
	k := s.k
	params := func(n int) (list []ptx.B64) {
		for range n {
			list = append(list, k.Param64())
		}
		return list
	}
	for l := range s.Depth * min(1, len(s.chances)) {
		// They come with the row that enters the level: see writer.
		s.random = append(s.random, &lots{ago: l * (s.f.Up + 1)})
	}
	if !s.Drawn {
		first := params(len(s.random))
		return func(own, _, _ ptx.B32) {
			for l, r := range s.random {
				r.base, r.ahead = s.loads(len(s.chances), k.MulWideN(own, 4*s.Words, first[l]))
			}
		}
	}
	keys := noise.ReadKeys(k)
	s.placed.top, s.placed.tall = k.Param32(), k.Param32()
	if s.showers(s.f) {
		given := params(2)
		return func(_, group, start ptx.B32) {
			level := k.DivU(s.number, k.Const(s.Unroll))
			enters := k.Sub(k.Sub(k.Add(start, s.number), k.MulN(level, s.Unroll)), k.MulN(level, s.f.Up+1))
			s.place = s.universeRow(enters)
			s.shower = noise.NewShower(
				k, keys,
				noise.RareBits{Chance: s.chances[0], Table: given[0], Counter: given[1]},
				noise.Columns{First: group, Groups: groups, Wrap: wrap},
				noise.Tasks{N: s.Depth * s.Unroll, Lane: s.number, Ahead: level},
			)
		}
	}
	uses := noise.Uses(s.chances)
	counters := params(s.Depth * uses)
	return func(own, _, start ptx.B32) {
		s.place = s.universeRow(start)
		lane := noise.NewLane(k, keys, own)
		for l, r := range s.random {
			if l%2 == 1 && s.Shares(s.f) {
				r.like = s.random[l-1]
				continue
			}
			r.uses = lane.Uses(s.chances, counters[l*uses:])
		}
	}
}

// universeRow returns a register with the row of the universe in which row y lies: see Place. y may be
// negative: it may lie before row 0 by the rows that the levels are behind, plus less than the height. Adding a
// multiple of the rows of the universe first makes it positive.
func (s *writer) universeRow(y ptx.B32) ptx.B32 {
	k, row := s.k, s.k.NewB32()
	behind := k.AddN(s.tall, s.Depth*(s.f.Radius+s.f.Up+1))
	around := k.Mul(k.AddN(k.DivU(behind, s.placed.tall), 1), s.placed.tall)
	k.Move(row, k.RemU(k.Add(k.Add(y, s.placed.top), around), s.placed.tall))
	return row
}

// nextPlace moves on by some rows, fewer than the universe has.
func (s *writer) nextPlace(rows int) {
	k := s.k
	k.Increase(s.place, rows)
	k.Move(s.place, k.Select(k.Compare("ge", s.place, s.placed.tall), k.Sub(s.place, s.placed.tall), s.place))
}

// fall makes the rare random bits of a turn.
func (s *writer) fall() {
	if s.shower != nil {
		s.shower.Fall(s.place)
		s.nextPlace(s.Unroll)
		s.fallen = map[[2]int][]ptx.B32{}
	}
}

// makeTrail makes the registers of the rows that levels take their random bits from.
func (s *writer) makeTrail() {
	if len(s.random) == 0 || s.shower != nil {
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
		case s.shower != nil:
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
	for _, use := range r.uses {
		for j, v := range use.Row(s.trail[r.ago]) {
			s.k.Move(r.next[u][use.Plane[j]], v)
		}
	}
}

// lot is word j of a node of random bits in the row that enters level l. It is a copy if it is needed after the
// next row has been loaded.
func (s *writer) lot(l, n, j int) ptx.B32 {
	if s.shower != nil {
		at := [2]int{l, s.pos}
		if s.fallen[at] == nil {
			s.fallen[at] = s.shower.Load(l*s.Unroll + s.pos)
		}
		return s.fallen[at][j]
	}
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
