package ensemble

import (
	"cmp"
	"slices"
)

// WithUniverses returns the same ensemble with n universes of each place. Universes that both have are the same.
func (p *Study) WithUniverses(n int) (*Study, error) {
	spec := p.Spec
	spec.Universes = n
	return spec.Check()
}

// kind is the hash of the study without the roots and numbers of universes.
func (p *Study) kind() string {
	kind := *p
	kind.Spec.Root, kind.Spec.Universes, kind.Spec.Pooled = "", 0, nil
	return kind.Hash()
}

// Pool returns the ensemble of all universes of some ensembles, each once. If the ensembles differ only in their roots
// and numbers of universes, roots are sorted by their texts, and each has as many universes as in the ensemble that has
// the most. If they differ in their places, the result has every combination of their rules, sizes, starts and
// densities if they have exactly these, or else their rows. Only the ensembles of different places may have other
// generations and samples.
func Pool(studies ...*Study) (*Study, error) {
	most := map[string]int{}
	for _, p := range studies {
		if p.rows != nil || p.anywhere() != studies[0].anywhere() {
			return poolRows(studies)
		}
		if p.kind() != studies[0].kind() {
			return poolPlaces(studies)
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

// poolPlaces returns the ensemble of the places of all ensembles.
func poolPlaces(studies []*Study) (*Study, error) {
	spec := studies[0].Spec
	spec.Rules, spec.Sizes, spec.Starts, spec.Densities, spec.Patterns = nil, nil, nil, nil, nil
	places := map[Place]bool{}
	for _, p := range studies {
		if !slices.Equal(p.parts(), studies[0].parts()) {
			return poolRows(studies)
		}
		for _, at := range p.Points {
			places[at.Place()] = true
		}
		spec.Rules, spec.Sizes = union(spec.Rules, p.Spec.Rules), union(spec.Sizes, p.Spec.Sizes)
		spec.Starts, spec.Densities = union(spec.Starts, p.Spec.Starts), union(spec.Densities, p.Spec.Densities)
		if err := addPatterns(&spec, p.Spec.Patterns); err != nil {
			return nil, err
		}
		spec.Keep = spec.Keep && p.Spec.Keep
	}
	all, err := spec.Check()
	if err != nil {
		return nil, err
	}
	if len(all.Points) != len(places) {
		return poolRows(studies)
	}
	return all, nil
}

// union adds the entries that a list lacks. The result is sorted, so the order of ensembles has no effect.
func union[S ~[]T, T cmp.Ordered](list, more S) S {
	for _, entry := range more {
		if !slices.Contains(list, entry) {
			list = append(slices.Clip(list), entry)
		}
	}
	slices.Sort(list)
	return list
}
