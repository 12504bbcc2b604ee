package ensemble

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/topology"
)

// Measure is a quantity or a group of quantities that can be measured.
type Measure struct {
	Name    string
	Version int // of the meaning of its numbers; it changes when they would
	About   string
}

// Measures lists all measures, in the order of results.
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

// Wanted lists what a spec asks to measure.
type Wanted struct {
	Names []string // of the measures, in the order of Measures

	Activity, Entropy, Correlation, Clusters, Percolation, Settling, Census bool

	Connectivity component.Connectivity // of clusters
	Block        int                    // side of the blocks of the entropy, in cells
	Distance     int                    // largest distance of the correlation, in cells
	Cap          uint64                 // generation after which a universe counts as not settling
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
	m := Wanted{
		Activity: wants["activity"], Entropy: wants["entropy"], Correlation: wants["correlation"],
		Clusters: wants["clusters"], Percolation: wants["percolation"], Settling: wants["settling"],
		Census: wants["census"],
	}
	for _, name := range known {
		if wants[name] {
			m.Names = append(m.Names, name)
		}
	}
	for _, option := range []struct {
		key         string
		given, used bool
		by          string
	}{
		{"connectivity", s.Connectivity != 0, m.Clusters || m.Percolation, "clusters and percolation"},
		{"block", s.Block != 0, m.Entropy, "entropy"},
		{"distance", s.Distance != 0, m.Correlation, "correlation"},
		{"cap", s.Cap != 0, m.Settling, "settling"},
	} {
		if option.given && !option.used {
			return m, fmt.Errorf("%s is an option of %s: add that to the measures", option.key, option.by)
		}
	}
	return m, s.readOptions(&m, areas)
}

func (s *Spec) readOptions(m *Wanted, areas []topology.Topology) error {
	if m.Clusters || m.Percolation {
		switch s.Connectivity {
		case 0, 8:
			s.Connectivity = 8
		default:
			var err error
			if m.Connectivity, err = component.ParseConnectivity(strconv.Itoa(s.Connectivity)); err != nil {
				return err
			}
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
		if s.Block < 1 || s.Block > 3 {
			return fmt.Errorf("block %d: want 1 to 3", s.Block)
		}
		for _, t := range areas {
			if !t.WrapsStraight() && s.Block > min(t.W, t.H) {
				return fmt.Errorf("block %d is too large for a universe of %d×%d cells, because blocks do not cross its edges", s.Block, t.W, t.H)
			}
		}
		m.Block = s.Block
	}
	if m.Correlation {
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
		m.Distance = s.Distance
	}
	if m.Settling {
		least := uint64(0)
		for _, t := range areas {
			least = max(least, LeastCap(t))
		}
		if s.Cap == 0 {
			s.Cap = max(100_000, least, s.Generations)
		}
		if s.Cap < least {
			return fmt.Errorf("cap %d: want at least %[2]d, the generations in which a glider can circle these universes", s.Cap, least)
		}
		m.Cap = s.Cap
	}
	return nil
}

// LeastCap is the period of a single glider on a torus of this size: four generations for each cell.
func LeastCap(t topology.Topology) uint64 {
	a, b := uint64(t.W), uint64(t.H)
	for b != 0 {
		a, b = b, a%b
	}
	return 4 * uint64(t.W) / a * uint64(t.H)
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
		list = append(list, fmt.Sprintf("%s%s/%d", known.Name, option, known.Version))
	}
	return list
}
