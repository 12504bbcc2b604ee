package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/cat"
	"github.com/gosper-life/gosper/papers/gpu"
	"github.com/gosper-life/gosper/rule"
)

type benchCatCommand struct {
	paperFlags `embed:""`

	Part []string `placeholder:"P" help:"What to measure: radius, size, tiles, beyond, power, products. May be repeated. Default: all of it."`
}

// Help is shown below the usage.
func (*benchCatCommand) Help() string {
	return `Example:

    gosper bench cat --quick --out results
    gosper bench cat --from h200/cat.jsonl --from a100/cat.jsonl --out both

The sixteen rules of the paper, 25 generations a realisation, 4 to 32 realisations until the standard error is 1 % of the mean; each time with the halo fixed, as the paper measures it, and refreshed. Parts:

    radius    every method at every radius on 16384² cells, with the energy of each
    size      n = 1024 + 2048·i, i = 0 … 29, at radius 1, 5, 10 and 16
    tiles     CAT with tiles of 1×1 to 16×16 fragments
    beyond    radius 17 to 64, diamonds and crosses
    power     watts against time over 1000 generations
    products  bare products of the tensor cores in FP16, INT8, INT4 and b1

All of it takes about an hour on an H200, the part radius ten minutes; --quick a minute. Without a GPU the methods' arithmetic is run on one core, on small tori.`
}

// catParts are the values of --part.
var catParts = []string{"radius", "size", "tiles", "beyond", "power", "products"}

// Run implements the command.
func (cmd *benchCatCommand) Run(ctx context.Context, c *console) error {
	for _, part := range cmd.Part {
		if !slices.Contains(catParts, part) {
			return badInput{fmt.Errorf("--part %s: want one of %s", part, strings.Join(catParts, ", "))}
		}
	}
	return cmd.run(ctx, c, paper{
		name: cat.Name, tables: cat.Tables, figures: cat.Figures,
		measure: func(ctx context.Context, r *paperRun) error { return measureCat(ctx, r, cmd.Part) },
	})
}

// catSweep is what is measured.
type catSweep struct {
	side       int   // of the sweep over radii
	radii      []int // likewise
	sizes      []int
	sizeRadii  []int
	tiles      []int // widths and heights
	tileRadius int
	wide       []int // radii above 16
	powerRadii []int
	protocol   papers.Protocol
	energyTime float64 // seconds that measuring the energy takes, of the sweep over radii
}

// catPower is the number of generations of a curve of power, catRest the pause before it.
const (
	catPower = 1000
	catRest  = time.Second
)

var (
	catFull = catSweep{
		side: 16384, radii: upTo(16), sizes: cat.Sizes(), sizeRadii: []int{1, 5, 10, 16}, tiles: upTo(16), tileRadius: 8,
		wide: []int{17, 24, 32, 48, 64}, powerRadii: []int{1, 5, 10, 16},
		protocol: papers.Protocol{Generations: 25, Least: 4, Most: 32, RelativeError: 0.01}, energyTime: 1.5,
	}
	catQuick = catSweep{
		side: 4096, radii: []int{1, 2, 3, 5, 10, 16}, sizes: []int{1024, 3072, 5120}, sizeRadii: []int{1, 16},
		tiles: []int{1, 2, 4, 8, 13, 16}, tileRadius: 8, wide: []int{32, 64},
		protocol: papers.Protocol{Generations: 25, Least: 2, Most: 4, RelativeError: 0.01}, energyTime: 0.3,
	}
	catHost = catSweep{
		side: 128, radii: []int{1, 5, 16}, wide: []int{32}, protocol: papers.Protocol{Generations: 1, Least: 2, Most: 2},
	}
)

// upTo is 1 to n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// catRun measures the parts of one command.
type catRun struct {
	catSweep
	*paperRun
	d      *gpu.Device // nil: none
	device string
}

func measureCat(ctx context.Context, r *paperRun, parts []string) (err error) {
	run := catRun{catSweep: catFull, paperRun: r}
	if r.quick {
		run.catSweep = catQuick
	}
	if run.d, err = r.gpu(); err != nil {
		return err
	}
	run.device = "one core of " + machineName()
	if run.d == nil {
		run.catSweep = catHost
		r.notef("the methods' arithmetic is run on one core instead")
	} else {
		run.device = run.d.Name
	}
	for _, part := range []struct {
		name    string
		gpu     bool
		measure func(context.Context) error
	}{
		{"products", true, run.products},
		{"radius", false, run.byRadius},
		{"tiles", true, run.byTile},
		{"beyond", false, run.beyond},
		{"power", true, run.power},
		{"size", true, run.bySize},
	} {
		if len(parts) > 0 && !slices.Contains(parts, part.name) || part.gpu && run.d == nil {
			continue
		}
		if err := part.measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// instance is the paper's rule of a radius up to 16.
func instance(radius int) cat.Instance { return cat.Instances()[radius-1] }

// one measures a method on cells.
func (r *catRun) one(
	ctx context.Context, method cat.Method, text string, cells *grid.Grid, o cat.Options, p papers.Parameters, with papers.Protocol,
) error {
	parsed, err := rule.Parse(text)
	if err != nil {
		return err
	}
	m := papers.Measurement{Method: string(method), Rule: text, Width: int64(cells.W()), Height: int64(cells.H()), Device: r.device}
	open := func() (papers.Stepper, error) {
		if r.d == nil {
			return cat.OpenHost(method, parsed, cells.W(), cells.H())
		}
		return method.Open(r.d, parsed, cells.W(), cells.H(), o)
	}
	if p == nil {
		p = papers.Parameters{}
	}
	p[cat.ParameterHalo] = "refreshed"
	if o.FixedHalo {
		p[cat.ParameterHalo] = "fixed"
	}
	m.Parameters = p.String()
	return r.measure(ctx, m, cells, with, open)
}

// ours measures Gosper's engine on cells, as a method of the same device where it runs there.
func (r *catRun) ours(ctx context.Context, text string, cells *grid.Grid, with papers.Protocol) error {
	if r.d == nil {
		with.Generations *= 64 // or there is nothing to time
	}
	before := len(r.rows)
	err := r.gosper(ctx, text, cells, with)
	for i := range r.rows[before:] {
		m := &r.rows[before+i]
		if onGPU := m.Parameter(papers.ParameterEngine) == "cuda"; onGPU == (r.d != nil) {
			m.Device = r.device
		}
	}
	return err
}

// byRadius is every method at every radius: with the halo fixed, where the arithmetic is not the host's, and with the halo refreshed and
// the energy.
func (r *catRun) byRadius(ctx context.Context) error {
	withEnergy := r.protocol
	withEnergy.EnergyTime = r.energyTime
	for _, radius := range r.radii {
		rule := instance(radius)
		cells, err := r.soup(ctx, r.side, r.side, rule.Density)
		if err != nil {
			return err
		}
		for _, m := range slices.Concat(cat.Published, cat.Beyond) {
			if radius > m.MaxRadius() {
				continue
			}
			if r.d != nil {
				if err := r.one(ctx, m, rule.Notation, cells, cat.Options{FixedHalo: true}, nil, r.protocol); err != nil {
					return err
				}
			}
			if err := r.one(ctx, m, rule.Notation, cells, cat.Options{}, nil, withEnergy); err != nil {
				return err
			}
		}
		if err := r.ours(ctx, rule.Notation, cells, withEnergy); err != nil {
			return err
		}
	}
	return nil
}

// bySize is every method of the paper and Gosper's engine at every size and a few radii.
func (r *catRun) bySize(ctx context.Context) error {
	for _, n := range r.sizes {
		for _, radius := range r.sizeRadii {
			rule := instance(radius)
			cells, err := r.soup(ctx, n, n, rule.Density)
			if err != nil {
				return err
			}
			for _, m := range slices.Concat(cat.Published, []cat.Method{cat.Registers, cat.Int8}) {
				if err := r.one(ctx, m, rule.Notation, cells, cat.Options{FixedHalo: true}, nil, r.protocol); err != nil {
					return err
				}
			}
			if err := r.ours(ctx, rule.Notation, cells, r.protocol); err != nil {
				return err
			}
		}
	}
	return nil
}

// byTile is CAT with every shape of tile that shared memory holds.
func (r *catRun) byTile(ctx context.Context) error {
	rule := instance(r.tileRadius)
	cells, err := r.soup(ctx, r.side, r.side, rule.Density)
	if err != nil {
		return err
	}
	for _, a := range r.tiles {
		for _, b := range r.tiles {
			if cat.TileBytes(a, b, rule.Radius) > r.d.SharedBlockBytes {
				continue
			}
			o := cat.Options{FixedHalo: true, Tile: [2]int{a, b}}
			p := papers.Parameters{cat.ParameterTile: fmt.Sprintf("%dx%d", a, b)}
			if err := r.one(ctx, cat.CAT, rule.Notation, cells, o, p, r.protocol); err != nil {
				return err
			}
		}
	}
	return nil
}

// beyond is what the paper leaves to the future: larger radii, and neighbourhoods that are no squares.
func (r *catRun) beyond(ctx context.Context) error {
	measure := func(text string, methods ...cat.Method) error {
		cells, err := r.soup(ctx, r.side, r.side, 0.4)
		if err != nil {
			return err
		}
		for _, m := range methods {
			if err := r.one(ctx, m, text, cells, cat.Options{}, nil, r.protocol); err != nil {
				return err
			}
		}
		return r.ours(ctx, text, cells, r.protocol)
	}
	for _, radius := range r.wide {
		var methods []cat.Method
		for _, m := range []cat.Method{cat.CAT, cat.Registers, cat.Int8, cat.Rows, cat.Bits} {
			if radius <= m.MaxRadius() {
				methods = append(methods, m)
			}
		}
		if err := measure(thresholds(radius, (2*radius+1)*(2*radius+1)-1, 'M'), methods...); err != nil {
			return err
		}
	}
	for _, radius := range r.radii {
		if err := measure(thresholds(radius, 2*radius*(radius+1), 'N'), cat.Rows, cat.Bits); err != nil {
			return err
		}
	}
	for _, radius := range r.sizeRadii {
		if err := measure(thresholds(radius, 4*radius, '+'), cat.CAT, cat.Cached); err != nil {
			return err
		}
	}
	return nil
}

// thresholds is a rule with births and survivals at two fifths of a neighbourhood of so many cells, where random cells keep moving.
func thresholds(radius, cells int, letter byte) string {
	return fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,N%c", radius, cells*38/100, cells*45/100, cells*36/100, cells*40/100, letter)
}

// power is the power of every method over a thousand generations.
func (r *catRun) power(ctx context.Context) error {
	meter := r.meter(papers.Measurement{Device: r.device})
	if _, ok := meter.Read(); !ok {
		r.notef("%s does not tell its power; the curves of it are left out", r.device)
		return nil
	}
	for _, radius := range r.powerRadii {
		rule := instance(radius)
		cells, err := r.soup(ctx, r.side, r.side, rule.Density)
		if err != nil {
			return err
		}
		for _, m := range slices.Concat(cat.Published, []cat.Method{cat.Registers, cat.Int8}) {
			if err := r.curve(ctx, meter, m, rule.Notation, cells); err != nil {
				return err
			}
		}
	}
	return nil
}

// curve is the power of a method, a row a reading.
func (r *catRun) curve(ctx context.Context, meter *energy.Meter, method cat.Method, text string, cells *grid.Grid) error {
	parsed, err := rule.Parse(text)
	if err != nil {
		return err
	}
	u, err := method.Open(r.d, parsed, cells.W(), cells.H(), cat.Options{})
	if err != nil {
		return err
	}
	m := papers.Measurement{
		Method: string(method), Rule: text, Width: int64(cells.W()), Height: int64(cells.H()), Device: r.device,
		Generations: catPower, Realisations: 1, Clock: "wall",
	}
	r.show(m)
	err = u.Load(cells)
	stop := meter.Record(20 * time.Millisecond)
	select { // from rest, as the paper's curves begin
	case <-ctx.Done():
	case <-time.After(catRest):
	}
	begin := time.Now()
	for done := 0; err == nil && done < catPower; done += 25 {
		err = errors.Join(ctx.Err(), u.Step(25))
	}
	m.Seconds = time.Since(begin).Seconds() / catPower
	readings := stop()
	if err := errors.Join(err, u.Close()); err != nil {
		return err
	}
	m.CellsPerSec = float64(m.Width) * float64(m.Height) / m.Seconds
	for _, reading := range thinned(meanPower(readings, begin), mostReadings) {
		m.Parameters = papers.Parameters{
			cat.ParameterAt:    fmt.Sprintf("%.3f", reading.At.Sub(begin).Seconds()),
			cat.ParameterWatts: fmt.Sprintf("%.0f", reading.Watts),
		}.String()
		r.add(m)
	}
	return nil
}

// meanPower are the readings at which the meter had moved, from a moment on, with the watts since it moved before: a GPU's own reading of
// its power is the mean of a whole second.
func meanPower(readings []energy.Reading, from time.Time) []energy.Reading {
	var moves []energy.Reading
	for _, r := range readings {
		if len(moves) == 0 || r.Joules > moves[len(moves)-1].Joules {
			moves = append(moves, r)
		}
	}
	for i := len(moves) - 1; i > 0; i-- {
		before := moves[i-1]
		moves[i].Watts = (moves[i].Joules - before.Joules) / moves[i].At.Sub(before.At).Seconds()
	}
	late := slices.IndexFunc(moves, func(r energy.Reading) bool { return r.At.After(from) })
	if late < 1 { // the first one has nothing before it
		return nil
	}
	return moves[late:]
}

// mostReadings is as many of a curve of power as a figure can show.
const mostReadings = 100

// thinned are n of the readings at most, the first and the last among them.
func thinned(readings []energy.Reading, n int) []energy.Reading {
	if len(readings) <= n {
		return readings
	}
	kept := make([]energy.Reading, n)
	for i := range kept {
		kept[i] = readings[i*(len(readings)-1)/(n-1)]
	}
	return kept
}

// products are the bare products of the tensor cores.
func (r *catRun) products(context.Context) error {
	rates, err := cat.Rates(r.d)
	for _, rate := range rates {
		if rate.PerSecond > 0 {
			r.add(papers.Measurement{
				Method: cat.MethodProduct, Parameters: papers.Parameters{cat.ParameterType: rate.Type, "depth": rate.Depth}.String(),
				Width: 8, Height: 16, Generations: 1, Realisations: 1, Seconds: 1 / rate.PerSecond, CellsPerSec: 16 * 8 * rate.PerSecond,
				Clock: "device", Device: r.device,
			})
		}
	}
	return err
}
