// Package batchtest is the suite that every implementation of batch.Batch passes. Universes of soups go through
// the same states as in the reference engine, and their clusters are the same as those that package component
// finds.
package batchtest

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Options adapt the suite to an implementation.
type Options struct {
	Slow  bool // it takes about a microsecond for a cell: use fewer and smaller universes
	Fixed bool // leave out random cases, for an implementation that differs little from another one
}

// Case is one batch and the steps that it takes.
type Case struct {
	Rule         string
	Topology     string // as topology.Parse reads it
	Universes    int
	Seed         uint64 // of universe 0; the others follow
	Percent      int    // density of universe 0; the other densities differ
	Steps        []uint64
	Connectivity component.Connectivity
}

// cases has every kind of rule on regular and awkward sizes.
var cases = []Case{
	{Rule: "B3/S23", Topology: "T64,64", Universes: 5, Percent: 50, Steps: []uint64{1, 2, 30}},
	{Rule: "B3/S23", Topology: "T128,128", Universes: 3, Percent: 40, Steps: []uint64{1, 9}},
	{Rule: "B3/S23", Topology: "T1,1", Universes: 9, Percent: 60, Steps: []uint64{1}},
	{Rule: "B3/S23", Topology: "T2,2", Universes: 9, Percent: 40, Steps: []uint64{1, 1}},
	{Rule: "B3/S23", Topology: "T3,1", Universes: 9, Percent: 40, Steps: []uint64{1, 1}},
	{Rule: "B3/S23", Topology: "T1,5", Universes: 9, Percent: 40, Steps: []uint64{1, 1}},
	{Rule: "B3/S23", Topology: "T31,32", Universes: 4, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B3/S23", Topology: "T33,20", Universes: 4, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B3/S23", Topology: "T63,65", Universes: 2, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B3/S23", Topology: "T100,48", Universes: 2, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B3/S23", Topology: "T40,67", Universes: 3, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B3/S23", Topology: "T64,127", Universes: 2, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B3/S23", Topology: "T181,181", Universes: 1, Percent: 45, Steps: []uint64{2}},
	{Rule: "R5,C0,M1,S34..58,B34..45,NM", Topology: "T33,61", Universes: 2, Percent: 45, Steps: []uint64{2}},
	{Rule: "B36/S23", Topology: "T96,64", Universes: 2, Percent: 45, Steps: []uint64{4}},
	{Rule: "B0/S8", Topology: "T20,20", Universes: 2, Percent: 45, Steps: []uint64{3}},
	{Rule: "B3/S23V", Topology: "T40,32", Universes: 2, Percent: 45, Steps: []uint64{3}},
	{Rule: "B2/S34H", Topology: "T40,32", Universes: 2, Percent: 45, Steps: []uint64{3}},
	{Rule: "B2n3/S23-q", Topology: "T40,32", Universes: 2, Percent: 45, Steps: []uint64{3}},
	{Rule: "B3/S23~flip=0.2,async=0.7", Topology: "T40,32", Universes: 3, Percent: 45, Steps: []uint64{1, 2, 7}},
	{
		Rule: "B3/S23~dead=0.1,frozen=0.2,flip=0.01", Topology: "T40,32", Universes: 3, Percent: 45,
		Steps: []uint64{1, 2, 7},
	},
	{Rule: "B3/S23~flip=0.01", Topology: "T70,33", Universes: 3, Percent: 45, Steps: []uint64{1, 2, 7}},
	{
		Rule: "PN/0,0.3,0.6/0.2~set0=0.01,checkerboard", Topology: "T64,30", Universes: 3, Percent: 45,
		Steps: []uint64{2, 5},
	},
	{Rule: "PN/0,0.02,0.03/0.01/0.5~seed=4", Topology: "P37,30", Universes: 3, Percent: 45, Steps: []uint64{2, 5}},
	{Rule: "R2,C0,M1,S7..10,B7..11,NM", Topology: "T64,32", Universes: 2, Percent: 45, Steps: []uint64{3}},
	{Rule: "R5,C0,M1,S34..58,B34..45,NM", Topology: "T64,64", Universes: 2, Percent: 45, Steps: []uint64{2}},
	{Rule: "R5,C0,M1,S34..58,B34..45,NM", Topology: "T7,6", Universes: 2, Percent: 45, Steps: []uint64{2}},
	{Rule: "R3,C0,M0,S8..15,B9..13,NC", Topology: "T50,32", Universes: 2, Percent: 45, Steps: []uint64{2}},
	{Rule: "3D4,5/5", Topology: "T16,16,16", Universes: 3, Percent: 20, Steps: []uint64{1, 2, 5}},
	{Rule: "3D5..7/6", Topology: "P17,9,5", Universes: 3, Percent: 30, Steps: []uint64{1, 4}},
	{Rule: "3D4,5/5", Topology: "T1,1,1", Universes: 3, Percent: 60, Steps: []uint64{1}},
	{Rule: "3D4,5/5", Topology: "T2,1,3", Universes: 3, Percent: 40, Steps: []uint64{1, 1}},
	{Rule: "3D0..6/1,3F", Topology: "T7,12,3", Universes: 2, Percent: 5, Steps: []uint64{2}},
	{Rule: "4/4/5/M", Topology: "T12,10,9", Universes: 2, Percent: 25, Steps: []uint64{1, 6}},
	{Rule: "3D/0,4,5", Topology: "P6,5,4", Universes: 2, Percent: 40, Steps: []uint64{1, 2}},
	{Rule: "3DR2,C0,M0,S25..43,B25..35,NM", Topology: "T9,3,8", Universes: 2, Percent: 40, Steps: []uint64{2}},
	{Rule: "3DR3,C0,M1,S10..30,B12..25,NN", Topology: "P5,11,4", Universes: 2, Percent: 40, Steps: []uint64{2}},
	{Rule: "3D4/4|3D5/5", Topology: "T10,8,6", Universes: 2, Percent: 30, Steps: []uint64{3}},
	{Rule: "3D4,5/5~flip=0.05", Topology: "T10,8,6", Universes: 2, Percent: 30, Steps: []uint64{3}},
}

// Run checks an implementation.
func Run(t *testing.T, open batch.Opener, opts Options) {
	for i, c := range cases {
		t.Run(c.Rule+":"+c.Topology, func(t *testing.T) {
			c.Seed = uint64(100 * i)
			connectivities := []component.Connectivity{component.Four, component.Eight}
			if strings.Count(c.Topology, ",") == 2 {
				connectivities = []component.Connectivity{component.Six, component.Eighteen, component.TwentySix}
			}
			for _, c.Connectivity = range connectivities {
				if err := Check(t.Context(), open, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if !opts.Fixed {
		t.Run("random", func(t *testing.T) { random(t, open, opts) })
	}
	t.Run("truth", func(t *testing.T) { truth(t, open, opts) })
	t.Run("full and empty", func(t *testing.T) { uniform(t, open) })
	t.Run("cells", func(t *testing.T) { cells(t, open) })
	t.Run("mistakes", func(t *testing.T) { mistakes(t, open) })
}

// soups returns the soups that a case starts from.
func (c Case) soups() []batch.Soup {
	soups := make([]batch.Soup, c.Universes)
	for i := range soups {
		soups[i] = batch.Soup{Seed: c.Seed + uint64(i), Density: float64((c.Percent+17*i)%101) / 100}
	}
	return soups
}

// Check runs one case. A case that the implementation does not support passes.
func Check(ctx context.Context, open batch.Opener, c Case) (err error) {
	r, err := rule.Parse(c.Rule)
	if err != nil {
		return err
	}
	t, err := topology.Parse(c.Topology)
	if err != nil {
		return err
	}
	b, err := open(ctx, batch.Config{Rule: r, Topology: t, Universes: c.Universes})
	var unsupported *sim.Unsupported
	if errors.As(err, &unsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	soups := c.soups()
	oracles := make([]sim.Engine, c.Universes)
	for i := range oracles {
		if oracles[i], err = reference.Open(ctx, sim.Config{Rule: r.WithSeed(soups[i].Seed), Topology: t}); err != nil {
			return err
		}
		if err := soup.Fill(ctx, oracles[i], t.W, t.H, soups[i].Seed, soups[i].Density, 1, nil); err != nil {
			return err
		}
	}
	if err := b.Fill(ctx, soups); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	generation := uint64(0)
	for _, n := range append([]uint64{0}, c.Steps...) {
		if err := b.Step(ctx, n); err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if generation += n; b.Generation() != generation {
			return fmt.Errorf("generation %d, want %d", b.Generation(), generation)
		}
		for _, o := range oracles {
			if _, err := o.Step(ctx, n); err != nil {
				return err
			}
		}
		if err := compare(ctx, b, oracles, t, c.Connectivity); err != nil {
			return fmt.Errorf("%+v, generation %d: %w", c, generation, err)
		}
	}
	if s, ok := b.(batch.Sampler); ok {
		if err := samples(ctx, b, s, c, t); err != nil {
			return fmt.Errorf("%+v, samples: %w", c, err)
		}
		if err := tallies(ctx, b, s, c, t); err != nil {
			return fmt.Errorf("%+v, tallies: %w", c, err)
		}
	}
	return goOn(ctx, b, oracles, c, t)
}

// tallies compares counts of cells, of cells that changed, of unlike neighbours and of the patterns of blocks
// with those of cells that are looked at one by one. Then it brings the batch back to its generation.
func tallies(ctx context.Context, b batch.Batch, s batch.Sampler, c Case, t topology.Topology) error {
	generation := b.Generation()
	read := func() ([]*grid.Grid, error) {
		grids := make([]*grid.Grid, c.Universes)
		for i := range grids {
			var err error
			if grids[i], err = grid.New(t.W, t.H, 1); err != nil {
				return nil, err
			}
			if err := b.Read(i, grids[i]); err != nil {
				return nil, err
			}
		}
		return grids, nil
	}
	check := func(block int, before, now []*grid.Grid) error {
		got, kinds := make([]batch.Tally, c.Universes), 1<<(block*block)
		if block == 0 {
			kinds = 0
		}
		patterns := make([]uint32, kinds*c.Universes)
		if err := s.Tally(ctx, block, got, patterns); err != nil {
			return err
		}
		for i, g := range now {
			at := func(x, y int) uint32 { return uint32(g.Get(x%t.W, y%t.H)) }
			var want batch.Tally
			counts := make([]uint32, kinds)
			for y := range t.H {
				for x := range t.W {
					is, was := at(x, y), uint32(before[i].Get(x, y))
					want.Live, want.Births, want.Deaths = want.Live+is, want.Births+(is&^was), want.Deaths+(was&^is)
					want.Unlike += (is ^ at(x+1, y)) + (is ^ at(x, y+1))
					pattern := uint32(0)
					for k := range block * block {
						pattern = pattern<<1 | at(x+k/block, y+k%block)
					}
					if kinds > 0 {
						counts[pattern]++
					}
				}
			}
			if got[i] != want || !slices.Equal(patterns[i*kinds:][:kinds], counts) {
				return fmt.Errorf("universe %d, blocks of side %d: %v %v, want %v %v", i, block, got[i],
					patterns[i*kinds:][:kinds], want, counts)
			}
		}
		return nil
	}
	if err := b.Fill(ctx, c.soups()); err != nil {
		return err
	}
	for _, remember := range []bool{false, true} {
		before, err := read()
		if err != nil {
			return err
		}
		if remember {
			if err := s.Remember(ctx); err != nil {
				return err
			}
		}
		if err := b.Step(ctx, 1); err != nil {
			return err
		}
		now, err := read()
		if err != nil {
			return err
		}
		if !remember {
			before = now // nothing is compared
		}
		for block := 0; s.CanTally(block); block++ {
			if err := check(block, before, now); err != nil {
				return err
			}
		}
	}
	if err := b.Fill(ctx, c.soups()); err != nil {
		return err
	}
	return b.Step(ctx, generation)
}

// samples compares samples that are taken at once with histograms that are made one after the other.
func samples(ctx context.Context, b batch.Batch, s batch.Sampler, c Case, t topology.Topology) error {
	steps := append([]uint64{0}, append(c.Steps, 1, 1)...)
	generation := b.Generation()
	if err := b.Fill(ctx, c.soups()); err != nil {
		return err
	}
	got := make([]batch.Sums, len(steps))
	for i := range got { // earlier cells must not remain
		got[i].Universes = slices.Repeat([]batch.UniverseSums{{Cells: 1, Largest: 99}}, c.Universes+1)
		got[i].Sizes = []batch.SizeSums{{Size: 7, Clusters: 2}}
	}
	able, err := s.Samples(ctx, c.Connectivity, steps, got)
	if err != nil {
		return err
	}
	reached, want := make([]*grid.Grid, c.Universes), make([]*grid.Grid, c.Universes)
	read := func(grids []*grid.Grid) error {
		for i := range grids {
			if grids[i], err = grid.New(t.W, t.H, 1); err != nil {
				return err
			}
			if err := b.Read(i, grids[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := read(reached); err != nil {
		return err
	}
	sampled := b.Generation()
	if err := b.Fill(ctx, c.soups()); err != nil {
		return err
	}
	if !able {
		if sampled != 0 {
			return fmt.Errorf("refused at generation %d", sampled)
		}
		return b.Step(ctx, generation)
	}
	var h batch.Histograms
	for i, n := range steps {
		if err := b.Step(ctx, n); err != nil {
			return err
		}
		if err := b.Clusters(ctx, c.Connectivity, &h); err != nil {
			return err
		}
		if err := compareSums(&h, &got[i]); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	if err := read(want); err != nil {
		return err
	}
	if sampled != b.Generation() {
		return fmt.Errorf("generation %d, want %d", sampled, b.Generation())
	}
	for i := range want {
		if !reached[i].Equal(want[i]) {
			return fmt.Errorf("other cells in universe %d", i)
		}
	}
	if err := b.Fill(ctx, c.soups()); err != nil {
		return err
	}
	return b.Step(ctx, generation)
}

// compareSums compares the sums of a sample with histograms.
func compareSums(h *batch.Histograms, got *batch.Sums) error {
	if len(got.Universes) != h.Universes() {
		return fmt.Errorf("%d universes, want %d", len(got.Universes), h.Universes())
	}
	sizes := map[uint64]batch.SizeSums{}
	for i := range h.Universes() {
		var u batch.UniverseSums
		for _, n := range h.Of(i) {
			size, clusters := uint64(n.Size), uint64(n.Count)
			u.Cells, u.Clusters, u.Moment = u.Cells+size*clusters, u.Clusters+clusters, u.Moment+size*size*clusters
			u.Largest = size
			row := sizes[size]
			row.Size, row.Clusters, row.Squares = size, row.Clusters+clusters, row.Squares+clusters*clusters
			if size == uint64(h.Largest(i)) {
				row.Largest, row.Ties = row.Largest+1, row.Ties+clusters
			}
			sizes[size] = row
		}
		if u != got.Universes[i] {
			return fmt.Errorf("universe %d: %+v, want %+v", i, got.Universes[i], u)
		}
	}
	found := map[uint64]batch.SizeSums{}
	for _, r := range got.Sizes {
		row := found[r.Size]
		found[r.Size] = batch.SizeSums{
			Size: r.Size, Clusters: row.Clusters + r.Clusters, Squares: row.Squares + r.Squares,
			Largest: row.Largest + r.Largest, Ties: row.Ties + r.Ties,
		}
	}
	if !maps.Equal(sizes, found) {
		return fmt.Errorf("sizes %+v, want %+v", found, sizes)
	}
	return nil
}

// goOn writes the cells that a batch has reached into it as if it were another one, which begins at their
// generation, and compares where they get to.
func goOn(ctx context.Context, b batch.Batch, oracles []sim.Engine, c Case, t topology.Topology) error {
	const n = 3
	generation := b.Generation()
	reached := make([]*grid.Grid, len(oracles))
	for i, o := range oracles {
		var err error
		if reached[i], err = grid.New(t.W, t.H, o.Planes()); err != nil {
			return err
		}
		if err := b.Read(i, reached[i]); err != nil {
			return err
		}
		if _, err := o.Step(ctx, n); err != nil {
			return err
		}
	}
	if err := b.Fill(ctx, c.soups()); err != nil {
		return err
	}
	for i, g := range reached {
		if err := b.Write(i, g); err != nil {
			return err
		}
	}
	b.SetGeneration(generation)
	if err := b.Step(ctx, n); err != nil {
		return err
	}
	if b.Generation() != generation+n {
		return fmt.Errorf("generation %d after %d and %d more", b.Generation(), generation, n)
	}
	if err := compare(ctx, b, oracles, t, c.Connectivity); err != nil {
		return fmt.Errorf("%+v, going on from generation %d: %w", c, generation, err)
	}
	return nil
}

// compare compares cells, populations and clusters.
func compare(ctx context.Context, b batch.Batch, oracles []sim.Engine, t topology.Topology,
	c component.Connectivity,
) error {
	populations := make([]uint64, len(oracles))
	if err := b.Populations(ctx, populations); err != nil {
		return err
	}
	var histograms batch.Histograms
	if err := b.Clusters(ctx, c, &histograms); err != nil {
		return err
	}
	spans := make([]component.Span, len(oracles))
	spanner, spanned := b.(batch.Spanner)
	if spanned = spanned && c != component.Six; spanned {
		if err := spanner.Spans(ctx, c, spans); err != nil {
			return err
		}
	}
	g, err := grid.New(t.W, t.H, oracles[0].Planes())
	if err != nil {
		return err
	}
	for i, o := range oracles {
		if err := b.Read(i, g); err != nil {
			return err
		}
		x, y, differ, err := grid.FirstDifference(g, o)
		if err != nil {
			return err
		}
		if differ {
			return fmt.Errorf("universe %d: cell (%d, %d) is %d", i, x, y, g.Get(x, y))
		}
		cells, err := o.Population()
		if err != nil {
			return err
		}
		if populations[i] != cells {
			return fmt.Errorf("universe %d: population %d, want %d", i, populations[i], cells)
		}
		want, err := component.Label(o, t, c)
		if err != nil {
			return err
		}
		if got, want := describe(&histograms, i), sizes(&want.Sizes); got != want {
			return fmt.Errorf("universe %d: clusters %s, want %s", i, got, want)
		}
		if spanned && spans[i] != want.Span {
			return fmt.Errorf("universe %d: its clusters span %v, want %v", i, spans[i], want.Span)
		}
	}
	return nil
}

// describe prints a histogram as size:count, by rising size. sizes does the same for a histogram of package component.
func describe(h *batch.Histograms, i int) string {
	var words []string
	for _, c := range h.Of(i) {
		words = append(words, fmt.Sprintf("%d:%d", c.Size, c.Count))
	}
	return strings.Join(words, " ")
}

func sizes(h *component.Histogram) string {
	var words []string
	for size, n := range h.All() {
		words = append(words, fmt.Sprintf("%d:%d", size, n))
	}
	return strings.Join(words, " ")
}

// random checks rules of every family on sizes of every kind.
func random(t *testing.T, open batch.Opener, opts Options) {
	most, universes := 140, 40
	if opts.Slow {
		most, universes = 70, 3
	}
	rapid.Check(t, func(t *rapid.T) {
		r := ruletest.Gen().Draw(t, "rule")
		side := rapid.OneOf(rapid.IntRange(1, most), rapid.SampledFrom([]int{32, 64, 96, 128}))
		if r.DependsOnPlace() {
			side = rapid.Map(side, func(n int) int { return (n + 1) &^ 1 })
		}
		c := Case{
			Rule: r.String(), Topology: fmt.Sprintf("T%d,%d", side.Draw(t, "width"), side.Draw(t, "height")),
			Universes: rapid.IntRange(1, universes).Draw(t, "universes"), Seed: rapid.Uint64().Draw(t, "seed"),
			Percent: rapid.IntRange(0, 100).Draw(t, "percent"), Steps: []uint64{1, 2},
			Connectivity: rapid.SampledFrom([]component.Connectivity{component.Four, component.Eight}).Draw(t, "connectivity"),
		}
		if err := Check(context.Background(), open, c); err != nil {
			t.Fatal(err)
		}
	})
}

// clusters.tsv has the clusters of soups of B3/S23 on tori. A brute-force program independent of Gosper made
// it. Its columns are width, height, seed, density, generation, population, SHA-256 of the cells, connectivity,
// "torus", clusters, largest and size:count.
//
//go:embed testdata/clusters.tsv
var published string

// truth compares the batch with published numbers of other programs.
func truth(t *testing.T, open batch.Opener, opts Options) {
	ctx := t.Context()
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(strings.NewReader(published)); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		numbers := make([]uint64, 6)
		for i := range numbers {
			numbers[i], _ = strconv.ParseUint(f[i], 10, 64)
		}
		if opts.Slow && numbers[0]*numbers[4] > 64*1000 {
			continue
		}
		density, _ := strconv.ParseFloat(f[3], 64)
		c, err := component.ParseConnectivity(f[7])
		if err != nil {
			t.Fatal(err)
		}
		top := topology.Topology{Kind: topology.Torus, W: int(numbers[0]), H: int(numbers[1])}
		b, err := open(ctx, batch.Config{Rule: r, Topology: top, Universes: 2})
		if err != nil {
			t.Fatal(err)
		}
		var h batch.Histograms
		populations := make([]uint64, 2)
		for _, err := range []error{
			b.Fill(ctx, []batch.Soup{{Seed: 12345, Density: 0.2}, {Seed: numbers[2], Density: density}}),
			b.Step(ctx, numbers[4]), b.Populations(ctx, populations), b.Clusters(ctx, c, &h), b.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := describe(&h, 1); got != f[11] || populations[1] != numbers[5] ||
			fmt.Sprint(h.Clusters(1)) != f[9] || fmt.Sprint(h.Largest(1)) != f[10] {
			t.Errorf("%s: population %d, clusters %s", lines.Text(), populations[1], got)
		}
	}
}

// uniform checks three extremes: the largest possible cluster, the largest possible number of clusters, and no
// clusters.
func uniform(t *testing.T, open batch.Opener) {
	for _, side := range []string{"T64,64", "T128,128", "T256,256"} {
		full := Case{Rule: "B/S012345678", Topology: side, Universes: 1, Percent: 100, Steps: []uint64{1}}
		empty := Case{Rule: "B3/S23", Topology: side, Universes: 1, Percent: 0, Steps: []uint64{1}}
		for _, c := range []Case{full, empty} {
			connectivities := []component.Connectivity{component.Four, component.Eight}
			if strings.Count(c.Topology, ",") == 2 {
				connectivities = []component.Connectivity{component.Six, component.Eighteen, component.TwentySix}
			}
			for _, c.Connectivity = range connectivities {
				if err := Check(t.Context(), open, c); err != nil {
					t.Error(err)
				}
			}
		}
	}
	ctx := t.Context()
	still, err := rule.Parse("B/S012345678")
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(ctx, batch.Config{
		Rule: still, Topology: topology.Topology{Kind: topology.Torus, W: 64, H: 64},
		Universes: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	g, err := grid.New(64, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 64 {
		for x := range 64 {
			g.Set(x, y, uint8(x+y)&1)
		}
	}
	if err := b.Write(0, g); err != nil {
		t.Fatal(err)
	}
	var h batch.Histograms
	for c, want := range map[component.Connectivity]string{component.Four: "1:2048", component.Eight: "2048:1"} {
		if err := b.Clusters(ctx, c, &h); err != nil || describe(&h, 0) != want {
			t.Errorf("chessboard, connectivity %v: clusters %s (%v), want %s", c, describe(&h, 0), err, want)
		}
	}
}

// cells checks that universes are written and read one at a time.
func cells(t *testing.T, open batch.Opener) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	const w, h, n = 45, 32, 5
	b, err := open(t.Context(), batch.Config{
		Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h},
		Universes: n,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	universes := make([]*grid.Grid, n)
	for _, i := range []int{3, 0, 4, 1, 2} {
		if universes[i], err = grid.New(w, h, 1); err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), universes[i], w, h, uint64(i), 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := b.Write(i, universes[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := grid.New(w, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		for _, i := range []int{0, 1, 2, 3, 4, 2, 0} {
			if err := b.Read(i, got); err != nil || !got.Equal(universes[i]) {
				t.Errorf("%s: universe %d reads back different (%v)", when, i, err)
			}
		}
	}
	check("as written")
	universes[0], universes[1] = universes[1], universes[0]
	for i := range 2 {
		if err := b.Write(i, universes[i]); err != nil {
			t.Fatal(err)
		}
	}
	check("written again")
	const seed = 77
	soups := make([]batch.Soup, n)
	for i := range soups {
		soups[i] = batch.Soup{Seed: seed + uint64(i), Density: 0.3}
		if err := soup.Fill(t.Context(), universes[i], w, h, soups[i].Seed, soups[i].Density, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Fill(t.Context(), soups); err != nil {
		t.Fatal(err)
	}
	check("filled")
	if b.Info().Engine == "" || b.Info().Bytes == 0 {
		t.Errorf("info %+v", b.Info())
	}
}

// mistakes checks that impossible requests are refused, and that a batch stops when its context is done.
func mistakes(t *testing.T, open batch.Opener) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b, err := open(ctx, batch.Config{
		Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: 32, H: 32},
		Universes: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	small, err := grid.New(31, 32, 1)
	if err != nil {
		t.Fatal(err)
	}
	right, err := grid.New(32, 32, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"too few soups":          b.Fill(ctx, []batch.Soup{{Seed: 1, Density: 0.5}}),
		"no density":             b.Fill(ctx, []batch.Soup{{Seed: 1, Density: 0.5}, {Seed: 1, Density: 1.5}}),
		"a grid too small":       b.Write(0, small),
		"a grid too small (out)": b.Read(0, small),
		"universe 2":             b.Write(2, right),
		"universe -1":            b.Read(-1, right),
		"too few populations":    b.Populations(ctx, make([]uint64, 1)),
	} {
		if err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
	cancel()
	if err := b.Step(ctx, 1<<40); !errors.Is(err, context.Canceled) {
		t.Errorf("a step of a batch whose context is done: %v", err)
	}
}
