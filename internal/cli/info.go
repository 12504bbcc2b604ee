package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
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
	Box        grid.Rect      `json:"bounding_box"`
	Generation uint64         `json:"generation"`
	Population uint64         `json:"population"`
	States     map[int]uint64 `json:"states"` // cells by state
	Hash       string         `json:"hash"`
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
func (cmd *infoCommand) Run(c *console) error {
	if isCheckpoint(cmd.Pattern) {
		return cmd.checkpoint(c)
	}
	p, err := openPattern(cmd.Pattern)
	if err != nil {
		return badInput{err}
	}
	info, err := describe(p)
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
func describe(p *pattern.Pattern) (*patternInfo, error) {
	info := &patternInfo{
		Format: p.Format.String(), Rule: p.Rule, Name: p.Name, Author: p.Author, Comments: p.Comments,
		Width: p.Bounds.W, Height: p.Bounds.H, Generation: p.Generation, Population: p.Cells.Population(),
		States: map[int]uint64{},
	}
	states, t := p.States, topology.Topology{}
	text := p.Rule
	if text == "" {
		text = defaultRule
	}
	if r, suffix, err := parseRule(text); err == nil {
		states = max(states, r.States)
		if p.Rule != "" {
			info.Canonical = r.String()
		}
		if suffix != nil {
			t = *suffix
			info.Canonical += t.Suffix()
		}
	}
	for state, n := range grid.StateCounts(p.Cells, 1<<p.Cells.Planes()) {
		if state > 0 && n > 0 {
			info.States[state] = n
		}
	}
	to, c := placement(p, t, nil), corner(t)
	src := moved{window{p.Cells, p.Cells.Bounds()}, to}
	if t.Bounded() {
		src.bounds = grid.Rect{X: -to.X, Y: -to.Y, W: t.W, H: t.H}
	}
	if box := p.Cells.Bounds(); !box.Empty() {
		info.Box = grid.Rect{X: box.X + to.X + c.X, Y: box.Y + to.Y + c.Y, W: box.W, H: box.H}
	}
	hash, err := grid.StateHash(src, states, !t.Bounded())
	info.Hash = fmt.Sprintf("%x", hash)
	return info, err
}

// moved is a window whose cells have other coordinates.
type moved struct {
	window
	by point
}

// Bounds implements grid.Source.
func (m moved) Bounds() grid.Rect {
	if m.bounds.Empty() {
		return grid.Rect{}
	}
	return grid.Rect{X: m.bounds.X + m.by.X, Y: m.bounds.Y + m.by.Y, W: m.bounds.W, H: m.bounds.H}
}

// ReadRow implements grid.Source.
func (m moved) ReadRow(dst []uint64, plane, x, y, n int) {
	m.window.ReadRow(dst, plane, x-m.by.X, y-m.by.Y, n)
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
	if !i.Box.Empty() {
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

// checkpointMagic begins every file that package checkpoint writes.
const checkpointMagic = "GOSPERCP"

// isCheckpoint reports whether the file at path begins as checkpoints do.
func isCheckpoint(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(checkpointMagic))
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == checkpointMagic
}

func (cmd *infoCommand) checkpoint(c *console) error {
	file, err := checkpoint.Open(cmd.Pattern)
	if err != nil {
		return badInput{tidyPathError(err)}
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
	if repeat := h.Facts[factRepeat]; repeat != "" {
		c.printf("made by     gosper run %s\n", repeat)
	}
	return nil
}

type convertCommand struct {
	In    string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	Out   string `arg:"" help:"File to write; its suffix says the format: .rle .mc .cells .lif .life .png .npy, each also with .gz."`
	Force bool   `help:"Replace OUT if it exists."`
}

// Help is shown below the usage.
func (*convertCommand) Help() string {
	return `Example:

    gosper convert pattern.cells pattern.rle.gz`
}

// Run implements the command.
func (cmd *convertCommand) Run() error {
	if _, _, err := pattern.FormatOf(cmd.Out); err != nil {
		return badInput{err}
	}
	if err := writable(cmd.Out, cmd.Force); err != nil {
		return badInput{err}
	}
	p, err := openPattern(cmd.In)
	if err != nil {
		return badInput{err}
	}
	meta := p.Meta()
	if err := pattern.WriteFile(cmd.Out, window{p.Cells, p.Bounds.Union(p.Cells.Bounds())}, meta, cmd.Force); err != nil {
		return tidyPathError(err)
	}
	return nil
}

type diffCommand struct {
	A    string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	B    string `arg:"" help:"The same."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*diffCommand) Help() string {
	return `Example:

    gosper diff before.rle after.mc

Cells are compared at their places in the files' coordinates; where one of the files gives none, both begin at 0,0. Exit code 0: the same
cells, 1: different ones.`
}

type difference struct {
	Same bool   `json:"same"`
	X    *int   `json:"x"` // of the first cell, row by row, that differs; null: none
	Y    *int   `json:"y"`
	A    *uint8 `json:"a"` // its states
	B    *uint8 `json:"b"`
}

// Run implements the command.
func (cmd *diffCommand) Run(c *console) error {
	if cmd.A == "-" && cmd.B == "-" {
		return badInput{errors.New("standard input can be only one of the two patterns")}
	}
	a, err := openPattern(cmd.A)
	if err != nil {
		return badInput{err}
	}
	b, err := openPattern(cmd.B)
	if err != nil {
		return badInput{err}
	}
	sources := [2]tiles{{Tiles: a.Cells}, {Tiles: b.Cells}}
	if a.HasPosition && b.HasPosition {
		sources[0].by, sources[1].by = point{a.X, a.Y}, point{b.X, b.Y}
	}
	d := difference{Same: true}
	if x, y, found := grid.FirstDifference(sources[0], sources[1]); found {
		stateA, stateB := sources[0].state(x, y), sources[1].state(x, y)
		d = difference{X: &x, Y: &y, A: &stateA, B: &stateB}
	}
	switch {
	case cmd.JSON:
		err = c.printJSON(d)
	case d.Same:
		c.printf("the same %s cells\n", grouped(a.Cells.Population()))
	default:
		c.printf("first difference at %d,%d: state %d in %s, %d in %s\n", *d.X, *d.Y, *d.A, cmd.A, *d.B, cmd.B)
	}
	if err == nil && !d.Same {
		return status(exitFailure)
	}
	return err
}

// tiles are the cells of a pattern at the places its file gives them.
type tiles struct {
	*grid.Tiles
	by point
}

// Bounds implements grid.Source.
func (t tiles) Bounds() grid.Rect { return t.move(t.Tiles.Bounds()) }

// Occupied is what grid.FirstDifference looks at instead of the bounds, which may be vast.
func (t tiles) Occupied() []grid.Rect {
	parts := t.Tiles.Occupied()
	for i, part := range parts {
		parts[i] = t.move(part)
	}
	return parts
}

// ReadRow implements grid.Source.
func (t tiles) ReadRow(dst []uint64, plane, x, y, n int) {
	t.Tiles.ReadRow(dst, plane, x-t.by.X, y-t.by.Y, n)
}

func (t tiles) state(x, y int) uint8 { return t.Get(x-t.by.X, y-t.by.Y) }

func (t tiles) move(r grid.Rect) grid.Rect {
	if !r.Empty() {
		r.X, r.Y = r.X+t.by.X, r.Y+t.by.Y
	}
	return r
}

// joined is a list in a sentence.
func joined(list []string) string { return strings.Join(list, ", ") }
