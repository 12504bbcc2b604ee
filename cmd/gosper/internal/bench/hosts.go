package bench

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/hosts"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
	"github.com/gosper-life/gosper/origin"
)

type hostsCommand struct {
	hosts.ServerFlags `embed:""`

	Rule  string      `placeholder:"R" help:"Rule; a bounded-grid suffix sets size and topology. Default: B3/S23."`
	Size  origin.Size `placeholder:"W|WxH|WxHxD" help:"Size of the torus. Default: 4096; 128x128x128 for rules of three dimensions."`
	Hosts []int       `default:"1,2,4,8,16" placeholder:"N,…" help:"Numbers of hosts to estimate. Default: 1,2,4,8,16."`
	JSON  bool        `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*hostsCommand) Help() string {
	return `Example:

    gosper bench hosts --size 65536 --serve 0.0.0.0:4222

The command waits for two workers (gosper worker). Each measures its engine on a part of its band, and the time of a short and a long message to the other. Nothing else is run. docs/hosts.md states the model by which the speeds are estimated, and compares it with measurements.`
}

// forecast is the report.
type forecast struct {
	Rule      string           `json:"rule"`
	Topology  string           `json:"topology"`
	Estimates []hosts.Estimate `json:"estimates"`
}

// Run implements the command.
func (cmd *hostsCommand) Run(ctx context.Context, c *console.Console) error {
	cfg, err := configOf(cmd.Rule, cmd.Size)
	if err == nil {
		err = cmd.Check()
	}
	o := hosts.Options{Config: cfg, Seed: seed, Density: 0.5}
	for _, o.Hosts = range append([]int{2}, cmd.Hosts...) {
		if err == nil {
			err = o.Check()
		}
	}
	if err != nil {
		return console.Bad(err)
	}
	connection, end, err := cmd.Connect(ctx, c.Err)
	if err != nil {
		return err
	}
	defer end()
	o.Hold = jetstream.Options{Owner: queue.ThisProcess("gosper bench hosts")}
	all, err := hosts.Forecast(ctx, connection, o, cmd.Hosts)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return c.PrintJSON(forecast{cfg.Rule.String(), cfg.Topology.String(), all})
	}
	c.Printf("%v on %v\n", cfg.Rule, cfg.Topology)
	c.Printf("%6s %12s %6s %16s %10s %14s\n", "hosts", "band", "pass", "speed", "memory", "through server")
	for _, e := range all {
		c.Printf("%6d %12s %6d %16s %10s %14s\n", e.Hosts, number.Grouped(uint64(e.Lines)), e.Depth,
			number.Rate(e.Rate, "cells"), number.Bytes(e.Bytes),
			fmt.Sprintf("%s/s", number.Bytes(uint64(float64(e.Hosts)*e.Sends*float64(e.Halo)))))
	}
	return nil
}
