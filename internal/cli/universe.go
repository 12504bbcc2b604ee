package cli

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

const (
	defaultRule    = "B3/S23"
	defaultDensity = 0.5
	defaultSide    = 4096
)

// universe is what a run starts from, before any of its memory is taken.
type universe struct {
	config     sim.Config // the rule without a bounded-grid suffix
	gollyB0    bool
	generation uint64    // of the cells that load writes
	target     uint64    // of the run that a checkpoint cut; Forever for other origins
	until      sim.Until // likewise
	seed       string    // of a soup, else empty
	density    float64
	meta       pattern.Meta // for the files written
	repeat     string       // arguments of gosper run that make this universe again, in shell quotes
	load       func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error
}

// universeFlags say what to start from.
type universeFlags struct {
	Pattern  string   `arg:"" optional:"" help:"Pattern file, name of a built-in pattern, or - for standard input. Without one: a random soup."`
	Rule     string   `placeholder:"R" help:"Rule: any notation or name that gosper rule understands. Default: the pattern's, else B3/S23."`
	Size     size     `placeholder:"W|WxH" help:"Size of the universe; a torus unless --topology says otherwise. Default for soups: 4096."`
	Topology string   `placeholder:"T" help:"torus, plane, unbounded, klein, cross, sphere, or a suffix as in Golly (T30+5,20)."`
	Density  *float64 `placeholder:"D" help:"Share of live cells in a soup. Default: 0.5."`
	Seed     *uint64  `placeholder:"N" help:"Seed of a soup. Default: a random one, which the summary names."`
	At       *point   `placeholder:"X,Y" help:"Where the pattern's upper left cell goes, in the coordinates of pattern files: a bounded universe has its middle at 0,0."`
	Clip     bool     `help:"Drop cells of the pattern that lie outside the universe."`
	GollyB0  bool     `name:"golly-b0" help:"Run a B0 rule on a bounded universe as Golly does: odd generations are complemented."`
	Resume   string   `placeholder:"FILE" help:"Go on from a checkpoint instead."`
}

// universe finds out what the flags ask for.
func (f *universeFlags) universe() (*universe, error) {
	isSoup := f.Pattern == "" && f.Resume == ""
	switch {
	case f.Resume != "" && (f.Pattern != "" || f.Rule != "" || f.Size != size{} || f.Topology != "" || f.GollyB0):
		return nil, fmt.Errorf("--resume takes pattern, rule, size and topology from the checkpoint: leave them out")
	case !isSoup && (f.Density != nil || f.Seed != nil):
		return nil, fmt.Errorf("--density and --seed are for soups: leave them out with a pattern or checkpoint")
	case f.Pattern == "" && (f.At != nil || f.Clip):
		return nil, fmt.Errorf("--at and --clip place a pattern, and none is given")
	case f.Resume != "":
		return fromCheckpoint(f.Resume)
	case isSoup:
		return f.fromSoup()
	}
	return f.fromPattern()
}

func (f *universeFlags) fromPattern() (*universe, error) {
	p, err := openPatternWith(f.Pattern, pattern.Options{Squares: true})
	if err != nil {
		return nil, err
	}
	var r rule.Rule
	var flagSuffix, fileSuffix *topology.Topology
	text := p.Rule
	if text == "" {
		text = defaultRule
	}
	if f.Rule != "" {
		if r, flagSuffix, err = rule.ParseApart(f.Rule); err != nil {
			return nil, err
		}
		// The file's suffix still counts, and a rule nobody can read does not stand in the way of the one asked for.
		_, fileSuffix, _ = rule.ParseApart(text)
	} else if r, fileSuffix, err = rule.ParseApart(text); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Pattern, err)
	}
	t, err := f.topology(flagSuffix, fileSuffix, topology.Topology{})
	if err != nil {
		return nil, err
	}
	if err := p.CheckStates(r.States); err != nil {
		return nil, err
	}
	to := placement(p, t, f.At)
	box := p.Cells.Bounds()
	box.X, box.Y = box.X+to.X, box.Y+to.Y
	if !fits(box, t) && !f.Clip {
		c := corner(t)
		return nil, fmt.Errorf("the pattern's %d×%d cells at %d,%d do not fit the %s of %d×%d; --clip drops those outside",
			box.W, box.H, box.X+c.X, box.Y+c.Y, t.Kind, t.W, t.H)
	}
	u := &universe{generation: p.Generation, target: sim.Forever, meta: p.Meta(), gollyB0: f.GollyB0}
	u.config = sim.Config{Rule: r, Topology: t}
	u.repeat = commandLine(append([]string{f.Pattern}, f.placeArgs(u.config, fileSuffix != nil)...))
	u.load = func(ctx context.Context, e sim.Engine, _ func(done, total uint64)) error {
		if p.Squares != nil {
			return loadSquares(e, p, to)
		}
		for _, part := range p.Cells.Occupied() {
			if err := ctx.Err(); err != nil {
				return err
			}
			grid.Copy(e, p.Cells, part, part.X+to.X, part.Y+to.Y)
		}
		return nil
	}
	return u, u.checkGollyB0()
}

// loadSquares loads a pattern that is too large for anything but a tree.
func loadSquares(e sim.Engine, p *pattern.Pattern, to point) error {
	tree, ok := e.(pattern.QuadtreeSink)
	switch {
	case !ok:
		return fmt.Errorf("%w; --engine hashlife keeps it as the tree it is", p.TooLarge)
	case to != point{}:
		return fmt.Errorf("--at cannot move a pattern as large as this: %w", p.TooLarge)
	}
	return tree.SetSquares(p.Squares)
}

// placeArgs are the flags that repeat the rule and place of a pattern.
func (f *universeFlags) placeArgs(cfg sim.Config, fileIsBounded bool) []string {
	args := []string{"--rule", cfg.Rule.String() + cfg.Topology.Suffix()}
	if fileIsBounded && cfg.Topology.Kind == topology.Unbounded {
		args = append(args, "--topology", "unbounded")
	}
	if f.At != nil {
		args = append(args, "--at", f.At.String())
	}
	if f.Clip {
		args = append(args, "--clip")
	}
	return f.withGollyB0(args)
}

func (f *universeFlags) withGollyB0(args []string) []string {
	if f.GollyB0 {
		args = append(args, "--golly-b0")
	}
	return args
}

func (f *universeFlags) fromSoup() (*universe, error) {
	text := f.Rule
	if text == "" {
		text = defaultRule
	}
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return nil, err
	}
	area := f.Size
	flags := *f
	if f.saysUnbounded(suffix) {
		flags.Size = size{} // it is the soup's, not the universe's
	}
	t, err := flags.topology(suffix, nil, topology.Topology{Kind: topology.Torus, W: defaultSide, H: defaultSide})
	if err != nil {
		return nil, err
	}
	if t.Bounded() {
		area = size{t.W, t.H}
	} else if area == (size{}) || t.Kind != topology.Unbounded {
		return nil, fmt.Errorf("a soup on an infinite universe needs --topology unbounded and --size, the soup's")
	}
	density := defaultDensity
	if f.Density != nil {
		density = *f.Density
	}
	seed := randomSeed()
	if f.Seed != nil {
		seed = *f.Seed
	}
	if _, err := soup.New(seed, density); err != nil {
		return nil, err
	}
	u := &universe{target: sim.Forever, density: density, seed: strconv.FormatUint(seed, 10), gollyB0: f.GollyB0}
	u.config = sim.Config{Rule: r, Topology: t}
	args := []string{"--rule", r.String() + t.Suffix()}
	if !t.Bounded() {
		args = append(args, "--topology", "unbounded", "--size", area.String())
	}
	args = append(args, "--density", strconv.FormatFloat(density, 'g', -1, 64), "--seed", u.seed)
	u.repeat = commandLine(f.withGollyB0(args))
	u.meta.Comments = []string{"a soup: gosper run " + u.repeat}
	u.load = func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error {
		return soup.Fill(ctx, e, area.W, area.H, seed, density, u.config.Threads, fill)
	}
	return u, u.checkGollyB0()
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// add is the generation n after g.
func add(g, n uint64) (uint64, error) {
	if n > math.MaxUint64-1-g {
		return 0, fmt.Errorf("%d generations from %d on end beyond %d", n, g, uint64(math.MaxUint64-1))
	}
	return g + n, nil
}
