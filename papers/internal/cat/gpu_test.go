package cat_test

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/papertest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/soup"
)

// sizes are tori regular and awkward: smaller than a halo, a fragment, a word, just above, and wider than a
// block of any method.
var sizes = [][2]int{{64, 64}, {1, 1}, {5, 3}, {17, 31}, {63, 65}, {1100, 9}}

// parse is a rule that the tests name.
func parse(t testing.TB, text string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// everyMethod are all there are.
var everyMethod = cat.All()

func TestGPU(t *testing.T) {
	onGPU := func(name string, f func(t *testing.T, run func(m cat.Method, text string, density float64, o cat.Options))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the reference takes most of the time
			d := papertest.GPU(t)
			f(t, func(m cat.Method, text string, density float64, o cat.Options) {
				r := parse(t, text)
				t.Run(fmt.Sprint(m, " ", text, o), func(t *testing.T) {
					papertest.Run(t, papertest.Suite{
						Rule: text, Sizes: sizes, Steps: []int{1, 2 + o.Generations}, Density: density,
						Open: func(w, h int) (experiment.Stepper, error) { return m.Open(d, r, w, h, o) },
					})
				})
			})
		})
	}
	type runner = func(m cat.Method, text string, density float64, o cat.Options)
	for _, m := range everyMethod {
		onGPU(string(m), func(t *testing.T, run runner) {
			for _, p := range cat.Instances() {
				run(m, p.Notation, p.Density, cat.Options{})
			}
		})
	}
	bosco, bugs := cat.Instances()[4].Notation, cat.Instances()[9].Notation
	for _, m := range []cat.Method{cat.CAT, cat.MMA, cat.Cached} {
		onGPU("tiles of "+string(m), func(t *testing.T, run runner) {
			for _, tile := range [][2]int{{1, 1}, {2, 3}, {4, 4}, {13, 1}, {3, 7}} {
				for _, warps := range []int{1, 5, 16} {
					if m == cat.CAT {
						warps = 0
					}
					run(m, bugs, 0.4, cat.Options{Tile: tile, Warps: warps})
				}
			}
		})
		onGPU("crosses of "+string(m), func(t *testing.T, run runner) {
			for _, text := range []string{
				"R1,C2,S2-3,B2,N+", "R7,C2,S9-15,B8-13,N+", "R16,C2,S20-40,B22-30,N+",
				"R20,C2,S30-50,B32-41,N+",
			} {
				if parse(t, text).Radius() <= m.MaxRadius() {
					run(m, text, 0.4, cat.Options{})
				}
			}
		})
	}
	onGPU("changes", func(t *testing.T, run runner) {
		for _, m := range cat.Published {
			for _, change := range cat.Changes[m] {
				for _, p := range cat.Instances() {
					if m == cat.CAT || p.Radius == 1 || p.Radius == 16 {
						run(m, p.Notation, p.Density, cat.Options{Change: change})
					}
				}
			}
		}
		for _, tile := range cat.KnownTiles {
			for _, change := range []string{"", cat.Argument} {
				run(cat.CAT, bugs, 0.4, cat.Options{Tile: tile, Change: change})
			}
		}
	})
	onGPU("generations of a launch", func(t *testing.T, run runner) {
		for _, c := range launchGenerations {
			p := cat.Instances()[c.radius-1]
			run(cat.Temporal, p.Notation, p.Density, cat.Options{Generations: c.generations})
		}
	})
	for _, m := range []cat.Method{cat.Rows, cat.Bits} {
		onGPU("diamonds of "+string(m), func(t *testing.T, run runner) {
			for _, text := range diamonds {
				run(m, text, 0.45, cat.Options{})
			}
		})
	}
	onGPU("options", func(t *testing.T, run runner) {
		for _, m := range []cat.Method{cat.Prefix, cat.Registers, cat.Int8} {
			run(m, bosco, 0.3, cat.Options{Rows: 1})
			run(m, bugs, 0.3, cat.Options{Rows: 3})
		}
	})
	for _, m := range []cat.Method{cat.MMA, cat.Cached, cat.Registers, cat.Int8, cat.Rows, cat.Bits} {
		onGPU("wide "+string(m), func(t *testing.T, run runner) {
			for _, radius := range []int{17, 22, 23, 32, 33, 48, 64} {
				if radius <= m.MaxRadius() {
					run(m, wideRule(radius), 0.4, cat.Options{Tile: [2]int{1, 3}})
				}
			}
		})
	}
}

// diamonds are rules of true von Neumann and round neighbourhoods.
var diamonds = []string{
	"R3,C0,M0,S6..9,B7..9,NN", "R16,C0,M0,S180..240,B190..230,NN", "R9,C0,M0,S90..120,B95..110,NC",
	"R32,C0,M0,S800..1000,B850..950,NN",
}

// launchGenerations are numbers of generations of a launch: powers of two, many, and those with which tiles begin in
// the middle of a fragment and at the border of one.
var launchGenerations = []struct{ radius, generations int }{
	{1, 1},
	{1, 2},
	{1, 4},
	{1, 8},
	{1, 9},
	{1, 24},
	{2, 1},
	{2, 2},
	{2, 4},
	{2, 8},
	{3, 5},
	{4, 1},
	{4, 2},
	{4, 4},
	{4, 7},
	{5, 6},
	{6, 2},
	{7, 4},
	{8, 1},
	{8, 2},
	{8, 3},
	{9, 1},
	{10, 3},
	{12, 2},
	{15, 2},
	{16, 1},
}

// wideRule is a rule of large radius that neither dies nor fills the torus at once.
func wideRule(radius int) string {
	n := (2*radius+1)*(2*radius+1) - 1
	return fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,NM", radius, n*38/100, n*45/100, n*36/100, n*40/100)
}

// BenchmarkGPU measures every method at every radius on 16384² cells, the step alone, as the paper does, and with halo.
func BenchmarkGPU(b *testing.B) {
	const side, generations = 16384, 5
	d := papertest.GPU(b)
	for _, m := range everyMethod {
		for _, p := range cat.Instances() {
			cells, err := grid.New(side, side, 1)
			if err != nil {
				b.Fatal(err)
			}
			if err := soup.Fill(b.Context(), cells, side, side, 1, p.Density, 0, nil); err != nil {
				b.Fatal(err)
			}
			for _, fixed := range []bool{true, false} {
				name := fmt.Sprintf("%s/r=%d/halo", m, p.Radius)
				if fixed {
					name = fmt.Sprintf("%s/r=%d/step", m, p.Radius)
				}
				b.Run(name, func(b *testing.B) {
					u, err := m.Open(d, parse(b, p.Notation), side, side, cat.Options{FixedHalo: fixed})
					if err != nil {
						b.Fatal(err)
					}
					defer u.Close()
					if err := u.Load(cells); err != nil {
						b.Fatal(err)
					}
					seconds := 0.0
					b.ResetTimer()
					for b.Loop() {
						s, err := u.StepTimed(generations)
						if err != nil {
							b.Fatal(err)
						}
						seconds += s
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(generations*float64(b.N)*side*side/seconds, "cells/s")
				})
			}
		}
	}
}

// Cells on the device are those of a grid, and a universe knows them apart.
func TestCellsOnDevice(t *testing.T) { checkCells(t, papertest.GPU(t)) }

func checkCells(t *testing.T, d *gpu.Device) {
	g, err := grid.New(70, 33, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := soup.Fill(t.Context(), g, 70, 33, 1, 0.5, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, m := range []cat.Method{cat.Base, cat.CAT, cat.Int8, cat.Bits} {
		u, err := m.Open(d, parse(t, "B3/S23"), 70, 33, cat.Options{FixedHalo: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, flip := range []int{-1, 0, 69} {
			if flip >= 0 {
				g.Set(flip, 32, 1-g.Get(flip, 32))
			}
			c, err := cat.Upload(d, g)
			if err != nil {
				t.Fatal(err)
			}
			if flip < 0 {
				if err := u.LoadCells(c); err != nil {
					t.Fatal(err)
				}
			}
			if differs, err := u.Differs(c); err != nil || differs != (flip >= 0) {
				t.Errorf("%s, cell %d flipped: differs %v, %v", m, flip, differs, err)
			}
			if flip >= 0 {
				g.Set(flip, 32, 1-g.Get(flip, 32))
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRates(t *testing.T) {
	rates, err := cat.Rates(papertest.GPU(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rates {
		if r.PerSecond <= 0 {
			t.Errorf("%s: %v products a second", r.Type, r.PerSecond)
		}
		t.Logf("%s m16n8k%d: %.4g products a second", r.Type, r.Depth, r.PerSecond)
	}
}
