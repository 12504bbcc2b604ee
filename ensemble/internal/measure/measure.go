// Package measure has the instruments of ensembles. Each finds numbers in the cells of a universe, and derives others
// from the means over universes. docs/measures.md defines every quantity, its estimator and its error. The package
// knows neither rules nor engines.
package measure

import (
	"math"

	"github.com/gosper-life/gosper/ensemble/internal/match"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Instrument finds some numbers in a universe at each sample. It is used by several goroutines at once and must
// not keep anything.
type Instrument interface {
	// Quantities names the numbers, in the order in which Measure stores them. A name is one word, or a word and a
	// number: "mutual 3".
	Quantities(s Setting) []string
	// Measure stores the numbers of a sample. They must be finite, and the same on every processor: math.Round to
	// nine decimals hides the last bits.
	Measure(dst []float64, v View)
}

// Deriver is an Instrument from whose means over universes other numbers follow.
type Deriver interface {
	Derived(s Setting) []Derived
}

// Later is an Instrument that has some of its numbers only from a generation on. What Measure stores for them before
// that generation is ignored.
type Later interface {
	// From returns that generation, for the number of a quantity in Quantities.
	From(s Setting, quantity int) uint64
}

// Derived is a number that follows from means over universes, like a ratio of moments. Its value and standard
// error are those of the jackknife over universes, which takes away the bias of order 1/n; its interval is
// Student's, corrected for skewness. Where it is not finite, it is left out.
type Derived struct {
	Name string
	From []string // quantities of the same instrument
	Of   func(means []float64) float64
}

// Setting holds the values that all samples of a place have in common.
type Setting struct {
	Topology   topology.Topology
	RuleStates int // how many states the rule has
	Distance   int // the spec's largest distance
	Patterns   []*match.Pattern
	Waiting    []uint64 // generations from which two-time correlations are measured, rising
	Calls      []string // quantities that another program finds
}

// cells is the number of cells of a universe.
func (s Setting) cells() float64 { return float64(s.Topology.W) * float64(s.Topology.H) }

// axes is the number of dimensions.
func (s Setting) axes() float64 {
	if s.Topology.Volume() {
		return 3
	}
	return 2
}

// wraps reports whether the universe is a torus without a shift, in two dimensions or three.
func (s Setting) wraps() bool { return wraps(s.Topology) }

func wraps(t topology.Topology) bool {
	return t.WrapsStraight() || t.Volume() && t.Kind == topology.Torus
}

// View is a universe at a sample. Grids have one plane, of the cells in state 1, except for States. They must
// not be changed.
type View struct {
	Setting
	Generation uint64
	Ones       uint64       // cells in state 1
	Bonds      int64        // see BondsOf; 0 unless Needs has Bonds
	Cells      *grid.Grid   // nil unless Needs has Cells, as the next two
	First      *grid.Grid   // the same universe at its first sample
	Waiting    []*grid.Grid // the same universe at the waiting times that have come, by their number
	Twin       *grid.Grid   // the universe with the same noise that began with other cells
	States     *grid.Grid   // all planes of the cells' states; nil unless Needs has States
	Seed       uint64       // of the universe, for instruments that need chance of their own
}

// Needs lists the data that an instrument reads besides the number of cells in state 1. Ensembles read no other data.
type Needs uint8

// The data that an instrument can need.
const (
	Cells Needs = 1 << iota
	First
	Twin
	States
	Waiting
	Bonds
)

// Kind is an instrument of this package, with the facts that an ensemble needs.
type Kind struct {
	Name, About string
	Needs       Needs
	Instrument  Instrument
	Distance    bool // it uses the spec's distance
	Straight    bool // it is only for tori without a shift
	Patterns    bool // it counts the spec's patterns
	Volumes     bool // it knows three dimensions, or does not look where cells are
	Version     int  // of the meaning of its numbers; 0 stands for 1
}

// Kinds lists the instruments.
var Kinds = []Kind{
	{
		Name: "magnetisation", About: "moments of the magnetisation, Binder's cumulant, susceptibility",
		Instrument: magnetisation{}, Volumes: true,
	},
	{
		Name: "energy", About: "energy of the Ising model and its fluctuations", Needs: Bonds,
		Instrument: energy{}, Volumes: true,
	},
	{
		Name: "structure", About: "structure factor along the axes, correlation length", Needs: Cells,
		Instrument: structure{}, Distance: true, Straight: true, Version: 2, Volumes: true,
	},
	{
		Name: "spectrum", About: "structure factor of the plane by Fourier transform, by the length of the wave vector",
		Needs: Cells | States, Instrument: spectrum{}, Distance: true, Straight: true, Version: 2, Volumes: true,
	},
	{
		Name: "mutual", About: "mutual information of the states of two cells by distance along the axes",
		Needs: Cells | States, Instrument: mutual{}, Distance: true, Straight: true, Version: 2, Volumes: true,
	},
	{
		Name: "agreement", About: "how often two cells have the same state, by distance along the axes",
		Needs: Cells | States, Instrument: agreement{}, Distance: true, Straight: true, Volumes: true,
	},
	{
		Name: "autocorrelation", About: "correlation of cells with the first sample", Needs: Cells | First,
		Instrument: autocorrelation{}, Volumes: true,
	},
	{
		Name: "twotime", About: "correlations of cells and of density between waiting times and later ones",
		Needs: Cells | Waiting, Instrument: twoTime{}, Volumes: true,
	},
	{
		Name: "spreading", About: "survival, and mean square distance of live cells from the middle", Needs: Cells,
		Instrument: spreading{}, Volumes: true,
	},
	{
		Name: "damage", About: "differences from a twin with the same noise and other first cells", Needs: Cells | Twin,
		Instrument: damage{}, Volumes: true,
	},
	{
		Name: "avalanches", About: "sizes and durations of avalanches of a sandpile, and its height at rest",
		Needs: Cells | States, Instrument: avalanches{}, Volumes: true,
	},
	{
		Name: "patterns", About: "how often given patterns occur, in all orientations", Needs: Cells, Instrument: patterns{},
		Patterns: true,
	},
	{
		Name: "fires", About: "sizes and durations of fires that lightning would light", Needs: Cells,
		Instrument: fires{}, Volumes: true,
	},
	{
		Name: "bits", About: "shares of cells whose state has each bit set", Needs: Cells | States, Instrument: stateBits{},
		Volumes: true,
	},
	{Name: "states", About: "shares of cells in each state", Needs: Cells | States, Instrument: states{}, Volumes: true},
	{
		Name: "call", About: "numbers that another program finds in the cells, such as a function of Python",
		Needs: Cells | States, Instrument: call{}, Volumes: true,
	},
	{
		Name: "potts", About: "order and energy of the Potts model: which states cells have, and how often " +
			"neighbours have the same", Needs: Cells | States,
		Instrument: potts{}, Volumes: true,
	},
}

// nine rounds to nine decimals, which is more than any number of universes can resolve.
func nine(x float64) float64 { return math.Round(x*1e9) / 1e9 }
