package cli

import (
	"fmt"

	"github.com/gosper-life/gosper/topology"
)

// topology settles what lies beyond the edges. A suffix of --rule, --topology and --size must not contradict each other; each
// overrides the suffix of a pattern file, and that the default.
func (f *universeFlags) topology(flagSuffix, fileSuffix *topology.Topology, fallback topology.Topology) (topology.Topology, error) {
	base := fallback
	switch {
	case flagSuffix != nil:
		base = *flagSuffix
	case fileSuffix != nil:
		base = *fileSuffix
	}
	if f.Topology == "" && f.Size == (size{}) {
		return base, nil
	}
	t, err := f.explicit(base)
	if err != nil {
		return t, err
	}
	if flagSuffix != nil && t != *flagSuffix {
		return t, fmt.Errorf("the rule's suffix says %s, --size and --topology say %s", base, t)
	}
	return t, nil
}

// explicit is the topology that --size and --topology ask for. A kind without a size keeps that of base.
func (f *universeFlags) explicit(base topology.Topology) (topology.Topology, error) {
	kind, err := topology.Torus, error(nil)
	if f.Topology != "" {
		if kind, err = topology.ParseKind(f.Topology); err != nil {
			t, suffixErr := topology.Parse(f.Topology)
			switch {
			case suffixErr != nil && len(f.Topology) > 0 && isSuffix(f.Topology):
				return t, suffixErr
			case suffixErr != nil:
				return t, err
			case f.Size != (size{}) && (t.W != f.Size.W || t.H != f.Size.H):
				return t, fmt.Errorf("--topology %s and --size %s contradict each other", f.Topology, f.Size)
			}
			return t, nil
		}
	}
	switch {
	case kind == topology.Unbounded && f.Size != (size{}):
		return base, fmt.Errorf("the unbounded plane has no size: leave --size out")
	case kind == topology.Unbounded:
		return topology.Topology{}, nil
	case f.Size != (size{}):
		return topology.New(kind, f.Size.W, f.Size.H)
	case kind == base.Kind:
		return base, nil
	case !base.Bounded():
		return base, fmt.Errorf("--topology %s needs --size", f.Topology)
	}
	return topology.New(kind, base.W, base.H)
}

// isSuffix tells a misspelt suffix (T30,x) from a misspelt kind (tours).
func isSuffix(s string) bool {
	for _, c := range s {
		if c >= '0' && c <= '9' {
			return true
		}
	}
	return s[0] == ':'
}
