package worker

import (
	"context"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
)

// count runs the soups of a job on the unbounded plane and counts the objects that they settle into.
func (m *measurement) count(ctx context.Context, universes []*universe) error {
	counter, err := census.NewCounter(m.at.Rule, census.Limits{})
	if err != nil {
		return err
	}
	t := m.at.Topology
	g, err := grid.New(t.W, t.H, 1)
	if err != nil {
		return err
	}
	m.objects = sums.Objects{}
	for _, u := range universes {
		if err := soup.Fill(ctx, g, t.W, t.H, u.seed, m.at.Density, 1, nil); err != nil {
			return err
		}
		cells, err := census.CellsOf(g)
		if err != nil {
			return err
		}
		tally := counter.Count(cells)
		var total uint64
		for _, n := range tally.Objects {
			total += uint64(n)
		}
		for code, n := range tally.Objects {
			m.objects.Add(code, uint64(n), total)
		}
		if total > 0 {
			m.objects.Add("", total, total)
		}
		u.objects = &total
	}
	return nil
}
