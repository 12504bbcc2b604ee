package session_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// TestTreeFromFarAway opens a file of more cells than any memory holds, looks at all of it and resets it.
func TestTreeFromFarAway(t *testing.T) {
	r, err := rule.Parse("B1357/S1357") // after 2^k generations every cell is eight
	must(t, err)
	e, err := sim.Open(t.Context(), "hashlife", sim.Config{Rule: r})
	must(t, err)
	must(t, e.WriteRow([]uint64{1}, 0, 0, 0, 1))
	const generations = 0x555_5555_5555 // 22 of them: 8^22 cells
	_, err = e.Step(t.Context(), generations)
	must(t, err)
	var file bytes.Buffer
	must(t, pattern.Write(&file, pattern.Macrocell, e,
		pattern.Meta{Rule: "B1357/S1357", HasPosition: true, Generation: generations, States: 2}))
	p, err := pattern.Options{Squares: true}.Read(t.Context(), &file, "far.mc")
	must(t, err)
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{})
	must(t, err)
	s, err := session.New(t.Context(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return sim.Open(ctx, sim.Auto, cfg)
	}, from)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	for range 2 {
		if st := s.Status(); st.Engine.Engine != "hashlife" || st.Generation != generations {
			t.Fatalf("%+v", st)
		}
		c := scene.Fit(grid.Rect{X: -generations, Y: -generations, W: 2*generations + 1, H: 2*generations + 1}, 64, 64, 0)
		f := look(t, s, c.Region(64, 64))
		lit := 0
		for _, d := range f.Density {
			if d > 0 {
				lit++
			}
		}
		if f.Err != nil || f.Sampled || lit < 64 || lit == len(f.Density) {
			t.Errorf("%d pixels of %d are lit at scale %d, sampled: %v, %v", lit, len(f.Density), f.Scale, f.Sampled, f.Err)
		}
		must(t, s.Step(t.Context(), 1))
		must(t, s.Idle(t.Context()))
		must(t, s.Reset(t.Context()))
	}
}
