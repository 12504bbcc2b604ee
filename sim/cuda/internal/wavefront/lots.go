package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/ptx"
)

// lots are the random bits of a level. They come with the row that enters it, which is the one that entered the first level `ago` rows before.
type lots struct {
	ago   int
	base  []ptx.B64   // by plane: the lane's words of row 0
	ahead []ptx.B64   // by plane: those of row Prefetched
	next  [][]ptx.B32 // rows loaded ahead: by row of the turn, then plane·words + word
}

// makeTrail makes the registers of the rows that levels take their random bits from.
func (s *writer) makeTrail() {
	if len(s.random) == 0 {
		return
	}
	for range s.random[len(s.random)-1].ago + 1 {
		r := s.k.NewB32()
		s.k.Move(r, s.in.row)
		s.keptTrail = append(s.keptTrail, r)
	}
	s.trail = s.keptTrail
}

// remember puts the row that the cells are loaded from into the trail.
func (s *writer) remember() {
	if len(s.keptTrail) == 0 {
		return
	}
	row := s.k.NewB32()
	s.k.Move(row, s.in.row)
	s.trail = append([]ptx.B32{row}, s.trail[:len(s.trail)-1]...)
}

// keepTrail moves the trail to where it is kept from turn to turn, from the oldest row on.
func (s *writer) keepTrail() {
	for i, r := range slices.Backward(s.trail) {
		s.k.Move(s.keptTrail[i], r)
	}
	s.trail = s.keptTrail
}

// loadLots reads random bits of all levels into the registers of row u of a turn, after the cells.
func (s *writer) loadLots(u int) {
	for _, r := range s.random {
		s.loadLot(u, r)
	}
}

func (s *writer) loadLot(u int, r *lots) {
	k := s.k
	if len(r.next) <= u {
		regs := make([]ptx.B32, len(r.base)*s.Words)
		for i := range regs {
			regs[i] = k.NewB32()
		}
		r.next = append(r.next, regs)
	}
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
