package origin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// start reads --start. Without it, the cells are those of a soup or of the pattern.
func (f *Flags) start() (soup.Start, error) {
	if f.Start == "" {
		return soup.Start{}, nil
	}
	s, err := soup.ParseStart(f.Start)
	switch {
	case err != nil:
		return s, err
	case s.PatternName() != "":
		return s, fmt.Errorf("--start %v: name the pattern as the argument, and leave out of=%s", s, s.PatternName())
	case f.Pattern == "" && s.HasPattern():
		return s, fmt.Errorf("--start %v needs a pattern", s)
	case f.Pattern != "" && !s.HasPattern():
		return s, fmt.Errorf("--start %v makes cells without a pattern: leave the pattern out, or want pattern or repeat", s)
	case f.Density != nil && !s.HasDensity():
		return s, fmt.Errorf("--density has no meaning for --start %v: leave it out", s)
	case s.Repeats() && (f.At != nil || f.Clip):
		return s, fmt.Errorf("--at and --clip are for one pattern: with repeat, say dx and dy")
	}
	return s, nil
}

// spread makes a start write the cells of a universe of a pattern: with noise, or the pattern again and again.
func (f *Flags) spread(u *Origin, start soup.Start, p *pattern.Pattern, to Point) error {
	t, states := u.Config.Topology, u.Config.Rule.States
	if !t.Bounded() {
		return fmt.Errorf("--start %v fills all of the universe: bound it with --size", start)
	}
	if err := start.Check(states, t.W, t.H); err != nil {
		return err
	}
	if err := start.CheckPattern(p.Cells); err != nil {
		return err
	}
	u.Start, u.Config.Outlook = start, sim.Outlook{}
	u.Repeat += " --start " + shell.Join([]string{start.String()})
	in := soup.Setting{W: t.W, H: t.H, States: states, Pattern: p.Cells, X: to.X, Y: to.Y}
	if start.HasNoise() {
		if in.Seed = rand.Uint64(); f.Seed != nil {
			in.Seed = *f.Seed
		}
		u.Seed = strconv.FormatUint(in.Seed, 10)
		u.Config.Rule = u.Config.Rule.WithSeed(in.Seed)
		u.Repeat += " --seed " + u.Seed
	}
	u.Load = func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error {
		in := in
		in.Threads = u.Config.Threads
		return start.Fill(ctx, e, in, fill)
	}
	return nil
}
