package measure

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/ensemble/internal/match"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func cellsOf(t *rapid.T, w, h int, name string) *grid.Grid {
	g, err := grid.New(w, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := soup.New(rapid.Uint64().Draw(t, name), rapid.SampledFrom([]float64{0, 0.02, 0.3, 0.5, 1}).
		Draw(t, name+" density"))
	if err != nil {
		t.Fatal(err)
	}
	for y := range h {
		s.Row(g.Row(0, y), uint64(y*w), w)
	}
	return g
}

// TestInstruments compares every number of every instrument with its definition in docs/measures.md, cell by cell.
func TestInstruments(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom([]int{1, 2, 3, 8, 63, 64, 65, 130}).Draw(t, "w")
		h := rapid.SampledFrom([]int{1, 2, 3, 8, 17}).Draw(t, "h")
		on, err := topology.Parse(
			fmt.Sprintf(rapid.SampledFrom([]string{"T%d,%d", "T%d,%d", "P%d,%d", "K%d*,%d", "C%d,%d", "T%d+1,%d"}).
				Draw(t, "topology"), w, h))
		if err != nil {
			t.Skip()
		}
		s := Setting{Topology: on, Distance: max(1, min(w, h)/2)}
		pair, err := match.Read("2o!", nil)
		if err != nil {
			t.Fatal(err)
		}
		if pair.Fits(on) == nil {
			s.Patterns = append(s.Patterns, pair)
		}
		v := View{
			Setting: s, Cells: cellsOf(t, w, h, "cells"), First: cellsOf(t, w, h, "first"),
			Twin: cellsOf(t, w, h, "twin"),
		}
		v.Seed, v.States = rapid.Uint64().Draw(t, "seed"), heightsOf(t, w, h)
		v.Bonds = BondsOf(v.Cells, s.Topology)
		var ones, first float64
		for y := range h {
			for x := range w {
				ones += float64(v.Cells.Get(x, y))
				first += float64(v.First.Get(x, y))
			}
		}
		v.Ones = uint64(ones)
		n := float64(w * h)
		m := (2*ones - n) / n
		around := func(live func(x, y int) bool) (alive, cells, squares, extent float64) {
			for y := range h {
				for x := range w {
					if !live(x, y) {
						continue
					}
					dx, dy := math.Abs(float64(x-w/2)), math.Abs(float64(y-h/2))
					if on.WrapsStraight() {
						dx, dy = min(dx, float64(w)-dx), min(dy, float64(h)-dy)
					}
					alive, cells, squares, extent = 1, cells+1, squares+dx*dx+dy*dy, max(extent, dx, dy)
				}
			}
			return alive, cells, squares, extent
		}
		alive, live, squares, extent := around(func(x, y int) bool { return v.Cells.Get(x, y) == 1 })
		damaged, damage, damageSquares, damageExtent := around(func(x, y int) bool {
			return v.Cells.Get(x, y) != v.Twin.Get(x, y)
		})
		energy, overlap := 0.0, 0.0
		spin := func(x, y int) float64 { return float64(2*int(v.Cells.Get(x, y)) - 1) }
		for y := range h {
			for x := range w {
				overlap += float64(v.Cells.Get(x, y)*v.First.Get(x, y)) / n
				for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
					if fx, fy, ok := on.Fold(x+d[0], y+d[1]); ok {
						energy -= spin(x, y) * spin(fx, fy) / 2 / n
					}
				}
			}
		}
		want := map[string]float64{
			"magnetisation": m, "abs_magnetisation": math.Abs(m), "magnetisation_2": m * m, "magnetisation_4": m * m * m * m,
			"energy": energy, "energy_2": energy * energy,
			"alive": alive, "live": live, "squares": squares, "extent": extent,
			"damaged": damaged, "damage": damage / n, "damage_squares": damageSquares, "damage_extent": damageExtent,
			"overlap": overlap, "first_density": first / n, "now_density": ones / n,
		}
		for q := range s.Distance + 1 {
			sum := 0.0
			for _, axis := range []bool{false, true} {
				var mode complex128
				for y := range h {
					for x := range w {
						at := float64(x) / float64(w)
						if axis {
							at = float64(y) / float64(h)
						}
						mode += complex(spin(x, y), 0) * cmplx.Exp(complex(0, 2*math.Pi*float64(q)*at))
					}
				}
				sum += math.Pow(cmplx.Abs(mode), 2) / n / 2
			}
			want[fmt.Sprintf("structure %d", q)] = sum
		}
		want["spin"] = m
		for r := 1; r <= s.Distance; r++ {
			joint := map[[2]uint8]float64{}
			single := map[uint8]float64{}
			for y := range h {
				for x := range w {
					for _, to := range [][2]int{{(x + r) % w, y}, {x, (y + r) % h}} {
						joint[[2]uint8{v.States.Get(x, y), v.States.Get(to[0], to[1])}] += 1 / (2 * n)
					}
					single[v.States.Get(x, y)] += 1 / n
				}
			}
			want[fmt.Sprintf("agreement %d", r)] = 0
			for pair, p := range joint {
				if pair[0] == pair[1] {
					want[fmt.Sprintf("agreement %d", r)] += p
				}
			}
			for k := range 1 << v.States.Planes() {
				want[fmt.Sprintf("share %d", k)] = single[uint8(k)]
			}
			bits := -math.Pow(float64(len(single)-1), 2) / (4 * n * math.Ln2)
			for pair, p := range joint {
				bits += p * math.Log2(p/single[pair[0]]/single[pair[1]])
			}
			want[fmt.Sprintf("mutual %d", r)] = bits
		}
		for k := range mostBits {
			set := 0.0
			for y := range h {
				for x := range w {
					set += float64(v.States.Get(x, y) >> k & 1)
				}
			}
			want[fmt.Sprintf("bit %d", k)] = set / n
		}
		s.RuleStates = 1 << v.States.Planes()
		v.Setting = s
		pottsByDefinition(want, v)
		spectrumByDefinition(want, v)
		firesByDefinition(want, v)
		pairsByDefinition(want, v)
		if on.Kind == topology.Plane {
			avalanchesByDefinition(want, v)
		}
		for _, k := range Kinds {
			if k.Straight && !on.WrapsStraight() || k.Name == "avalanches" && on.Kind != topology.Plane {
				continue
			}
			names := k.Instrument.Quantities(s)
			got := make([]float64, len(names))
			k.Instrument.Measure(got, v)
			for i, name := range names {
				seen[name] = true
				w, known := want[name]
				if !known || math.Abs(got[i]-w) > 2e-9*max(1, math.Abs(w)) {
					t.Fatalf("%s on %v: got %v, want %v (%v)", name, on, got[i], w, known)
				}
			}
			if d, ok := k.Instrument.(Deriver); ok {
				for _, derived := range d.Derived(s) {
					for _, from := range derived.From {
						if !slices.Contains(names, from) {
							t.Fatalf("%s comes from %s, which %s does not measure", derived.Name, from, k.Name)
						}
					}
				}
			}
		}
	})
	if len(seen) < 60 {
		t.Errorf("only %d quantities were compared", len(seen))
	}
}

// pottsByDefinition adds what potts and states find to want: the order parameter as the length of a sum of vectors.
func pottsByDefinition(want map[string]float64, v View) {
	q, n := v.RuleStates, v.cells()
	corner := func(state uint8) []float64 { // of a simplex around 0, at distance 1 from it
		at := make([]float64, q)
		for k := range at {
			at[k] = -1 / float64(q)
			if k == int(state) {
				at[k]++
			}
			at[k] *= math.Sqrt(float64(q) / float64(q-1))
		}
		return at
	}
	sum, energy := make([]float64, q), 0.0
	for k := range q {
		want[fmt.Sprintf("state %d", k)] = 0
	}
	for y := range v.States.H() {
		for x := range v.States.W() {
			state := v.States.Get(x, y)
			want[fmt.Sprintf("state %d", state)] += 1 / n
			for k, c := range corner(state) {
				sum[k] += c / n
			}
			for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
				if fx, fy, ok := v.Topology.Fold(x+d[0], y+d[1]); ok && v.States.Get(fx, fy) == state {
					energy -= 1 / n / 2
				}
			}
		}
	}
	length := 0.0
	for _, c := range sum {
		length += c * c
	}
	want["order"], want["order_2"], want["order_4"] = math.Sqrt(length), length, length*length
	want["potts_energy"], want["potts_energy_2"] = energy, energy*energy
}

// TestDerived holds what follows from means to values that are known by hand.
func TestDerived(t *testing.T) {
	s := Setting{Topology: topology.Topology{Kind: topology.Torus, W: 8, H: 8}, Distance: 4}
	for _, test := range []struct {
		of    Deriver
		name  string
		means []float64
		want  float64
	}{
		{magnetisation{}, "binder", []float64{1, 1}, 2. / 3},                 // all spins up
		{magnetisation{}, "binder", []float64{0.01, 3e-4}, 0},                // a normal distribution around 0
		{magnetisation{}, "susceptibility", []float64{0.5, 0.26}, 64 * 0.01}, //
		{energy{}, "energy_variance", []float64{-1, 1.25}, 16},
		{potts{}, "order_binder", []float64{1, 1}, 2. / 3},
		{potts{}, "order_susceptibility", []float64{0.5, 0.26}, 64 * 0.01},
		{potts{}, "potts_energy_variance", []float64{-1, 1.25}, 16},
		{autocorrelation{}, "autocorrelation", []float64{0.5, 0.5, 0.5}, 1},
		{autocorrelation{}, "autocorrelation", []float64{0.25, 0.5, 0.5}, 0},
		{spreading{}, "square_distance", []float64{6, 3}, 2},
		{spreading{}, "extent_alive", []float64{6, 0.5}, 12},
		{damage{}, "damage_square_distance", []float64{6, 3. / 64}, 2},
		{damage{}, "damage_extent_alive", []float64{6, 0.5}, 12},
		{structure{}, "correlation_length", []float64{2, 1, 0}, 1 / (2 * math.Sin(math.Pi/8))},
		{structure{}, "correlation_length", []float64{2 + 64*0.25, 1, 0.5}, 1 / (2 * math.Sin(math.Pi/8))},
	} {
		found := false
		for _, d := range test.of.Derived(s) {
			if d.Name == test.name {
				found = true
				if got := d.Of(test.means); math.Abs(got-test.want) > 1e-12 {
					t.Errorf("%s of %v: got %v, want %v", test.name, test.means, got, test.want)
				}
			}
		}
		if !found {
			t.Errorf("there is no %s", test.name)
		}
	}
}

// TestCorrelationLengthOfBlocks measures the correlation length of 2×2 blocks of cells that are alive with
// probability 0.8, at a random offset in each universe. Their structure factor is proportional to cos²(πq/L)
// along each axis, so the length is tan(π/L) / (2 sin(π/L)), although the mean spin is 0.6.
func TestCorrelationLengthOfBlocks(t *testing.T) {
	const side, universes = 8, 20_000
	random := rand.New(rand.NewPCG(1, 2))
	s := Setting{Topology: topology.Topology{Kind: topology.Torus, W: side, H: side}, RuleStates: 2, Distance: 1}
	var means [3]float64
	for range universes {
		g, err := grid.New(side, side, 1)
		if err != nil {
			t.Fatal(err)
		}
		dx, dy, ones := random.IntN(2), random.IntN(2), uint64(0)
		for y := 0; y < side; y += 2 {
			for x := 0; x < side; x += 2 {
				if random.Float64() < 0.8 {
					for i := range 4 {
						g.Set((x+dx+i%2)%side, (y+dy+i/2)%side, 1)
					}
					ones += 4
				}
			}
		}
		var found [3]float64
		structure{}.Measure(found[:], View{Setting: s, Cells: g, Ones: ones})
		for i, v := range found {
			means[i] += v / universes
		}
	}
	got := structure{}.Derived(s)[0].Of(means[:])
	want := math.Tan(math.Pi/side) / (2 * math.Sin(math.Pi/side))
	if math.Abs(got-want) > 0.08 || math.Abs(means[2]-0.6) > 0.01 {
		t.Errorf("correlation length %v at a mean spin of %v, want %v at 0.6", got, means[2], want)
	}
}

// In a volume pairs lie along three axes. They are counted here from their definition.
func TestPairsOfVolumes(t *testing.T) {
	for _, suffix := range []string{"T9,5,4", "P9,5,4", "T70,3,2", "P66,1,3"} {
		on, err := topology.Parse(suffix)
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(on.W, on.H, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range on.W * on.H {
			if i*i%7 < 3 || i%11 == 0 {
				g.Set(i%on.W, i/on.W, 1)
			}
		}
		counts := make([]uint64, 3)
		CountPairs(counts, g, on)
		for r, got := range counts {
			want, places := uint64(0), 0.0
			for i := range on.W * on.H {
				x, row := i%on.W, i/on.W
				y, z := row%on.LayerRows(), row/on.LayerRows()
				for _, to := range [][3]int{{x + r, y, z}, {x, y + r, z}, {x, y, z + r}} {
					tx, ty, inside := on.FoldVolume(to[0], to[1], to[2])
					if !inside {
						continue
					}
					places++
					if g.Get(x, row) == 1 && g.Get(tx, ty) == 1 {
						want++
					}
				}
			}
			if got != want || PairPlaces(on, r) != places {
				t.Errorf("%s: %d pairs at distance %d of %v, want %d of %v", suffix, got, r, PairPlaces(on, r), want, places)
			}
		}
	}
}
