package ensemble

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/keys"
)

// SpecRow is places with universes and times of their own: all combinations of its rules, sizes, starts and densities.
// Keys with the zero value are those of the spec.
type SpecRow struct {
	Rules       []string  `json:"rules,omitempty"`
	Sizes       []string  `json:"sizes,omitempty"`
	Topology    string    `json:"topology,omitempty"`
	Densities   Densities `json:"densities,omitempty"`
	Starts      Starts    `json:"start,omitempty"`
	Universes   int       `json:"universes,omitempty"` // of each place
	Root        string    `json:"root,omitempty"`
	Generations *uint64   `json:"generations,omitempty"`
	Every       *uint64   `json:"every,omitempty"` // 0 for no samples but those of Times
	Times       Times     `json:"times,omitempty"`
	Warmup      *uint64   `json:"warmup,omitempty"`
	Distance    int       `json:"distance,omitempty"`
	Cap         uint64    `json:"cap,omitempty"`
	PerJob      int       `json:"per_job,omitempty"`
	Pooled      []Part    `json:"pooled,omitempty"`
}

// UnmarshalJSON refuses unknown keys and values of a wrong type, as Parse does.
func (r *SpecRow) UnmarshalJSON(data []byte) error {
	type plain SpecRow
	return keys.Decode(reflect.ValueOf((*plain)(r)).Elem(), data, wanted)
}

// maxRows limits the rows of a spec.
const maxRows = 10_000

// given replaces a key by that of a row that has it.
func given[T any](key *T, row T) {
	if !reflect.ValueOf(&row).Elem().IsZero() {
		*key = row
	}
}

// apart returns a spec without rows for each row. The rules and sizes beside the rows are the first of them.
func (s Spec) apart() []Spec {
	rows := s.Rows
	s.Rows = nil
	var all []Spec
	if len(s.Rules) > 0 && len(s.Sizes) > 0 {
		all = append(all, s)
	}
	for _, r := range rows {
		one := s
		given(&one.Rules, r.Rules)
		given(&one.Sizes, r.Sizes)
		given(&one.Topology, r.Topology)
		given(&one.Densities, r.Densities)
		given(&one.Starts, r.Starts)
		given(&one.Universes, r.Universes)
		given(&one.Root, r.Root)
		if r.Generations != nil {
			one.Generations = *r.Generations
		}
		if r.Every != nil {
			one.Every = *r.Every
		}
		given(&one.Times, r.Times)
		given(&one.Warmup, r.Warmup)
		given(&one.Distance, r.Distance)
		given(&one.Cap, r.Cap)
		given(&one.PerJob, r.PerJob)
		given(&one.Pooled, r.Pooled)
		all = append(all, one)
	}
	return all
}

// row is the part of a study without rows that is a row of a larger one.
func (p *Study) row() SpecRow {
	s := p.Spec
	return SpecRow{
		s.Rules, s.Sizes, s.Topology, s.Densities, s.Starts, s.Universes, s.Root, &s.Generations, &s.Every, s.Times, s.Warmup,
		s.Distance, s.Cap, s.PerJob, s.Pooled,
	}
}

// Undivided is the spec of a study without the parts that have no effect on its tables: its division into jobs, and
// keep.
func (p *Study) Undivided() Spec {
	s := p.Spec
	s.PerJob, s.Keep, s.Rows = 0, false, slices.Clone(s.Rows)
	for i := range s.Rows {
		s.Rows[i].PerJob = 0
	}
	return s
}

// common is the spec of such a study without the parts that follow from the places.
func (p *Study) common() Spec {
	s := p.Spec
	s.Rules, s.Sizes, s.Topology, s.Densities, s.Starts, s.Universes, s.Root = nil, nil, "", nil, nil, 0, ""
	s.Generations, s.Every, s.Times, s.Warmup, s.Distance, s.Cap, s.Pooled = 0, 0, nil, nil, 0, 0, nil
	s.RuleFiles, s.Patterns, s.PerJob, s.Keep = nil, nil, 0, false
	return s
}

// Rows returns the studies of the rows, or the study itself if its spec has none. They have no rows themselves.
func (p *Study) Rows() []*Study {
	if p.rows == nil {
		return []*Study{p}
	}
	return p.rows
}

// checkRows is Check for a spec with rows. If several rows have the same place, the last of them counts.
func (s Spec) checkRows() (*Study, error) {
	if len(s.Rows) > maxRows {
		return nil, fmt.Errorf("%d rows: want at most %d", len(s.Rows), maxRows)
	}
	var rows []*Study
	specs := s.apart()
	before := len(specs) - len(s.Rows) // the rules and sizes beside the rows
	last := map[Place]int{}            // the row of a place
	for i, one := range specs {
		p, err := one.check()
		switch {
		case err != nil && i < before:
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("row %d: %w", i-before+1, err)
		}
		for _, at := range p.Points {
			last[at.Place()] = i
		}
		rows = append(rows, p)
	}
	var distinct []*Study
	for i, p := range rows {
		counts := func(at Point) bool { return last[at.Place()] == i }
		if !slices.ContainsFunc(p.Points, func(at Point) bool { return !counts(at) }) {
			distinct = append(distinct, p)
			continue
		}
		for _, at := range p.Points {
			if !counts(at) {
				continue
			}
			one, err := p.only(at)
			if err != nil {
				return nil, err
			}
			distinct = append(distinct, one)
		}
	}
	if len(distinct) > maxRows {
		return nil, fmt.Errorf("%d rows: want at most %d", len(distinct), maxRows)
	}
	return join(distinct)
}

// join returns the study of some rows with different places.
func join(rows []*Study) (*Study, error) {
	if len(rows) == 1 {
		return rows[0], nil
	}
	first := rows[0]
	p := &Study{Spec: first.common(), Wanted: first.Wanted, Dump: first.Dump, rows: rows}
	p.Spec.Keep = true
	total := 0.0
	for _, r := range rows {
		switch key := different(p.rows[0].common(), r.common()); {
		case key != "":
			return nil, fmt.Errorf("%s and %s differ in %s, which all places of an ensemble share", placeName(first.Points[0]),
				placeName(r.Points[0]), key)
		case r.Unbounded() != first.Unbounded():
			return nil, errors.New("either all universes of an ensemble lie on the unbounded plane or none do")
		case (r.Spec.Warmup == nil) != (first.Spec.Warmup == nil):
			return nil, fmt.Errorf("only one of %s and %s has averages over time: give each a warmup, or none",
				placeName(first.Points[0]), placeName(r.Points[0]))
		}
		p.Spec.Rows = append(p.Spec.Rows, r.row())
		p.Points = append(p.Points, r.Points...)
		p.Spec.Keep = p.Spec.Keep && r.Spec.Keep
		for _, text := range r.Spec.RuleFiles {
			p.Spec.RuleFiles = union(p.Spec.RuleFiles, []string{text})
		}
		if err := addPatterns(&p.Spec, r.Spec.Patterns); err != nil {
			return nil, err
		}
		total += float64(r.Universes())
	}
	if total > maxUniverses {
		return nil, fmt.Errorf("%.3g universes in all: want at most %d", total, uint64(maxUniverses))
	}
	return p, p.checkDump()
}

// placeName describes a point for people.
func placeName(at Point) string {
	p := at.Place()
	start := ""
	if !at.Start.IsSoup() {
		start = p.Start
	}
	return fmt.Sprintf("%s on %s from %s", p.Rule, p.Topology, described(start, p.StartDensity))
}

// different names a key in which two specs differ, or is empty.
func different(a, b Spec) string {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !bytes.Equal(jsonOf(x.Field(i)), jsonOf(y.Field(i))) {
			key, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("json"), ",")
			return key
		}
	}
	return ""
}

func jsonOf(v reflect.Value) []byte {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic(err) // numbers were checked to be finite
	}
	return text
}

// addPatterns adds the cells of patterns to a spec. Patterns of the same name must have the same cells.
func addPatterns(s *Spec, more map[string]string) error {
	for name, cells := range more {
		if other, known := s.Patterns[name]; known && other != cells {
			return fmt.Errorf("pattern %s has other cells in each", name)
		}
	}
	if s.Patterns = maps.Clone(s.Patterns); s.Patterns == nil && len(more) > 0 {
		s.Patterns = map[string]string{}
	}
	maps.Copy(s.Patterns, more)
	return nil
}

// poolRows returns the ensemble of the rows of some ensembles. If several have the same place, it takes the universes
// of all, each once. The rows are sorted. The order of ensembles has no effect on the places and their universes. It
// may decide which places share a row.
func poolRows(studies []*Study) (*Study, error) {
	var rows []*Study
	for _, p := range studies {
		for _, r := range p.Rows() {
			if err := addRow(&rows, r); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(rows, func(a, b *Study) int {
		return bytes.Compare(jsonOf(reflect.ValueOf(a.row())), jsonOf(reflect.ValueOf(b.row())))
	})
	return join(rows)
}

// addRow adds a study without rows to others that have no place in common. If some of its places are among theirs,
// those become rows of one place each, so that the universes can be pooled.
func addRow(rows *[]*Study, r *Study) error {
	i := slices.IndexFunc(*rows, func(old *Study) bool { return len(r.placesBeside(old)) < len(r.Points) })
	if i < 0 {
		if *rows = append(*rows, r); len(*rows) > maxRows {
			return fmt.Errorf("more than %d rows", maxRows)
		}
		return nil
	}
	old := (*rows)[i]
	if old.Widens(r) {
		return nil
	}
	if old.anywhere() != r.anywhere() {
		at := old.Points[slices.IndexFunc(old.Points, func(at Point) bool {
			return slices.ContainsFunc(r.Points, func(b Point) bool { return b.Place() == at.Place() })
		})]
		return fmt.Errorf("two of the ensembles have %s, but they simulate or measure it differently", placeName(at))
	}
	*rows = slices.Delete(slices.Clone(*rows), i, i+1)
	if r.Widens(old) {
		return addRow(rows, r)
	}
	if len(r.Points) == 1 && len(old.Points) == 1 {
		both, err := Pool(old, r)
		if err != nil {
			return err
		}
		return addRow(rows, both)
	}
	for _, p := range []*Study{old, r} {
		for _, at := range p.Points {
			one, err := p.only(at)
			if err != nil {
				return err
			}
			if err := addRow(rows, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// only is the same study with one of its places. It is an error if the place shares jobs with others: without them it
// would have other jobs.
func (p *Study) only(at Point) (*Study, error) {
	if slices.ContainsFunc(p.chunks, func(s span) bool { return s.end-s.first > 1 }) {
		return nil, fmt.Errorf("rules of %s share jobs, as %d rules or more do: give all places of them or none", placeName(at),
			fewRules)
	}
	spec := p.whole(Group{Points: []Point{at}}, p.Spec.Root).Spec
	spec.Universes, spec.Pooled, spec.PerJob = p.Spec.Universes, p.Spec.Pooled, p.Spec.PerJob
	return spec.check()
}
