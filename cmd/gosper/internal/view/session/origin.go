package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Origin describes the start of a universe: its configuration and its first cells.
type Origin struct {
	Config     sim.Config // the rule without a bounded-grid suffix
	Generation uint64     // of the cells that Load writes
	Meta       pattern.Meta
	Soup       *Soup // nil if there is none
	Edited     bool  // the cells are not those that its name or soup says
	// Outside is the number of live cells of a pattern that Load leaves out, because they lie outside the universe.
	Outside uint64
	// First is the origin that Reset returns to. It is set for a universe that was kept on disk and comes back at a
	// later generation, so Load does not write its first cells. It is nil for all others, for which Reset calls Load.
	First *Origin
	// Universe is Status.Universe of a universe that was kept on disk, so that it is known when it comes back; empty for
	// others, which are given one.
	Universe string
	// Load writes the cells into a dead universe and reports its progress to progress, which is never nil. It may
	// be called again when the universe is reset.
	Load func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error
	// Bytes is the memory in which Load keeps the cells. It is 0 if Load computes or reads them each time.
	Bytes uint64
}

// Soup is a random fill of the W×H cells from (0, 0) on, the same as that of gosper run --seed, with --start if
// there is one.
type Soup struct {
	W, H    int
	Seed    uint64
	Density float64
	Start   soup.Start
	Cells   string // of the start's pattern, as RLE; empty if it has none
}

// FromSoup returns an origin with random cells: all of a bounded universe, or w×h cells of an infinite one.
func FromSoup(cfg sim.Config, w, h int, seed uint64, density float64) (Origin, error) {
	return FromStart(context.Background(), cfg, Soup{W: w, H: h, Seed: seed, Density: density})
}

// FromStart returns an origin with other first cells, which fill as much as a soup.
func FromStart(ctx context.Context, cfg sim.Config, s Soup) (Origin, error) {
	if cfg.Topology.Bounded() {
		s.W, s.H = cfg.Topology.W, cfg.Topology.H
	}
	if _, err := soup.New(s.Seed, s.Density); err != nil {
		return Origin{}, err
	}
	if s.W < 1 || s.H < 1 || s.W > topology.MaxSide || s.H > topology.MaxSide {
		return Origin{}, fmt.Errorf("a soup of %d×%d cells: want 1 to %d each way", s.W, s.H, topology.MaxSide)
	}
	if err := s.Start.Check(cfg.Rule.States, s.W, s.H); err != nil {
		return Origin{}, err
	}
	in := soup.Setting{W: s.W, H: s.H, States: cfg.Rule.States, Seed: s.Seed, Density: s.Density, Threads: cfg.Threads}
	kept := uint64(0)
	if s.Start.HasPattern() {
		p, err := pattern.Options{MaxBytes: 1 << 28}.Read(ctx, strings.NewReader(s.Cells), "start.rle")
		if err == nil {
			kept, err = cells.Bytes(p.Cells), p.Start(s.Start, &in, cfg.Topology)
		}
		if err != nil {
			return Origin{}, err
		}
	}
	cfg.Outlook, cfg.Rule = sim.Outlook{}, cfg.Rule.WithSeed(s.Seed)
	return Origin{
		Config: cfg, Soup: &s, Bytes: kept,
		Load: func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
			return s.Start.Fill(ctx, e, in, progress)
		},
	}, nil
}

// FromPattern returns an origin with the cells of a pattern, as package origin puts them without flags but --rule.
// base has the settings that do not come from the pattern: memory, threads and plan.
func FromPattern(ctx context.Context, p *pattern.Pattern, ruleText string, base sim.Config) (Origin, error) {
	flags := origin.Flags{Pattern: cmp.Or(p.Name, "the pattern"), Rule: ruleText, Clip: true}
	from, err := flags.Of(ctx, p)
	if err != nil {
		return Origin{}, err
	}
	base.Rule, base.Topology, base.Outlook = from.Config.Rule, from.Config.Topology, from.Config.Outlook
	return Origin{
		Config: base, Generation: from.Generation, Meta: from.Meta, Outside: from.Outside, Load: from.Load,
		Bytes: cells.Bytes(p.Cells) + base.Outlook.Tree,
	}, nil
}
