package session

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Origin is what a universe starts from.
type Origin struct {
	Config     sim.Config // the rule without a bounded-grid suffix
	Generation uint64     // of the cells that Load writes
	Meta       pattern.Meta
	Soup       *Soup // nil: no soup
	// Load writes the cells into a dead universe. It may be called again, when the universe is reset.
	Load func(ctx context.Context, e sim.Engine) error
}

// Soup is a random fill of the W×H cells from (0, 0) on: the one gosper run --seed makes.
type Soup struct {
	W, H    int
	Seed    uint64
	Density float64
}

// FromSoup is an origin full of random cells: all of a bounded universe, w×h cells of an infinite one.
func FromSoup(cfg sim.Config, w, h int, seed uint64, density float64) (Origin, error) {
	if cfg.Topology.Bounded() {
		w, h = cfg.Topology.W, cfg.Topology.H
	}
	if _, err := soup.New(seed, density); err != nil {
		return Origin{}, err
	}
	if w < 1 || h < 1 || w > topology.MaxSide || h > topology.MaxSide {
		return Origin{}, fmt.Errorf("a soup of %d×%d cells: want 1 to %d each way", w, h, topology.MaxSide)
	}
	return Origin{
		Config: cfg,
		Soup:   &Soup{w, h, seed, density},
		Load: func(ctx context.Context, e sim.Engine) error {
			return soup.Fill(ctx, e, w, h, seed, density, cfg.Threads, nil)
		},
	}, nil
}

// FromPattern is an origin with the cells of a pattern, where Golly would put them. The rule is the one given, else the pattern's,
// else B3/S23. The topology is the one given, else the rule's, else the unbounded plane.
func FromPattern(p *pattern.Pattern, ruleText string, t *topology.Topology, base sim.Config) (Origin, error) {
	fileRule := p.Rule
	if fileRule == "" {
		fileRule = "B3/S23"
	}
	if ruleText == "" {
		ruleText = fileRule
	}
	r, suffix, err := rule.ParseApart(ruleText)
	if err != nil {
		return Origin{}, err
	}
	switch {
	case t != nil:
	case suffix != nil:
		t = suffix
	default:
		t = &topology.Topology{}
	}
	if err := p.CheckStates(r.States); err != nil {
		return Origin{}, err
	}
	base.Rule, base.Topology = r, *t
	x, y := p.Place(*t)
	return Origin{
		Config: base, Generation: p.Generation, Meta: p.Meta(),
		Load: func(ctx context.Context, e sim.Engine) error {
			for _, part := range p.Cells.Occupied() {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := grid.Copy(e, p.Cells, part, part.X+x, part.Y+y); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil
}
