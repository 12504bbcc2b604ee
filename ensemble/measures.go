package ensemble

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble/internal/match"
	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// Measure is a quantity or a group of quantities that can be measured.
type Measure struct {
	Name       string
	Version    int // of the meaning of its numbers; it changes when they would
	About      string
	Instrument Instrument // what finds the numbers; nil for measures with columns of their own in the tables
	Needs      Needs      // the data that the instrument reads
	Distance   bool       // the instrument uses the spec's distance
	Straight   bool       // it is only for tori without a shift
	Patterns   bool       // the instrument counts the spec's patterns
	Volumes    bool       // the instrument knows three dimensions, or does not look where cells are
}

// An Instrument measures cells. Programs add theirs by Register; docs/measures.md has an example.
type (
	Instrument = measure.Instrument
	Later      = measure.Later   // an Instrument that has some of its numbers only later
	Deriver    = measure.Deriver // an Instrument with further numbers that are functions of its means
	Derived    = measure.Derived
	Setting    = measure.Setting
	View       = measure.View
	Needs      = measure.Needs
)

// The data that an instrument can read besides the number of cells in state 1.
const (
	NeedsCells = measure.Cells
	NeedsFirst = measure.First // the same universe at its first sample
	NeedsTwin  = measure.Twin  // the universe with the same noise that began with other cells
	// NeedsStates is all planes of the states of cells.
	NeedsStates = measure.States
	// NeedsWaiting is the same universe at its waiting times.
	NeedsWaiting = measure.Waiting
)

// Register adds a measure to Measures. It panics if the name is taken or the measure has no instrument. All
// programs that work on an ensemble must register the same measures, before they read a spec.
func Register(m Measure) {
	if m.Instrument == nil || slices.ContainsFunc(Measures, func(known Measure) bool { return known.Name == m.Name }) {
		panic(fmt.Sprintf("ensemble: measure %q has no instrument, or its name is taken", m.Name))
	}
	Measures = append(Measures, m)
}

func init() {
	for _, k := range measure.Kinds {
		Register(Measure{
			k.Name, max(1, k.Version), k.About, k.Instrument, k.Needs, k.Distance, k.Straight, k.Patterns,
			k.Volumes,
		})
	}
}

// Measures lists all measures, in the order of results.
var Measures = []Measure{
	{Name: "density", Version: 1, About: "population and share of cells in state 1"},
	{
		Name: "activity", Version: 1,
		About: "births, deaths and share of cells that changed in the step that led to a sample",
	},
	{Name: "entropy", Version: 3, About: "Shannon entropy of blocks of cells, in bits a cell"},
	{Name: "correlation", Version: 1, About: "pairs of cells in state 1 by distance along the axes"},
	{Name: "clusters", Version: 2, About: "connected clusters of cells in state 1 by size"},
	{Name: "kinetics", Version: 1, About: "how the numbers of clusters of each size change from sample to sample"},
	{Name: "percolation", Version: 1, About: "whether a cluster spans the universe"},
	{Name: "settling", Version: 1, About: "generations until the universe repeats, and its period"},
	{Name: "census", Version: 1, About: "objects that the soups settle into on the unbounded plane, by apgcode"},
}

// Wanted lists what a spec asks to measure.
type Wanted struct {
	Names []string // of the measures, in the order of Measures

	Activity, Entropy, Correlation, Clusters, Percolation, Settling, Census bool

	Kinetics bool // never without Clusters

	Instruments []Measure // the others that are wanted

	Connectivity component.Connectivity // of clusters
	Block        int                    // side of the blocks of the entropy, in cells
	Distance     int                    // largest distance of the correlation and other functions of distance, in cells
	Cap          uint64                 // generation after which a universe counts as not settling
	Patterns     []*match.Pattern       // to count
	Waiting      []uint64               // generations from which two-time correlations are measured, rising
	Calls        []string               // quantities that another program finds
}

// measures reads the list of measures and their options. It refuses options that no measure uses.
func (s *Spec) measures(areas []topology.Topology) (Wanted, error) {
	wants := map[string]bool{"density": true}
	var known []string
	for _, m := range Measures {
		known = append(known, m.Name)
	}
	for _, name := range s.Measures {
		if !slices.Contains(known, name) {
			return Wanted{}, fmt.Errorf("unknown measure %q; want one of %s", name, strings.Join(known, ", "))
		}
		wants[name] = true
	}
	if wants["kinetics"] {
		wants["clusters"] = true // whose numbers change
	}
	m := Wanted{
		Kinetics: wants["kinetics"], Activity: wants["activity"], Entropy: wants["entropy"],
		Correlation: wants["correlation"],
		Clusters:    wants["clusters"], Percolation: wants["percolation"], Settling: wants["settling"],
		Census: wants["census"],
	}
	if m.Census && areas[0].Volume() {
		return m, fmt.Errorf("measure census: objects are known in two dimensions, and %v has three", areas[0])
	}
	distance, counted := m.Correlation, false
	for _, known := range Measures {
		if !wants[known.Name] {
			continue
		}
		m.Names = append(m.Names, known.Name)
		if known.Instrument != nil {
			m.Instruments = append(m.Instruments, known)
			distance, counted = distance || known.Distance, counted || known.Patterns
			for _, t := range areas {
				if t.Volume() && !known.Volumes {
					return m, fmt.Errorf("measure %s: want universes of two dimensions, not %v", known.Name, t)
				}
				if known.Straight && !t.WrapsStraight() && !(t.Volume() && t.Kind == topology.Torus) {
					return m, fmt.Errorf("measure %s: want tori without a shift, not %v", known.Name, t)
				}
			}
		}
	}
	for _, option := range []struct {
		key         string
		given, used bool
		by          string
	}{
		{"connectivity", s.Connectivity != 0, m.Clusters || m.Percolation, "clusters and percolation"},
		{"block", s.Block != 0, m.Entropy, "entropy"},
		{"distance", s.Distance != 0, distance, "correlation, structure, spectrum, mutual and agreement"},
		{"damage", s.Damage != 0, m.Needs()&NeedsTwin != 0, "damage"},
		{"damage_at", s.DamageAt != 0, m.Needs()&NeedsTwin != 0, "damage"},
		{"waiting", len(s.Waiting) > 0, m.Needs()&NeedsWaiting != 0, "twotime"},
		{"cap", s.Cap != 0, m.Settling, "settling"},
		{"count", len(s.Count) > 0, counted, "patterns"},
		{"phases", s.Phases != "", counted, "patterns"},
		{"calls", len(s.Calls) > 0, wants["call"], "call"},
		{"call_id", s.CallID != "", wants["call"], "call"},
	} {
		if option.given && !option.used {
			return m, fmt.Errorf("%s is an option of %s: add that to the measures", option.key, option.by)
		}
	}
	if err := s.readWaiting(&m); err != nil {
		return m, err
	}
	if wants["call"] {
		if err := s.readCalls(&m); err != nil {
			return m, err
		}
	}
	if counted {
		if err := s.readPatterns(&m, areas); err != nil {
			return m, err
		}
	}
	if distance {
		if err := s.readDistance(&m, areas); err != nil {
			return m, err
		}
	}
	return m, s.readOptions(&m, areas)
}

// checkMeasured checks that every wanted measure has a meaning for all rules, sizes and starts.
func (s *Spec) checkMeasured(rules []rule.Rule, areas []topology.Topology, m *Wanted) error {
	if s.DamageAt > s.Generations {
		return fmt.Errorf("damage_at %d is later than the last generation, %d", s.DamageAt, s.Generations)
	}
	if m.Census && s.Starts != nil {
		return fmt.Errorf("measure census: it counts what soups settle into, and start is %s", strings.Join(s.Starts, ", "))
	}
	if slices.Contains(m.Names, "avalanches") {
		if err := sandpiles(rules, areas); err != nil {
			return err
		}
	}
	for _, r := range rules {
		if m.Census {
			if _, err := census.NewCounter(r, census.Limits{}); err != nil {
				return fmt.Errorf("measure census: %w", err)
			}
		}
		if m.Settling && r.Random() {
			return fmt.Errorf("measure settling: rule %v never settles for certain: what it does is left to chance", r)
		}
		if m.Settling && run.LookEvery%r.Period() != 0 {
			return fmt.Errorf("measure settling: rule %v comes round every %d generations, which must divide %d", r, r.Period(),
				run.LookEvery)
		}
	}
	return nil
}

// sandpiles checks that avalanches are measured in sandpiles that can lose grains.
func sandpiles(rules []rule.Rule, areas []topology.Topology) error {
	for _, r := range rules {
		if !strings.HasPrefix(strings.TrimPrefix(r.String(), "3D"), "Sandpile~") {
			return fmt.Errorf("measure avalanches: want rules Sandpile~p=… or 3DSandpile~p=…, not %v", r)
		}
	}
	for _, t := range areas {
		if t.Kind != topology.Plane {
			return fmt.Errorf("measure avalanches: want a plane, beyond whose edges grains are lost, not %v", t)
		}
	}
	return nil
}

// Needs returns the union of the needs of the instruments.
func (m *Wanted) Needs() Needs {
	var all Needs
	for _, i := range m.Instruments {
		all |= i.Needs
	}
	return all
}

// Setting returns the facts about the universes of a place that instruments need.
func (m *Wanted) Setting(at Point) Setting {
	return Setting{
		Topology: at.Topology, RuleStates: at.Rule.States, Distance: m.Distance, Patterns: m.Patterns,
		Waiting: m.Waiting, Calls: m.Calls,
	}
}

// readPatterns reads what to count, and makes it canonical.
func (s *Spec) readPatterns(m *Wanted, areas []topology.Topology) error {
	if len(s.Count) == 0 {
		return errors.New("measure patterns: count says which ones, like 3o!, xs4_33 or glider")
	}
	var err error
	if m.Patterns, s.Phases, err = match.ReadAll(s.Count, s.Phases); err != nil {
		return err
	}
	s.Count = nil
	for _, p := range m.Patterns {
		for _, t := range areas {
			if err := p.Fits(t); err != nil {
				return fmt.Errorf("measure patterns: %w", err)
			}
		}
		s.Count = append(s.Count, p.String())
	}
	return nil
}

// calling is the form of a name of a quantity that another program finds.
var calling = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`) })

// readCalls checks the names of quantities that another program finds. They must not be those of other quantities.
func (s *Spec) readCalls(m *Wanted) error {
	if len(s.Calls) == 0 {
		return errors.New("measure call: calls says which quantities the program finds, like holes,gaps")
	}
	taken := map[string]bool{}
	for _, known := range Measures {
		taken[known.Name] = true
	}
	for i := range reflect.TypeFor[Sample]().NumField() {
		taken[reflect.TypeFor[Sample]().Field(i).Tag.Get("json")] = true
	}
	for _, used := range m.Instruments {
		for _, name := range used.Instrument.Quantities(Setting{Patterns: m.Patterns, Distance: 1}) {
			taken[name] = true
		}
	}
	for _, name := range s.Calls {
		switch {
		case !calling().MatchString(name):
			return fmt.Errorf("calls %q: a name has letters, digits and _", name)
		case taken[name] || strings.HasPrefix(name, "percolating") || strings.HasPrefix(name, "entropy"):
			return fmt.Errorf("calls %q: there is another quantity of this name", name)
		}
		taken[name] = true
	}
	m.Calls = s.Calls
	return nil
}

// readWaiting puts the waiting times in order.
func (s *Spec) readWaiting(m *Wanted) error {
	if m.Needs()&NeedsWaiting == 0 {
		return nil
	}
	if len(s.Waiting) == 0 {
		return errors.New("measure twotime: waiting says from which generations on, like 10,100")
	}
	if s.Keep {
		return errors.New("measure twotime: the cells at waiting times are not kept, so leave keep out")
	}
	s.Waiting = slices.Clone(s.Waiting)
	slices.Sort(s.Waiting)
	s.Waiting = slices.Compact(s.Waiting)
	m.Waiting = s.Waiting
	return nil
}

// readDistance reads the greatest distance of correlations. On a torus, cells more than half a side
// apart are nearer the other way round.
func (s *Spec) readDistance(m *Wanted, areas []topology.Topology) error {
	half := math.MaxInt
	for _, t := range areas {
		half = min(half, t.W/2, t.LayerRows()/2)
		if t.Volume() {
			half = min(half, t.D/2)
		}
	}
	if s.Distance == 0 {
		s.Distance = min(32, max(half, 1))
	}
	if s.Distance < 1 || s.Distance > max(half, 1) {
		return fmt.Errorf("distance %d: want 1 to half the smallest side, %d", s.Distance, max(half, 1))
	}
	m.Distance = s.Distance
	return nil
}

func (s *Spec) readOptions(m *Wanted, areas []topology.Topology) error {
	if m.Clusters || m.Percolation {
		switch {
		case s.Connectivity == 0 && areas[0].Volume():
			s.Connectivity = component.TwentySix.Neighbours()
		case s.Connectivity == 0:
			s.Connectivity = component.Eight.Neighbours()
		}
		var err error
		if m.Connectivity, err = component.ParseConnectivity(strconv.Itoa(s.Connectivity)); err != nil {
			return err
		}
		for _, t := range areas {
			if err := m.Connectivity.Fits(t); err != nil {
				return err
			}
		}
	}
	if m.Entropy {
		if s.Block == 0 {
			s.Block = 2
		}
		if s.Block < 1 || s.Block > 4 {
			return fmt.Errorf("block %d: want 1 to 4", s.Block)
		}
		for _, t := range areas {
			if t.Volume() && s.Block > 2 {
				return fmt.Errorf("block %d: want 1 or 2 in three dimensions, because 3×3×3 cells have 2^27 patterns", s.Block)
			}
			if t.Volume() && t.Kind == topology.Plane && s.Block > min(t.W, t.LayerRows(), t.D) {
				return fmt.Errorf("block %d is too large for a universe of %s cells, because blocks do not cross its edges",
					s.Block, t.Size())
			}
			if !t.Volume() && !t.WrapsStraight() && s.Block > min(t.W, t.H) {
				return fmt.Errorf("block %d is too large for a universe of %d×%d cells, because blocks do not cross its edges",
					s.Block, t.W, t.H)
			}
		}
		m.Block = s.Block
	}
	if m.Settling {
		least := uint64(0)
		for _, t := range areas {
			if !s.unbounded() {
				least = max(least, LeastCap(t))
			}
		}
		if s.Cap == 0 {
			s.Cap = max(100_000, least, s.Generations)
		}
		if s.Cap < least {
			return fmt.Errorf("cap %d: want at least %[2]d, the generations in which a glider can circle these universes", s.Cap,
				least)
		}
		m.Cap = s.Cap
	}
	return nil
}

// LeastCap is the period of a single glider on a torus of this size, or of one that flies diagonally through a volume:
// four generations for each cell.
func LeastCap(t topology.Topology) uint64 {
	multiple := uint64(1)
	for _, side := range []int{t.W, t.LayerRows(), max(t.D, 1)} {
		a, b := multiple, uint64(side)
		for b != 0 {
			a, b = b, a%b
		}
		multiple = multiple / a * uint64(side)
	}
	return 4 * multiple
}

// Identities returns the measures with their versions and options, in the form that the hash of a job contains.
func (m Wanted) Identities() []string {
	var list []string
	for _, known := range Measures {
		if !slices.Contains(m.Names, known.Name) {
			continue
		}
		option := ""
		switch known.Name {
		case "entropy":
			option = fmt.Sprintf("(%d)", m.Block)
		case "correlation":
			option = fmt.Sprintf("(%d)", m.Distance)
		case "clusters", "percolation":
			option = fmt.Sprintf("(%s)", m.Connectivity)
		case "settling":
			option = fmt.Sprintf("(%d)", m.Cap)
		}
		if known.Distance {
			option = fmt.Sprintf("(%d)", m.Distance)
		}
		list = append(list, fmt.Sprintf("%s%s/%d", known.Name, option, known.Version))
	}
	return list
}
