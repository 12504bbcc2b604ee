package fit

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
)

// KineticsCommand is gosper ensemble kinetics.
type KineticsCommand struct {
	Dir        string  `arg:"" help:"Folder of a merged ensemble with measure kinetics."`
	Generation *uint64 `placeholder:"N" help:"List the sizes of the interval that ends with this sample. Default: the last one."`
	To         uint64  `default:"24" placeholder:"S" help:"Largest size to list, in cells. Default: 24."`
	JSON       bool    `name:"json" help:"Print one JSON object, with all sizes of all intervals."`
}

// Help is shown below the usage.
func (*KineticsCommand) Help() string {
	return `Examples:

    gosper ensemble run --rule B3/S23 --size 128 -n 1000 -g 1000 --times 1..1000/x1.5 --measure kinetics --out life
    gosper ensemble kinetics life
    gosper ensemble plot life

How the numbers n(s) of clusters of s cells change from sample to sample, and how that balances. J(s) is the rate at which clusters of more than
s cells become more. If clusters only gained and lost single cells, it would be the flux from s to s+1 of Becker and Doring, with
dn(s)/dt = J(s-1) - J(s). Their equation for single cells, dn(1)/dt = -J(1) - sum of all J(s), holds if no cell is born and none dies. The missing term is the change of the density, the sum of s dn(s)/dt.

Rates are for each cell and generation. Errors are standard errors over universes, of the differences of the same universes. The command checks
that the clusters of every sample have all cells in state 1, by their density. plot draws n(s) against time and J(s) against s.`
}

// kinetics is the report of a place.
type kinetics struct {
	Rule      string     `json:"rule"`
	Topology  string     `json:"topology"`
	Start     string     `json:"start"`
	Density   float64    `json:"density"`
	Intervals []interval `json:"intervals"`
}

// interval is the time from one sample to the next. Rates are for each cell and generation.
type interval struct {
	Since      uint64 `json:"since"`
	Generation uint64 `json:"generation"`

	Clusters float64 `json:"clusters_rate"` // of the number of all clusters
	Singles  float64 `json:"singles_rate"`  // of that of single cells
	Balance  float64 `json:"singles_by_flux"`
	Mass     float64 `json:"density_rate"` // Singles − Balance, which is 0 for Becker and Döring

	Sizes []sizeRates `json:"sizes"`
}

// sizeRates is one size in an interval: n(s) at its end, and how it changed.
type sizeRates struct {
	Size        uint64   `json:"size"`
	PerCell     float64  `json:"n_s"`
	Error       *float64 `json:"n_s_error"`
	Rate        float64  `json:"rate"`
	RateError   *float64 `json:"rate_error"`
	Growth      *float64 `json:"growth"`
	GrowthError *float64 `json:"growth_error"`
	Flux        float64  `json:"flux"`
	FluxError   *float64 `json:"flux_error"`
}

// Run implements the command.
func (cmd *KineticsCommand) Run(c *console.Console) error {
	data, err := tables.Read(cmd.Dir)
	if err != nil {
		return console.Bad(err)
	}
	places, err := kineticsOf(data)
	if err == nil && cmd.Generation != nil {
		err = hasInterval(places, *cmd.Generation)
	}
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", cmd.Dir, err))
	}
	if cmd.JSON {
		return c.PrintJSON(struct {
			Places []kinetics `json:"places"`
		}{places})
	}
	for i := range places {
		cmd.print(c, &places[i])
	}
	return nil
}

func hasInterval(places []kinetics, generation uint64) error {
	for _, in := range places[0].Intervals {
		if in.Generation == generation {
			return nil
		}
	}
	return fmt.Errorf("no interval between samples ends at generation %d", generation)
}

// at identifies a cluster size of a place at a sample.
type at struct {
	ensemble.Place
	generation, size uint64
}

// kineticsOf puts tables together by place and interval, and checks the mass of every sample.
func kineticsOf(d ensemble.Data) ([]kinetics, error) {
	if len(d.Kinetics) == 0 {
		return nil, fmt.Errorf(
			"kinetics were not measured, or there is only one sample: run with --measure kinetics and several --times")
	}
	numbers, mass := map[at]*ensemble.ClusterSize{}, map[at]float64{}
	for i := range d.Clusters {
		row := &d.Clusters[i]
		numbers[at{row.Place, row.Generation, row.Size}] = row
		mass[at{row.Place, row.Generation, 0}] += float64(row.Size) * row.PerCell
	}
	for _, row := range d.Summary {
		if of := mass[at{row.Place, row.Generation, 0}]; row.Quantity == density && math.Abs(of-row.Mean) > 1e-9*row.Mean {
			return nil, fmt.Errorf(
				"%s, generation %d: clusters have %v of the cells, and %v are in state 1: the tables are damaged",
				nameOf(row.Place, ""), row.Generation, of, row.Mean)
		}
	}
	var places []kinetics
	var last ensemble.Place
	for _, row := range d.Kinetics {
		if len(places) == 0 || row.Place != last {
			last = row.Place
			places = append(places, kinetics{row.Rule, row.Topology, row.Start, row.StartDensity, nil})
		}
		p := &places[len(places)-1]
		if n := len(p.Intervals); n == 0 || p.Intervals[n-1].Generation != row.Generation {
			p.Intervals = append(p.Intervals, interval{Since: row.Since, Generation: row.Generation})
		}
		in := &p.Intervals[len(p.Intervals)-1]
		s := sizeRates{
			Size: row.Size, Rate: row.Rate, RateError: row.RateError, Growth: row.Growth, GrowthError: row.GrowthError,
			Flux: row.Flux, FluxError: row.FluxError,
		}
		if n := numbers[at{row.Place, row.Generation, row.Size}]; n != nil {
			s.PerCell, s.Error = n.PerCell, n.Error
		}
		in.Sizes = append(in.Sizes, s)
	}
	for i := range places {
		for k := range places[i].Intervals {
			places[i].Intervals[k].balance()
		}
	}
	return places, nil
}

// balance adds up the sizes of an interval.
func (in *interval) balance() {
	first := in.Sizes[0].Size
	if first == 1 {
		in.Singles = in.Sizes[0].Rate
	}
	for i, s := range in.Sizes {
		in.Clusters += s.Rate
		in.Mass += float64(float64(s.Size) * s.Rate)
		if i+1 < len(in.Sizes) { // sizes between have the same flux
			in.Balance -= float64(s.Flux * float64(in.Sizes[i+1].Size-s.Size))
		}
	}
	one := in.Sizes[0].Flux
	if first > 1 { // clusters of more than one cell are all
		one = in.Clusters
		in.Balance -= float64(in.Clusters * float64(first-1))
	}
	in.Balance -= one
}

// print prints the intervals of a place, and the sizes of one of them.
func (cmd *KineticsCommand) print(c *console.Console, p *kinetics) {
	c.Printf("%s\n", nameOf(ensemble.Place{Rule: p.Rule, Topology: p.Topology, Start: p.Start, StartDensity: p.Density},
		""))
	c.Printf("%12s  %12s  %12s  %12s  %12s  %12s\n", "since", "generation", "clusters", "single cells", "by flux",
		"density")
	shown := &p.Intervals[len(p.Intervals)-1]
	for i := range p.Intervals {
		in := &p.Intervals[i]
		c.Printf("%12d  %12d  %12.3e  %12.3e  %12.3e  %12.3e\n", in.Since, in.Generation, in.Clusters, in.Singles, in.Balance,
			in.Mass)
		if cmd.Generation != nil && in.Generation == *cmd.Generation {
			shown = in
		}
	}
	c.Printf("  sizes from generation %d to %d, with standard errors\n", shown.Since, shown.Generation)
	c.Printf("%6s  %21s  %22s  %22s  %22s\n", "s", "n(s)", "dn(s)/dt", "growth", "J(s)")
	for _, s := range shown.Sizes {
		if s.Size > cmd.To {
			c.Printf("  %d larger sizes are not listed (--to)\n", larger(shown.Sizes, cmd.To))
			break
		}
		c.Printf("%6d  %21s  %22s  %22s  %22s\n", s.Size, withError(&s.PerCell, s.Error), withError(&s.Rate, s.RateError),
			withError(s.Growth, s.GrowthError), withError(&s.Flux, s.FluxError))
	}
}

// larger counts the sizes above one.
func larger(sizes []sizeRates, than uint64) (n int) {
	for _, s := range sizes {
		if s.Size > than {
			n++
		}
	}
	return n
}

// withError is a number and its error, if there are any.
func withError(x, err *float64) string {
	switch {
	case x == nil:
		return "-"
	case err == nil:
		return fmt.Sprintf("%.3e", *x)
	}
	return fmt.Sprintf("%.3e ± %.1e", *x, *err)
}
