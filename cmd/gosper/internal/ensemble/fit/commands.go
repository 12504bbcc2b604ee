package fit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/internal/scaling"
)

// CrossingCommand is gosper ensemble crossing.
type CrossingCommand struct {
	Dirs       []string `arg:"" name:"dir" help:"Folders of merged ensembles with different rules, sizes, starts or densities."`
	Quantity   string   `required:"" placeholder:"Q" help:"Quantity of the curves, such as binder or percolating."`
	Against    string   `placeholder:"AXIS" help:"Axis: density, a parameter of the rules such as T, or a parameter of the starts such as start_length. Default: the only one that differs."`
	Value      *float64 `placeholder:"V" help:"Find where each curve reaches this value, not where two curves cross."`
	Generation *uint64  `placeholder:"N" help:"Use the samples of this generation. Default: averages over time, else the last generation."`
	Degree     *int     `placeholder:"N" help:"Degree of the polynomials, 1 to 4. Default: the best fit from 2 on."`
	JSON       bool     `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*CrossingCommand) Help() string {
	return `Examples:

    gosper ensemble crossing ising --quantity binder
    gosper ensemble crossing square --quantity percolating --value 0.690473725
    gosper ensemble crossing ising closer --quantity binder

The command has a curve for each size. It fits a polynomial to each curve by least squares, weighted with the errors of its points, and finds
where the curves of successive sizes cross. Averages over time are used if the ensemble has them, else the last generation. Errors are
standard errors to first order.

The best degree has the least sum of chi squared and twice the number of coefficients (Akaike's criterion). If a chi squared as large as that
has a probability below 1 %, or with --degree, the errors are multiplied by the root of chi squared over the degrees of freedom, and a line
says so. In that case, take more points closer to the crossing, and check that the warm-up is long enough. The larger the systems, the nearer
their crossing is to the critical point of an infinite system.`
}

// readAt reads the tables of folders, at one generation if that is given.
func readAt(generation *uint64, dirs ...string) (ensemble.Data, error) {
	data, err := tables.Read(dirs...)
	if err == nil && generation != nil {
		if data, err = data.At(*generation); err != nil {
			err = fmt.Errorf("%s: %w", list(dirs), err)
		}
	}
	return data, err
}

// list is the names of folders in an error.
func list(dirs []string) string { return strings.Join(dirs, ", ") }

// crossing is one that was found, in JSON.
type crossing struct {
	Curves     []string `json:"curves"`
	Critical   float64  `json:"critical"`
	Error      float64  `json:"critical_error"`
	Value      float64  `json:"value"`
	ValueError float64  `json:"value_error"`
	Degree     int      `json:"degree"`
	ChiSquared float64  `json:"chi_squared"`
	Freedom    int      `json:"degrees_of_freedom"`
	Widened    float64  `json:"widened"`
}

type crossings struct {
	Quantity  string     `json:"quantity"`
	Against   string     `json:"against"`
	Crossings []crossing `json:"crossings"`
}

// Run implements the command.
func (cmd *CrossingCommand) Run(c *console.Console) error {
	data, err := readAt(cmd.Generation, cmd.Dirs...)
	if err != nil {
		return console.Bad(err)
	}
	curves, axis, err := curvesOf(data, cmd.Quantity, cmd.Against)
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", list(cmd.Dirs), err))
	}
	found, err := crossingsOf(curves, cmd.Degree, cmd.Value)
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", list(cmd.Dirs), err))
	}
	return printCrossings(c, cmd.JSON, cmd.Quantity, axis, found)
}

// crossingsOf finds crossings by polynomials of a degree, or that which fits best if none is given.
func crossingsOf(curves []curve, degree *int, value *float64) ([]scaling.Crossing, error) {
	if degree == nil {
		return scaling.Crossings(pointsOf(curves), scaling.Fitting, value)
	}
	if *degree == scaling.Fitting {
		return nil, fmt.Errorf("--degree %d: want 1 to 4", *degree)
	}
	return scaling.Crossings(pointsOf(curves), *degree, value)
}

// printCrossings prints the crossings.
func printCrossings(c *console.Console, asJSON bool, quantity, axis string, found []scaling.Crossing) error {
	all := crossings{quantity, axis, []crossing{}}
	for _, f := range found {
		all.Crossings = append(all.Crossings, crossing{
			f.Names, f.X.Value, f.X.Error, f.Y.Value, f.Y.Error, f.Degree, f.Chi2,
			f.Excess, f.Wider,
		})
	}
	if asJSON {
		return c.PrintJSON(all)
	}
	for _, f := range found {
		c.Printf("%s  %s = %s\n", strings.Join(f.Names, " and "), axis, text(f.X))
		if f.Y.Error > 0 {
			c.Printf("  %s  %s\n", quantity, text(f.Y))
		}
		c.Printf("  chi squared  %.1f, degrees of freedom %d, polynomials of degree %d\n", f.Chi2, f.Excess, f.Degree)
		if f.Wider > 1 {
			c.Printf("  widened      errors are %.1f times as large, because the polynomials do not go through the points\n",
				f.Wider)
		}
	}
	return nil
}

// text is a number with its error to two digits.
func text(n scaling.Number) string {
	digits := 0
	for scaled := n.Error; scaled > 0 && scaled < 9.5 && digits < 12; scaled *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, n.Value, digits, n.Error)
}

// ExponentCommand is gosper ensemble exponent.
type ExponentCommand struct {
	Dirs       []string `arg:"" name:"dir" help:"Folders of merged ensembles with different rules, sizes, starts or densities."`
	Quantity   string   `default:"density" placeholder:"Q" help:"density, population, activity, another quantity of table values, a ratio of two (squares/live), one with a number (avalanche_size_from), or n_s: the exponent of cluster sizes. Default: density."`
	From       uint64   `placeholder:"N" help:"First generation, or smallest number or size. Default: all."`
	To         uint64   `placeholder:"N" help:"Last generation, or largest number or size. Default: all."`
	Against    string   `placeholder:"AXIS" help:"With --value: the parameter of the rules or starts. Default: the one that differs."`
	Value      *float64 `placeholder:"V" help:"Find the value of the parameter at which the exponent has this value."`
	Generation *uint64  `placeholder:"N" help:"With --quantity n_s, or one with a number: use the samples of this generation. Default: the last one."`
	Degree     *int     `placeholder:"N" help:"With --value: degree of the polynomial through the exponents, 1 to 4. Default: the best fit from 2 on."`
	JSON       bool     `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*ExponentCommand) Help() string {
	return `Examples:

    gosper ensemble exponent decay --from 100 --to 1600
    gosper ensemble exponent seeds --quantity squares/live --from 30
    gosper ensemble exponent square --quantity n_s --from 100 --to 10000
    gosper ensemble exponent pile --quantity avalanche_size_from --from 4 --to 256
    gosper ensemble exponent contact --from 1000 --value -0.4505

The exponent is the slope of a line through the logarithms of the mean over universes and of the generation, by least squares with equal weights. Its error is that of the jackknife over universes, because samples of one universe depend on each other. The command reads the tables of samples and values.

A quantity with a number, like mutual R, is named without it. Then --from and --to are numbers, and the power is that of the number. Shares of
sizes from 2^K on, like avalanche_size_from K, follow a power of 2^K: 1 - tau if sizes s are as frequent as s^-tau. Sizes that fewer than two
universes reach are left out. The means are also over time if there are averages over time, else of the last generation.

For such shares, a second line has the tau that is most likely for the numbers of sizes in the bins from 2^K to 2^(K+1), with a standard error
from the variance over universes. Sizes range from --from to below --to. Without --from, the smallest size is the 2^K for which the distance
of Kolmogorov and Smirnov between the law and the sizes is smallest.

With --quantity n_s: the exponent of the numbers n(s) of clusters of s cells that is most likely, from --from to --to cells, without the largest
cluster of each universe. With --value, exponents of rules that differ in a parameter are points of a curve: see gosper ensemble crossing.
Exponents at finite times and sizes differ from their limits by more than such errors say: compare several ranges.`
}

// power is an exponent of one place, in JSON.
type power struct {
	Rule     string  `json:"rule"`
	Topology string  `json:"topology"`
	Start    string  `json:"start"`
	Density  float64 `json:"density"`
	Exponent float64 `json:"exponent"`
	Error    float64 `json:"exponent_error"`
	*sizeLaw
}

// sizeLaw is the most likely power law of sizes, in JSON.
type sizeLaw struct {
	Tau      float64 `json:"tau"`
	Error    float64 `json:"tau_error"`
	Smallest float64 `json:"smallest_size"`
	Largest  float64 `json:"largest_size"`
	Distance float64 `json:"ks_distance"`
}

type powers struct {
	Quantity  string  `json:"quantity"`
	Exponents []power `json:"exponents"`
}

// Run implements the command.
func (cmd *ExponentCommand) Run(c *console.Console) error {
	places, exponents, err := cmd.find()
	if err != nil {
		return console.Bad(err)
	}
	if cmd.Value == nil {
		all := powers{cmd.Quantity, []power{}}
		for i, p := range places {
			e := exponents[i]
			all.Exponents = append(all.Exponents, power{
				p.Rule, p.Topology, p.Start, p.StartDensity, e.Value, e.Error,
				e.law,
			})
		}
		if cmd.JSON {
			return c.PrintJSON(all)
		}
		for i, p := range places {
			c.Printf("%s  %s\n", nameOf(p, ""), text(exponents[i].Number))
			if law := exponents[i].law; law != nil {
				c.Printf("  tau  %s is most likely for sizes %.0f to %.0f; Kolmogorov-Smirnov distance %.4f\n",
					text(scaling.Number{Value: law.Tau, Error: law.Error}), law.Smallest, law.Largest, law.Distance)
			}
		}
		return nil
	}
	var data ensemble.Data
	for i, p := range places {
		data.Summary = append(data.Summary, ensemble.Summary{
			Place: p, Quantity: "exponent", Mean: exponents[i].Value,
			Error: &exponents[i].Error,
		})
	}
	curves, axis, err := curvesOf(data, "exponent", cmd.Against)
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", list(cmd.Dirs), err))
	}
	found, err := crossingsOf(curves, cmd.Degree, cmd.Value)
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", list(cmd.Dirs), err))
	}
	return printCrossings(c, cmd.JSON, "exponent", axis, found)
}

// exponent is that of one place. Shares of sizes also have a law.
type exponent struct {
	scaling.Number
	law *sizeLaw
}

// find finds the exponents of all places.
func (cmd *ExponentCommand) find() (places []ensemble.Place, exponents []exponent, err error) {
	if _, err := tables.Read(cmd.Dirs...); err != nil { // also refuses places that two folders have
		return nil, nil, err
	}
	for _, dir := range cmd.Dirs {
		of, each, err := cmd.findIn(dir)
		if err != nil {
			return nil, nil, err
		}
		places, exponents = append(places, of...), append(exponents, each...)
	}
	return places, exponents, nil
}

// findIn finds the exponents of the places of a folder.
func (cmd *ExponentCommand) findIn(dir string) (places []ensemble.Place, exponents []exponent, err error) {
	data, err := readAt(cmd.Generation, dir)
	if err != nil {
		return nil, nil, err
	}
	var each func(i int) (exponent, error)
	if cmd.Quantity == "n_s" {
		var counts [][]scaling.Count
		if places, counts = countsOf(data); len(places) == 0 {
			return nil, nil, fmt.Errorf("%s: clusters were not measured", dir)
		}
		if cmd.To == 0 {
			return nil, nil, errors.New("n_s: name the largest size with --to; it should be far below the number of cells")
		}
		each = func(i int) (exponent, error) {
			n, err := scaling.Tail(counts[i], float64(max(cmd.From, 1)), float64(cmd.To))
			return exponent{Number: n}, err
		}
	} else {
		var series []scaling.Series
		if places, series, err = numberedOf(dir, data, cmd.Quantity, cmd.From, cmd.To); err == nil && len(places) == 0 {
			if cmd.Generation != nil {
				return nil, nil, fmt.Errorf("--generation: %s has a power of time, in a range of generations", cmd.Quantity)
			}
			places, series, err = seriesOf(dir, cmd.Quantity, cmd.From, cmd.To)
		}
		if err != nil {
			return nil, nil, err
		}
		each = func(i int) (exponent, error) {
			n, err := series[i].Power()
			return exponent{n, cmd.lawOf(series[i])}, err
		}
	}
	for i, p := range places {
		one, err := each(i)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s on %s: %w", dir, p.Rule, p.Topology, err)
		}
		exponents = append(exponents, one)
	}
	return places, exponents, nil
}

// lawOf is the most likely law of sizes, if the quantity is a share of sizes and they are in bins enough for one.
func (cmd *ExponentCommand) lawOf(s scaling.Series) *sizeLaw {
	if !strings.HasSuffix(cmd.Quantity, sharesFrom) {
		return nil
	}
	law, err := s.SizeLaw(cmd.From == 0)
	if err != nil {
		return nil
	}
	return &sizeLaw{law.Tau.Value, law.Tau.Error, law.Low, law.High - 1, law.Distance}
}
