package sim

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/topology"
)

// choice is the table by which Auto chooses an engine. Auto tries the engines of the rows whose condition
// holds, from the first row to the last, and takes the first that accepts the universe. The Scope of an engine
// says what it accepts.
var choice = []Row[Config]{
	{
		"hashlife", "the pattern is a large quadtree that repeats itself, on the unbounded plane", isRepetitiveTree,
		"all other engines would store its cells one by one",
	},
	{
		"hashlife", "a macrocell file, or a few or scattered cells of a large rule table, run unobserved on the unbounded plane",
		beginsHashed,
		"what repeats is computed once; another engine takes over if it is faster",
	},
	{
		"hashlife", "up to 2^20 cells run for 2^30 generations, or have 2^60 cells in all generations, or a universe of 2^50",
		isEndless,
		"an engine that computes one generation after another would need minutes to months",
	},
	{
		"sums", "the radius is 65 or more on the unbounded plane, and no plan is asked for", isWide,
		"tiles have no machine code for such radii",
	},
	{
		"cpu", "the universe is infinite, and the circuit is short enough for machine code", isInfiniteAndShort,
		"it skips the empty parts, and a GPU does not",
	},
	{
		"cuda", "the run is not brief", func(cfg Config) bool { return !cfg.Outlook.Brief },
		"a GPU is the fastest at computing all cells",
	},
	{
		"cpu", "the circuit is short enough for machine code", isShort,
		"machine code computes hundreds of cells at once",
	},
	{"cuda", "", nil, "in a brief run a GPU is idle most of the time, but still faster than looking cells up"},
	{"lookup", "", nil, "looking cells up is faster than a circuit without machine code"},
	{"cpu", "", nil, "a circuit without machine code is faster than counting cell by cell"},
	{"reference", "", nil, "it runs nearly everything, cell by cell"},
}

// isRepetitiveTree reports whether the pattern is a large quadtree with many repeated squares.
func isRepetitiveTree(cfg Config) bool {
	const large = 16 << 20 // bytes
	o := &cfg.Outlook
	return cfg.Topology.Kind == topology.Unbounded && o.Drawn > large && o.Drawn > 4*o.Tree
}

// beginsHashed reports whether a run begins with hashed life although other engines may turn out to be faster, and then
// win (run.Options.Rival). The circuit of a diagram with manyNodes and more takes up to half a second to compile. That
// of a smaller one takes longer than a run of few cells, but pays if many cells do not repeat. Those of a gas lie close
// together, and those of a machine with a long tape do not.
func beginsHashed(cfg Config) bool {
	const (
		manyNodes = 384
		fewCells  = 1 << 16
		sparse    = 16 // times the population
	)
	f, o := cfg.Rule.Local, &cfg.Outlook
	return cfg.Topology.Kind == topology.Unbounded && o.Ahead > 0 &&
		(o.Quadtree || compile.LooksUp(f) && (o.Population <= fewCells || o.Area/sparse >= o.Population ||
			f.Diagram().Size() >= manyNodes))
}

// isEndless reports whether the pattern has few cells and runs for very many generations, or in so large a
// universe that most of its cells stay dead, or no other engine could store it. An engine that computes one
// generation after another needs minutes at least for the one, even for a glider, and months for the other.
func isEndless(cfg Config) bool {
	const (
		few  = 1 << 20
		far  = 1 << 30 // generations
		much = 1 << 60 // cells of all generations
		vast = 1 << 50 // cells: no memory holds so many
	)
	o, t := &cfg.Outlook, cfg.Topology
	if o.Population == 0 || o.Population > few {
		return false
	}
	over, cells := bits.Mul64(uint64(t.W)*uint64(t.H), o.Ahead)
	return o.Ahead >= far || t.Bounded() && (over > 0 || cells >= much || uint64(t.W)*uint64(t.H) >= vast)
}

// isWide reports whether running sums come before tiles.
func isWide(cfg Config) bool {
	const wide = 65 // the least radius for which tiles have no machine code
	return cfg.Plan == "" && cfg.Topology.Kind == topology.Unbounded && cfg.Rule.Radius() >= wide
}

func isInfiniteAndShort(cfg Config) bool { return !cfg.Topology.Bounded() && isShort(cfg) }

// isShort reports whether the rule's circuit is compiled to machine code. A plan that is asked for counts as if it was.
func isShort(cfg Config) bool { return cfg.Plan != "" || !compile.IsLong(cfg.Rule) }

// Verdict says what became of an engine when Auto chose one.
type Verdict string

const (
	Chosen  Verdict = "chosen"  // it runs the universe
	Refused Verdict = "refused" // it cannot run the universe, or cannot run on this machine
	Behind  Verdict = "behind"  // Auto would try it only if the chosen one and those before it refused
	Unasked Verdict = "unasked" // Auto does not try it, because no condition of the table holds for it
)

// Explanation says why Auto chooses an engine, or does not.
type Explanation struct {
	Engine  string
	Verdict Verdict
	Why     string // a clause
}

// Explain says for each registered engine whether Auto would choose it for cfg, and why. The engines that Auto
// tries come first, in their order. It opens engines as Open does until one accepts cfg, and closes that one.
// An engine that is behind may still refuse cfg when it is opened.
func Explain(ctx context.Context, cfg Config) ([]Explanation, error) {
	if w := wrapperOf(cfg); w != nil {
		inner, err := w.Inner(Auto, cfg)
		if why, refused := refusal(err); refused {
			return engines.refuseAll(why), nil
		}
		if err != nil {
			return nil, err
		}
		cfg = inner
	}
	var all []Explanation
	var chosen string
	for row := range engines.tried(cfg) {
		m, _ := engines.maker(row.Engine)
		err := m.check(cfg)
		if err == nil && chosen == "" {
			var e Engine
			if e, err = m.open(ctx, cfg); err == nil {
				err = e.Close()
			}
		}
		x := Explanation{Engine: row.Engine, Verdict: Chosen, Why: row.reason()}
		if why, refused := refusal(err); refused {
			x.Verdict, x.Why = Refused, why
		} else if err != nil {
			return nil, err
		} else if chosen != "" {
			x.Verdict, x.Why = Behind, "it comes after "+chosen+": "+row.Why
		} else {
			chosen = row.Engine
		}
		all = append(all, x)
	}
	for _, name := range Names() {
		if slices.ContainsFunc(all, func(x Explanation) bool { return x.Engine == name }) {
			continue
		}
		m, _ := engines.maker(name)
		x := Explanation{Engine: name, Verdict: Unasked, Why: engines.conditions(name)}
		if why, refused := refusal(m.check(cfg)); refused {
			x.Verdict, x.Why = Refused, why
		}
		all = append(all, x)
	}
	return all, nil
}

// refusal returns the reason of an *Unsupported error.
func refusal(err error) (why string, ok bool) {
	var unsupported *Unsupported
	if !errors.As(err, &unsupported) {
		return "", false
	}
	return unsupported.Why, true
}

// reason says why the row's engine is tried.
func (r *Row[C]) reason() string {
	if r.If == "" {
		return r.Why
	}
	return r.If + ": " + r.Why
}

// refuseAll says that all engines refuse a universe for one reason.
func (r *Registry[C, E]) refuseAll(why string) (all []Explanation) {
	for _, name := range r.Names() {
		all = append(all, Explanation{Engine: name, Verdict: Refused, Why: why})
	}
	return all
}

// conditions lists the conditions under which Auto tries an engine.
func (r *Registry[C, E]) conditions(name string) string {
	var all []string
	for _, row := range r.table {
		if row.Engine == name {
			all = append(all, row.If)
		}
	}
	if len(all) == 0 {
		return "it runs only if it is asked for by its name"
	}
	return "it is tried only if " + strings.Join(all, "; or if ")
}
