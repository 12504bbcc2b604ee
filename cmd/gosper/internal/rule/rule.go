// Package rule holds the commands gosper rule, which explains a rule, and gosper rules, which lists the rules
// with names.
package rule

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/cuda"
	"github.com/gosper-life/gosper/topology"
)

// Command is gosper rule.
type Command struct {
	Rule  string `arg:"" help:"A rule in any notation, or a name."`
	Dump  bool   `help:"Print every stage from the rule to machine code."`
	Stage string `placeholder:"NAME" help:"Print only one stage: circuit, graph, program, code, or the name of a pass."`
	For   string `placeholder:"CODE" enum:"portable,avx2,avx512,neon,simd128,cuda," default:"" help:"Code to print: portable, avx2, avx512, neon, simd128 (WebAssembly) or cuda. Default: the fastest on this processor."`
	Save  string `placeholder:"FILE" help:"Write a rule file, with a tree that Golly reads, too. Its name must end with .rule."`
	Force bool   `help:"Replace a file that exists."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Example:

    gosper rule "R5,C0,M1,S34..58,B34..45,NM"
    gosper rule --dump --for avx512 life
    gosper rule --stage code --for cuda bosco
    gosper rule critters
    gosper rule brians-brain --save Brain.rule

The cost is for one generation of one word of 64 cells: three-input lookup tables, rows loaded and rows stored.`
}

type ruleInfo struct {
	Rule         string   `json:"rule"`    // canonical, without a suffix
	Reading      *string  `json:"reading"` // how a text with two meanings was read; null for others
	Names        []string `json:"names"`
	Family       string   `json:"family"`
	States       int      `json:"states"`
	Radius       int      `json:"radius"`
	Neighbours   int      `json:"neighbours"`
	Dimensions   int      `json:"dimensions"` // 2 or 3
	Topology     *string  `json:"topology"`   // of a bounded-grid suffix; null if there is none
	Symmetries   []string `json:"symmetries"`
	BirthOnEmpty bool     `json:"birth_on_empty"`
	Source       *string  `json:"source"`  // null if it has no name
	Density      *float64 `json:"density"` // of soups that suit it; null for any
	// states in which a universe stays if all its cells have them; null unless the rule comes from a table or tree
	Quiescent     []int         `json:"quiescent"`
	Legend        []legendEntry `json:"legend"`        // null unless it comes from a table or tree
	Nodes         *int          `json:"nodes"`         // of its decision diagram; null if it has none
	Cost          *circuitCost  `json:"cost"`          // null if its circuit would be too large
	Neighbourhood string        `json:"neighbourhood"` // a drawing of it
	// sizes of the icons of a rule file, or the name of a shape; null without icons
	Icons     []string        `json:"icons"`
	Triangles bool            `json:"triangles"` // cells are triangles; the drawing is for those that point down
	Blocks    *blockInfo      `json:"blocks"`    // null unless it is one of 2×2 blocks
	Phases    []string        `json:"phases"`    // the rules that take turns; null if there is one
	Stages    []compile.Stage `json:"stages"`    // null unless asked for

	suffix     string // of a bounded grid
	background *orbit // of the unbounded plane; nil if cells are not born there, or have no common state
}

// orbit is the states of empty space, generation by generation: first those that come once, then those that repeat.
type orbit struct{ once, again []int }

// orbitOf returns the orbit of a rule by which cells are born in empty space, or nil if it has none.
func orbitOf(r rule.Rule) *orbit {
	of, ok := background.Of(r)
	if !ok || !r.BirthOnEmpty() {
		return nil
	}
	o := new(orbit)
	for g := range of.Steps() {
		if state := int(of.At(uint64(g))); g < of.Once() {
			o.once = append(o.once, state)
		} else {
			o.again = append(o.again, state)
		}
	}
	return o
}

// fills says what becomes of empty space.
func (i *ruleInfo) fills() string {
	text := "cells are born in empty space (B0)"
	if i.background == nil {
		return text
	}
	text += ", which is in "
	if once := i.background.once; len(once) > 0 {
		text += inOrder(once) + " once, then in "
	}
	text += inOrder(i.background.again)
	if len(i.background.again) > 1 {
		text += " in turns"
	}
	return text
}

// inOrder lists states one after the other, the first ones if there are many.
func inOrder(states []int) string {
	const most = 12
	text := "state"
	if len(states) > 1 {
		text = "states"
	}
	for i, state := range states {
		switch {
		case i == most:
			return text + fmt.Sprintf(", … (%d)", len(states))
		case i > 0:
			text += ","
		}
		text += fmt.Sprintf(" %d", state)
	}
	return text
}

// legendEntry is the name and the colour of a state.
type legendEntry struct {
	State  int     `json:"state"`
	Name   *string `json:"name"`
	Colour string  `json:"colour"`
}

// blockInfo describes a rule of 2×2 blocks.
type blockInfo struct {
	Next       []int   `json:"next"` // of each block
	Reversible bool    `json:"reversible"`
	SameNext   *[2]int `json:"same_next"` // two blocks that become one, which is why it is not reversible; null: it is
	Conserves  bool    `json:"conserves"`
}

type circuitCost struct {
	Tables int `json:"tables"`
	Loads  int `json:"loads"`
	Stores int `json:"stores"`
}

// Run implements the command.
func (cmd *Command) Run(ctx context.Context, c *console.Console) error {
	r, suffix, err := rule.ParseApart(cmd.Rule)
	if err != nil {
		return console.Bad(err)
	}
	if cmd.Save != "" {
		if err := cmd.save(ctx, c, r); err != nil {
			return err
		}
	}
	info := ruleInfo{
		Rule: r.String(), Names: []string{}, Family: family(r), States: r.States, Radius: r.Radius(),
		Neighbours: r.Neighbourhood.Size(), Symmetries: []string{}, BirthOnEmpty: r.BirthOnEmpty(), background: orbitOf(r),
		Neighbourhood: r.Neighbourhood.Draw(), Triangles: r.Neighbourhood.Triangles, Dimensions: 2,
	}
	if r.Volume() {
		info.Dimensions = 3
	}
	if reading := rule.Reading(cmd.Rule); reading != "" {
		info.Reading = &reading
	}
	if r.File != nil {
		if text := strings.Join(strings.Fields(r.File.Description), " "); text != "" {
			info.Source = &text
		}
		info.Quiescent, info.Legend = quiescent(r.File.Function), legend(r.File)
		info.Icons = icons(r.File)
		if d := r.File.Function.Diagram(); d != nil {
			info.Nodes = console.Known(d.Size())
		}
	}
	tooLarge := circuit.Check(r)
	if tooLarge == nil {
		info.Cost = console.Known(circuitCost(compile.Rows(circuit.Of(r)).Cost()))
	}
	if r.Kind() == rule.KindBlocks {
		info.describeBlocks(r.Block)
	}
	for _, p := range r.Phases {
		info.Phases = append(info.Phases, p.String())
	}
	for _, named := range catalogue.All() {
		if same, err := rule.Parse(named.Notation); err == nil && same.Equal(r) {
			info.Names = append(append(info.Names, named.Name), named.Aliases...)
			if info.Source == nil {
				info.Source, info.Density = &named.Source, console.Known(named.Density)
			}
		}
	}
	for _, s := range topology.Symmetries {
		if r.Invariant(s) {
			info.Symmetries = append(info.Symmetries, s.String())
		}
	}
	if suffix != nil {
		info.suffix, info.Topology = suffix.Suffix(), console.Known(suffix.String())
	}
	if cmd.Dump || cmd.Stage != "" {
		if tooLarge != nil {
			return console.Bad(fmt.Errorf("rule %v becomes no machine code: %w", r, tooLarge))
		}
	}
	if info.Stages, err = cmd.stages(r); err != nil {
		return err
	}
	switch {
	case cmd.JSON:
		return c.PrintJSON(info)
	case cmd.Stage != "":
		c.Printf("%s", info.Stages[0].Text)
	default:
		info.print(c, tooLarge)
	}
	return nil
}

// save writes a rule file.
func (cmd *Command) save(ctx context.Context, c *console.Console, r rule.Rule) error {
	name, ok := strings.CutSuffix(filepath.Base(cmd.Save), ".rule")
	if !ok || name == "" {
		return console.Bad(fmt.Errorf("--save %s: a file whose name ends with .rule is allowed", cmd.Save))
	}
	var text bytes.Buffer
	if err := r.SaveFile(&text, name); err != nil {
		return console.Bad(err)
	}
	out, err := output.Open(cmd.Save, cmd.Force)
	if err != nil {
		return console.Bad(err)
	}
	defer out.Abort()
	return out.Write(ctx, c, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

// quiescent returns the states in which a universe stays if all its cells have them.
func quiescent(f *local.Function) []int {
	states := []int{}
	for s := range f.States {
		if f.Uniform(uint8(s)) == uint8(s) {
			states = append(states, s)
		}
	}
	return states
}

// legend says how the states of a rule file are shown.
func legend(f *rulefile.File) []legendEntry {
	entries := make([]legendEntry, f.Function.States)
	for s := range entries {
		c := f.Colour(uint8(s))
		entries[s] = legendEntry{State: s, Colour: fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])}
		if name, ok := f.Names[uint8(s)]; ok {
			entries[s].Name = &name
		}
	}
	return entries
}

// icons says which icons a rule file has.
func icons(f *rulefile.File) (list []string) {
	for _, set := range f.Icons {
		list = append(list, fmt.Sprintf("%d×%[1]d for %d states", set.Side, len(set.Pixels)))
	}
	if f.Shape != "" {
		list = append(list, f.Shape)
	}
	return list
}

// stages returns the stages that were asked for.
func (cmd *Command) stages(r rule.Rule) ([]compile.Stage, error) {
	if !cmd.Dump && cmd.Stage == "" {
		if cmd.For != "" {
			return nil, console.Bad(fmt.Errorf("--for %s needs --dump or --stage", cmd.For))
		}
		return nil, nil
	}
	list := func(r rule.Rule) ([]compile.Stage, error) { return cpu.Stages(r, cmd.For) }
	if cmd.For == "cuda" {
		list = cuda.Stages
	}
	stages, err := list(r)
	if err != nil {
		return nil, err
	}
	if cmd.Stage == "" {
		return stages, nil
	}
	var names []string
	for i, s := range slices.Backward(stages) { // a pass may run several times: its last result counts
		if s.Name == cmd.Stage {
			return stages[i : i+1], nil
		}
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	slices.Reverse(names)
	return nil, console.Bad(fmt.Errorf("--stage %s: this rule has the stages %s", cmd.Stage, strings.Join(names, ", ")))
}

// family describes the kind of rule in words.
func family(r rule.Rule) string {
	names := map[rule.Family]string{
		rule.OuterTotalistic: "outer-totalistic", rule.Isotropic: "isotropic non-totalistic",
		rule.MAP:            "map of the 3×3 block",
		rule.LargerThanLife: "larger than life", rule.HROT: "higher-range outer-totalistic", rule.Weighted: "weighted",
		rule.RuleFile: "table or tree", rule.Margolus: "2×2 blocks (Margolus neighbourhood)",
		rule.Alternating: "rules that take turns",
		rule.Stochastic:  "stochastic", rule.Swapping: "cells that change places",
	}
	name := names[r.Family]
	if r.Family == rule.RuleFile && r.File.Kind != "" {
		name = r.File.Kind
	}
	if base, ok := r.Base(); ok {
		return name + ", " + family(base)
	}
	kind := r.Kind()
	if r.Neighbourhood.Triangles && kind != rule.KindAlternating {
		name += " on triangles"
	}
	if r.Volume() {
		name += ", three dimensions"
	}
	if r.States > 2 && slices.Contains([]rule.Kind{rule.KindCounting, rule.KindTable, rule.KindAlternating}, kind) {
		name += fmt.Sprintf(", generations of %d states", r.States)
	}
	return name
}

func (i *ruleInfo) print(c *console.Console, tooLarge error) {
	line := func(what, format string, args ...any) { c.Printf("%-14s%s\n", what, fmt.Sprintf(format, args...)) }
	line("rule", "%s", i.Rule+i.suffix)
	if i.Reading != nil {
		line("reading", "%s", *i.Reading)
	}
	if len(i.Names) > 0 {
		line("names", "%s", strings.Join(i.Names, ", "))
	}
	if i.Source != nil {
		line("source", "%s", *i.Source)
	}
	line("family", "%s", i.Family)
	line("states", "%d", i.States)
	line("neighbours", "%d within radius %d", i.Neighbours, i.Radius)
	line("symmetries", "%s", strings.Join(i.Symmetries, ", "))
	if b := i.Blocks; b != nil {
		line("blocks", "%s", strings.Trim(fmt.Sprint(b.Next), "[]"))
		if b.Reversible {
			line("reversible", "yes: --reverse runs it backwards")
		} else {
			line("reversible", "no: blocks %d and %d both become %d", b.SameNext[0], b.SameNext[1], b.Next[b.SameNext[0]])
		}
		line("live cells", "%s", map[bool]string{
			true:  "as many after a step as before",
			false: "their number changes",
		}[b.Conserves])
	}
	for k, p := range i.Phases {
		line(fmt.Sprintf("generation %d", k), "%s", p)
	}
	if i.BirthOnEmpty {
		line("background", "%s", i.fills())
	}
	if i.Quiescent != nil {
		line("quiescent", "%s", numbers(i.Quiescent))
	}
	switch {
	case tooLarge == nil:
		line("cost", "%s, %s, %s for each word of cells",
			number.Count(uint64(i.Cost.Tables), "table"), number.Count(uint64(i.Cost.Loads), "load"),
			number.Count(uint64(i.Cost.Stores), "store"))
	case i.Nodes != nil:
		line("cost", "%v: engine lookup looks every cell up in a diagram of %s", tooLarge,
			number.Count(uint64(*i.Nodes), "node"))
	default:
		line("cost", "%v: engine reference computes it cell by cell", tooLarge)
	}
	if i.Icons != nil {
		line("icons", "%s", strings.Join(i.Icons, ", "))
	}
	if i.Triangles {
		line(
			"triangles", "cells whose column and row have an even sum point down, as drawn; the others point up, and see it upside down")
	}
	const widest = 80
	if side := 2*i.Radius + 1; side <= widest {
		c.Printf("\n%s\n", indent(i.Neighbourhood))
	} else {
		c.Printf("\n(the neighbourhood of %d×%d cells is too large to draw; --json has it)\n", side, side)
	}
	if i.Legend != nil {
		c.Printf("\n")
		for _, e := range i.Legend {
			name := ""
			if e.Name != nil {
				name = "  " + *e.Name
			}
			c.Printf("    %3d  %s%s\n", e.State, e.Colour, name)
		}
	}
	for _, s := range i.Stages {
		c.Printf("\n%s: %s\n\n%s\n", s.Name, s.Why, indent(s.Text))
	}
}

// numbers writes a rising list. A run of numbers is written as 3-8.
func numbers(list []int) string {
	if len(list) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		if end == i {
			parts = append(parts, strconv.Itoa(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[end]))
		}
		i = end + 1
	}
	return strings.Join(parts, ", ")
}

// describeBlocks returns the description of a rule of 2×2 blocks that other rules do not have. The neighbours of a
// cell are the others of its block.
func (i *ruleInfo) describeBlocks(b *block.Rule) {
	i.Blocks = &blockInfo{Conserves: b.Conserves()}
	for _, next := range b {
		i.Blocks.Next = append(i.Blocks.Next, int(next))
	}
	var merged [2]int
	if _, merged, i.Blocks.Reversible = b.Inverse(); !i.Blocks.Reversible {
		i.Blocks.SameNext = &merged
	}
	i.Neighbours, i.Neighbourhood = block.Cells-1, "1 2\n4 8\n"
}

// indent moves lines to the right. It drops the line break at the end.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
