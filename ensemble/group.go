package ensemble

import (
	"iter"

	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Group is points whose universes are simulated together: some rules with one size, start and density. Usually
// it is one point. Universes of many rules that need only few universes each share jobs, because to compile a
// circuit for each rule would take longer than to run it.
type Group struct {
	Points []Point
	First  int // the number of the first one in Study.Points
	Stride int // between the numbers of one and the next
}

// Groups yields all groups of a study without rows. Each point is in one of them.
func (p *Study) Groups() iter.Seq[Group] {
	return func(yield func(Group) bool) {
		stride := len(p.Spec.Sizes) * len(p.begins)
		for _, rules := range p.chunks {
			for at := range stride {
				g := Group{First: rules.first*stride + at, Stride: stride}
				for r := rules.first; r < rules.end; r++ {
					g.Points = append(g.Points, p.Points[r*stride+at])
				}
				if !yield(g) {
					return
				}
			}
		}
	}
}

// How many groups are tried at most; those of several rules differ little.
const (
	mostTried   = 64
	fewestTried = 4
)

// EachRule returns one group for each rule, or for the rules that share jobs. If there are very many, it takes
// some, spread evenly.
func (p *Study) EachRule() []Group {
	var all []Group
	for _, r := range p.Rows() {
		all = append(all, r.spread(func(at int) bool { return at == 0 })...)
	}
	return all
}

// EachStart returns one group for each combination of rule, or of rules that share jobs, size and start, of a study
// without rows. If there are very many, it takes some, spread evenly.
func (p *Study) EachStart() []Group {
	return p.spread(func(at int) bool { return p.begins[at%len(p.begins)].first })
}

// spread returns the groups of each rule that take says, by their numbers, or some of these.
func (p *Study) spread(take func(at int) bool) []Group {
	var all, chosen []Group
	stride, kinds := len(p.Spec.Sizes)*len(p.begins), 0
	for at := range stride {
		if take(at) {
			kinds++
		}
	}
	number, most := 0, mostTried
	for g := range p.Groups() {
		if take(number % stride) {
			all = append(all, g)
		}
		if len(g.Points) > 1 {
			most = fewestTried * kinds
		}
		number++
	}
	most = min(len(all), most)
	for i := range most {
		chosen = append(chosen, all[i*len(all)/most])
	}
	return chosen
}

// At least fewRules rules in a row share jobs if one circuit can run them. A job has about fullJob universes, which
// fill the vectors of processors.
const (
	fewRules = 64
	fullJob  = 512
	mostArea = 1 << 22 // cells of a universe, so that all of a job take 256 MiB
)

// chunk divides the rules into those that share jobs.
func (p *Study) chunk(rules []rule.Rule, areas []topology.Topology) []span {
	together := max(1, fullJob/p.Spec.PerJob)
	if p.Wanted.Settling || p.Wanted.Census || p.Spec.unbounded() { // these look at universes one by one
		together = 1
	}
	for _, t := range areas {
		if !t.WrapsStraight() && t.Kind != topology.Plane || t.W > mostArea/t.H {
			together = 1
		}
	}
	var chunks []span
	for first := 0; first < len(rules); {
		end, size := first+1, 1
		if _, ok := code.Of(rules[first]); ok && together > 1 {
			for end < len(rules) && alike(rules[first], rules[end]) {
				end++
			}
			if end-first >= fewRules {
				size = together
			}
		}
		for ; first < end; first += size {
			chunks = append(chunks, span{first, min(first+size, end)})
		}
		first = end
	}
	return chunks
}

// alike reports whether one circuit can run another rule as well as r.
func alike(r, other rule.Rule) bool {
	_, ok := code.Of(other)
	return ok && r.Neighbourhood.Equal(other.Neighbourhood)
}
