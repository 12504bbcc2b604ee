package reference_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func open(cfg sim.Config) (sim.Engine, error) { return reference.Open(context.Background(), cfg) }

// The oracle agrees with programs that are not Gosper.
func TestTruth(t *testing.T) { simtest.Truth(t, open, true) }

// Against itself the suite checks the promises of sim.Engine, and the suite.
func TestSuite(t *testing.T) { simtest.Run(t, open, simtest.Options{Partial: true}) }

// In three dimensions it agrees with another program, and with itself.
func TestVolumes(t *testing.T) { simtest.Run(t, open, simtest.Options{Volumes: true}) }

// state reads one cell.
func state(e sim.Engine, x, y int) (s int) {
	for k := range e.Planes() {
		var word [1]uint64
		grid.InMemory(e.ReadRow(word[:], k, x, y, 1))
		s |= int(word[0]) << k
	}
	return s
}

// set writes one cell.
func set(e sim.Engine, x, y int, state uint8) {
	for k := range e.Planes() {
		grid.InMemory(e.WriteRow([]uint64{uint64(state >> k & 1)}, k, x, y, 1))
	}
}

func mustOpen(t *testing.T, notation, suffix string) sim.Engine {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	e, err := open(sim.Config{Rule: r, Topology: top})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustStep(t *testing.T, e sim.Engine, n uint64) {
	t.Helper()
	if _, err := e.Step(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func TestGliderFlies(t *testing.T) {
	e := mustOpen(t, "B3/S23", "T0")
	for y, row := range []uint64{0b010, 0b100, 0b111} {
		grid.InMemory(e.WriteRow([]uint64{row}, 0, -2, y-1, 3))
	}
	mustStep(t, e, 400)
	if want := (grid.Rect{X: 98, Y: 99, W: 3, H: 3}); gridtest.Extent(t, e) != want || gridtest.Population(t, e) != 5 {
		t.Errorf("%d cells in %v, want 5 in %v", gridtest.Population(t, e), gridtest.Extent(t, e), want)
	}
}

// A cell of a 1×1 torus is its own eight neighbours.
func TestOwnNeighbour(t *testing.T) {
	for notation, want := range map[string]int{"B3/S8": 1, "B3/S7": 0, "R2,C2,S24,B3": 1, "R2,C2,S1-23,B3": 0} {
		e := mustOpen(t, notation, "T1,1")
		grid.InMemory(e.WriteRow([]uint64{1}, 0, 0, 0, 1))
		mustStep(t, e, 1)
		if got := state(e, 0, 0); got != want {
			t.Errorf("%s: %d, want %d", notation, got, want)
		}
	}
}

// Dying cells age in any surroundings and are dead after the last state.
func TestGenerationsAge(t *testing.T) {
	e := mustOpen(t, "/2/5", "P3,3")
	grid.InMemory(e.WriteRow([]uint64{1}, 0, 1, 1, 1))
	for _, want := range []int{2, 3, 4, 0, 0} {
		mustStep(t, e, 1)
		if got := state(e, 1, 1); got != want {
			t.Errorf("generation %d: state %d, want %d", e.Generation(), got, want)
		}
	}
}

// With B0 and S8 the background is on, and cells are what differs from it: here Life's complement, so a blinker.
func TestBackgroundOn(t *testing.T) {
	e := mustOpen(t, "B0123478/S01234678", "T0")
	grid.InMemory(e.WriteRow([]uint64{0b111}, 0, 0, 0, 3))
	for range 4 {
		if e.Info().Background != 1 || gridtest.Population(t, e) != 3 {
			t.Fatalf("generation %d: background %d, population %d", e.Generation(), e.Info().Background,
				gridtest.Population(t, e))
		}
		mustStep(t, e, 1)
	}
	if want := (grid.Rect{W: 3, H: 1}); gridtest.Extent(t, e) != want {
		t.Errorf("bounds %v, want %v", gridtest.Extent(t, e), want)
	}
}

// TestBackgrounds compares planes with a changing background with large tori, which have no background. Far from
// their edges both must agree. Want is the background of the first generations.
func TestBackgrounds(t *testing.T) {
	for _, test := range []struct{ rule, want string }{
		{"B03/S23", "0101"},
		{"B0/S|B3/S8|B1/S8", "0111000"},
		{"B03/S23/3", "0120120"},
		{"B02/S8/4", "0111"},
		{"B023/S5/9", "01234567801"},
		{"B02-a/S12/3", "0120"},
		{"B0/S34/5V", "0111"},
		{"B03/S13/4H", "01230"},
		{"R2,C4,M0,S3..8,B0..3,NM", "01230"},
		{"R3,C3,M1,S9..20,B0..5,NN", "0120"},
		{"R1,C4,S2,4,B0,3,NW111101111,0121", "01230"},
		{"B03/S23/3|B2/S/3", "0120"},
		{"/2/3|345/02/3", "001200120012"},
		{"B03/S2/4L", "01230"},
		{rulefiletest.Name("Moore", "rotate4reflect", 4, 3) + rulefiletest.Filling, ""},
		{rulefiletest.Name("vonNeumann", "none", 7, 5) + rulefiletest.Filling, ""},
		{rulefiletest.Name("hexagonal", "permute", 3, 8) + rulefiletest.Filling, ""},
	} {
		if err := rulefiletest.Define(test.rule); err != nil {
			t.Fatal(err)
		}
		// of radius 3 at most, so that cells from the other side of the torus do not reach the margin
		const size, margin, generations = 40, 24, 13
		plane, torus := mustOpen(t, test.rule, "T0"), mustOpen(t, test.rule, fmt.Sprintf("T%d,%[1]d", 2*size))
		random := rand.New(rand.NewPCG(1, 2))
		r, err := rule.Parse(test.rule)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 12 {
			for x := range 12 {
				cell := uint8(random.IntN(r.States))
				empty := plane.Info().Background
				set(plane, x, y, background.Exchange(cell, empty))
				set(torus, size+x, size+y, cell)
			}
		}
		for g := range generations {
			empty := plane.Info().Background
			if g < len(test.want) && empty != test.want[g]-'0' {
				t.Fatalf("%s: background %d at generation %d", test.rule, empty, g)
			}
			differ := 0
			for y := -margin; y < margin; y++ {
				for x := -margin; x < margin; x++ {
					held := state(plane, x, y)
					if got, want := background.Exchange(uint8(held), empty), state(torus, size+x, size+y); int(got) != want {
						t.Fatalf("%s: cell (%d,%d) at generation %d is %d, want %d", test.rule, x, y, g, got, want)
					}
					if held != 0 {
						differ++
					}
				}
			}
			if g < 5 && gridtest.Population(t, plane) != uint64(differ) {
				t.Fatalf("%s: population %d at generation %d, want %d", test.rule, gridtest.Population(t, plane), g, differ)
			}
			mustStep(t, plane, 1)
			mustStep(t, torus, 1)
		}
	}
}

// A strip agrees with a torus of the same width that is too high for its ends to matter.
func TestStrips(t *testing.T) {
	for _, kind := range []string{"T", "P"} {
		strip, whole := mustOpen(t, "B3/S23", kind+"13,0"), mustOpen(t, "B3/S23", "T13,90")
		if kind == "P" {
			whole = mustOpen(t, "B3/S23", "P13,90")
		}
		for y := range 9 {
			row := []uint64{0x9E3779B97F4A7C15 >> (3 * y)}
			grid.InMemory(strip.WriteRow(row, 0, 0, y, 13))
			grid.InMemory(whole.WriteRow(row, 0, 0, 40+y, 13))
		}
		mustStep(t, strip, 30)
		mustStep(t, whole, 30)
		if gridtest.Population(t, strip) == 0 || gridtest.Population(t, strip) != gridtest.Population(t, whole) {
			t.Errorf("%s: population %d, want %d above 0", kind, gridtest.Population(t, strip), gridtest.Population(t, whole))
		}
		for y := -40; y < 50; y++ {
			var a, b [1]uint64
			grid.InMemory(strip.ReadRow(a[:], 0, 0, y, 13))
			grid.InMemory(whole.ReadRow(b[:], 0, 0, 40+y, 13))
			if a != b {
				t.Fatalf("%s: row %d is %b, want %b", kind, y, a, b)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	zero, err := rule.Parse("B03/S23")
	if err != nil {
		t.Fatal(err)
	}
	huge := topology.Topology{Kind: topology.Torus, W: topology.MaxSide, H: topology.MaxSide}
	strip := topology.Topology{Kind: topology.Plane, W: 10}
	if _, err := open(sim.Config{Rule: life, Topology: huge}); err == nil {
		t.Errorf("%v was accepted", huge)
	}
	for name, cfg := range map[string]sim.Config{
		"plan":     {Rule: life, Plan: "sideways"},
		"B0 strip": {Rule: zero, Topology: strip},
	} {
		var unsupported *sim.Unsupported
		if _, err := open(cfg); !errors.As(err, &unsupported) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	e, err := open(sim.Config{Rule: life})
	if err != nil {
		t.Fatal(err)
	}
	e.SetGeneration(math.MaxUint64)
	if e.Generation() != math.MaxUint64 {
		t.Error("a generation was changed")
	}
}

// Dead or frozen sites are the same in all generations and follow from the seed. Their share is about that of the
// rule.
func TestSites(t *testing.T) {
	const side, generations = 64, 12
	patterns := map[string]int{}
	for _, notation := range []string{
		"B12345678/S~dead=0.25,frozen=0.5,seed=1", "B12345678/S~dead=0.25,frozen=0.5,seed=1,flip=0.9",
		"B12345678/S~dead=0.25,frozen=0.5,seed=2,flip=0.9",
		"B12345678/S~dead=0.02,frozen=0.005,seed=1,flip=0.9", "PN/0.9/0.9~dead=0.25,frozen=0.5,seed=3,checkerboard",
	} {
		e := mustOpen(t, notation, "T64,64")
		if err := soup.Fill(t.Context(), e, side, side, 5, 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		var first, changes, lives [side * side]int
		for i := range first {
			first[i] = state(e, i%side, i/side)
		}
		last := first
		for range generations {
			mustStep(t, e, 1)
			for i := range first {
				s := state(e, i%side, i/side)
				if s != last[i] {
					changes[i]++
				}
				lives[i] += s
				last[i] = s
			}
		}
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		var found strings.Builder
		still, dead := 0, 0
		for i := range first {
			u := func(p chance.Probability) bool {
				return random.At(r.Chance.Seed, 0).Row(i/side, chance.UseSite).
					Below(i%side, uint64(p), uint64(r.Chance.Dead+r.Chance.Frozen))
			}
			switch isDead, isSite := u(r.Chance.Dead), u(r.Chance.Dead+r.Chance.Frozen); {
			case isDead:
				dead++
				found.WriteByte('d')
				if lives[i] > 0 {
					t.Fatalf("%s: dead cell %d lives", notation, i)
				}
			case isSite:
				still++
				found.WriteByte('f')
				if changes[i] > 0 {
					t.Fatalf("%s: frozen cell %d changes", notation, i)
				}
			default:
				found.WriteByte('.')
			}
		}
		for _, c := range []struct {
			got  int
			want chance.Probability
		}{{dead, r.Chance.Dead}, {still, r.Chance.Frozen}} {
			n, p := float64(side*side), c.want.Float()
			if math.Abs(float64(c.got)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%s: %d sites, want about %v", notation, c.got, n*p)
			}
		}
		patterns[found.String()]++
		if slices.Max(changes[:]) == 0 {
			t.Errorf("%s: no cell changes", notation)
		}
	}
	if len(patterns) != 4 { // by two shares and three seeds
		t.Errorf("%d patterns of sites, want 4", len(patterns))
	}
}
