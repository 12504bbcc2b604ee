package ensemble

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble/internal/dump"
	"github.com/gosper-life/gosper/ensemble/internal/sweep"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Spec says what to simulate and what to measure: all combinations of rules, sizes, starts and densities, with
// the same number of universes each, and rows of further combinations. Fields with the zero value get the defaults
// named below.
type Spec struct {
	// Rules are any notations or names that package rule reads, with ranges of parameters, Ising~T=2.1..2.4/0.1,
	// or ranges of rules, B3/S23..B36/S23: all that have the births and survivals of the first and no more than
	// those of the second.
	Rules []string `json:"rules"`
	// RuleFiles are texts of rule files without which rules are not known. Check adds those that the rules use.
	RuleFiles []string `json:"rule_files,omitempty"`
	Sizes     []string `json:"sizes"` // "64", "100x63", "16x16x16", or with a topology as in Golly: "T30+5,20"
	// of sizes that have no topology of their own; default torus; unbounded for starts of these sizes on the plane
	Topology  string    `json:"topology,omitempty"`
	Densities Densities `json:"densities,omitempty"` // of starts that have one, each 0 to 1; default 0.5
	// as soup.ParseStart reads them, with ranges of numbers; default "soup"
	Starts Starts `json:"start,omitempty"`
	// Patterns are the cells of starts by the names that they call them, pattern~of=NAME, as the text of RLE
	// files. Built-in patterns need not be here.
	Patterns    map[string]string `json:"patterns,omitempty"`
	Universes   int               `json:"universes"`        // of each place: rule, size, start and density
	Root        string            `json:"root,omitempty"`   // of the seeds; any text, default "1"
	Paired      bool              `json:"paired,omitempty"` // universe i has the same seed for every place
	Generations uint64            `json:"generations"`      // to run
	Every       uint64            `json:"every,omitempty"`  // generations between samples, from 0 on
	// further generations to sample, in text with ranges, "1..1000/x2"; with neither, only the last one
	Times    Times    `json:"times,omitempty"`
	Measures []string `json:"measures,omitempty"` // names of Measures; density is always measured
	// the first generation of averages over time; without it no averages are computed
	Warmup *uint64 `json:"warmup,omitempty"`

	Connectivity int `json:"connectivity,omitempty"` // of clusters, 8, 6 or 4; default 8
	Block        int `json:"block,omitempty"`        // side of the blocks of the entropy, 1 to 4; default 2
	// largest distance of the correlation and the like; default 32, or half the smaller side
	Distance int `json:"distance,omitempty"`
	// generations from which measure twotime correlates; they are sampled, too
	Waiting Times `json:"waiting,omitempty"`
	// share of the cells in which a twin begins differently; default one cell in the middle
	Damage float64 `json:"damage,omitempty"`
	// generation at which a twin is made to differ; until then it is the same
	DamageAt uint64 `json:"damage_at,omitempty"`
	// patterns whose occurrences are counted, as match.Read reads them
	Count  []string `json:"count,omitempty"`
	Phases string   `json:"phases,omitempty"` // a rule: all phases of them under it count
	// quantities that the program finds that measure call asks, and a text that changes when it would find others
	Calls  []string `json:"calls,omitempty"`
	CallID string   `json:"call_id,omitempty"`
	// generation after which a universe counts as not settling; default 100000 or more
	Cap    uint64 `json:"cap,omitempty"`
	PerJob int    `json:"per_job,omitempty"` // universes in a job; default as many as take a few seconds
	// results keep the last states, from which an ensemble of more generations goes on
	Keep bool `json:"keep,omitempty"`

	// generations at which cells go into files, "0,100..200/10"; default none
	Dump string `json:"dump,omitempty"`
	// those of each root, rule, size, density and start, "0..9"; default all
	DumpUniverses string `json:"dump_universes,omitempty"`
	DumpAs        string `json:"dump_as,omitempty"` // bytes, one for each cell, bits, or netcdf; default bytes

	Pooled []Part `json:"pooled,omitempty"` // universes of other roots, after those of Root

	// Rows are further places with universes and times of their own. If Rules or Sizes are empty, there are no others.
	Rows []SpecRow `json:"rows,omitempty"`
}

// Part is the universes of one root: how many there are of each place.
type Part struct {
	Root      string `json:"root"`
	Universes int    `json:"universes"`
}

// Limits against typing errors that would ask for a year of computing or fill a disk.
const (
	maxUniverses = 1 << 32
	maxSamples   = 1 << 20
	maxPerJob    = 1 << 16
)

// Study is a checked spec that can be divided into jobs. It must not be changed.
type Study struct {
	Spec   Spec    // canonical: rules, sizes, starts and densities as in results, defaults filled in
	Points []Point // combinations of rule, size, start and density, in the order of results
	Wanted Wanted
	Times  []uint64 // generations to sample, rising; nil if the spec has rows, which have their own
	Dump   Dump

	begins []begin           // the combinations of start and density
	chunks []span            // of the rules: those whose universes share jobs
	there  map[string][]span // existing results to use, by the family of their jobs

	earlier []*Study // of fewer generations, from which this one may go on

	rows []*Study // those of the spec's rows; nil without rows. Then Times, begins and chunks are theirs
}

// Point is one combination of rule, size, start and density.
type Point struct {
	Rule     rule.Rule
	Topology topology.Topology // a plane of the size of the start if that lies on the unbounded plane
	Start    soup.Start
	Pattern  *pattern.Pattern // of the start; nil if it has none
	Density  float64          // 0 to 1; 0 if the start has none

	Unbounded bool // the start lies on the unbounded plane, its upper left cell at (0, 0)
}

// Edges is the topology of the universes.
func (p Point) Edges() topology.Topology {
	if p.Unbounded {
		return topology.Topology{}
	}
	return p.Topology
}

// Place returns the columns of the point.
func (p Point) Place() Place {
	t := p.Topology
	return Place{p.Rule.String(), p.Edges().String(), t.W, t.H, t.D, p.Density, p.Start.String()}
}

// Check fills in defaults. It returns an error if something cannot be simulated or measured.
func (s Spec) Check() (*Study, error) {
	if len(s.Rows) > 0 {
		return s.checkRows()
	}
	return s.check()
}

// check is Check for a spec without rows.
func (s Spec) check() (*Study, error) {
	p := &Study{}
	if err := rulefile.AddTexts(s.RuleFiles); err != nil {
		return nil, err
	}
	rules, names, err := s.rules()
	if err != nil {
		return nil, err
	}
	s.RuleFiles = nil
	for _, r := range rules {
		s.RuleFiles = append(s.RuleFiles, r.Texts()...)
	}
	slices.Sort(s.RuleFiles)
	s.RuleFiles = slices.Compact(s.RuleFiles)
	areas, err := s.areas()
	if err != nil {
		return nil, err
	}
	if p.begins, err = s.checkStarts(rules, areas); err != nil {
		return nil, err
	}
	if s.Root == "" {
		s.Root = "1"
	}
	if err := s.checkNumbers(); err != nil {
		return nil, err
	}
	if p.Wanted, err = s.measures(areas); err != nil {
		return nil, err
	}
	if err := s.checkUnbounded(rules, &p.Wanted); err != nil {
		return nil, err
	}
	if err := s.checkMeasured(rules, areas, &p.Wanted); err != nil {
		return nil, err
	}
	for _, r := range rules {
		for _, t := range areas {
			if err := r.Fits(Point{Topology: t, Unbounded: s.unbounded()}.Edges()); err != nil {
				return nil, fmt.Errorf("rule %v: %w", r, err)
			}
		}
	}
	unbounded := s.unbounded()
	s.Rules, s.Sizes, s.Topology = names, nil, ""
	if unbounded {
		s.Topology = topology.Unbounded.String()
	}
	for _, t := range areas {
		s.Sizes = append(s.Sizes, s.size(t))
	}
	if what, twice := repeated(rules, s.Sizes, s.Starts, s.Densities); twice {
		return nil, fmt.Errorf("%s is listed twice: its universes would be counted twice", what)
	}
	if p.Times, err = s.sampleTimes(); err != nil {
		return nil, err
	}
	if s.Warmup != nil && *s.Warmup > p.Times[len(p.Times)-1] {
		return nil, fmt.Errorf("warmup %d: want at most the generation of the last sample, %d", *s.Warmup,
			p.Times[len(p.Times)-1])
	}
	s.Measures = p.Wanted.Names
	if p.Dump, err = dump.Parse(&s.Dump, &s.DumpUniverses, &s.DumpAs, s.Generations, rules, areas); err != nil {
		return nil, err
	}
	for _, r := range rules {
		for _, t := range areas {
			for _, b := range p.begins {
				p.Points = append(p.Points, Point{r, t, b.start, b.pattern, b.density, unbounded})
			}
		}
	}
	p.Spec = s
	if err := cmp.Or(p.checkParts(), p.checkDump()); err != nil {
		return nil, err
	}
	if total := float64(len(p.Points)) * float64(p.ofEach()); total > maxUniverses {
		return nil, fmt.Errorf("%.3g universes in all: want at most %d", total, uint64(maxUniverses))
	}
	for _, at := range p.Points {
		if n := p.LastBytes(at); s.Keep && n > mostLast {
			return nil, fmt.Errorf("keep: the last states of a universe of %v take %d bytes, want at most %d", at.Topology, n,
				mostLast)
		}
	}
	if s.PerJob == 0 {
		p.Spec.PerJob = p.jobSize(areas)
	}
	p.chunks = p.chunk(rules, areas)
	return p, nil
}

// parts returns the universes by their root.
func (p *Study) parts() []Part {
	return append([]Part{{p.Spec.Root, p.Spec.Universes}}, p.Spec.Pooled...)
}

// ofEach is the number of universes of each place.
func (p *Study) ofEach() int {
	n := 0
	for _, part := range p.parts() {
		n += part.Universes
	}
	return n
}

// checkParts checks the parts that extend a study. Each has a root of its own, from which the seeds of
// its universes follow.
func (p *Study) checkParts() error {
	seen := map[string]bool{}
	for _, part := range p.parts() {
		if part.Universes < 1 || part.Universes > maxUniverses {
			return fmt.Errorf("universes %d of root %q: want 1 to %d", part.Universes, part.Root, uint64(maxUniverses))
		}
		if seen[part.Root] {
			return fmt.Errorf("root %q occurs twice: its universes would be counted twice", part.Root)
		}
		seen[part.Root] = true
	}
	return nil
}

// rules reads the rules, and returns their canonical notations, in which ranges of rules stay ranges.
func (s Spec) rules() (rules []rule.Rule, names []string, err error) {
	if len(s.Rules) == 0 {
		return nil, nil, errors.New("no rules: name at least one, like B3/S23")
	}
	for _, text := range s.Rules {
		if len(rules) > sweep.MostRules {
			return nil, nil, fmt.Errorf("more than %d rules", sweep.MostRules)
		}
		between, name, isRange, err := sweep.Between(text)
		if err != nil {
			return nil, nil, err
		}
		if isRange {
			rules, names = append(rules, between...), append(names, name)
			continue
		}
		swept, err := sweep.Expand("rule", text)
		if err != nil {
			return nil, nil, err
		}
		for _, one := range swept {
			r, err := rule.Parse(one)
			if err != nil {
				return nil, nil, err
			}
			if r.Bounded {
				return nil, nil, fmt.Errorf("rule %q: give sizes and topologies separately from rules", text)
			}
			rules, names = append(rules, r), append(names, r.String())
		}
	}
	return rules, names, nil
}

// areas reads the sizes and their topologies.
func (s Spec) areas() ([]topology.Topology, error) {
	kind := topology.Torus
	if s.Topology != "" {
		var err error
		if kind, err = topology.ParseKind(s.Topology); err != nil {
			return nil, err
		}
	}
	if len(s.Sizes) == 0 {
		return nil, errors.New("no sizes: give at least one, like 64 or 100x63")
	}
	if kind == topology.Unbounded {
		kind = topology.Plane
	}
	var areas []topology.Topology
	for _, text := range s.Sizes {
		t, err := area(text, kind)
		if err == nil && s.unbounded() && strings.ContainsFunc(text, func(c rune) bool {
			return c != 'x' && c != 'X' && (c < '0' || c > '9')
		}) {
			err = fmt.Errorf("size %q: want W or WxH, the size of the start, on the unbounded plane", text)
		}
		if err != nil {
			return nil, err
		}
		if t.Volume() && s.unbounded() {
			return nil, fmt.Errorf("size %q: the unbounded plane has two dimensions", text)
		}
		if !t.Bounded() {
			return nil, fmt.Errorf(
				"size %q: universes of an ensemble are bounded, or start from W×H cells on the unbounded plane (topology unbounded)", text)
		}
		areas = append(areas, t)
	}
	return areas, nil
}

// unbounded reports whether universes lie on the unbounded plane.
func (s *Spec) unbounded() bool { return strings.EqualFold(s.Topology, topology.Unbounded.String()) }

// size is the text of a size.
func (s *Spec) size(t topology.Topology) string {
	if s.unbounded() {
		return fmt.Sprintf("%dx%d", t.W, t.H)
	}
	return t.String()
}

// area reads a size as sides, or as a bounded grid in Golly's notation, which begins with a letter.
func area(text string, kind topology.Kind) (topology.Topology, error) {
	if text != "" && strings.ContainsAny(text[:1], "TPKCStpkcs:") {
		return topology.Parse(text)
	}
	var sides []int
	for digits := range strings.SplitSeq(strings.ToLower(text), "x") {
		n, err := number.Int(digits)
		if err != nil || n < 1 || len(sides) == 3 {
			return topology.Topology{}, fmt.Errorf(
				"size %q: want W, WxH, WxHxD, or a bounded grid as Golly writes it (T30+5,20)",
				text)
		}
		sides = append(sides, n)
	}
	switch len(sides) {
	case 1:
		return topology.New(kind, sides[0], sides[0])
	case 2:
		return topology.New(kind, sides[0], sides[1])
	}
	return topology.NewVolume(kind, sides[0], sides[1], sides[2])
}

func (s Spec) checkNumbers() error {
	for _, d := range s.Densities {
		if !(d >= 0 && d <= 1) {
			return fmt.Errorf("density %v: want 0 to 1", d)
		}
	}
	switch {
	case !(s.Damage >= 0 && s.Damage <= 1):
		return fmt.Errorf("damage %v: want a share of cells, 0 to 1", s.Damage)
	case s.Universes < 1:
		return fmt.Errorf("universes %d: want 1 or more", s.Universes)
	case s.Generations > math.MaxInt64:
		return fmt.Errorf("generations %d: want at most %d", s.Generations, uint64(math.MaxInt64))
	case s.PerJob < 0 || s.PerJob > maxPerJob:
		return fmt.Errorf("per_job %d: want 1 to %d", s.PerJob, maxPerJob)
	}
	return nil
}

// repeated finds an entry that occurs twice in its list.
func repeated(rules []rule.Rule, sizes, starts []string, densities []float64) (what string, twice bool) {
	seen := map[string]bool{}
	again := func(entry string) bool {
		what, twice = entry, seen[entry]
		seen[entry] = true
		return twice
	}
	for _, r := range rules {
		if again("rule " + r.String()) {
			return what, true
		}
	}
	for _, size := range sizes {
		if again("size " + size) {
			return what, true
		}
	}
	for _, start := range starts {
		if again("start " + start) {
			return what, true
		}
	}
	for _, d := range densities {
		if again(fmt.Sprintf("density %v", d)) {
			return what, true
		}
	}
	return "", false
}

// sampleTimes returns the generations to sample, rising.
func (s Spec) sampleTimes() ([]uint64, error) {
	times := slices.Concat(s.Times, s.Waiting)
	for _, t := range times {
		if t > s.Generations {
			return nil, fmt.Errorf("time %d is later than the last generation, %d", t, s.Generations)
		}
	}
	if s.Every > 0 {
		if n := s.Generations / s.Every; n >= maxSamples {
			return nil, fmt.Errorf("%d samples of each universe: want at most %d", n+1, maxSamples)
		}
		for t := uint64(0); ; t += s.Every {
			times = append(times, t)
			if s.Generations-t < s.Every {
				break
			}
		}
	}
	if len(times) == 0 {
		times = append(times, s.Generations)
	}
	slices.Sort(times)
	return slices.Compact(times), nil
}

// jobSize is the number of universes in a job. 256 jobs share the work, but no job takes only a moment, and none more
// than a few seconds of a core. A batch has a universe in each bit of a vector, so a job has that many universes if
// the ensemble has them, but never more than its room for samples allows. The size depends only on the spec, because
// it is part of a job's identity.
func (p *Study) jobSize(areas []topology.Topology) int {
	s, m, points, samples := &p.Spec, &p.Wanted, len(p.Points), len(p.Times)
	const (
		least, greatest = 1 << 28, 1 << 35 // updates of cells
		batch           = 512
		mostBytes       = 256 << 20 // of samples
	)
	most := 0.0
	for _, t := range areas {
		most = max(most, float64(t.W)*float64(t.H))
	}
	generations := float64(max(s.Generations, 1))
	if m.Settling {
		generations = max(generations, 5000) // most soups have settled by then
	}
	life := float64(most * generations) // a whole number on every processor, because no operations are fused
	if m.Census {
		life += 1 << 24 // about as long as the census of a soup takes
	}
	size := max(float64(points)*float64(s.Universes)/256, least/life)
	if s.Universes >= batch && !m.Census {
		size = max(size, batch)
	}
	each := samples*m.SampleBytes(p.Points[0]) + 4*p.Dump.KeptBytes(areas[0], 1)
	if s.Keep {
		each += 4 * p.LastBytes(p.Points[0])
	}
	size = min(size, float64(mostBytes/each))
	return max(1, int(min(size, greatest/life, 4096, float64(s.Universes))))
}

// Hash identifies the ensemble: the SHA-256 of the canonical spec, without its division into jobs and without
// keep, and of the versions of its measures.
func (p *Study) Hash() string {
	text, err := json.Marshal(struct {
		Spec     Spec     `json:"spec"`
		Measures []string `json:"measures"`
	}{p.Undivided(), p.Wanted.Identities()})
	if err != nil {
		panic(err) // numbers were checked to be finite
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Late returns the numbers of the times from the warm-up on, which are averaged. It returns nil if the spec has no
// averages.
func (p *Study) Late() []int {
	var late []int
	for i, t := range p.Times {
		if p.Spec.Warmup != nil && t >= *p.Spec.Warmup {
			late = append(late, i)
		}
	}
	return late
}

// Samples is the number of samples of all universes, and the largest number of one.
func (p *Study) Samples() (all, most int) {
	for _, r := range p.Rows() {
		all, most = all+r.Universes()*len(r.Times), max(most, len(r.Times))
	}
	return all, most
}

// Universes is the number of all universes.
func (p *Study) Universes() int {
	n := 0
	for _, r := range p.Rows() {
		n += len(r.Points) * r.ofEach()
	}
	return n
}
