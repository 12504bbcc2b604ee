package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
)

// LagsCommand is gosper ensemble lags.
type LagsCommand struct {
	Dir  string `arg:"" help:"Folder of a merged ensemble with measure twotime."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*LagsCommand) Help() string {
	return `Examples:

    gosper ensemble run --rule B3/S23 --size 128 -n 1000 -g 1000 --times 1..1000/x1.5 --waiting 10,100 --measure twotime --out aging
    gosper ensemble lags aging

The correlations between each waiting time and later samples, by their lag: of single cells, and of the density of universes. Both are 1 at lag 0,
and 0 if the later sample does not depend on the earlier one. Errors are standard errors of the jackknife over universes.`
}

// lagged is the correlations of a place from one waiting time on.
type lagged struct {
	Rule     string  `json:"rule"`
	Topology string  `json:"topology"`
	Start    string  `json:"start"`
	Density  float64 `json:"density"`
	Waiting  uint64  `json:"waiting"`
	Lags     []lag   `json:"lags"`

	place ensemble.Place
}

// lag is the correlations at one lag. Those of the density are null where universes do not differ.
type lag struct {
	Lag                     uint64   `json:"lag"`
	Cells                   *float64 `json:"cells_correlation"`
	CellsError              *float64 `json:"cells_correlation_error"`
	DensityCorrelation      *float64 `json:"density_correlation"`
	DensityCorrelationError *float64 `json:"density_correlation_error"`
}

// Run implements the command.
func (cmd *LagsCommand) Run(c *console.Console) error {
	data, err := tables.Read(cmd.Dir)
	if err != nil {
		return console.Bad(err)
	}
	all := lagsOf(data.Summary)
	if len(all) == 0 {
		return console.Badf("%s: two-time correlations were not measured: run with --measure twotime and --waiting", cmd.Dir)
	}
	if cmd.JSON {
		return c.PrintJSON(struct {
			Waited []lagged `json:"waited"`
		}{all})
	}
	for _, l := range all {
		c.Printf("%s, waiting time %d\n", nameOf(l.place, ""), l.Waiting)
		c.Printf("%10s  %22s  %22s\n", "lag", "cells", "density")
		for _, at := range l.Lags {
			c.Printf("%10d  %22s  %22s\n", at.Lag, withError(at.Cells, at.CellsError),
				withError(at.DensityCorrelation, at.DensityCorrelationError))
		}
	}
	return nil
}

// lagsOf sorts the rows of two-time correlations by place, waiting time and lag.
func lagsOf(rows []ensemble.Summary) []lagged {
	var all []lagged
	for i := range rows {
		row := &rows[i]
		name, number, _ := strings.Cut(row.Quantity, " ")
		waiting, err := strconv.ParseUint(number, 10, 64)
		if err != nil || name != "two_time_cells" && name != "two_time_density" {
			continue
		}
		k := slices.IndexFunc(all, func(l lagged) bool { return l.place == row.Place && l.Waiting == waiting })
		if k < 0 {
			k = len(all)
			all = append(all, lagged{row.Rule, row.Topology, row.Start, row.StartDensity, waiting, nil, row.Place})
		}
		l, after := &all[k], row.Generation-waiting
		if n := len(l.Lags); n == 0 || l.Lags[n-1].Lag != after {
			l.Lags = append(l.Lags, lag{Lag: after})
		}
		at := &l.Lags[len(l.Lags)-1]
		if name == "two_time_cells" {
			at.Cells, at.CellsError = &row.Mean, row.Error
		} else {
			at.DensityCorrelation, at.DensityCorrelationError = &row.Mean, row.Error
		}
	}
	slices.SortStableFunc(all, func(a, b lagged) int {
		return cmp.Compare(fmt.Sprint(a.place), fmt.Sprint(b.place))
	})
	return all
}
