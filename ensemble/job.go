package ensemble

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Job is some universes of one place, or of several rules that are simulated together, with everything needed
// to run them. It is a pure value: it may run anywhere, any number of times, with the same result.
type Job struct {
	Spec  Spec   `json:"spec"` // only this job's rules, size, start and density
	First uint64 `json:"first"`
	Count int    `json:"count"` // of each rule
	// Measures are the identities of the measures. A program that measures differently refuses the job.
	Measures []string `json:"measures"`
	// From is the key of the job with the same universes and fewer generations from whose last states this one
	// goes on, and Earlier its encoded result. The result is the same without them.
	From    string `json:"from,omitempty"`
	Earlier []byte `json:"earlier,omitempty"`
}

// Jobs yields the jobs of the ensemble.
func (p *Study) Jobs() iter.Seq[Job] {
	return func(yield func(Job) bool) {
		for _, r := range p.Rows() {
			for g := range r.Groups() {
				for j := range r.JobsOf(g) {
					if !yield(j) {
						return
					}
				}
			}
		}
	}
}

// JobsOf yields the jobs of one group of a study without rows, in the order of its universes.
func (p *Study) JobsOf(g Group) iter.Seq[Job] {
	return func(yield func(Job) bool) {
		for _, part := range p.parts() {
			sources := p.sources(g, part.Root)
			var there []piece
			for i, s := range sources {
				for _, span := range p.there[s.family()] {
					there = append(there, piece{First: span.first, End: span.end, Left: p.left(s), Of: i})
				}
			}
			for _, s := range cutJobs(part.Universes, p.Spec.PerJob, there) {
				j := sources[max(s.Of, 0)]
				if s.Of >= 0 && s.Left > 0 {
					j.First, j.Count = uint64(s.First), s.End-s.First
					from := j.Key()
					j = sources[0]
					j.From = from
				}
				j.First, j.Count = uint64(s.First), s.End-s.First
				if !yield(j) {
					return
				}
			}
		}
	}
}

// sources returns the jobs, still without universes, with results that can be used for a group. Its own jobs come
// first. Jobs that also keep the last states follow, and jobs of fewer generations from which the group can go on.
func (p *Study) sources(g Group, root string) []Job {
	sources := []Job{p.whole(g, root)}
	if len(p.there) == 0 {
		return sources
	}
	if !p.Spec.Keep {
		kept := sources[0]
		kept.Spec.Keep = true
		sources = append(sources, kept)
	}
	for _, from := range p.earlier {
		sources = append(sources, from.whole(g, root))
	}
	return sources
}

// left is the share of the work that the result of a job leaves to do.
func (p *Study) left(j Job) float64 {
	if j.Spec.Generations == p.Spec.Generations {
		return 0
	}
	return 1 - float64(j.Spec.Generations)/float64(p.Spec.Generations)
}

// whole returns a job without universes yet.
func (p *Study) whole(g Group, root string) Job {
	spec := p.Spec
	at := g.Points[0]
	spec.Rules, spec.Sizes, spec.Starts, spec.Densities = nil, []string{p.Spec.size(at.Topology)}, nil,
		Densities{at.Density}
	if !at.Start.IsSoup() {
		spec.Starts = Starts{at.Start.String()}
	}
	spec.Patterns = p.patternsOf(at.Start)
	spec.RuleFiles = nil
	for _, at := range g.Points {
		spec.Rules = append(spec.Rules, at.Rule.String())
		spec.RuleFiles = append(spec.RuleFiles, at.Rule.Texts()...)
	}
	slices.Sort(spec.RuleFiles)
	spec.RuleFiles = slices.Compact(spec.RuleFiles)
	spec.Universes, spec.PerJob, spec.Root, spec.Pooled = 0, 0, root, nil
	return Job{Spec: spec, Measures: p.Wanted.Identities()}
}

// Universes is the number of universes of the job.
func (j Job) Universes() int { return len(j.Spec.Rules) * j.Count }

// JobCount is the number of jobs.
func (p *Study) JobCount() int {
	n := 0
	for range p.Jobs() {
		n++
	}
	return n
}

// Adopt lets the study use existing results, however their jobs were divided. It chooses results without common
// universes, so that the fewest universes are left to do. It ignores keys of other ensembles. It uses the results of
// the earlier ensembles from which the study goes on.
func (p *Study) Adopt(keys []string, earlier ...*Study) {
	there := map[string][]span{}
	for _, key := range keys {
		if family, s, ok := parseKey(key); ok {
			there[family] = append(there[family], s)
		}
	}
	for _, r := range p.Rows() {
		r.there, r.earlier = there, nil
		for _, whole := range earlier {
			for _, from := range whole.Rows() {
				if goesOn, err := r.GoesOn(from); goesOn && err == nil {
					r.earlier = append(r.earlier, from)
				}
			}
		}
	}
}

// Encode returns the job as JSON, always with the same bytes for the same job.
func (j Job) Encode() []byte {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // numbers were checked to be finite
	}
	return text
}

// DecodeJob reads what Encode wrote.
func DecodeJob(text []byte) (Job, error) {
	var j Job
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&j); err != nil {
		return j, fmt.Errorf("not a job of this version of gosper: %w", err)
	}
	return j, nil
}

// Key names the job and its result. It is the SHA-256 of the measurement in lower-case hex, and the universes as
// FIRST-COUNT.
func (j Job) Key() string { return fmt.Sprintf("%s-%d-%d", j.family(), j.First, j.Count) }

// family is the hash that all jobs share that differ only in their universes.
func (j Job) family() string {
	j.First, j.Count, j.From, j.Earlier = 0, 0, "", nil
	sum := sha256.Sum256(j.Encode())
	return hex.EncodeToString(sum[:])
}

// span is the universes first to end-1.
type span struct{ first, end int }

// parseKey splits a key.
func parseKey(key string) (family string, s span, ok bool) {
	parts := strings.Split(key, "-")
	if len(parts) != 3 {
		return "", s, false
	}
	first, err := strconv.Atoi(parts[1])
	count, err2 := strconv.Atoi(parts[2])
	return parts[0], span{first, first + count}, err == nil && err2 == nil && first >= 0 && count > 0 && count <= maxPerJob
}

// String describes the work of the job.
func (j Job) String() string {
	s := j.Spec
	rules := s.Rules[0]
	if n := len(s.Rules); n > 1 {
		rules = fmt.Sprintf("%d rules from %s", n, rules)
	}
	return fmt.Sprintf("%s:%s %s, universes %d to %d", rules, s.Sizes[0],
		described(strings.Join(s.Starts, ", "), s.Densities[0]), j.First, j.First+uint64(j.Count)-1)
}

// Seed is the seed of a universe's soup: the first 8 bytes, most significant first, of the SHA-256 of
//
//	root|rule|topology|W|H|density|index
//
// Rule and topology are in canonical notation, and the density has as few digits as distinguish it from all
// others. Before the index, starts besides soup and cell are there as well, |exact~1=500, also in canonical
// notation. With paired, everything between root and index is left out: universe i then has the same random
// numbers for every place.
func Seed(root string, at Place, index uint64, paired bool) uint64 {
	density := strconv.FormatFloat(at.StartDensity, 'g', -1, 64)
	text := fmt.Sprintf("%s|%s|%s|%d|%d|%s%s|%d", root, at.Rule, at.Topology, at.Width, at.Height, density, at.Begin(),
		index)
	if paired {
		text = fmt.Sprintf("%s|%d", root, index)
	}
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}
