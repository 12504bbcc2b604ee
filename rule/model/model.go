// Package model has the stochastic models of statistical physics that have names and parameters: Ising~T=2.3 is
// the Ising model at temperature 2.3. It writes each in the notation of rules with probabilities, which package
// rule reads. docs/models.md has a section for each.
//
// Start with [Expand]; [All] lists the models.
package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// Parameter is a number that a model needs.
type Parameter struct {
	Name    string
	Default float64
	Lo, Hi  float64 // what is allowed
	Meaning string
	volume  float64 // the default in three dimensions; 0: the same
}

// Model is a family of rules with a name.
type Model struct {
	Name       string
	Parameters []Parameter
	Meaning    string // in a sentence, without a full stop
	Source     string
	Burns      bool // fires burn whole clusters in a generation: see chance.Chance
	// nil: it has none, and is a function of the cells around a cell
	notation func(l lattice, p []float64) string
	function func(l lattice, p []float64) (*local.Function, error)
	letter   byte // of the function's neighbourhood
	colours  map[uint8][3]uint8
	flat     bool    // it has two dimensions only
	lattice  lattice // 0: plane
}

// lattice is the number of neighbours of a cell: those beyond its edges, or in three dimensions beyond its faces.
type lattice int

const (
	plane  lattice = 4
	volume lattice = 6

	volumePrefix = "3D" // of the names and notations of three dimensions
)

// prefix returns the text before the first letter of a notation.
func (l lattice) prefix() string {
	if l == volume {
		return volumePrefix
	}
	return ""
}

// near writes the values of a function for each number of neighbours as a list of probabilities.
func (l lattice) near(of func(n float64) float64) string {
	list := make([]string, l+1)
	for n := range list {
		list[n] = chance.Of(min(1, max(0, of(float64(n))))).String()
	}
	return strings.Join(list, ",")
}

// spins is a model of two states, black and white cells in turn, in which a cell with n of its neighbours up becomes
// up with a probability.
func (l lattice) spins(up func(n float64) float64) string { return l.alive(up) + "~checkerboard" }

// energy is by how much the energy of the Ising model grows if a spin flips that n of its neighbours are aligned with.
func (l lattice) energy(n float64) float64 { return 4*n - 2*float64(l) }

// epidemic is PN with infection by each of n neighbours in state 1, recovery and loss of immunity.
func (l lattice) epidemic(infect, recover, wane float64) string {
	return fmt.Sprintf("%sPN/%s/%v/%v", l.prefix(), l.near(func(n float64) float64 {
		return 1 - math.Pow(1-infect, n)
	}), chance.Of(recover), chance.Of(wane))
}

// alive is a model of two states. A cell with n of its neighbours in state 1 becomes 1 with probability of(n),
// regardless of its own state.
func (l lattice) alive(of func(n float64) float64) string {
	return l.prefix() + "PN/" + l.near(of) + "/" + l.near(func(n float64) float64 { return 1 - of(n) })
}

// directed is a model of one dimension. A cell becomes 1 with probability one if one of its two neighbours is 1, and
// with probability both if both are.
func directed(one, both float64) string {
	return fmt.Sprintf("P@18/0,%v,%v/1,%v,%v", chance.Of(one), chance.Of(both), chance.Of(1-one), chance.Of(1-both))
}

func probability(name string, usual float64, meaning string) Parameter {
	return Parameter{Name: name, Default: usual, Lo: 0, Hi: 1, Meaning: meaning}
}

// temperature is in units of the coupling, J = k = 1. The usual one is critical: 2/ln(1+√2) (Onsager 1944), and in
// three dimensions 1/0.221654626 (Ferrenberg, Xu and Landau 2018).
var temperature = Parameter{"T", 2.269185314213022, 0.01, 1e6, "temperature, in units of the coupling", 4.511523}

var all = []Model{
	{
		Name: "Ising", Parameters: []Parameter{temperature},
		Meaning: "Ising model, Metropolis, black and white spins in turn",
		Source:  "Ising 1925; Metropolis et al. 1953",
		notation: func(l lattice, p []float64) string {
			flip := func(aligned float64) float64 { return math.Exp(min(0, -l.energy(aligned)/p[0])) }
			return l.prefix() + "PN/" + l.near(func(n float64) float64 { return flip(float64(l) - n) }) + "/" + l.near(flip) +
				"~checkerboard"
		},
	},
	{
		Name: "Glauber", Parameters: []Parameter{temperature},
		Meaning: "Ising model, heat bath, black and white spins in turn",
		Source:  "Glauber 1963",
		notation: func(l lattice, p []float64) string {
			return l.spins(func(n float64) float64 { return 1 / (1 + math.Exp(-l.energy(n)/p[0])) })
		},
	},
	{
		Name: "Potts", Parameters: []Parameter{
			{"q", 3, 2, 16, "states", 0}, {
				"T", 0.994972861, 0.01, 1e6,
				"temperature, in units of the coupling; the usual one is critical for q=3", 1.816316,
			},
		},
		Meaning: "Potts model, Metropolis, black and white spins in turn", Source: "Potts 1952; Metropolis et al. 1953",
		notation: func(l lattice, p []float64) string {
			accept := l.near(func(lost float64) float64 { return math.Exp(-lost / p[1]) })
			return fmt.Sprintf("%sQ%.0fN/%s~checkerboard", l.prefix(), p[0], accept[len("1,"):])
		},
	},
	{
		Name: "MajorityVote", Parameters: []Parameter{
			{"q", 0.075, 0, 1, "noise: probability of joining the minority", 0.1763},
		},
		Meaning: "majority vote with noise, black and white voters in turn", Source: "de Oliveira 1992",
		notation: func(l lattice, p []float64) string {
			return l.spins(func(n float64) float64 { return []float64{p[0], 0.5, 1 - p[0]}[1+cmp.Compare(2*n, float64(l))] })
		},
	},
	{
		Name: "Voter", Meaning: "voter model: a cell copies one of its neighbours, black and white voters in turn",
		Source:   "Clifford and Sudbury 1973; Holley and Liggett 1975",
		notation: func(l lattice, _ []float64) string { return l.spins(func(n float64) float64 { return n / float64(l) }) },
	},
	{
		Name: "DomanyKinzel", flat: true, Parameters: []Parameter{
			probability("p1", 0.6447001, "one of the cells left and right is 1"), probability("p2", 0.87376198, "both are"),
		},
		Meaning: "Domany–Kinzel automaton; each row is a system of one dimension", Source: "Domany and Kinzel 1984",
		notation: func(_ lattice, p []float64) string { return directed(p[0], p[1]) },
	},
	{
		Name: "BondDP", flat: true, Parameters: []Parameter{probability("p", 0.6447001, "a bond is open")},
		Meaning:  "directed bond percolation in 1+1 dimensions; each row is a system",
		Source:   "Domany and Kinzel 1984; Jensen 1999",
		notation: func(_ lattice, p []float64) string { return directed(p[0], p[0]*(2-p[0])) },
	},
	{
		Name: "SiteDP", flat: true, Parameters: []Parameter{probability("p", 0.7054852, "a site is open")},
		Meaning:  "directed site percolation in 1+1 dimensions; each row is a system",
		Source:   "Domany and Kinzel 1984; Jensen 1999",
		notation: func(_ lattice, p []float64) string { return directed(p[0], p[0]) },
	},
	{
		Name: "BondDP2", flat: true, Parameters: []Parameter{probability("p", 0.2873383, "a bond is open")},
		Meaning: "directed bond percolation in 2+1 dimensions, on the body-centred cubic lattice",
		Source:  "Perlsman and Havlin 2002; Wang et al. 2013",
		notation: func(l lattice, p []float64) string {
			return l.alive(func(n float64) float64 { return 1 - math.Pow(1-p[0], n) })
		},
	},
	{
		Name: "SiteDP2", flat: true, Parameters: []Parameter{probability("p", 0.344574, "a site is open")},
		Meaning: "directed site percolation in 2+1 dimensions, on the body-centred cubic lattice",
		Source:  "Perlsman and Havlin 2002; Wang et al. 2013",
		notation: func(l lattice, p []float64) string {
			return l.alive(func(n float64) float64 { return p[0] * min(n, 1) })
		},
	},
	{
		Name: "Contact", Parameters: []Parameter{
			{"lambda", 1.6488, 0, 100, "infections by a particle in the time in which it dies", 1.31686},
			{"dt", 0.05, 1e-6, 1, "time of a generation; the process is the limit 0", 0},
		},
		Meaning: "contact process in steps of time dt: particles die with probability dt, and infect each neighbour with lambda dt/4",
		Source:  "Harris 1974",
		notation: func(l lattice, p []float64) string {
			infected := l.near(func(n float64) float64 { return n / float64(l) * p[0] * p[1] })
			return fmt.Sprintf("%sPN/%s/%v", l.prefix(), infected, chance.Of(p[1]))
		},
	},
	{
		Name: "BondContact", flat: true, Parameters: []Parameter{
			{"lambda", 1.6488, 0, 100, "infections by a particle with four open bonds in the time in which it dies", 0},
			{"dt", 0.05, 1e-6, 1, "time of a generation; the process is the limit 0", 0},
		},
		Meaning: "contact process over bonds, in steps of time dt: bit 0 of a state is a particle, bits 1 and 2 open bonds to E and S", Source: "Harris 1974; Dahmen, Sittler and Hinrichsen 2007",
		function: func(_ lattice, p []float64) (*local.Function, error) {
			return bondContact(p[0]*p[1]/4, chance.Of(p[1]))
		}, letter: 'N', colours: bondColours,
	},
	{
		Name: "SIR", Parameters: []Parameter{
			probability("infect", 0.3, "infection by a neighbour"),
			probability("recover", 0.2, "recovery"),
		},
		Meaning: "epidemic: susceptible 0, infected 1, recovered 2", Source: "Kermack and McKendrick 1927",
		notation: func(l lattice, p []float64) string { return l.epidemic(p[0], p[1], 0) },
	},
	{
		Name: "SIRS", Parameters: []Parameter{
			probability("infect", 0.3, "infection by a neighbour"), probability("recover", 0.2, "recovery"),
			probability("wane", 0.05, "loss of immunity"),
		},
		Meaning:  "epidemic with immunity that is lost: susceptible 0, infected 1, recovered 2",
		Source:   "Kermack and McKendrick 1927",
		notation: func(l lattice, p []float64) string { return l.epidemic(p[0], p[1], p[2]) },
	},
	{
		Name: "ForestFire", Parameters: []Parameter{
			probability("p", 0.01, "a tree grows"),
			probability("f", 0.0001, "lightning"),
		},
		Meaning: "forest fire: ground 0, tree 1, fire 2, which lasts for a generation", Source: "Drossel and Schwabl 1992",
		notation: func(l lattice, p []float64) string {
			return fmt.Sprintf("%sPN/%v/%v,1/1/C2", l.prefix(), chance.Of(p[0]), chance.Of(p[1]))
		},
	},
	{
		Name: "InstantForestFire", Parameters: []Parameter{
			probability("p", 0.001, "a tree grows"),
			probability("f", 0.00001, "lightning"),
		},
		Meaning: "forest fire whose fires burn whole clusters at once: ground 0, tree 1, burnt in this generation 2",
		Source:  "Drossel and Schwabl 1992; Grassberger 2002",
		notation: func(l lattice, p []float64) string {
			return fmt.Sprintf("%sPN/%v/%v/1", l.prefix(), chance.Of(p[0]), chance.Of(p[1]))
		}, Burns: true,
	},
	{
		Name: "Sandpile", Parameters: []Parameter{probability("p", 0.00001, "a grain falls on a cell")},
		Meaning: "sandpile: heights 0 to 7, or 11 in three dimensions; a cell with a grain or more for each neighbour topples, all at once",
		Source:  "Bak, Tang and Wiesenfeld 1987",
		function: func(l lattice, p []float64) (*local.Function, error) {
			return l.sandpile(chance.Of(p[0]))
		}, letter: 'N', colours: sandColours,
	},
	{
		Name: "NoisyGH", Parameters: []Parameter{probability("f", 0.0001, "a resting cell fires by itself")},
		Meaning: "excitable medium with noise: resting 0, excited 1, refractory 2", Source: "Greenberg and Hastings 1978",
		notation: func(l lattice, p []float64) string { return fmt.Sprintf("%sPN/%v,1/1/1", l.prefix(), chance.Of(p[0])) },
	},
}

// init adds the lattice gases, which only differ in whether particles rest.
func init() {
	for _, gas := range []struct {
		name, meaning string
		rest          bool
		states        int
		wall          uint8
	}{
		{"FHP", "lattice gas FHP-I: bits 0 to 5 move E, SE, S, W, NW, N; bit 6 is a wall", false, 128, 1 << 6},
		{"FHP2", "lattice gas FHP-II: as FHP, bit 6 is a particle at rest, bit 7 a wall", true, 192, 1 << 7},
	} {
		all = append(all, Model{
			Name: gas.name, Meaning: gas.meaning, Source: "Frisch, Hasslacher and Pomeau 1986; Frisch et al. 1987", letter: 'H',
			flat:     true,
			function: func(lattice, []float64) (*local.Function, error) { return latticeGas(gas.rest) },
			colours:  gasColours(gas.states, gas.wall),
		})
	}
}

// All lists the models.
func All() []Model { return slices.Clone(all) }

// Lookup returns the model of a name. Case does not matter. A name with 3D before it is the model in three dimensions.
func Lookup(name string) (Model, bool) {
	of := plane
	if n := len(volumePrefix); len(name) > n && strings.EqualFold(name[:n], volumePrefix) {
		name, of = name[n:], volume
	}
	i := slices.IndexFunc(all, func(m Model) bool { return strings.EqualFold(m.Name, name) })
	if i < 0 || of == volume && all[i].flat {
		return Model{}, false
	}
	m := all[i]
	if m.lattice = of; of == volume {
		m.Name, m.Parameters = volumePrefix+m.Name, slices.Clone(m.Parameters)
		for i, p := range m.Parameters {
			m.Parameters[i].Default = cmp.Or(p.volume, p.Default)
		}
	}
	return m, true
}

// Options lists the model's parameters by name, with their default values, in the form that users type:
// T=2.269185314213022.
func (m Model) Options() string {
	var parts []string
	for _, p := range m.Parameters {
		parts = append(parts, p.Name+"="+strconv.FormatFloat(p.Default, 'g', -1, 64))
	}
	return strings.Join(parts, ",")
}

// Expand returns the notation of a model with some of its parameters, or the file of one that is a function,
// and its own short notation with all of them. Options that are no parameters, like the seed, are returned.
func (m Model) Expand(options []chance.Option) (notation string, file *rulefile.File, short string,
	others []chance.Option, err error,
) {
	values, given := make([]float64, len(m.Parameters)), make([]bool, len(m.Parameters))
	for i, p := range m.Parameters {
		values[i] = p.Default
	}
	for _, o := range options {
		i := slices.IndexFunc(m.Parameters, func(p Parameter) bool { return strings.EqualFold(p.Name, o.Name) })
		if i < 0 {
			others = append(others, o)
			continue
		}
		p := m.Parameters[i]
		if given[i] {
			return "", nil, "", nil, fmt.Errorf("%s of %s is given twice", p.Name, m.Name)
		}
		v, err := strconv.ParseFloat(o.Value, 64)
		if err != nil || !(p.Lo <= v && v <= p.Hi) || p.Name == "q" && p.Hi > 1 && v != math.Trunc(v) {
			return "", nil, "", nil, fmt.Errorf("%s of %s is %q: want a number from %v to %v (%s)", p.Name, m.Name, o.Value,
				p.Lo, p.Hi, p.Meaning)
		}
		values[i], given[i] = v, true
	}
	short = m.Name
	for i, p := range m.Parameters {
		short += string("~,"[min(i, 1)]) + p.Name + "=" + strconv.FormatFloat(values[i], 'g', -1, 64)
	}
	if m.function == nil {
		return m.notation(m.lattice, values), nil, short, others, nil
	}
	f, err := m.function(m.lattice, values)
	if err != nil {
		return "", nil, "", nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return "", &rulefile.File{
		Name: short, Description: m.Meaning + ". " + m.Source + ".", Kind: "stochastic",
		Neighbourhood: neighbourhood.Set{Letter: m.letter, Radius: 1, Volume: m.lattice == volume}, Function: f,
		Colours: m.colours,
	}, short, others, nil
}
