package ensemble

import (
	"cmp"
	"errors"
	"slices"
)

// WithUniverses returns the same ensemble with n universes of each place. Universes that both have are the same.
func (p *Study) WithUniverses(n int) (*Study, error) {
	spec := p.Spec
	spec.Universes = n
	return spec.Check()
}

// kind is the hash of what is simulated and measured, without the roots and numbers of universes.
func (p *Study) kind() string {
	kind := *p
	kind.Spec.Root, kind.Spec.Universes, kind.Spec.Pooled = "", 0, nil
	return kind.Hash()
}

// Pool returns the ensemble of all universes of some ensembles, each once. The ensembles may differ only in
// their roots and numbers of universes. Roots are sorted by their texts. Each has as many universes as in the
// ensemble that has the most.
func Pool(studies ...*Study) (*Study, error) {
	most := map[string]int{}
	for _, p := range studies {
		if p.kind() != studies[0].kind() {
			return nil, errors.New(
				"they simulate or measure different things; pooled ensembles may differ only in roots and universes")
		}
		for _, part := range p.parts() {
			most[part.Root] = max(most[part.Root], part.Universes)
		}
	}
	var parts []Part
	for root, n := range most {
		parts = append(parts, Part{root, n})
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Root, b.Root) })
	spec := studies[0].Spec
	spec.Root, spec.Universes, spec.Pooled = parts[0].Root, parts[0].Universes, parts[1:]
	spec.Keep = !slices.ContainsFunc(studies, func(p *Study) bool { return !p.Spec.Keep })
	if len(spec.Pooled) == 0 {
		spec.Pooled = nil
	}
	return spec.Check()
}

// Before is the number of universes of a place that come before those of a root.
func (p *Study) Before(root string) uint64 {
	n := 0
	for _, part := range p.parts() {
		if part.Root == root {
			break
		}
		n += part.Universes
	}
	return uint64(n)
}
