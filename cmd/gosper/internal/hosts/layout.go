package hosts

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/internal/bandfiles"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// universe describes the universe of a run to its workers.
type universe bandfiles.Universe

// name identifies the universe.
func (u *universe) name() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%v %v %d %v %v", u.Rule, u.Topology, u.Seed, u.Density, u.Pattern))
	return fmt.Sprintf("hosts-%x", sum[:8])
}

// config reads the rule and the topology.
func (u *universe) config() (cfg sim.Config, err error) {
	if err := rulefile.AddTexts(u.RuleFiles); err != nil {
		return cfg, err
	}
	if cfg.Rule, err = rule.Parse(u.Rule); err != nil {
		return cfg, err
	}
	cfg.Topology, err = topology.Parse(u.Topology)
	return cfg, err
}

// layout says how a universe is cut into bands. A line is a row of cells, or a layer of a volume.
type layout struct {
	topology topology.Topology
	lines    int  // of the universe
	rows     int  // of a line
	radius   int  // lines by which a cell acts in one generation
	wraps    bool // the first and the last line are neighbours
}

// layoutOf refuses universes that cannot be cut into bands.
func layoutOf(cfg sim.Config) (layout, error) {
	t := cfg.Topology
	l := layout{topology: t, lines: t.H, rows: 1, radius: cfg.Rule.Radius(), wraps: t.Kind == topology.Torus}
	switch {
	case !t.Bounded() || t.Kind != topology.Torus && t.Kind != topology.Plane || t.Shift != 0:
		return l, fmt.Errorf("--hosts: %v cannot be cut into bands, only a torus without a shift or a plane with edges can",
			t)
	case cfg.Rule.Edged():
		return l, fmt.Errorf("--hosts: no cell crosses an edge of the universe under rule %v, and bands have other edges",
			cfg.Rule)
	case cfg.Rule.Burns():
		return l, fmt.Errorf("--hosts: fires of rule %v burn across all bands in one generation", cfg.Rule)
	}
	if t.Volume() {
		l.lines, l.rows = t.D, t.LayerRows()
	}
	return l, cfg.Rule.Fits(t)
}

// cut cuts a universe into bands.
func cut(cfg sim.Config, n int) (l layout, bands []span, err error) {
	if l, err = layoutOf(cfg); err == nil {
		bands, err = l.bands(n)
	}
	return l, bands, err
}

// neighbours says on which sides band i of n has a neighbour.
func (l layout) neighbours(i, n int) [2]bool {
	return [2]bool{above: l.wraps || i > 0, below: l.wraps || i < n-1}
}

// span is a run of lines.
type span struct{ First, Lines int }

// bands cuts the universe into n bands. They begin at even lines, so that blocks and triangles lie in a band as they
// lie in the universe.
func (l layout) bands(n int) ([]span, error) {
	if n < 1 {
		return nil, fmt.Errorf("--hosts %d: want at least 1", n)
	}
	if most := l.most(); n > most {
		return nil, fmt.Errorf("--hosts %d: %v has room for at most %d bands of %d rows or layers", n, l.topology, most,
			l.reach(1))
	}
	bands := make([]span, n)
	edge := func(i int) int {
		if i == n {
			return l.lines
		}
		return 2 * int(uint64(l.lines/2)*uint64(i)/uint64(n))
	}
	for i := range bands {
		bands[i] = span{edge(i), edge(i+1) - edge(i)}
	}
	return bands, nil
}

// most is the largest number of bands.
func (l layout) most() int { return max(1, l.lines/2/(l.reach(1)/2)) }

// reach is the number of lines of a halo for passes of a depth. It is even, so that the halo, too,
// begins at an even line: see bands.
func (l layout) reach(depth int) int { return (depth*l.radius + 1) &^ 1 }

// deepest is the largest depth of a pass. A band needs rows of its neighbours only, and not of bands beyond them.
func (l layout) deepest(bands []span) int {
	least := bands[0].Lines
	for _, b := range bands {
		least = min(least, b.Lines)
	}
	depth := least / max(l.radius, 1)
	for depth > 1 && l.reach(depth) > least {
		depth--
	}
	return depth
}

// of is the topology of some lines of the universe.
func (l layout) of(lines int) (topology.Topology, error) {
	if l.topology.Volume() {
		return topology.NewVolume(l.topology.Kind, l.topology.W, l.rows, lines)
	}
	return topology.New(l.topology.Kind, l.topology.W, lines)
}

// place tells an engine for a rule with chance where its first line lies.
func (l layout) place(e sim.Engine, cfg sim.Config, first int) error {
	if !cfg.Rule.Random() {
		return nil
	}
	p, ok := e.(sim.Placer)
	if !ok {
		return fmt.Errorf("engine %s does not run rule %v in bands on hosts; the engine cpu does", e.Info().Engine, cfg.Rule)
	}
	return p.Place(first*l.rows, l.lines*l.rows)
}

// errSmall is the error of a band of which a neighbour needs more lines than it has.
var errSmall = errors.New("the passes are too deep for the bands")
