package origin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Defaults for flags that are not given.
const (
	DefaultRule    = "B3/S23"
	DefaultDensity = 0.5
	defaultSide    = 4096 // of the torus of a soup
	defaultDepth   = 128  // side of the torus of a soup in three dimensions
)

// Flags say what to start from.
type Flags struct {
	Pattern  string   `arg:"" optional:"" help:"Pattern file, name of a built-in pattern, or - for standard input. Without one: a random soup."`
	Rule     string   `placeholder:"R" help:"Rule: any notation or name that gosper rule understands. Default: the pattern's, else B3/S23."`
	Size     Size     `placeholder:"W|WxH|WxHxD" help:"Size of the universe; a torus unless --topology says otherwise. Default for soups: ${side=4096}. A rule of three dimensions takes W×H×D cells, or W for a cube; default: 128."`
	Topology string   `placeholder:"T" help:"torus, plane, unbounded, klein, cross, sphere, or a suffix as in Golly (T30+5,20), or of three dimensions (T30,20,10)."`
	Density  *float64 `placeholder:"D" help:"Share of live cells in a soup. Default: 0.5."`
	Seed     *uint64  `placeholder:"N" help:"Seed of a soup and of the random events of a rule. Default: a random seed, which the summary shows."`
	Start    string   `placeholder:"S" help:"First cells other than a soup: exact, exact~1=500, shares~1=0.3,2=0.1, bits~0=0.2,1=0.2, blocks~side=8, regions~1=0.1:0.9, symmetric~as=D8, gauss~length=8, gauss~power=2, bonds, cell; of a pattern: pattern, repeat~x=20,y=20. Noise follows: pattern~flip=0.01, exact~set0=0.1. docs/running.md explains them."`
	At       *Point   `placeholder:"X,Y" help:"Position of the pattern's upper left cell, in the coordinates of pattern files: the middle of a bounded universe is 0,0."`
	Clip     bool     `help:"Drop cells of the pattern that lie outside the universe."`
	GollyB0  bool     `name:"golly-b0" help:"Run a B0 rule on a bounded universe as Golly does: odd generations are complemented."`
	Reverse  bool     `help:"Run backwards, with the rule that undoes this one. The generation is raised by one, so that the 2×2 blocks lie where they were in the last step. Only for reversible rules of 2×2 blocks."`
	Resume   string   `placeholder:"FILE" help:"Continue from a checkpoint instead."`

	// Reading bounds the memory of the pattern while it is read, in bytes; 0 means what pattern.Options say.
	Reading uint64 `kong:"-" json:"-"`
}

// Origin returns what the flags ask for. It allocates no memory for cells except those of a pattern file. It
// ends with ctx's error soon after ctx is done. reading, which may be nil, gets the number of bytes of a file
// that have been read. Other errors say which flag is wrong.
func (f *Flags) Origin(ctx context.Context, reading func(bytes int64)) (*Origin, error) {
	isSoup := f.Pattern == "" && f.Resume == ""
	switch {
	case f.Resume != "" && (f.Pattern != "" || f.Rule != "" || f.Size != Size{} || f.Topology != "" || f.Start != "" ||
		f.GollyB0):
		return nil, fmt.Errorf("--resume takes pattern, rule, size, topology and start from the checkpoint: leave them out")
	case !isSoup && (f.Density != nil || f.Seed != nil && f.Resume != ""):
		return nil, fmt.Errorf("--density and --seed are for soups: leave them out with a pattern or checkpoint")
	case f.Pattern == "" && (f.At != nil || f.Clip):
		return nil, fmt.Errorf("--at and --clip need a pattern")
	}
	var u *Origin
	var err error
	switch {
	case f.Resume != "":
		u, err = fromCheckpoint(f.Resume)
	case isSoup:
		u, err = f.fromSoup()
	default:
		u, err = f.fromPattern(ctx, reading)
	}
	if err == nil && f.Resume == "" && !isSoup {
		err = f.seed(u)
	}
	if err == nil && f.Reverse {
		err = u.reverse()
	}
	return u, err
}

// seed gives the rule of a pattern a seed if something is left to chance and noise has not given it one.
func (f *Flags) seed(u *Origin) error {
	c := u.Config.Rule.Chance
	switch {
	case u.Seed != "":
		return nil
	case f.Seed != nil && (c == nil || c.Seeded):
		return fmt.Errorf("--seed is for soups, for noise, and for rules with chance that name no seed: leave it out")
	case c == nil || c.Seeded:
		return nil
	case f.Seed == nil:
		u.Config.Rule = u.Config.Rule.WithSeed(rand.Uint64())
		u.Repeat += fmt.Sprintf(" --seed %d", u.Config.Rule.Chance.Seed)
	default:
		u.Config.Rule = u.Config.Rule.WithSeed(*f.Seed)
		u.Repeat += fmt.Sprintf(" --seed %d", *f.Seed)
	}
	return nil
}

// fromPattern reads a pattern from a file, or finds it by its name.
func (f *Flags) fromPattern(ctx context.Context, reading func(bytes int64)) (*Origin, error) {
	p, err := OpenPattern(ctx, Under(f.Pattern, f.Rule), pattern.Options{
		Squares: true, Progress: reading, MaxBytes: f.Reading,
	})
	if err != nil {
		return nil, err
	}
	return f.Of(ctx, p)
}

// Of returns the origin that the flags describe, with p as their pattern. Only errors look at f.Pattern.
func (f *Flags) Of(ctx context.Context, p *pattern.Pattern) (*Origin, error) {
	var r rule.Rule
	var err error
	var flagSuffix, fileSuffix *topology.Topology
	text := p.Rule
	if text == "" {
		text = DefaultRule
	}
	if f.Rule != "" {
		if r, flagSuffix, err = rule.ParseApart(f.Rule); err != nil {
			return nil, err
		}
		// The file's suffix still counts. A rule in the file that cannot be read does not matter if another rule is
		// asked for.
		_, fileSuffix, _ = rule.ParseApart(text)
	} else if r, fileSuffix, err = rule.ParseApart(text); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Pattern, err)
	} else if err := checkDigest(p.Comments, r); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Pattern, err)
	}
	start, err := f.start()
	if err != nil {
		return nil, err
	}
	if fileSuffix == nil && p.Depth > 0 {
		t, err := topology.NewVolume(topology.Torus, p.Bounds.W, p.Bounds.H/p.Depth, p.Depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Pattern, err)
		}
		fileSuffix = &t
	}
	t, err := f.topology(flagSuffix, fileSuffix, topology.Topology{}, r.Volume())
	if err != nil {
		return nil, err
	}
	if err := p.CheckStates(r.States); err != nil {
		return nil, err
	}
	if err := f.checkVolume(p, t, start); err != nil {
		return nil, err
	}
	if t.Kind != topology.Unbounded || f.At != nil {
		if err := p.Draw(ctx); err != nil { // its cells are needed to check the size or to move them
			return nil, fmt.Errorf("%s: %w", f.Pattern, err)
		}
	}
	to := Placement(p, t, f.At)
	box := p.Cells.Bounds()
	box.X, box.Y = box.X+to.X, box.Y+to.Y
	u := &Origin{Generation: p.Generation, Target: sim.Forever, Meta: p.Meta(), GollyB0: f.GollyB0}
	if !fits(box, t) && !start.Repeats() {
		if u.Outside, err = outside(p.Cells, to, t); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Pattern, err)
		}
		if c := Corner(t); !f.Clip {
			return nil, fmt.Errorf("the pattern's %d×%d cells at %d,%d do not fit the %s of %d×%d, which begins at %v; "+
				"--clip leaves out %d of its %d live cells, as Golly does",
				box.W, box.H, box.X+c.X, box.Y+c.Y, t.Kind, t.W, t.H, c, u.Outside, p.Cells.Population())
		}
	}
	u.Config = sim.Config{Rule: r, Topology: t}
	u.Repeat = shell.Join(append([]string{f.Pattern}, f.placeArgs(u.Config, fileSuffix != nil)...))
	u.Load = func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error {
		if tree, ok := e.(grid.QuadtreeSink); ok && p.Squares != nil {
			return tree.SetSquares(p.Squares)
		}
		if err := p.Draw(ctx); err != nil {
			return fmt.Errorf("%w; --engine hashlife can keep it as a tree", err)
		}
		parts := p.Cells.OccupiedRows()
		for i, part := range parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := grid.Copy(e, p.Cells, part, part.X+to.X, part.Y+to.Y); err != nil {
				return err
			}
			if fill != nil {
				fill(uint64(i+1), uint64(len(parts)))
			}
		}
		return nil
	}
	u.Config.Outlook = sim.Outlook{
		Population: p.Cells.Population(), Area: grid.Product(uint64(p.Bounds.W), uint64(p.Bounds.H)), Drawn: p.Drawn,
		Tree:     uint64(len(p.Squares)) * squareBytes,
		Quadtree: p.Format == pattern.Macrocell,
	}
	if start.Repeats() || start.HasNoise() {
		if err := f.spread(u, start, p, to); err != nil {
			return nil, err
		}
	}
	return u, u.check()
}

// checkVolume refuses a pattern that does not say what all cells of a volume are: most formats have two dimensions.
func (f *Flags) checkVolume(p *pattern.Pattern, t topology.Topology, start soup.Start) error {
	if p.Depth > 0 && !t.Volume() {
		return fmt.Errorf("%s: the pattern has three dimensions, and the universe has two: give a rule such as 3D4,5/5",
			f.Pattern)
	}
	if !t.Volume() {
		return nil
	}
	if f.At != nil || p.HasPosition || p.Bounds != (grid.Rect{W: t.W, H: t.H}) || p.Depth > 0 && p.Depth != t.D {
		return fmt.Errorf("%s: the pattern is not one of %s cells: a volume starts from all of its cells, or from a soup",
			f.Pattern, t.Size())
	}
	return start.CheckLayers(t.D)
}

// OfArray returns the origin that the flags describe, with an array of a state for each cell as the pattern. Its cells
// are elsewhere, so the origin cannot load them. w is the number of columns, and h that of the rows of all layers. The
// size must be that of the universe; otherwise ok is false.
func (f *Flags) OfArray(ctx context.Context, w, h, layers int) (u *Origin, ok bool, err error) {
	if f.At != nil || f.Clip || f.Start != "" || f.Density != nil {
		return nil, false, nil
	}
	none, err := grid.NewTiles(1)
	if err != nil {
		return nil, false, err
	}
	u, err = f.Of(ctx, &pattern.Pattern{
		Cells: none, Bounds: grid.Rect{W: w, H: h}, Depth: layers, States: 2, Format: pattern.NPY,
	})
	if err == nil {
		err = f.seed(u)
	}
	if err != nil {
		return nil, false, err
	}
	t := u.Config.Topology
	return u, t.W == w && t.H == h && t.D == layers, nil
}

// placeArgs returns the flags that repeat the rule and position of a pattern.
func (f *Flags) placeArgs(cfg sim.Config, fileIsBounded bool) []string {
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

func (f *Flags) withGollyB0(args []string) []string {
	if f.GollyB0 {
		args = append(args, "--golly-b0")
	}
	return args
}

// fromSoup makes a random universe, on a torus of the usual size unless something else is said. On the
// unbounded plane, the size is that of the soup.
func (f *Flags) fromSoup() (*Origin, error) {
	text := f.Rule
	if text == "" {
		text = DefaultRule
	}
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return nil, err
	}
	area := f.Size
	flags := *f
	if f.saysUnbounded(suffix) {
		flags.Size = Size{} // it is the size of the soup, not of the universe
	}
	fallback, err := Size{}.Torus(r.Volume())
	if err != nil {
		return nil, err
	}
	t, err := flags.topology(suffix, nil, fallback, r.Volume())
	if err != nil {
		return nil, err
	}
	if t.Bounded() {
		area = Size{W: t.W, H: t.H}
	} else if area == (Size{}) || t.Kind != topology.Unbounded {
		return nil, fmt.Errorf(
			"a soup on an infinite universe needs --topology unbounded, and --size for the size of the soup")
	}
	start, err := f.start()
	if err != nil {
		return nil, err
	}
	if err := start.Check(r.States, area.W, area.H); err != nil {
		return nil, err
	}
	if err := start.CheckLayers(t.D); err != nil {
		return nil, err
	}
	density := DefaultDensity
	if f.Density != nil {
		density = *f.Density
	}
	seed := rand.Uint64()
	if f.Seed != nil {
		seed = *f.Seed
	}
	if _, err := soup.New(seed, density); err != nil {
		return nil, err
	}
	u := &Origin{
		Target: sim.Forever, Start: start, Density: density, Seed: strconv.FormatUint(seed, 10),
		GollyB0: f.GollyB0,
	}
	u.Config = sim.Config{Rule: r.WithSeed(seed), Topology: t}
	args := []string{"--rule", r.String() + t.Suffix()}
	if !t.Bounded() {
		args = append(args, "--topology", "unbounded", "--size", area.String())
	}
	what := "a soup"
	if !start.IsSoup() {
		args, what = append(args, "--start", start.String()), "first cells"
	}
	if start.HasDensity() {
		args = append(args, "--density", strconv.FormatFloat(density, 'g', -1, 64))
	}
	args = append(args, "--seed", u.Seed)
	u.Repeat = shell.Join(f.withGollyB0(args))
	u.Meta.Comments = []string{what + ": gosper run " + u.Repeat}
	u.Load = func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error {
		in := soup.Setting{
			W: area.W, H: area.H, D: t.D, States: r.States, Seed: seed, Density: density, Threads: u.Config.Threads,
		}
		return start.Fill(ctx, e, in, fill)
	}
	return u, u.check()
}
