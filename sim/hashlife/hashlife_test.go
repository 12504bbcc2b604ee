package hashlife

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func open(cfg sim.Config) (sim.Engine, error) { return Open(context.Background(), cfg) }

func TestSuite(t *testing.T) { simtest.Run(t, open, simtest.Options{Partial: true}) }

func TestTables(t *testing.T) { simtest.RunTables(t, open) }

// load opens an engine of the unbounded plane with a built-in pattern.
func load(t testing.TB, name, of string) sim.Engine { return loadIn(t, name, of, 0) }

// loadIn is load with a limit on the bytes of memory and with one thread.
func loadIn(t testing.TB, name, of string, memory uint64) sim.Engine {
	t.Helper()
	famous, ok := builtin.Lookup(of)
	if !ok {
		t.Fatalf("no pattern %q", of)
	}
	p, err := pattern.Read(strings.NewReader(famous.RLE), of)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse(p.Rule)
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), name, sim.Config{
		Rule: r, Topology: topology.Topology{Kind: topology.Unbounded},
		Memory: memory, Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	grid.InMemory(grid.Copy(e, p.Cells, p.Cells.Bounds(), p.X, p.Y))
	return e
}

func step(t *testing.T, e sim.Engine, n uint64) {
	t.Helper()
	if done, err := e.Step(t.Context(), n); done != n || err != nil {
		t.Fatalf("%d of %d generations, %v", done, n, err)
	}
}

// TestMethuselahs compares the engine with the cpu engine, with plenty of memory, and with so little that it
// collects garbage all the time.
func TestMethuselahs(t *testing.T) {
	const little = 1 << 20
	for _, c := range []struct {
		pattern string
		steps   []uint64
		memory  uint64
	}{
		{"rpentomino", []uint64{1, 2, 3, 1097, 3}, 0},
		{"acorn", []uint64{5206}, 0},
		{"acorn", []uint64{5, 1000, 4201}, little},
		{"switch-engine", []uint64{4095, 4096}, little},
		{"gosper-gun", []uint64{1 << 12, 77}, little},
	} {
		t.Run(fmt.Sprint(c.pattern, c.memory), func(t *testing.T) {
			got, want := loadIn(t, Name, c.pattern, c.memory), load(t, "cpu", c.pattern)
			for _, n := range c.steps {
				step(t, got, n)
				step(t, want, n)
				if x, y, differ := gridtest.Difference(t, got, want); differ {
					t.Fatalf("generation %d: differs from the cpu engine at (%d, %d)", got.Generation(), x, y)
				}
				if gridtest.Population(t, got) != gridtest.Population(t, want) ||
					gridtest.Extent(t, got) != gridtest.Extent(t, want) {
					t.Fatalf("generation %d: %d cells in %v, want %d in %v",
						got.Generation(), gridtest.Population(t, got), gridtest.Extent(t, got), gridtest.Population(t, want),
						gridtest.Extent(t, want))
				}
			}
		})
	}
}

// TestGun runs a gun for 30·2^35 generations, in which it shoots that many gliders of five cells.
func TestGun(t *testing.T) {
	e := load(t, Name, "gosper-gun")
	step(t, e, 3000)
	before, at := gridtest.Population(t, e), gridtest.Extent(t, e)
	const shots = 1 << 35
	step(t, e, 30*shots)
	if got := gridtest.Population(t, e) - before; got != 5*shots {
		t.Errorf("%d more cells, want %d", got, 5*shots)
	}
	// A glider moves by one cell in four generations.
	if got, want := gridtest.Extent(t, e).W-at.W, 30*shots/4; got != want {
		t.Errorf("%d columns wider, want %d", got, want)
	}
	if e.Generation() != 3000+30*shots {
		t.Errorf("generation %d", e.Generation())
	}
}

// TestGliderFarAway looks at a glider by rows after 2^52 generations.
func TestGliderFarAway(t *testing.T) {
	e := load(t, Name, "glider")
	from := gridtest.Extent(t, e)
	step(t, e, 1<<52)
	to := gridtest.Extent(t, e)
	const far = 1 << 50
	if to.W != from.W || to.H != from.H || max(to.X-from.X, from.X-to.X) != far || max(to.Y-from.Y, from.Y-to.Y) != far {
		t.Fatalf("from %v to %v", from, to)
	}
	start := load(t, Name, "glider")
	var got, want [1]uint64
	for y := range from.H {
		grid.InMemory(e.ReadRow(got[:], 0, to.X, to.Y+y, 64))
		grid.InMemory(start.ReadRow(want[:], 0, from.X, from.Y+y, 64))
		if got != want {
			t.Errorf("row %d: %b, want %b", y, got[0], want[0])
		}
	}
}

// TestTooFar checks that a pattern that would leave the range of coordinates gives an error and does not change.
func TestTooFar(t *testing.T) {
	e := load(t, Name, "glider")
	var err error
	for err == nil {
		_, err = e.Step(t.Context(), 1<<58)
	}
	if !strings.Contains(err.Error(), "spread over more than 2^") || !errors.As(err, new(*sim.OutOfSpace)) {
		t.Error(err)
	}
	if gridtest.Population(t, e) != 5 {
		t.Errorf("population %d", gridtest.Population(t, e))
	}
	var file bytes.Buffer
	if err := pattern.Write(&file, pattern.Macrocell, e,
		pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2}); err != nil {
		t.Fatal(err)
	}
	p, err := pattern.Options{Squares: true}.Read(t.Context(), &file, "far.mc")
	if err != nil {
		t.Fatal(err)
	}
	again := load(t, Name, "block")
	if err := again.(grid.QuadtreeSink).SetSquares(p.Squares); err != nil {
		t.Fatal(err)
	}
	if got, want := gridtest.Extent(t, again), gridtest.Extent(t, e); got != want {
		t.Errorf("cells in %v, want %v", got, want)
	}
	if err := p.Draw(t.Context()); err == nil || !strings.Contains(err.Error(), "too far apart") ||
		p.Drawn < math.MaxUint64 {
		t.Errorf("drawn: %v", err)
	}
	grid.InMemory(e.WriteRow([]uint64{1}, 0, 0, 0, 1))
	for _, c := range []struct{ name, want string }{
		{"far.rle", "rle: the format holds at most 2^40 cells on each side"},
		{"far.rle.gz", "rle: the format holds at most 2^40 cells on each side"},
		{"far.cells", "plaintext: the format holds at most 2^36 cells"},
		{"far.npy", "npy: the format holds at most 2^36 cells"},
		{"far.png", "png: "},
		{"far.life", ""},
	} {
		err := pattern.WriteAs(t.Context(), io.Discard, c.name, e, pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2})
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	gun := load(t, Name, "gosper-gun")
	step(t, gun, 1<<50)
	for _, name := range []string{"gun.rle", "gun.cells", "gun.lif", "gun.life", "gun.npy", "gun.png"} {
		err := pattern.WriteAs(t.Context(), io.Discard, name, gun, pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2})
		if err == nil || !strings.Contains(err.Error(), "too far apart to read; a macrocell file (.mc) holds them") &&
			name != "gun.png" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPastCounting counts more cells than 64 bits can.
func TestPastCounting(t *testing.T) {
	r, err := rule.Parse("B1357/S1357") // after 2^k generations every cell is eight, that far apart
	if err != nil {
		t.Fatal(err)
	}
	e, err := open(sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Unbounded}})
	if err != nil {
		t.Fatal(err)
	}
	grid.InMemory(e.WriteRow([]uint64{1}, 0, 5, -7, 1))
	want := big.NewInt(1)
	for k := range 30 {
		if _, err := e.Step(t.Context(), 1<<(2*k)); err != nil {
			t.Fatal(err)
		}
		want.Mul(want, big.NewInt(8))
		got, err := sim.Population(e)
		if err != nil || got.Cmp(want) != 0 {
			t.Fatalf("generation %d: %d cells, want %d, %v", e.Generation(), got, want, err)
		}
		if n := gridtest.Population(t, e); want.IsUint64() != (n < math.MaxUint64) {
			t.Errorf("generation %d: %d cells", e.Generation(), n)
		}
	}
}

// TestCancelled checks that a step that is cancelled halfway leaves the universe unchanged.
func TestCancelled(t *testing.T) {
	e := load(t, Name, "lidka")
	step(t, e, 100)
	before := gridtest.Population(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done, err := e.Step(ctx, 1<<14)
	if done != 0 || err == nil || gridtest.Population(t, e) != before || e.Generation() != 100 {
		t.Errorf("%d generations, %v; population %d, was %d", done, err, gridtest.Population(t, e), before)
	}
}

// TestCells writes and reads random rows, near and far, and compares populations of blocks.
func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, _ := rule.Parse("B3/S23")
		e, err := open(sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Unbounded}})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := grid.NewTiles(1)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		far := rapid.SampledFrom([]int{0, 1000, -1 << 40}).Draw(t, "far")
		for range 50 {
			row := []uint64{rng.Uint64() & rng.Uint64(), rng.Uint64(), rng.Uint64()}
			x, y, n := far+rng.IntN(300)-150, rng.IntN(60)-30-far, rng.IntN(130)
			grid.InMemory(e.WriteRow(row, 0, x, y, n))
			grid.InMemory(want.WriteRow(row, 0, x, y, n))
		}
		if gridtest.Population(t, e) != gridtest.Population(t, want) || gridtest.Extent(t, e) != gridtest.Extent(t, want) {
			t.Fatalf("%d cells in %v, want %d in %v", gridtest.Population(t, e), gridtest.Extent(t, e),
				gridtest.Population(t, want), gridtest.Extent(t, want))
		}
		if x, y, differ := gridtest.Difference(t, e, want); differ {
			t.Fatalf("differ at (%d, %d)", x, y)
		}
		scale := rapid.IntRange(1, 7).Draw(t, "scale")
		corner := func(v int) int { return (v - 200) >> scale << scale }
		area := grid.Rect{X: corner(far), Y: corner(-far), W: 512, H: 256}
		counts := make([]uint64, area.W>>scale*area.H>>scale)
		if counted, err := e.(sim.Counter).Counts(counts, area, scale); !counted {
			t.Fatalf("not counted: %v", err)
		}
		for i, got := range counts {
			perRow := area.W >> scale
			block := grid.Rect{X: area.X + i%perRow<<scale, Y: area.Y + i/perRow<<scale, W: 1 << scale, H: 1 << scale}
			var cells uint64
			for y := range block.H {
				for x := range block.W {
					cells += uint64(want.Get(block.X+x, block.Y+y))
				}
			}
			if got != cells {
				t.Fatalf("block %v: %d cells, want %d", block, got, cells)
			}
		}
	})
}

func BenchmarkGun(b *testing.B) {
	for b.Loop() {
		e := load(b, Name, "gosper-gun")
		if _, err := e.Step(b.Context(), 1<<40); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMacrocell writes universes as quadtrees, and reads them back.
func TestMacrocell(t *testing.T) {
	for _, c := range []struct {
		pattern     string
		generations uint64
	}{{"block", 0}, {"acorn", 5206}, {"gosper-gun", 1 << 14}} {
		e := load(t, Name, c.pattern)
		step(t, e, c.generations)
		var file bytes.Buffer
		if err := pattern.Write(&file, pattern.Macrocell, e,
			pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2}); err != nil {
			t.Fatal(err)
		}
		p, err := pattern.Read(&file, "tree.mc")
		if err != nil {
			t.Fatal(err)
		}
		x, y := p.Place(topology.Topology{Kind: topology.Unbounded})
		if x != 0 || y != 0 {
			t.Errorf("%s: placed at (%d, %d)", c.pattern, x, y)
		}
		if x, y, differ := gridtest.Difference(t, e, p.Cells); differ {
			t.Errorf("%s: differs at (%d, %d)", c.pattern, x, y)
		}
	}
	e := load(t, Name, "gosper-gun")
	step(t, e, 1<<50)
	var file bytes.Buffer
	if err := pattern.Write(&file, pattern.Macrocell, e,
		pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2}); err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(file.Bytes(), []byte("\n")); lines > 2000 {
		t.Errorf("a gun after 2^50 generations takes %d lines", lines)
	}
	if n := len(e.(unbounded).Occupied()); n != 1 {
		t.Errorf("%d rectangles, want the bounding box", n)
	}
}

// TestBoundedUniverseTellsWhereItsCellsAre: a vast torus lists the square of a glider, also at its edges, and finds no
// cells elsewhere.
func TestBoundedUniverseTellsWhereItsCellsAre(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []topology.Topology{
		{Kind: topology.Torus, W: 1 << 30, H: 1 << 30}, {Kind: topology.Plane, W: 2e9, H: 1999999999},
	} {
		e, err := open(sim.Config{Rule: r, Topology: of, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for i, row := range []uint64{0b010, 0b100, 0b111} {
			for _, at := range [][2]int{{100, 200}, {of.W - 3, of.H - 3}} {
				if err := e.WriteRow([]uint64{row}, 0, at[0], at[1]+i, 3); err != nil {
					t.Fatal(err)
				}
			}
		}
		parts := e.(interface{ Occupied() []grid.Rect }).Occupied()
		found := uint64(0)
		for _, part := range parts {
			if part.Intersect(grid.Rect{W: of.W, H: of.H}) != part || part.W > 256 || part.H > 256 {
				t.Errorf("%v: square %v", of, part)
			}
			n, err := grid.Population(grid.Part{Source: e, Bounds: part})
			if err != nil {
				t.Fatal(err)
			}
			found += n
		}
		if len(parts) != 2 || found != 10 {
			t.Errorf("%v: %d cells in %v", of, found, parts)
		}
	}
}

// TestTreesOfStates converts universes of any number of states to trees and back, and to files with the same cells.
func TestTreesOfStates(t *testing.T) {
	for _, c := range []struct {
		rule string
		w, h int
	}{
		{"B3/S23", 50, 40},
		{"B3/S23", 3, 3},
		{"345/2/4", 50, 40},
		{"345/2/4", 2, 1},
		{"12/34/9", 700, 90},
		{"/2/200", 40, 40},
		{rulefiletest.Name("hexagonal", "rotate2", 9, 0), 50, 40},
		{rulefiletest.Name("hexagonal", "rotate2", 9, 3), 40, 9},
		{"R7,C0,M1,S65..114,B65..95,NM", 80, 80},
		{"R7,C5,M1,S65..114,B65..95,NM", 80, 80},
	} {
		if err := rulefiletest.Define(c.rule); err != nil {
			t.Fatal(err)
		}
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		e, err := open(sim.Config{Rule: r})
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), e, c.w, c.h, 3, 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		step(t, e, 2)
		again, err := open(sim.Config{Rule: r})
		if err != nil {
			t.Fatal(err)
		}
		squares := slices.Collect(e.(grid.Quadtree).Squares())
		if err := again.(grid.QuadtreeSink).SetSquares(squares); err != nil {
			t.Fatal(err)
		}
		if x, y, differ := gridtest.Difference(t, e, again); differ {
			t.Errorf("%s: cell (%d, %d) differs from the tree's", c.rule, x, y)
		}
		var file bytes.Buffer
		if err := pattern.Write(&file, pattern.Macrocell, e,
			pattern.Meta{Rule: c.rule, HasPosition: true, States: r.States}); err != nil {
			t.Fatal(err)
		}
		for _, kept := range []bool{false, true} {
			p, err := pattern.Options{Squares: kept}.Read(t.Context(), bytes.NewReader(file.Bytes()), "tree.mc")
			if err != nil {
				t.Fatal(err)
			}
			if kept != (p.Squares != nil) && c.w > 600 {
				t.Errorf("%s: tree kept: %v", c.rule, p.Squares != nil)
			}
			if err := p.CheckStates(r.States); err != nil {
				t.Errorf("%s: %v", c.rule, err)
			}
			if err := p.CheckStates(2); (err != nil) != (r.States > 2) {
				t.Errorf("%s, two states: %v", c.rule, err)
			}
			if err := p.Draw(t.Context()); err != nil {
				t.Fatal(err)
			}
			if x, y, differ := gridtest.Difference(t, e, p.Cells); differ {
				t.Errorf("%s: cell (%d, %d) differs from the file's", c.rule, x, y)
			}
		}
	}
}

// TestTree reads a file with more cells than fit in memory, and advances it.
func TestTree(t *testing.T) {
	e := load(t, Name, "gosper-gun")
	step(t, e, 1<<50)
	var file bytes.Buffer
	meta := pattern.Meta{Rule: "B3/S23", HasPosition: true, States: 2}
	if err := pattern.Write(&file, pattern.Macrocell, e, meta); err != nil {
		t.Fatal(err)
	}
	p, err := pattern.Options{Squares: true}.Read(t.Context(), &file, "tree.mc")
	if err != nil {
		t.Fatal(err)
	}
	if p.Drawn < 1<<40 || p.Cells.Population() != 0 {
		t.Fatalf("it was drawn: %d cells, of %d bytes", p.Cells.Population(), p.Drawn)
	}
	again := load(t, Name, "block")
	if err := again.(grid.QuadtreeSink).SetSquares(p.Squares); err != nil {
		t.Fatal(err)
	}
	step(t, e, 120)
	step(t, again, 120)
	if gridtest.Population(t, e) != gridtest.Population(t, again) || gridtest.Extent(t, e) != gridtest.Extent(t, again) {
		t.Errorf("%d cells in %v, want %d in %v", gridtest.Population(t, again), gridtest.Extent(t, again),
			gridtest.Population(t, e), gridtest.Extent(t, e))
	}
	at := gridtest.Extent(t, e)
	var got, want [4]uint64
	for y := range 64 {
		grid.InMemory(e.ReadRow(want[:], 0, at.X, at.Y+y, 256))
		grid.InMemory(again.ReadRow(got[:], 0, at.X, at.Y+y, 256))
		if got != want {
			t.Fatalf("row %d differs", y)
		}
	}
}

// TestUnderway checks that the progress of a step never decreases, and that it is complete at the end.
func TestUnderway(t *testing.T) {
	for _, c := range []struct {
		pattern string
		threads int
		steps   []uint64
	}{
		{"lidka", 1, []uint64{1000, 1000, 4096, 777}},
		{"lidka", 3, []uint64{3000}},
		{"gosper-gun", 1, []uint64{1 << 40, 12345}},
	} {
		e := load(t, Name, c.pattern)
		r, err := rule.Parse("B3/S23")
		if err != nil {
			t.Fatal(err)
		}
		threaded, err := open(sim.Config{Rule: r, Threads: c.threads})
		if err != nil {
			t.Fatal(err)
		}
		if err := grid.Copy(threaded, e, gridtest.Extent(t, e), gridtest.Extent(t, e).X,
			gridtest.Extent(t, e).Y); err != nil {
			t.Fatal(err)
		}
		teller := threaded.(sim.Teller)
		ended := make(chan struct{})
		var looking sync.WaitGroup
		looking.Go(func() {
			for last := uint64(0); ; {
				g := teller.Underway()
				if g < last {
					t.Errorf("%s: at generation %d after %d", c.pattern, g, last)
				}
				last = g
				select {
				case <-ended:
					return
				default:
				}
			}
		})
		for _, n := range c.steps {
			step(t, threaded, n)
			if got, want := teller.Underway(), threaded.Generation(); got > want || want-got > n/1_000_000 {
				t.Errorf("%s: a step of %d has ended at %d, and tells of %d", c.pattern, n, want, got)
			}
		}
		close(ended)
		looking.Wait()
	}
}

// TestForgetting goes on after all known futures were dropped to free memory.
func TestForgetting(t *testing.T) {
	e := load(t, Name, "acorn")
	step(t, e, 1000)
	if err := e.(unbounded).tree.Forget(); err != nil {
		t.Fatal(err)
	}
	step(t, e, 4206)
	if gridtest.Population(t, e) != 633 {
		t.Errorf("population %d, want 633", gridtest.Population(t, e))
	}
}

// TestShortOfMemory checks that a run that does not fit in memory with long steps is right with shorter ones,
// and that a universe that does not fit at all does not change.
func TestShortOfMemory(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	short := sim.Config{Rule: r, Memory: 1 << 20, Threads: 1}
	e, err := Open(t.Context(), short)
	if err != nil {
		t.Fatal(err)
	}
	other, err := sim.Open(t.Context(), "cpu", sim.Config{Rule: r})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []sim.Engine{e, other} {
		if err := soup.Fill(t.Context(), e, 400, 400, 1, 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		step(t, e, 1024)
	}
	if x, y, differ, err := grid.FirstDifference(e, other); differ || err != nil {
		t.Errorf("cell %d,%d differs, %v", x, y, err)
	}
	if bytes := e.Info().Bytes; bytes > short.Memory {
		t.Errorf("%d bytes, %d are allowed", bytes, short.Memory)
	}

	if e, err = Open(t.Context(), short); err != nil {
		t.Fatal(err)
	}
	if err := soup.Fill(t.Context(), e, 1400, 1400, 1, 0.5, 1, nil); err != nil {
		t.Fatal(err)
	}
	before := gridtest.Population(t, e)
	var full *sim.OutOfMemory
	if done, err := e.Step(t.Context(), 1024); done != e.Generation() || !errors.As(err, &full) {
		t.Fatalf("%d generations done, at %d, error %v", done, e.Generation(), err)
	}
	if longest := e.(unbounded).longest; longest != 0 {
		t.Errorf("given up at leaps of 2^%d: shorter ones were not tried", longest)
	}
	if e.Generation() == 0 && gridtest.Population(t, e) != before {
		t.Errorf("%d cells, there were %d", gridtest.Population(t, e), before)
	}
	want := load(t, Name, "block")
	grid.InMemory(want.WriteRow([]uint64{0}, 0, 0, 0, 2))
	grid.InMemory(want.WriteRow([]uint64{0}, 0, 0, 1, 2))
	if err := soup.Fill(t.Context(), want, 1400, 1400, 1, 0.5, 1, nil); err != nil {
		t.Fatal(err)
	}
	step(t, want, e.Generation())
	if x, y, differ, err := grid.FirstDifference(e, want); differ || err != nil {
		t.Errorf("cell %d,%d differs at generation %d, %v", x, y, e.Generation(), err)
	}
	if err := soup.Fill(t.Context(), e, 3000, 3000, 1, 0.5, 1, nil); !errors.As(err, &full) {
		t.Errorf("a soup of 9,000 leaves was taken: %v", err)
	}
}

// TestStepWithin: a step that may do only some work at a time changes nothing until it is done. It ends with the same
// cells after the same work, and takes it in the same parts each time.
func TestStepWithin(t *testing.T) {
	const most = 50 * time.Microsecond
	want := load(t, Name, "rabbits").(sim.Metered)
	if n, err := want.StepWithin(t.Context(), 1000, time.Hour); n != 1000 || err != nil {
		t.Fatal(n, err)
	}
	var times []int
	for range 2 {
		e := load(t, Name, "rabbits")
		m := e.(sim.Metered)
		before := gridtest.Population(t, e)
		n, err, parts := uint64(0), sim.ErrWork, 0
		for ; errors.Is(err, sim.ErrWork); parts++ {
			if e.Generation() != 0 || gridtest.Population(t, e) != before {
				t.Fatal("a step that ended early has changed the universe")
			}
			from := m.Work()
			n, err = m.StepWithin(t.Context(), 1000, most)
			if did := m.Work() - from; did > 2*most {
				t.Errorf("%v of work instead of %v", did, most)
			}
		}
		if n != 1000 || err != nil || parts < 5 {
			t.Fatalf("%d generations in %d parts: %v", n, parts, err)
		}
		if x, y, differ := gridtest.Difference(t, e, want.(sim.Engine)); differ {
			t.Errorf("cell (%d, %d) differs", x, y)
		}
		if got, all := m.Work(), want.Work(); got < all || got > 2*all { // what a stopped square had joined is joined again
			t.Errorf("%v of work, want about %v", got, all)
		}
		times = append(times, parts)
	}
	if times[0] != times[1] {
		t.Errorf("it took %d parts, and then %d", times[0], times[1])
	}
}

// TestLongRows writes rows across so many squares that the edits go into the tree several times, with squares that are
// not complete, and reads them again.
func TestLongRows(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), sim.Config{Rule: r, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const words, rows = 4 * 1100, 5
	random := rand.New(rand.NewPCG(7, 7))
	want := make([][]uint64, rows)
	for y := range want {
		want[y] = make([]uint64, words)
		for i := range want[y] {
			want[y][i] = random.Uint64() & random.Uint64()
		}
		if err := e.WriteRow(want[y], 0, -1000, 254+y, 64*words); err != nil {
			t.Fatal(err)
		}
	}
	if most := e.(unbounded).edits.most; most <= fewestEdits {
		t.Errorf("edits may have %d bytes, as before squares were written again", most)
	}
	got := make([]uint64, words)
	for y := range want {
		if err := e.ReadRow(got, 0, -1000, 254+y, 64*words); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want[y]) {
			t.Errorf("row %d has changed", y)
		}
	}
}
