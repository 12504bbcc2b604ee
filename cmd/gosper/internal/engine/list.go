// Package engine holds the commands gosper engines and gosper verify: which engines run on this machine, and
// whether they compute correctly.
package engine

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda"
	"github.com/gosper-life/gosper/topology"
)

// ListCommand is gosper engines.
type ListCommand struct {
	Explain  string      `placeholder:"RULE" help:"Say for each engine whether it is chosen for this rule, and why."`
	Size     origin.Size `placeholder:"W|WxH" help:"With --explain: size of the universe. Default: 1024."`
	Topology string      `placeholder:"T" help:"With --explain: torus, plane, klein, cross, sphere or unbounded, or Golly's suffix, such as T30+5,20. Default: the rule's suffix, else torus."`
	JSON     bool        `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*ListCommand) Help() string {
	return `Example:

    gosper engines
    gosper engines --explain bosco --topology unbounded

The plan shown is for B3/S23 on a torus of 1024×1024 cells. Engines that have no tori show the plan for the unbounded plane.

--explain prints what --engine auto does for a universe if nothing else is known. The chosen engine runs it. Engines that
refused cannot run the universe, or cannot run here. Those behind the chosen one would be tried after it. The others are
not asked, because their condition does not hold. Runs know more, such as the number of cells and generations.`
}

// Info is the report of gosper engines about one engine.
type Info struct {
	Engine string  `json:"engine"`
	Device *string `json:"device"` // null if it cannot run, like the plan
	Plan   *string `json:"plan"`
	Error  *string `json:"error"` // why it cannot run on this machine; null if it can

	GPUs []cuda.GPU `json:"gpus"` // the GPUs that may be named after the engine
}

// Choice is the report of gosper engines --explain about one engine.
type Choice struct {
	Engine  string      `json:"engine"`
	Verdict sim.Verdict `json:"verdict"`
	Why     string      `json:"why"`
}

// usualSide is the side of the torus that the reports are about.
const usualSide = 1024

// Run implements the command.
func (cmd *ListCommand) Run(ctx context.Context, c *console.Console) error {
	if cmd.Explain != "" {
		return cmd.explain(ctx, c)
	}
	if cmd.Size != (origin.Size{}) || cmd.Topology != "" {
		return console.Badf("--size and --topology need --explain")
	}
	var list []Info
	for _, name := range sim.Names() {
		info, err := inspect(ctx, name)
		if err != nil {
			return err
		}
		list = append(list, info)
	}
	if cmd.JSON {
		return c.PrintJSON(list)
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ENGINE\tDEVICE\tPLAN")
	for _, e := range list {
		if e.Error != nil {
			fmt.Fprintf(table, "%s\t(%s)\t\n", e.Engine, *e.Error)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Engine, *e.Device, *e.Plan)
	}
	for _, e := range list {
		if len(e.GPUs) > 0 {
			fmt.Fprintln(table, "\nGPU\tNAME\tMEMORY\tCOMPUTE\tDRIVER")
		}
		for _, g := range e.GPUs {
			usable := ""
			if !g.Usable {
				usable = " (too old)"
			}
			fmt.Fprintf(table, "%s:%d\t%s\t%s\t%s%s\t%s\n", e.Engine, g.Number, g.Name, number.Bytes(g.Memory),
				g.ComputeCapability, usable, g.Driver)
		}
	}
	return table.Flush()
}

// explain says why an engine is chosen.
func (cmd *ListCommand) explain(ctx context.Context, c *console.Console) error {
	r, t, err := (&origin.Flags{Size: cmd.Size, Topology: cmd.Topology}).Universe(cmd.Explain, usualSide)
	if err != nil {
		return console.Bad(err)
	}
	explained, err := sim.Explain(ctx, sim.Config{Rule: r, Topology: t})
	if err != nil {
		return err
	}
	var list []Choice
	for _, x := range explained {
		list = append(list, Choice(x))
	}
	if cmd.JSON {
		return c.PrintJSON(list)
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ENGINE\tVERDICT\tWHY")
	for _, x := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\n", x.Engine, x.Verdict, x.Why)
	}
	return table.Flush()
}

// inspect opens an engine for a common universe and returns its description.
func inspect(ctx context.Context, name string) (Info, error) {
	r, err := rule.Parse(origin.DefaultRule)
	if err != nil {
		return Info{}, err
	}
	e, err := sim.Open(ctx, name, sim.Config{Rule: r, Topology: topology.Topology{
		Kind: topology.Torus, W: usualSide,
		H: usualSide,
	}})
	var unsupported *sim.Unsupported
	if errors.As(err, &unsupported) && unsupported.What != "" {
		e, err = sim.Open(ctx, name, sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Unbounded}})
	}
	if errors.As(err, &unsupported) {
		return Info{Engine: name, Error: console.Known(err.Error()), GPUs: []cuda.GPU{}}, nil
	}
	if err != nil {
		return Info{}, err
	}
	info := e.Info()
	found := Info{Engine: name, Device: &info.Device, Plan: &info.Plan, GPUs: []cuda.GPU{}}
	if name == cuda.Name {
		gpus, err := cuda.GPUs()
		if err != nil {
			return Info{}, errors.Join(err, e.Close())
		}
		found.GPUs = append(found.GPUs, gpus...)
	}
	return found, e.Close()
}
