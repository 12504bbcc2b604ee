package cli

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/universe"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/topology"
)

type infoCommand struct {
	Pattern string `arg:"" help:"Pattern file, name of a built-in pattern, checkpoint, or - for standard input."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*infoCommand) Help() string {
	return `Example:

    gosper info gosper-gun

The hash is that of gosper run, before the first generation. Places are those of pattern files: a bounded universe has its middle at 0,0.`
}

type patternInfo struct {
	Format     string         `json:"format"`
	Rule       string         `json:"rule"` // as written
	Canonical  string         `json:"canonical_rule,omitempty"`
	Name       string         `json:"name,omitempty"`
	Author     string         `json:"author,omitempty"`
	Comments   []string       `json:"comments,omitempty"`
	Width      int            `json:"width"` // as the file states
	Height     int            `json:"height"`
	Box        box            `json:"bounding_box"`
	Generation uint64         `json:"generation"`
	Population uint64         `json:"population"`
	States     map[int]uint64 `json:"states"` // cells by state
	Hash       string         `json:"hash"`
}

// box is a rectangle of cells in the coordinates of pattern files; all zero where there are none.
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
	Target     *uint64           `json:"target"` // null: none
	Population uint64            `json:"population"`
	Hash       string            `json:"hash"`
	Facts      map[string]string `json:"facts,omitempty"`
}

// Run implements the command.
func (cmd *infoCommand) Run(ctx context.Context, c *console) error {
	if checkpoint.Is(cmd.Pattern) {
		return cmd.checkpoint(c)
	}
	p, err := c.open(ctx, cmd.Pattern)
	if err != nil {
		return err
	}
	info, err := describe(ctx, p)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return c.printJSON(info)
	}
	info.print(c)
	return nil
}

// describe looks at a pattern where gosper run would put it.
func describe(ctx context.Context, p *pattern.Pattern) (*patternInfo, error) {
	info := &patternInfo{
		Format: p.Format.String(), Rule: p.Rule, Name: p.Name, Author: p.Author, Comments: p.Comments,
		Width: p.Bounds.W, Height: p.Bounds.H, Generation: p.Generation, Population: p.Cells.Population(),
		States: map[int]uint64{},
	}
	states, t := p.States, topology.Topology{}
	text := p.Rule
	if text == "" {
		text = universe.DefaultRule
	}
	if r, suffix, err := rule.ParseApart(text); err == nil {
		states = max(states, r.States)
		if p.Rule != "" {
			info.Canonical = r.String()
		}
		if suffix != nil {
			t = *suffix
			info.Canonical += t.Suffix()
		}
	}
	counts, err := grid.StateCounts(p.Cells, 1<<p.Cells.Planes())
	if err != nil {
		return nil, err
	}
	for state, n := range counts {
		if state > 0 && n > 0 {
			info.States[state] = n
		}
	}
	to, c := universe.Placement(p, t, nil), universe.Corner(t)
	src := moved{window{p.Cells, p.Cells.Bounds()}, to}
	if t.Bounded() {
		src.bounds = grid.Rect{X: -to.X, Y: -to.Y, W: t.W, H: t.H}
	}
	if b := p.Cells.Bounds(); !b.Empty() {
		info.Box = box{b.X + to.X + c.X, b.Y + to.Y + c.Y, b.W, b.H}
	}
	info.Hash, err = hashOf(ctx, src, "state", states, !t.Bounded())
	return info, err
}

func (i *patternInfo) print(c *console) {
	line := func(what, format string, args ...any) { c.printf("%-12s%s\n", what, fmt.Sprintf(format, args...)) }
	if i.Name != "" {
		line("name", "%s", i.Name)
	}
	if i.Author != "" {
		line("author", "%s", i.Author)
	}
	line("format", "%s", i.Format)
	switch {
	case i.Rule == "":
		line("rule", "none given")
	case i.Canonical == "":
		line("rule", "%s (gosper does not know it)", i.Rule)
	case i.Canonical != i.Rule:
		line("rule", "%s, that is %s", i.Rule, i.Canonical)
	default:
		line("rule", "%s", i.Rule)
	}
	line("size", "%d×%d", i.Width, i.Height)
	if i.Population > 0 {
		line("cells", "%d×%d with the upper left corner at %d,%d", i.Box.W, i.Box.H, i.Box.X, i.Box.Y)
	}
	line("generation", "%s", grouped(i.Generation))
	line("population", "%s", grouped(i.Population))
	if _, live := i.States[1]; len(i.States) > 1 || len(i.States) == 1 && !live {
		for state := 1; state < 256; state++ {
			if n, ok := i.States[state]; ok {
				line(fmt.Sprintf("  state %d", state), "%s", grouped(n))
			}
		}
	}
	line("hash", "%s", i.Hash)
	for _, comment := range i.Comments {
		line("comment", "%s", comment)
	}
}

func (cmd *infoCommand) checkpoint(c *console) error {
	file, err := checkpoint.Open(cmd.Pattern)
	if err != nil {
		return badInput{atomicfile.PathFirst(err)}
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
		return c.printJSON(info)
	}
	c.printf("format      checkpoint, whole\nrule        %s\ntopology    %s\ngeneration  %s", h.Rule, h.Topology, grouped(h.Generation))
	if info.Target != nil {
		c.printf(" of %s", grouped(h.Target))
	}
	c.printf("\npopulation  %s\nhash        %s\n", grouped(h.Population), h.StateHash)
	if repeat := h.Facts[universe.FactRepeat]; repeat != "" {
		c.printf("made by     gosper run %s\n", repeat)
	}
	return nil
}
