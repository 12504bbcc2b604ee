package web

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// do runs a viewer's command on the session.
func (s *Server) do(ctx context.Context, cmd command) error {
	switch c := cmd.(type) {
	case *play:
		return s.session.Play(ctx)
	case *pause:
		return s.session.Pause(ctx)
	case *step:
		return s.session.Step(ctx, uint64(c.N))
	case *jump:
		return s.session.Jump(ctx, uint64(c.Generation))
	case *speed:
		return s.session.SetSpeed(ctx, session.Speed{Step: uint64(c.Step), PerSecond: c.PerSecond})
	case *edit:
		return s.session.Edit(ctx, c.cells())
	case *undo:
		return s.session.Undo(ctx)
	case *redo:
		return s.session.Redo(ctx)
	case *reset:
		return s.session.Reset(ctx)
	case *setRule:
		return s.setRule(ctx, c.Rule)
	case *learn:
		return s.learnAlone(ctx, []byte(c.Text))
	case *fill:
		return s.fill(ctx, c)
	case *setEngine:
		return s.session.SetEngine(ctx, c.Name, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
			return s.opts.Open(ctx, c.Name, cfg)
		})
	case *loadNamed:
		return s.loadKnown(ctx, c)
	}
	return fmt.Errorf("command %T is not implemented", cmd)
}

// engines lists the names that a viewer may choose an engine by.
func engines() []string { return append([]string{sim.Auto}, sim.Names()...) }

// setRule changes the rule, and with a suffix also the edges, if the server's limits allow the
// universe.
func (s *Server) setRule(ctx context.Context, text string) error {
	r, suffix, err := ruleOf(text)
	if err != nil {
		return err
	}
	t := s.session.Status().Topology
	if suffix != nil {
		t = *suffix
	}
	if err := s.allow(t, 0, 0, r); err != nil {
		return err
	}
	return s.session.SetRule(ctx, text)
}

// fill replaces the universe by a soup.
func (s *Server) fill(ctx context.Context, c *fill) error {
	now := s.session.Status()
	text := c.Rule
	if text == "" {
		text = now.Rule
	}
	r, suffix, err := ruleOf(text)
	if err != nil {
		return err
	}
	t := now.Topology
	if suffix != nil {
		t = *suffix
	}
	switch {
	case c.Unbounded:
		t = topology.Topology{}
	case c.Width > 0 && (c.Width != t.W || c.Height != t.H):
		// Another size keeps the kind of edges. An unbounded universe becomes a torus, because a soup needs bounds.
		kind := t.Kind
		if kind == topology.Unbounded {
			kind = topology.Torus
		}
		if t, err = topology.New(kind, c.Width, c.Height); err != nil {
			return err
		}
	}
	if !t.Bounded() && c.Width == 0 {
		return errors.New("a soup on an unbounded universe needs a width and a height")
	}
	if err := s.allow(t, c.Width, c.Height, r); err != nil {
		return err
	}
	from := session.Soup{W: c.Width, H: c.Height, Seed: uint64(c.Seed), Density: c.Density, Cells: c.Cells}
	if c.Start != "" {
		if from.Start, err = soup.ParseStart(c.Start); err != nil {
			return err
		}
		if from.Start.Working(max(t.W, c.Width), max(t.H, c.Height)) > s.opts.MaxCells/8 {
			return fmt.Errorf("start %v: it takes more memory than this server gives", from.Start)
		}
	}
	turn, err := s.opts.Common.files.Reading.Take(ctx)
	if err != nil {
		return err
	}
	defer turn()
	cfg := s.opts.Base
	cfg.Rule, cfg.Topology = r, t
	first, err := session.FromStart(ctx, cfg, from)
	if err != nil {
		return err
	}
	return s.load(ctx, first, c.Generation)
}

// loadKnown replaces the universe by a pattern that is known by its name.
func (s *Server) loadKnown(ctx context.Context, c *loadNamed) error {
	turn, err := s.opts.Common.files.Reading.Take(ctx)
	if err != nil {
		return err
	}
	defer turn()
	p, ok, err := origin.Known(c.Name)
	switch {
	case !ok:
		return fmt.Errorf("there is no built-in pattern, apgcode or soup %.40q", c.Name)
	case err != nil:
		return err
	}
	if famous, ok := builtin.Lookup(c.Name); ok {
		p.Name = famous.Name
	}
	return s.loadRead(ctx, p, c.Rule, c.Generation)
}

func (s *Server) loadRead(ctx context.Context, p *pattern.Pattern, ruleText string, generation decimal) error {
	from, err := session.FromPattern(ctx, p, ruleText, s.opts.Base)
	if err != nil {
		return err
	}
	if err := s.allow(from.Config.Topology, 0, 0, from.Config.Rule); err != nil {
		return err
	}
	return s.load(ctx, from, generation)
}

// load replaces the universe and runs it to a generation; 0 means that it stays at its start.
func (s *Server) load(ctx context.Context, from session.Origin, generation decimal) error {
	if err := s.session.Load(ctx, from); err != nil || generation == 0 {
		return err
	}
	return s.session.Jump(ctx, uint64(generation))
}
