package worker

import (
	"context"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
)

// start brings universes to generation 0 as the spec says: soups of these seeds, or other cells, which are made
// one universe at a time. What rules leave to chance follows from the seeds in both cases. Universes that go on
// get their cells later.
func (m *measurement) start(ctx context.Context, s simulated, seeds []uint64) error {
	start := m.at.Start
	if err := s.fill(ctx, seeds, m.at.Density); err != nil || start.IsSoup() || m.last != nil {
		return err
	}
	g, err := grid.New(m.at.Topology.W, m.at.Topology.H, m.planes)
	if err != nil {
		return err
	}
	for i, seed := range seeds {
		if err := m.fill(ctx, g, seed); err != nil {
			return err
		}
		if err := s.write(i, g); err != nil {
			return err
		}
	}
	return nil
}

// fill writes the first cells of a universe.
func (m *measurement) fill(ctx context.Context, dst grid.Sink, seed uint64) error {
	in := soup.Setting{
		W: m.at.Topology.W, H: m.at.Topology.H, D: m.at.Topology.D, States: m.at.Rule.States, Seed: seed,
		Density: m.at.Density,
		Threads: 1,
	}
	if p := m.at.Pattern; p != nil {
		if err := p.Start(m.at.Start, &in, m.at.Topology); err != nil {
			return err
		}
	}
	return m.at.Start.Fill(ctx, dst, in, nil)
}

// startTwins starts twins of the members, which have the same seeds, and so the same cells until harm.
func (l *life) startTwins(ctx context.Context, seeds []uint64) error {
	if err := l.start(ctx, l.twins, seeds); err != nil || l.study.Spec.DamageAt > 0 || l.last != nil {
		return err
	}
	return l.harm(ctx)
}

// harm makes twins differ from the members in the cell in the middle, or in a share of the cells: those that
// are live in a soup whose seed is the universe's with all bits inverted. State 0 becomes 1, all others 0.
func (l *life) harm(ctx context.Context) error {
	t := l.at.Topology
	differ, err := grid.New(t.W, t.H, 1)
	if err != nil {
		return err
	}
	for i, u := range l.members {
		if share := l.study.Spec.Damage; share == 0 {
			differ.Set(t.W/2, max(t.D, 1)/2*t.LayerRows()+t.LayerRows()/2, 1)
		} else if err := soup.Fill(ctx, differ, t.W, t.H, ^u.seed, share, 1, nil); err != nil {
			return err
		}
		g, err := readOne(&l.twin, i, l.twins, l.measurement)
		if err != nil {
			return err
		}
		for y := range t.H {
			// was has the cells that are not in state 0. All changed cells go to state 0 in all
			// planes. Those that were in state 0 before go to state 1.
			for k, change := range differ.Row(0, y) {
				was := uint64(0)
				for plane := range g.Planes() {
					row := g.Row(plane, y)
					was, row[k] = was|row[k], row[k]&^change
				}
				g.Row(0, y)[k] |= change &^ was
			}
		}
		if err := l.twins.write(i, g); err != nil {
			return err
		}
	}
	return nil
}
