package cpu

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

var tilePlans = []string{
	"avx512,tiles,slabs=8,depth=6,threads=2", "avx512,tiles,slabs=8,depth=1,threads=1", "avx2,tiles,slabs=4,depth=5,threads=2",
	"portable,tiles,slabs=1,depth=2,threads=1", "portable,tiles,slabs=16,depth=16,threads=2",
}

func TestTilePlans(t *testing.T) {
	for _, plan := range runnable(t, tilePlans) {
		for i, notation := range []string{
			"B3/S23", "B2-a/S12", "B36/S23H", "B13/S012V", "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA",
			"345/2/7", "R2,C0,M1,S6..9,B5..7,NM", "R3,C3,M0,S6..9,B5..7,NN", "R9,C0,M1,S100..160,B90..120,NM", "R20,C0,M1,S500..900,B480..640,NM",
		} {
			c := simtest.Case{Rule: notation, Topology: "T0", Seed: uint64(i), Percent: 45, Steps: []uint64{1, 6, 2, 13}, Plan: plan}
			if i >= 8 { // the reference takes its time
				c.Steps = []uint64{1, 2}
			}
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestTilesOfGrid(t *testing.T) {
	for _, notation := range []string{"B3/S23", "345/2/7", "R130,C0,M1,S20000..30000,B20000..25000,NM"} {
		e := openTiled(t, notation, "")
		for _, p := range [][2]int{{-300, -1}, {-1, 255}, {0, 256}, {255, 3}, {256, 1000}, {1023, 1 << 40}} {
			e.WriteRow([]uint64{1}, e.Planes()-1, p[0], p[1], 1)
		}
		e.WriteRow([]uint64{1}, 0, 5000, 5000, 1)
		e.WriteRow([]uint64{0}, 0, 5000, 5000, 1)
		want, err := grid.NewTiles(e.Planes())
		if err != nil {
			t.Fatal(err)
		}
		for _, area := range e.Occupied() {
			grid.Copy(want, e, area, area.X, area.Y)
		}
		want.Trim()
		var got, all []string
		for at, tile := range e.All() {
			got = append(got, fmt.Sprint(at, *tile))
		}
		for at, tile := range want.All() {
			all = append(all, fmt.Sprint(at, *tile))
		}
		if fmt.Sprint(got) != fmt.Sprint(all) || len(all) != 6 {
			t.Errorf("%s: All gives %d tiles, want %d, or others", notation, len(got), len(all))
		}
	}
}

func openTiled(t *testing.T, notation, plan string) *tiled {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	e, err := open(sim.Config{Rule: r, Topology: topology.Topology{}, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	return e.(*tiled)
}

// A universe keeps no more tiles than its cells need: gliders that leave must not leave tiles behind.
func TestTilesFollowAGlider(t *testing.T) {
	e := openTiled(t, "B3/S23", "")
	for y, row := range []uint64{0b010, 0b100, 0b111} {
		e.WriteRow([]uint64{row}, 0, 100, 100+y, 3)
	}
	if _, err := e.Step(t.Context(), 40_000); err != nil {
		t.Fatal(err)
	}
	if want := (grid.Rect{X: 10_100, Y: 10_100, W: 3, H: 3}); e.Bounds() != want || e.Population() != 5 {
		t.Errorf("glider at %v, population %d, want %v and 5", e.Bounds(), e.Population(), want)
	}
	if len(e.stored) > 4 || len(e.unused) > 16 {
		t.Errorf("%d tiles stored and %d unused for a glider", len(e.stored), len(e.unused))
	}
}

// What has settled is not computed any more, whichever of the periods 1, 2, 3 and 6 it has.
func TestSettledBlocksSleep(t *testing.T) {
	e := openTiled(t, "B3/S23", "")
	for y, row := range []uint64{0b11, 0b11, 0, 0, 0, 0, 0, 0b111} { // a block and a blinker
		e.WriteRow([]uint64{row}, 0, 30, 30+y, 3)
	}
	if _, err := e.Step(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	if len(e.jobs) != 0 {
		t.Errorf("%d blocks are computed though nothing changes", len(e.jobs))
	}
	// Other remainders must wake it all the same.
	for range 7 {
		if _, err := e.Step(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if e.Population() != 7 || e.Bounds() != (grid.Rect{X: 30, Y: 30, W: 2, H: 9}) {
		t.Errorf("population %d in %v", e.Population(), e.Bounds())
	}
}

func TestTilesOfTorus(t *testing.T) {
	for _, plan := range runnable(t, tilePlans) {
		for i, suffix := range []string{"T256,256", "T512,256", "T256,768", "T257,300", "T32,512", "T64,90", "T100,33", "T319,288"} {
			c := simtest.Case{Rule: "B3/S23", Topology: suffix, Seed: uint64(i), Percent: 5, Steps: []uint64{1, 6, 2, 13}, Plan: plan}
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Error(err)
			}
		}
	}
	for i, notation := range []string{"345/2/7", "B36/S23H", "R3,C3,M0,S6..9,B5..7,NN"} {
		c := simtest.Case{Rule: notation, Topology: []string{"T256,512", "T300,260", "T513,70"}[i], Percent: 10, Steps: []uint64{7, 12}, Plan: "tiles"}
		if err := simtest.Check(t.Context(), open, c); err != nil {
			t.Error(err)
		}
	}
}

// A torus that settles, and is stirred up again, has the same cells in bands alone.
func TestAdaptiveIsInvisible(t *testing.T) {
	if Portable == fastestCode() {
		t.Skip("tiles are only used with machine code")
	}
	for _, size := range [][2]int{{1024, 1024}, {1111, 990}} {
		testAdaptive(t, size[0], size[1])
	}
}

func testAdaptive(t *testing.T, w, h int) {
	t.Helper()
	torus, err := topology.New(topology.Torus, w, h)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	var engines [2]sim.Engine
	for i, plan := range []string{"", "bands,depth=6"} {
		if engines[i], err = open(sim.Config{Rule: r, Topology: torus, Plan: plan, Threads: 1}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[bool]int{}
	for round, step := range []uint64{1, 702, 2004, 1500, 3, 97, 1200} {
		for _, e := range engines {
			if round == 0 || round == 3 { // a patch, later a full soup
				side := []int{0: 200, 3: w}[round]
				if err := soup.Fill(t.Context(), e, side, min(side, h), uint64(round), 0.5, 1, nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := e.Step(t.Context(), step); err != nil {
				t.Fatal(err)
			}
		}
		seen[engines[0].(*adaptive).tiled != nil]++
		if x, y, differ := grid.FirstDifference(engines[0], engines[1]); differ {
			t.Fatalf("cell (%d,%d) differs in generation %d", x, y, engines[0].Generation())
		}
		if engines[0].Population() != engines[1].Population() || engines[0].Generation() != engines[1].Generation() {
			t.Fatalf("population or generation differ after %d generations", engines[1].Generation())
		}
	}
	if seen[false] == 0 || seen[true] == 0 {
		t.Errorf("tiles were in use at %d ends of steps, bands at %d: both must be seen", seen[true], seen[false])
	}
}
