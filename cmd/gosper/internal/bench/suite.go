package bench

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
)

// suite lists the measurements of bench speed --suite: sizes that fit each cache and sizes beyond them, awkward
// sizes, then rules of every family, then other code.
var suite = []suiteRow{
	{rule: "B3/S23", size: origin.Size{W: 1024, H: 1024}},
	{rule: "B3/S23", size: origin.Size{W: 4096, H: 4096}},
	{rule: "B3/S23", size: origin.Size{W: 16384, H: 16384}},
	{rule: "B3/S23", size: origin.Size{W: 65536, H: 65536}},
	{rule: "B3/S23", size: origin.Size{W: 1000, H: 777}},
	{rule: "B3/S23", size: origin.Size{W: 4099, H: 4099}},
	{rule: "B3/S23", size: origin.Size{W: 16383, H: 16385}},

	{rule: "B36/S23"},
	{rule: "B3678/S34678"},
	{rule: "B2-a/S12"},
	{rule: "B2n3/S23-q"},
	{rule: "B2ce3aiy4nqz5cr6k/S1e2-cn3ejqr4aitz5kny7c"}, // arbitrary
	{rule: "B3/S23V"},
	{rule: "B2/S34H"},
	{rule: "/2/3"},
	{rule: "R2,C0,M1,S7..10,B7..11,NM"},
	{rule: "R5,C0,M1,S34..58,B34..45,NM"},
	{rule: "R10,C0,M1,S123..212,B123..170,NM"},
	{rule: "R16,C0,M1,S300..500,B310..400,NM"},

	{rule: "B3/S23", plan: "avx2"},
	{rule: "B3/S23", plan: "portable"},
	{rule: "R5,C0,M1,S34..58,B34..45,NM", plan: "avx2"},
	{rule: "R5,C0,M1,S34..58,B34..45,NM", plan: "portable"},
}

// suiteRow is one measurement. Without a size it is 4096×4096. A plan is for the cpu engine.
type suiteRow struct {
	rule string
	size origin.Size
	plan string
}

const suiteTime = 200 * time.Millisecond // of one run

// SuiteReport is the report of gosper bench speed --suite.
type SuiteReport struct {
	Machine host.Machine `json:"machine"`
	Speeds  []suiteSpeed `json:"speeds"`
}

type suiteSpeed struct {
	speed
	Error *string `json:"error"` // why it cannot be measured on this machine
}

// runSuite prints each row as soon as it is measured.
func (cmd *speedCommand) runSuite(ctx context.Context, c *console.Console, rows []suiteRow) error {
	if cmd.Rule != "" || cmd.Size != (origin.Size{}) {
		return console.Badf("--suite brings its own rules and sizes: leave out --rule and --size")
	}
	if err := start.CheckThreads(cmd.Threads); err != nil {
		return console.Bad(err)
	}
	result := SuiteReport{Machine: host.ThisMachine(), Speeds: []suiteSpeed{}}
	if !cmd.JSON {
		c.Printf("%s\n\n", describeMachine(result.Machine))
		c.Printf(
			"| rule | size | plan | speed | by processor time | of the port limit | spread |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	}
	for _, row := range rows {
		if row.plan != "" && (cmd.Plan != "" || cmd.Engine != sim.Auto && cmd.Engine != "cpu") {
			continue
		}
		s, err := cmd.measureRow(ctx, row)
		var unsupported *sim.Unsupported
		var bad console.BadInput
		switch {
		case errors.As(err, &unsupported) || errors.As(err, &bad):
			s.Error = console.Known(console.OneLine(err.Error()))
		case err != nil:
			return err
		}
		result.Speeds = append(result.Speeds, s)
		if !cmd.JSON {
			c.Printf("%s\n", s.row())
		}
	}
	if cmd.JSON {
		return c.PrintJSON(result)
	}
	return nil
}

// measureRow measures a row of the suite. A row with a plan runs on the processor, also if another
// engine was named.
func (cmd *speedCommand) measureRow(ctx context.Context, row suiteRow) (suiteSpeed, error) {
	cfg, err := configOf(row.rule, row.size)
	if err != nil {
		return suiteSpeed{}, err
	}
	engine := cmd.Engine
	cfg.Threads, cfg.Plan = cmd.Threads, cmd.Plan
	if row.plan != "" {
		engine, cfg.Plan = "cpu", row.plan
	}
	s := suiteSpeed{speed: speed{
		Rule: cfg.Rule.String(), Width: cfg.Topology.W, Height: cfg.Topology.H, Topology: cfg.Topology.String(),
		Density: cmd.Density, Generations: cmd.Generations, Plan: cfg.Plan,
	}}
	if err := s.run(ctx, engine, cfg, suiteTime); err != nil {
		return s, err
	}
	return s, s.limit(ctx, cfg.Rule)
}

// row returns a line of the Markdown table.
func (s suiteSpeed) row() string {
	cells := []string{
		"`" + s.Rule + "`", origin.Size{W: s.Width, H: s.Height}.String(), s.Plan, console.Text(s.Error), "",
		"", "",
	}
	if s.Error == nil {
		cells[3] = number.Rate(s.CellsPerSecond, "cells")
		cells[6] = number.Percent(s.Spread)
	}
	if s.PerCPUSecond != nil {
		cells[4] = number.Rate(*s.PerCPUSecond, "cells")
	}
	if s.Fraction != nil {
		cells[5] = number.Percent(*s.Fraction)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}
