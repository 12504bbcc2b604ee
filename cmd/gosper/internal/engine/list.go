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
	JSON bool `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*ListCommand) Help() string {
	return `Example:

    gosper engines

The plan shown is for B3/S23 on a torus of 1024×1024 cells. Engines that have no tori show the plan for the unbounded plane.`
}

// Info is the report of gosper engines about one engine.
type Info struct {
	Engine string  `json:"engine"`
	Device *string `json:"device"` // null if it cannot run, like the plan
	Plan   *string `json:"plan"`
	Error  *string `json:"error"` // why it cannot run on this machine; null if it can

	GPUs []cuda.GPU `json:"gpus"` // the GPUs that may be named after the engine
}

// Run implements the command.
func (cmd *ListCommand) Run(ctx context.Context, c *console.Console) error {
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

// inspect opens an engine for a common universe and returns its description.
func inspect(ctx context.Context, name string) (Info, error) {
	r, err := rule.Parse(origin.DefaultRule)
	if err != nil {
		return Info{}, err
	}
	e, err := sim.Open(ctx, name, sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: 1024, H: 1024}})
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
