// Package pattern holds the commands about pattern files: gosper info, convert, diff and patterns.
package pattern

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/topology"
)

// InfoCommand is gosper info.
type InfoCommand struct {
	Pattern string `arg:"" help:"Pattern file, name of a built-in pattern, checkpoint, or - for standard input."`
	JSON    bool   `name:"json" help:"Print one JSON object."`

	start.ReadingFlags `embed:""`
}

// Help is shown below the usage.
func (*InfoCommand) Help() string {
	return `Example:

    gosper info gosper-gun

The hash is the one that gosper run prints before the first generation. Coordinates are those of pattern files: the middle of a bounded universe is 0,0.`
}

type patternInfo struct {
	Format string `json:"format"`
	// canonical, without a suffix; null if none is given or Gosper does not know it
	Rule       *string  `json:"rule"`
	Topology   *string  `json:"topology"`     // of a bounded-grid suffix; null if there is none
	Written    *string  `json:"written_rule"` // as in the file; null if it gives none
	Name       *string  `json:"name"`
	Author     *string  `json:"author"`
	Comments   []string `json:"comments"`
	Width      int      `json:"width"` // as the file states
	Height     int      `json:"height"`
	Depth      *int     `json:"depth"` // layers; null in two dimensions
	Box        box      `json:"bounding_box"`
	Generation uint64   `json:"generation"`
	Population uint64   `json:"population"`
	// from state 0 on, in the bounding box on the unbounded plane; null for two states
	States []uint64 `json:"cells_by_state"`
	Hash   *string  `json:"hash"`

	suffix string // of a bounded grid
}

// box is a rectangle of cells in the coordinates of pattern files. It is all zero if there are no cells.
type box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"width"`
	H int `json:"height"`
}

type checkpointInfo struct {
	Format     string            `json:"format"`
	Rule       string            `json:"rule"`
	Topology   string            `json:"topology"`
	Generation uint64            `json:"generation"`
	Target     *uint64           `json:"target"` // null if there is none
	Population uint64            `json:"population"`
	Hash       string            `json:"hash"`
	Facts      map[string]string `json:"facts"`
}

// Run implements the command.
func (cmd *InfoCommand) Run(ctx context.Context, c *console.Console) error {
	if checkpoint.Is(cmd.Pattern) {
		return cmd.checkpoint(c)
	}
	p, err := start.OpenPattern(ctx, c, cmd.Pattern, cmd.Options(1))
	if err != nil {
		return err
	}
	info, err := describe(ctx, p)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return c.PrintJSON(info)
	}
	info.print(c)
	return nil
}

// describe describes a pattern where gosper run would put it.
func describe(ctx context.Context, p *pattern.Pattern) (*patternInfo, error) {
	info := &patternInfo{
		Format: p.Format.String(), Written: console.Known(p.Rule), Name: console.Known(p.Name),
		Author: console.Known(p.Author), Comments: append([]string{}, p.Comments...),
		Width: p.Bounds.W, Height: p.Bounds.H, Generation: p.Generation, Population: p.Cells.Population(),
	}
	if p.Depth > 0 {
		info.Height, info.Depth = p.Bounds.H/p.Depth, console.Known(p.Depth)
	}
	states, t := p.States, topology.Topology{}
	text := p.Rule
	if text == "" {
		text = origin.DefaultRule
	}
	if r, suffix, err := rule.ParseApart(text); err == nil {
		states = max(states, r.States)
		if p.Rule != "" {
			info.Rule = console.Known(r.String())
		}
		if suffix != nil {
			t = *suffix
			info.suffix, info.Topology = t.Suffix(), console.Known(t.String())
		}
	}
	to, c := origin.Placement(p, t, nil), origin.Corner(t)
	src := grid.Part{Source: p.Cells, Bounds: p.Cells.Bounds(), DX: to.X, DY: to.Y}
	if t.Bounded() {
		src.Bounds = grid.Rect{X: -to.X, Y: -to.Y, W: t.W, H: t.H}
	}
	if b := p.Cells.Bounds(); !b.Empty() {
		info.Box = box{b.X + to.X + c.X, b.Y + to.Y + c.Y, b.W, b.H}
	}
	if states > 2 {
		counts, err := grid.StateCounts(p.Cells, states)
		if err != nil {
			return nil, err
		}
		if t.Bounded() {
			counts[0] = uint64(t.W)*uint64(t.H) - info.Population
		}
		info.States = counts
	}
	sum, err := grid.StateHash(ctx, src, states, !t.Bounded())
	info.Hash = console.Known(fmt.Sprintf("%x", sum))
	return info, err
}

func (i *patternInfo) print(c *console.Console) {
	line := func(what, format string, args ...any) { c.Printf("%-12s%s\n", what, fmt.Sprintf(format, args...)) }
	if i.Name != nil {
		line("name", "%s", *i.Name)
	}
	if i.Author != nil {
		line("author", "%s", *i.Author)
	}
	line("format", "%s", i.Format)
	switch {
	case i.Written == nil:
		line("rule", "none given")
	case i.Rule == nil:
		line("rule", "%s (gosper does not know it)", *i.Written)
	case *i.Rule+i.suffix != *i.Written:
		line("rule", "%s, which is %s", *i.Written, *i.Rule+i.suffix)
	default:
		line("rule", "%s", *i.Written)
	}
	if i.Depth != nil {
		line("size", "%d×%d×%d", i.Width, i.Height, *i.Depth)
	} else {
		line("size", "%d×%d", i.Width, i.Height)
	}
	if i.Population > 0 && i.Depth == nil {
		line("cells", "%d×%d with the upper left corner at %d,%d", i.Box.W, i.Box.H, i.Box.X, i.Box.Y)
	}
	line("generation", "%s", number.Grouped(i.Generation))
	line("population", "%s", number.Grouped(i.Population))
	for state, n := range i.States {
		if state > 0 && n > 0 && (state > 1 || n < i.Population) {
			line(fmt.Sprintf("  state %d", state), "%s", number.Grouped(n))
		}
	}
	line("hash", "%s", console.Text(i.Hash))
	for _, comment := range i.Comments {
		line("comment", "%s", comment)
	}
}

// checkpoint describes a file that gosper run wrote. It is called whole because opening it checks the hash of all its
// cells.
func (cmd *InfoCommand) checkpoint(c *console.Console) error {
	file, err := checkpoint.Open(cmd.Pattern)
	if err != nil {
		return console.Bad(atomicfile.PathFirst(err))
	}
	h := file.Header
	if err := file.Close(); err != nil {
		return err
	}
	info := checkpointInfo{
		Format: "checkpoint", Rule: h.Rule, Topology: h.Topology, Generation: h.Generation, Population: h.Population,
		Hash: h.StateHash, Facts: h.Facts,
	}
	if h.Target != sim.Forever {
		info.Target = &h.Target
	}
	if cmd.JSON {
		return c.PrintJSON(info)
	}
	c.Printf("format      checkpoint, whole\nrule        %s\ntopology    %s\ngeneration  %s", h.Rule, h.Topology,
		number.Grouped(h.Generation))
	if info.Target != nil {
		c.Printf(" of %s", number.Grouped(h.Target))
	}
	c.Printf("\npopulation  %s\nhash        %s\n", number.Grouped(h.Population), h.StateHash)
	if repeat := h.Facts[origin.FactRepeat]; repeat != "" {
		c.Printf("made with   gosper run %s\n", repeat)
	}
	return nil
}
