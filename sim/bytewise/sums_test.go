package bytewise_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
)

func openSums(cfg sim.Config) (sim.Engine, error) {
	return sim.Open(context.Background(), "sums", cfg)
}

func TestSumsSuite(t *testing.T) { simtest.Run(t, openSums, simtest.Options{Partial: true}) }

// pair opens the engine and the reference for a rule.
func pair(t *testing.T, text string, threads int) (got, want sim.Engine) {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = sim.Open(t.Context(), "sums", sim.Config{Rule: r, Threads: threads}); err != nil {
		t.Fatal(err)
	}
	if want, err = reference.Open(t.Context(), sim.Config{Rule: r}); err != nil {
		t.Fatal(err)
	}
	return got, want
}

// write puts the same random cells into both engines.
func write(t *testing.T, random *rand.Rand, box grid.Rect, states int, engines ...sim.Engine) {
	t.Helper()
	for y := box.Y; y < box.Y+box.H; y++ {
		planes := make([][]uint64, grid.PlanesOf(states))
		for k := range planes {
			planes[k] = make([]uint64, (box.W+63)/64)
		}
		for x := range box.W {
			state := 0
			if random.IntN(2) == 0 {
				state = 1 + random.IntN(states-1)
			}
			for k, row := range planes {
				row[x/64] |= uint64(state>>k&1) << (x % 64)
			}
		}
		for _, e := range engines {
			for k, row := range planes {
				if err := e.WriteRow(row, k, box.X, y, box.W); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// same steps both engines and compares them after each generation.
func same(t *testing.T, got, want sim.Engine, generations int) {
	t.Helper()
	for g := range generations {
		for _, e := range []sim.Engine{got, want} {
			if _, err := e.Step(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		x, y, differ, err := grid.FirstDifference(got, want)
		if err != nil || differ {
			t.Fatalf("generation %d: cell (%d,%d) differs (%v)", g+1, x, y, err)
		}
		gotBox, _ := got.Extent()
		if wantBox, _ := want.Extent(); gotBox != wantBox && !(gotBox.Empty() && wantBox.Empty()) {
			t.Fatalf("generation %d: extent %v, want %v", g+1, gotBox, wantBox)
		}
	}
}

// TestBugsTravel runs patterns that fly, grow, come near each other and part.
func TestBugsTravel(t *testing.T) {
	for i, text := range []string{
		"R5,C0,M1,S34..58,B34..45,NM", "R4,C0,M1,S24..38,B22..31,NM",
		"R5,C0,M1,S34..52,B31..45,NM",
	} {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		got, want := pair(t, text, 2)
		write(t, random, grid.Rect{X: 245, Y: -9, W: 16, H: 16}, 2, got, want)
		write(t, random, grid.Rect{X: 300 + 5*i, Y: 20, W: 12, H: 15}, 2, got, want)
		write(t, random, grid.Rect{X: -4000, Y: 5000, W: 14, H: 14}, 2, got, want)
		same(t, got, want, 60)
	}
}

// TestWideShapes compares rules of every shape that has few edges, of odd and even radii.
func TestWideShapes(t *testing.T) {
	for i, letter := range []string{"M", "N", "C", "2", "H", "+", "X", "*", "#", "A", "3"} {
		for _, radius := range []int{17, 22, 31} {
			t.Run(fmt.Sprintf("%s%d", letter, radius), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(i), uint64(radius)))
				states, size := 2+random.IntN(3), 2+random.IntN(radius)
				got, want := pair(t, fmt.Sprintf("R%d,C%d,M%d,S%d..%d,B%d..%d,N%s",
					radius, states, random.IntN(2), size/2, 2*radius, size, 2*radius, letter), 2)
				write(t, random, grid.Rect{X: -3, Y: 240, W: 9 + random.IntN(20), H: 9 + random.IntN(20)}, states, got, want)
				same(t, got, want, 2)
			})
		}
	}
}

// TestVeryWide compares rules of radii for which the engine is chosen.
func TestVeryWide(t *testing.T) {
	for i, text := range []string{"R70,C0,M1,S9..40,B5..30,NM", "R101,C3,M0,S9..40,B5..30,NN"} {
		random := rand.New(rand.NewPCG(uint64(i), 70))
		got, want := pair(t, text, 2)
		write(t, random, grid.Rect{X: 250, Y: -5, W: 11, H: 9}, 2, got, want)
		same(t, got, want, 1)
	}
}

// TestSumsRefusals checks that rules without few edges, with too large sums or with births among dead cells are left
// to other engines.
func TestSumsRefusals(t *testing.T) {
	for _, text := range []string{
		"R40,C0,M1,S100..300,B100..200,NG", "R500,C0,M1,S100..300,B100..200,NG", "R70,C0,M1,S100..300,B0..200,NM",
		"B3/S23|B36/S23", "B2-a/S12", "B3/S23:T64,64",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var unsupported *sim.Unsupported
		if _, err := openSums(sim.Config{Rule: r, Topology: r.Topology}); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestLargeAreas runs cells that hang together over an area that is cut into several tasks, on several threads.
func TestLargeAreas(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	got, want := pair(t, "R3,C0,M1,S14..23,B14..18,NM", 3)
	for k := range 24 {
		write(t, random, grid.Rect{X: 40 * k, Y: 33 * k, W: 37, H: 30}, 2, got, want)
		write(t, random, grid.Rect{X: 40 * k, Y: 1500 - 60*k, W: 37, H: 57}, 2, got, want)
	}
	same(t, got, want, 3)
}

// TestMarginBeyondACut has a line of cells that ends where its area is cut, so that one task is a margin
// without births.
func TestMarginBeyondACut(t *testing.T) {
	got, want := pair(t, "R3,C0,M1,S3..23,B14..18,NM", 1)
	const width = 1024 - 3
	line := make([]uint64, (width+63)/64)
	for x := 0; x < width; x += 2 {
		line[x/64] |= 1 << (x % 64)
	}
	for _, e := range []sim.Engine{got, want} {
		if err := e.WriteRow(line, 0, 70, 500, width); err != nil {
			t.Fatal(err)
		}
	}
	same(t, got, want, 2)
}

// TestSumsCancelledInside cancels a generation before its end, which may be far away. The cells stay as they were.
func TestSumsCancelledInside(t *testing.T) {
	got, want := pair(t, "R5,C0,M1,S34..58,B34..45,NM", 2)
	write(t, rand.New(rand.NewPCG(1, 2)), grid.Rect{W: 100, H: 100}, 2, got, want)
	for often := range int64(60) {
		done, err := got.Step(impatient{t.Context(), new(atomic.Int64), often}, 1)
		if done != 0 || !errors.Is(err, context.Canceled) || got.Generation() != 0 {
			t.Fatalf("asked %d times: %d generations done, at %d, %v", often, done, got.Generation(), err)
		}
	}
	same(t, got, want, 3)
}
