package census

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// BenchmarkAsh measures how fast the ash of settled soups is divided into objects.
func BenchmarkAsh(b *testing.B) {
	s := &Search{Rule: parseRule(b, "B3/S23"), Root: "ash"}
	c, err := NewCounter(s.Rule, Limits{})
	if err != nil {
		b.Fatal(err)
	}
	var records []*card.Record
	for i := range uint64(3000) {
		s := &soup{index: i, cells: Soup("ash", i, Symmetry{})}
		s.start(true, c.every)
		for !c.advance(s) {
			c.batch.Pass([]*sparse.Universe{&s.Universe}, sparse.PassGenerations)
		}
		r := &card.Record{Soup: i, Fate: card.Settled, Side: 192, Struck: len(s.Escaped())}
		fits := !s.endless
		rows := func() []uint32 {
			words := make([]uint32, 192*6)
			for _, cell := range s.Cells() {
				x, y := cell.X+96, cell.Y+96
				if min(x, y) < 0 || max(x, y) >= 192 {
					fits = false
					continue
				}
				words[y*6+x/32] |= 1 << (x % 32)
			}
			return words
		}
		r.Cells = rows()
		s.WakeAll()
		c.batch.Pass([]*sparse.Universe{&s.Universe}, 1)
		r.Ever = rows()
		for k, word := range r.Cells {
			r.Ever[k] |= word
		}
		for len(r.Ever) > 0 && !slices.ContainsFunc(r.Ever[:6*6], func(w uint32) bool { return w != 0 }) {
			r.Top, r.Cells, r.Ever = r.Top+6, r.Cells[36:], r.Ever[36:]
		}
		for n := len(r.Ever); n > 0 && !slices.ContainsFunc(r.Ever[n-36:], func(w uint32) bool { return w != 0 }); n -= 36 {
			r.Cells, r.Ever = r.Cells[:n-36], r.Ever[:n-36]
		}
		if fits {
			records = append(records, r)
		}
	}
	var sum tallies
	a := &ashes{counter: c, search: s, sum: &sum, done: func() {}}
	for b.Loop() {
		for _, r := range records {
			a.count(r)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(records)), "ns/soup")
}
