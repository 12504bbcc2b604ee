package origin

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// topology decides what lies beyond the edges. The suffix of --rule, --topology and --size must not contradict
// each other. volume says that the rule has three dimensions. Each of them overrides the suffix of a pattern
// file, which overrides the default.
func (f *Flags) topology(flagSuffix, fileSuffix *topology.Topology, fallback topology.Topology, volume bool) (
	topology.Topology, error,
) {
	kind, whole, err := parseTopology(f.Topology)
	if err != nil {
		return fallback, err
	}
	if whole == nil {
		whole = flagSuffix
	} else if flagSuffix != nil && *whole != *flagSuffix {
		return fallback, fmt.Errorf("the rule's suffix %s contradicts --topology %s", flagSuffix, whole)
	}
	switch {
	case whole != nil && f.Size != (Size{}) && !f.Size.is(*whole):
		return fallback, fmt.Errorf("--size %s contradicts the topology %s", f.Size, whole)
	case whole != nil && kind != nil && *kind != whole.Kind:
		return fallback, fmt.Errorf("--topology %s contradicts the rule's suffix %s", kind, whole)
	case whole != nil:
		return *whole, nil
	}
	base := fallback
	if fileSuffix != nil {
		base = *fileSuffix
	}
	switch {
	case kind == nil && f.Size == (Size{}):
		return base, nil
	case kind == nil:
		return f.Size.topology(topology.Torus, volume)
	case *kind == topology.Unbounded && f.Size != (Size{}):
		return base, fmt.Errorf("the unbounded plane has no size: leave --size out")
	case *kind == topology.Unbounded:
		return topology.Topology{}, nil
	case f.Size != (Size{}):
		return f.Size.topology(*kind, volume)
	case *kind == base.Kind:
		return base, nil
	case !base.Bounded():
		return base, fmt.Errorf("--topology %s needs --size", kind)
	}
	if base.Volume() {
		return topology.NewVolume(*kind, base.W, base.LayerRows(), base.D)
	}
	return topology.New(*kind, base.W, base.H)
}

// parseTopology reads --topology: either a kind, or a complete suffix as in Golly. Both results are nil if the
// flag is not given.
func parseTopology(text string) (kind *topology.Kind, whole *topology.Topology, err error) {
	if text == "" {
		return nil, nil, nil
	}
	k, kindErr := topology.ParseKind(text)
	if kindErr == nil {
		return &k, nil, nil
	}
	t, suffixErr := topology.Parse(text)
	switch {
	case suffixErr == nil:
		return nil, &t, nil
	case strings.ContainsAny(text, ":0123456789"): // no kind contains these, so it is a misspelt suffix
		return nil, nil, suffixErr
	}
	return nil, nil, kindErr
}

// Universe returns the rule of a notation, which may have a suffix, and the topology that the flags --size and
// --topology give it. Without any of them it is a torus of usual×usual cells.
func (f *Flags) Universe(notation string, usual int) (rule.Rule, topology.Topology, error) {
	r, suffix, err := rule.ParseApart(notation)
	if err != nil {
		return rule.Rule{}, topology.Topology{}, err
	}
	t, err := f.topology(suffix, nil, topology.Topology{Kind: topology.Torus, W: usual, H: usual}, r.Volume())
	if err == nil {
		err = r.Fits(t)
	}
	return r, t, err
}

// saysUnbounded reports whether --topology or the suffix of --rule names the unbounded plane.
func (f *Flags) saysUnbounded(suffix *topology.Topology) bool {
	kind, whole, _ := parseTopology(f.Topology)
	return kind != nil && *kind == topology.Unbounded || whole != nil && whole.Kind == topology.Unbounded ||
		suffix != nil && suffix.Kind == topology.Unbounded
}
