package worker

import (
	"context"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
)

// start brings universes to generation 0 as the spec says: soups of these seeds, or one live cell in the middle. Chance follows from the seeds in
// both cases.
func (m *measurement) start(ctx context.Context, s simulated, seeds []uint64) error {
	if err := s.fill(ctx, seeds, m.at.Density); err != nil || m.study.Spec.Start != "cell" {
		return err
	}
	g, err := grid.New(m.at.Topology.W, m.at.Topology.H, m.planes)
	if err != nil {
		return err
	}
	g.Set(g.W()/2, g.H()/2, 1)
	for i := range seeds {
		if err := s.write(i, g); err != nil {
			return err
		}
	}
	return nil
}

// startTwins starts twins of the members, which have the same seeds. They differ in the cell in the middle, or in a share of the cells: those that
// are live in a soup whose seed is the universe's with all bits inverted.
func (l *life) startTwins(ctx context.Context, seeds []uint64) error {
	if err := l.start(ctx, l.twins, seeds); err != nil {
		return err
	}
	t := l.at.Topology
	differ, err := grid.New(t.W, t.H, 1)
	if err != nil {
		return err
	}
	for i, seed := range seeds {
		if share := l.study.Spec.Damage; share == 0 {
			differ.Set(t.W/2, t.H/2, 1)
		} else if err := soup.Fill(ctx, differ, t.W, t.H, ^seed, share, 1, nil); err != nil {
			return err
		}
		g, err := readOne(&l.twin, i, l.twins, l.measurement)
		if err != nil {
			return err
		}
		for y := range t.H { // cells are in state 0 or 1
			row := g.Row(0, y)
			for k, word := range differ.Row(0, y) {
				row[k] ^= word
			}
		}
		if err := l.twins.write(i, g); err != nil {
			return err
		}
	}
	return nil
}
