package sim

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Scope says which universes an engine runs, in one place. Open asks it before it opens the engine, and Explain asks it
// without opening one. A kind of rules that is not listed is refused, so a new kind runs only on engines that list it.
type Scope struct {
	Engine     string          // the engine's registered name
	Kinds      []rule.Kind     // the rules that it runs, alone or as parts of other rules
	Triangles  bool            // the cells of a rule may be triangles
	Volumes    bool            // universes may have three dimensions
	Topologies []topology.Kind // the universes that it runs; nil means all
	// Plan is the plan of an engine that has one way to run, as Info.Plan gives it. If it is empty, the engine reads
	// plans itself.
	Plan string
	// Rule and Universe say why the engine does not run a rule, or does not run it on a topology, although all that is
	// said above would allow it. Either may be nil.
	Rule     func(r rule.Rule) error
	Universe func(r rule.Rule, t topology.Topology) error
}

// Check returns an *Unsupported error if the engine runs no universes of a configuration. Without an error it may still
// refuse one for reasons that only show when it opens, such as a missing device.
func (s *Scope) Check(cfg Config) error {
	r, t := cfg.Rule, cfg.Topology
	if cfg.Plan != "" && s.Plan != "" && cfg.Plan != s.Plan {
		return s.Refuse(fmt.Sprintf("plan %q", cfg.Plan), fmt.Sprintf("its only plan is %q", s.Plan))
	}
	if cfg.Volume() && !s.Volumes {
		return s.Refuse(r.String()+t.Suffix(), "it runs universes of two dimensions")
	}
	if why := s.refusesKind(r); why != "" {
		return s.Refuse(fmt.Sprintf("rule %v", r), why)
	}
	if s.Rule != nil {
		if err := s.Rule(r); err != nil {
			return s.Refuse(fmt.Sprintf("rule %v", r), err.Error())
		}
	}
	if s.Topologies != nil && !slices.Contains(s.Topologies, t.Kind) {
		return s.Refuse(fmt.Sprintf("topology %v", t), fmt.Sprintf("it does not run on the topology %v", t.Kind))
	}
	if err := r.Fits(t); err != nil {
		return s.Refuse(r.String(), err.Error())
	}
	if s.Universe != nil {
		if err := s.Universe(r, t); err != nil {
			return s.Refuse(fmt.Sprintf("%v on %v", r, t), err.Error())
		}
	}
	return nil
}

// Refuse returns the error by which the engine refuses something.
func (s *Scope) Refuse(what, why string) error {
	return &Unsupported{Engine: s.Engine, What: what, Why: why}
}

// refusesKind says why the engine does not run a rule of its kind; it returns "" if it does.
func (s *Scope) refusesKind(r rule.Rule) string {
	switch {
	case !slices.Contains(s.Kinds, r.Kind()):
		return fmt.Sprintf("it does not run %v", r.Kind())
	case r.Burns():
		return "fires burn at once"
	case r.Neighbourhood.Triangles && !s.Triangles:
		return "its cells are triangles"
	}
	for _, p := range r.Parts() {
		if why := s.refusesKind(p); why != "" {
			return why
		}
	}
	return ""
}
