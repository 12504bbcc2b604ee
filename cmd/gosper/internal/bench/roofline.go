package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/bench/internal/roofline"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
)

type rooflineCommand struct {
	Rule string      `placeholder:"R" help:"Rule; a bounded-grid suffix sets size and topology. Default: B3/S23."`
	Size origin.Size `placeholder:"W|WxH" help:"Size of the torus. Default: 4096."`
	Plan string      `placeholder:"P" help:"Plan to force, or parts of one, such as avx2. Default: the engine chooses."`
	JSON bool        `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*rooflineCommand) Help() string {
	return `Example:

    gosper bench roofline --rule bosco --size 8192

Two things limit the speed of a rule: the logic operations for a vector of cells, and the bytes that a generation moves at the plan's depth. The command measures both rates. Bandwidth counts bytes read and written, in as much memory as the universe takes. The cpu engine then runs on one thread and on all threads.`
}

const rooflineTime = 100 * time.Millisecond // for one run of the engine

// RooflineReport is the report of gosper bench roofline.
type RooflineReport struct {
	Machine   host.Machine         `json:"machine"`
	Rates     []roofline.Rates     `json:"rates"` // of one thread, by code
	Bandwidth []roofline.Bandwidth `json:"bandwidth"`
	Runs      []rooflineRun        `json:"runs"` // on one thread and on all
}

type rooflineRun struct {
	speed
	// for its code and threads; this field and those below are null without vector code
	Rates    *roofline.Rates     `json:"logic"`
	Universe *roofline.Bandwidth `json:"universe_bandwidth"`
	Work     *roofline.Work      `json:"work"`
	Bound    *roofline.Bound     `json:"bound"`
	Reached  *float64            `json:"bound_fraction"`
}

// Run implements the command.
func (cmd *rooflineCommand) Run(ctx context.Context, c *console.Console) error {
	cfg, err := configOf(cmd.Rule, cmd.Size)
	if err != nil {
		return console.Bad(err)
	}
	if cfg.Volume() {
		return console.Badf("%v has three dimensions: the model of the roofline has two", cfg.Topology)
	}
	cfg.Plan = cmd.Plan
	codes, err := roofline.Codes()
	if err != nil {
		return fmt.Errorf("the roofline needs vector code: %w", err)
	}
	threads := runtime.GOMAXPROCS(0)
	roof := RooflineReport{Machine: host.ThisMachine()}
	// The engine runs first, because it may refuse the configuration.
	for _, n := range slices.Compact([]int{1, threads}) {
		run, err := reach(ctx, cfg, n, roof.Machine, codes[0])
		if err != nil {
			return err
		}
		roof.Runs = append(roof.Runs, run)
	}
	for _, code := range codes {
		rates, err := roofline.MeasureRates(ctx, code)
		if err != nil {
			return err
		}
		roof.Rates = append(roof.Rates, rates)
	}
	roof.Bandwidth = roofline.Levels(roof.Machine, threads)
	for i := range roof.Bandwidth {
		if err := roof.Bandwidth[i].Measure(ctx, codes[0]); err != nil {
			return err
		}
	}
	if cmd.JSON {
		return c.PrintJSON(roof)
	}
	return roof.print(c)
}

// reach runs the engine on the given number of threads and computes the bound for its plan.
func reach(ctx context.Context, cfg sim.Config, threads int, m host.Machine, code roofline.Code) (rooflineRun, error) {
	cfg.Threads = threads
	run := rooflineRun{speed: speed{Density: origin.DefaultDensity}}
	if err := run.run(ctx, "cpu", cfg, rooflineTime); err != nil {
		return run, err
	}
	plan, ok := run.plan()
	if !ok {
		return run, nil
	}
	rates, err := roofline.MeasureLogic(ctx, plan.Code, plan.Threads)
	if err != nil {
		return run, err
	}
	universe := roofline.Universe(m, run.Bytes, plan.Threads)
	if err := universe.Measure(ctx, code); err != nil {
		return run, err
	}
	work := roofline.WorkOf(rowProgram(cfg.Rule), plan)
	bound := work.Bound(rates, universe.Update)
	run.Rates, run.Universe, run.Work, run.Bound = &rates, &universe, &work, &bound
	reached, fraction := run.CellsPerSecond/bound.Cells, run.CellsPerSecond/bound.Logic
	run.Reached, run.PortLimit, run.Fraction = &reached, &bound.Logic, &fraction
	return run, nil
}

// print writes the rates of the machine, and then the bounds of each run.
func (r *RooflineReport) print(c *console.Console) error {
	c.Printf("%s\n\n", describeMachine(r.Machine))
	table := tabwriter.NewWriter(c.Out, 0, 0, 3, ' ', 0)
	line := func(cells ...string) { fmt.Fprintln(table, strings.Join(cells, "\t")) }
	perCode := func(title string, value func(roofline.Rates) string) {
		cells := []string{title}
		for _, rates := range r.Rates {
			cells = append(cells, value(rates))
		}
		line(cells...)
	}
	perCode("instructions, 1 thread", func(r roofline.Rates) string { return string(r.Code) })
	perCode("  logic of 3 inputs", func(r roofline.Rates) string {
		if r.Tables == 0 {
			return "none"
		}
		return number.Rate(r.Tables, "op")
	})
	perCode("  logic of 2 inputs", func(r roofline.Rates) string { return number.Rate(r.Operations, "op") })
	perCode("  shift", func(r roofline.Rates) string { return number.Rate(r.Shifts, "op") })
	perCode("  load", func(r roofline.Rates) string { return number.Rate(r.Loads, "op") })
	perCode("  store", func(r roofline.Rates) string { return number.Rate(r.Stores, "op") })
	line()
	line("bytes read and written", "read", "copy", "update in place")
	for _, b := range r.Bandwidth {
		line("  "+place(b), number.Rate(b.Read, "B"), number.Rate(b.Copy, "B"), number.Rate(b.Update, "B"))
	}
	for _, run := range r.Runs {
		if b := run.Universe; b != nil {
			line("  "+place(*b), number.Rate(b.Read, "B"), number.Rate(b.Copy, "B"), number.Rate(b.Update, "B"))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, run := range r.Runs {
		run.print(c)
	}
	return nil
}

// print writes both bounds of a run and which of them binds.
func (r *rooflineRun) print(c *console.Console) {
	c.Printf("\n%s on %s, %s\n", r.Rule, r.Topology, r.Plan)
	if r.Bound == nil {
		c.Printf("  reached  %s; there is no bound, because the plan has no vector code\n",
			number.Rate(r.CellsPerSecond, "cells"))
		return
	}
	var work []string
	for _, w := range []struct {
		n, inputs int
		perSecond float64
	}{{r.Work.Tables, 3, r.Rates.Tables}, {r.Work.Operations, 2, r.Rates.Operations}} {
		if w.n > 0 {
			work = append(work, fmt.Sprintf("%d of %d inputs at %s", w.n, w.inputs, number.Rate(w.perSecond, "op")))
		}
	}
	c.Printf("  logic    %s: for %d cells %s\n", number.Rate(r.Bound.Logic, "cells"), r.Work.Bits,
		cmp.Or(strings.Join(work, " and "), "nothing"))
	c.Printf("  memory   %s: %.3g bytes a cell at %s\n", number.Rate(r.Bound.Memory, "cells"), r.Work.BytesPerCell,
		number.Rate(r.Universe.Update, "B"))
	c.Printf("  reached  %s, %s of the bound by %s\n", number.Rate(r.CellsPerSecond, "cells"), number.Percent(*r.Reached),
		r.Bound.Binds)
}

// place says where a bandwidth was measured: "L2, 512 KiB, 1 thread".
func place(b roofline.Bandwidth) string {
	return fmt.Sprintf("%s, %s, %s", b.Level, number.Bytes(b.Bytes), number.Count(uint64(b.Threads), "thread"))
}

// describeMachine describes a machine in one line.
func describeMachine(m host.Machine) string {
	parts := []string{m.CPU, number.Count(uint64(m.Cores), "core"), strings.Join(m.Extensions, " ")}
	for _, cache := range m.Caches {
		parts = append(parts, fmt.Sprintf("L%d %s", cache.Level, number.Bytes(cache.Bytes)))
	}
	if m.Memory > 0 {
		parts = append(parts, "memory "+number.Bytes(m.Memory))
	}
	parts = append(parts, m.OS+"/"+m.Arch, m.Go)
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
