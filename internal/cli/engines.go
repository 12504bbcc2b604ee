package cli

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/topology"
)

type enginesCommand struct {
	JSON bool `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*enginesCommand) Help() string {
	return `Example:

    gosper engines

The plan is the one for B3/S23 on a torus of 1024×1024 cells.`
}

type engineInfo struct {
	Name   string `json:"name"`
	Device string `json:"device,omitempty"`
	Plan   string `json:"plan,omitempty"`
	Error  string `json:"error,omitempty"` // why it cannot run here
}

// Run implements the command.
func (cmd *enginesCommand) Run(ctx context.Context, c *console) error {
	var list []engineInfo
	for _, name := range sim.Names() {
		info, err := inspect(ctx, name)
		if err != nil {
			return err
		}
		list = append(list, info)
	}
	if cmd.JSON {
		return c.printJSON(list)
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ENGINE\tDEVICE\tPLAN")
	for _, e := range list {
		if e.Error != "" {
			fmt.Fprintf(table, "%s\t(%s)\t\n", e.Name, e.Error)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Name, e.Device, e.Plan)
	}
	return table.Flush()
}

// inspect opens an engine for a common universe and asks what it is.
func inspect(ctx context.Context, name string) (engineInfo, error) {
	r, err := rule.Parse(defaultRule)
	if err != nil {
		return engineInfo{}, err
	}
	e, err := sim.Open(ctx, name, sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: 1024, H: 1024}})
	var unsupported *sim.Unsupported
	if errors.As(err, &unsupported) {
		return engineInfo{Name: name, Error: err.Error()}, nil
	}
	if err != nil {
		return engineInfo{}, err
	}
	info := e.Info()
	return engineInfo{Name: name, Device: info.Device, Plan: info.Plan}, e.Close()
}

type verifyCommand struct {
	Engine string `placeholder:"E" env:"GOSPER_ENGINE" help:"Engine to check. Default: every one that gosper engines lists."`
	Quick  bool   `help:"Leave out what takes long."`
	JSON   bool   `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*verifyCommand) Help() string {
	return `Example:

    gosper verify --engine cpu --quick

Rules of every family on every topology at awkward sizes must agree bit for bit with the reference, and it with results of other programs.`
}

type verdict struct {
	Engine string `json:"engine"`
	OK     bool   `json:"ok"`
	simtest.Report
}

// Run implements the command.
func (cmd *verifyCommand) Run(ctx context.Context, c *console) error {
	engines := sim.Names()
	if cmd.Engine != "" && cmd.Engine != sim.Auto {
		engines = []string{cmd.Engine}
	}
	verdicts := []verdict{}
	for _, engine := range engines {
		begin := time.Now()
		report, err := cmd.verify(ctx, c, engine)
		if err != nil {
			return err
		}
		v := verdict{engine, report.OK(), report}
		if !cmd.JSON {
			v.print(c, time.Since(begin))
		}
		verdicts = append(verdicts, v)
	}
	if cmd.JSON {
		if err := c.printJSON(verdicts); err != nil {
			return err
		}
	}
	for _, v := range verdicts {
		if !v.OK {
			return status(exitFailure)
		}
	}
	return nil
}

func (cmd *verifyCommand) verify(ctx context.Context, c *console, engine string) (simtest.Report, error) {
	line := &progress{out: c.err}
	defer line.erase()
	report, err := simtest.Verify(ctx, engine, cmd.Quick, func(done, total int) {
		if c.terminal && time.Since(line.painted) >= progressEvery {
			line.paint(fmt.Sprintf("%s: check %d of %d", engine, done, total))
		}
	})
	return report, inputUnlessCancelled(err)
}

func (v verdict) print(c *console, took time.Duration) {
	if v.OK {
		c.printf("%s: all %s checks passed in %s", v.Engine, grouped(uint64(v.Checks)), seconds(took))
	} else {
		c.printf("%s: FAILED", v.Engine)
	}
	if v.Refused > 0 {
		c.printf(" (%s of them refused: %s)", grouped(uint64(v.Refused)), v.Refusal)
	}
	c.printf("\n")
	for _, failure := range v.Failures {
		c.printf("  %s\n", failure)
	}
}
