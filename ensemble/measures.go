package ensemble

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/topology"
)

// Measure is something that can be measured.
type Measure struct {
	Name    string
	Version int // of what its numbers mean: it changes when they would
	About   string
}

// Measures are all there are, in the order of results.
var Measures = []Measure{
	{"density", 1, "population and share of cells in state 1"},
	{"activity", 1, "births, deaths and share of cells that changed in the step that led to a sample"},
	{"entropy", 2, "Shannon entropy of blocks of cells, in bits a cell"},
	{"correlation", 1, "pairs of cells in state 1 by distance along the axes"},
	{"clusters", 2, "connected clusters of cells in state 1 by size"},
	{"percolation", 1, "whether a cluster spans the universe"},
	{"settling", 1, "generations until the universe repeats, and its period"},
	{"census", 1, "objects that the soups settle into on the unbounded plane, by apgcode"},
}

// measures is what a spec asks for.
type measures struct {
	names []string

	activity, entropy, correlation, clusters, percolation, settling, census bool

	connectivity component.Connectivity
	block        int
	distance     int
	limit        uint64 // of settling
}

// measures reads the list of measures and their options, which are refused where nothing uses them.
func (s *Spec) measures(areas []topology.Topology) (measures, error) {
	wants := map[string]bool{"density": true}
	var known []string
	for _, m := range Measures {
		known = append(known, m.Name)
	}
	for _, name := range s.Measures {
		if !slices.Contains(known, name) {
			return measures{}, fmt.Errorf("unknown measure %q; allowed are %s", name, strings.Join(known, ", "))
		}
		wants[name] = true
	}
	m := measures{
		activity: wants["activity"], entropy: wants["entropy"], correlation: wants["correlation"],
		clusters: wants["clusters"], percolation: wants["percolation"], settling: wants["settling"],
		census: wants["census"],
	}
	for _, name := range known {
		if wants[name] {
			m.names = append(m.names, name)
		}
	}
	for _, option := range []struct {
		key         string
		given, used bool
		by          string
	}{
		{"connectivity", s.Connectivity != 0, m.clusters || m.percolation, "clusters and percolation"},
		{"block", s.Block != 0, m.entropy, "entropy"},
		{"distance", s.Distance != 0, m.correlation, "correlation"},
		{"cap", s.Cap != 0, m.settling, "settling"},
	} {
		if option.given && !option.used {
			return m, fmt.Errorf("%s is an option of %s, which the measures leave out", option.key, option.by)
		}
	}
	return m, s.readOptions(&m, areas)
}

func (s *Spec) readOptions(m *measures, areas []topology.Topology) error {
	if m.clusters || m.percolation {
		switch s.Connectivity {
		case 0, 8:
			s.Connectivity = 8
		case 4:
			m.connectivity = component.Four
		default:
			return fmt.Errorf("connectivity %d: want 8 or 4", s.Connectivity)
		}
	}
	if m.entropy {
		if s.Block == 0 {
			s.Block = 2
		}
		if s.Block < 1 || s.Block > 3 {
			return fmt.Errorf("block %d: want 1 to 3", s.Block)
		}
		for _, t := range areas {
			if !wraps(t) && s.Block > min(t.W, t.H) {
				return fmt.Errorf("block %d: a universe of %d×%d cells whose edges do not lead straight across has no room for it", s.Block, t.W, t.H)
			}
		}
		m.block = s.Block
	}
	if m.correlation {
		half := math.MaxInt
		for _, t := range areas {
			half = min(half, t.W/2, t.H/2)
		}
		if s.Distance == 0 {
			s.Distance = min(32, max(half, 1))
		}
		if s.Distance < 1 || s.Distance > max(half, 1) {
			return fmt.Errorf("distance %d: want 1 to half the smallest side, %d", s.Distance, max(half, 1))
		}
		m.distance = s.Distance
	}
	if m.settling {
		least := uint64(0)
		for _, t := range areas {
			least = max(least, leastCap(t))
		}
		if s.Cap == 0 {
			s.Cap = max(100_000, least, s.Generations)
		}
		if s.Cap < least {
			return fmt.Errorf("cap %d: a glider on its way round these universes may repeat after %d generations only; want that or more", s.Cap, least)
		}
		m.limit = s.Cap
	}
	return nil
}

// leastCap is the period of a lone glider on a torus of this size, four generations a cell.
func leastCap(t topology.Topology) uint64 {
	a, b := uint64(t.W), uint64(t.H)
	for b != 0 {
		a, b = b, a%b
	}
	return 4 * uint64(t.W) / a * uint64(t.H)
}

// identities are the measures with their versions and options, as they stand in the hash of a job.
func (m measures) identities() []string {
	var list []string
	for _, known := range Measures {
		if !slices.Contains(m.names, known.Name) {
			continue
		}
		option := ""
		switch known.Name {
		case "entropy":
			option = fmt.Sprintf("(%d)", m.block)
		case "correlation":
			option = fmt.Sprintf("(%d)", m.distance)
		case "clusters", "percolation":
			option = fmt.Sprintf("(%s)", m.connectivity)
		case "settling":
			option = fmt.Sprintf("(%d)", m.limit)
		}
		list = append(list, fmt.Sprintf("%s%s/%d", known.Name, option, known.Version))
	}
	return list
}
