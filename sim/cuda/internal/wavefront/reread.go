package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/ptx"
)

// reread goes down the rows of the cells that entered `ago` rows before.
type reread struct {
	ago  int
	base []ptx.B64 // by source: the lane's words of row 0
	// The prefetched words of row Prefetched, by plane.
	ahead []ptx.B64
	wait  ptx.B32 // rows until the first that counts
	row   ptx.B32
	next  [][]ptx.B32 // rows loaded ahead: by row of the turn, then plane·words + word
}

// makeRereads makes the rereads that the program needs. They begin with the row that enters first, and stay
// there until it is their turn.
func (s *writer) makeRereads() {
	for _, n := range s.f.Nodes {
		if n.Ago == 0 || slices.ContainsFunc(s.rereads, func(r *reread) bool { return r.ago == n.Ago }) {
			continue
		}
		s.rereads = append(s.rereads, &reread{ago: n.Ago, base: s.in.base, ahead: s.in.ahead})
	}
	for _, r := range s.rereads {
		r.wait, r.row = s.k.NewB32(), s.k.NewB32()
		s.k.Assign(r.wait, r.ago)
		s.k.Move(r.row, s.in.row)
	}
}

// loadRereads reads the old rows into the registers of row u of a turn.
func (s *writer) loadRereads(u int, rereads ...*reread) {
	k := s.k
	for _, r := range rereads {
		if len(r.next) <= u {
			regs := make([]ptx.B32, len(r.base)*s.Words)
			for i := range regs {
				regs[i] = k.NewB32()
			}
			r.next = append(r.next, regs)
		}
		for p, base := range r.base {
			for j, v := range k.Load(k.MulWide(r.row, s.in.stride, base), 0, s.Words) {
				k.Move(r.next[u][p*s.Words+j], v)
			}
		}
		for _, base := range r.ahead {
			k.Prefetch(k.MulWide(r.row, s.in.stride, base))
		}
		begun := k.CompareN("le", r.wait, 0)
		k.Increase(r.wait, -1)
		k.Move(r.row, k.Add(r.row, k.SelectN(begun, 1, 0)))
		k.Move(r.row, k.Select(k.Compare("eq", r.row, s.in.end), s.in.first, r.row))
	}
}

// enteredBefore is the row that entered so long ago, by plane·words + word: zero before the first.
func (s *writer) enteredBefore(ago int) []ptx.B32 {
	k := s.k
	i := slices.IndexFunc(s.rereads, func(r *reread) bool { return r.ago == ago })
	counts := k.SelectN(k.CompareN("ge", k.AddN(s.i, s.pos), ago), -1, 0)
	var in []ptx.B32
	for _, r := range s.rereads[i].next[s.pos] {
		in = append(in, k.And(r, counts))
	}
	return s.inVolume(in, ago)
}
