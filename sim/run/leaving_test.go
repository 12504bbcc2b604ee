package run_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// plane opens a rule on the unbounded plane with the cells of a pattern in RLE.
func plane(t testing.TB, notation, rle string) (sim.Engine, sim.Config) {
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r}
	e, err := cpu.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	p, err := pattern.Read(strings.NewReader(rle), "test.rle")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range p.Cells.Occupied() {
		grid.InMemory(grid.Copy(e, p.Cells, part, part.X, part.Y))
	}
	return e, cfg
}

func TestWhatLeavesDoesNotKeepAUniverseFromSettling(t *testing.T) {
	const glider, blinker, block = "bo$2bo$3o", "3o", "2o$2o"
	below := func(rows, columns string, what string) string {
		return rows + "$" + columns + "b" + strings.ReplaceAll(what, "$", "$"+columns+"b")
	}
	for _, c := range []struct {
		name, rle string
		leaving   int    // -1: not before the target, -2: some
		period    uint64 // of what stays, which the recurrence is a multiple of
	}{
		{"a glider alone", glider, 1, 1},
		{"a glider that leaves a blinker", blinker + "20$" + below("", "30", glider), 1, 2},
		{"a glider on its way to a far block", glider + below("3000", "3000", block), -1, 1},
		{"a glider that passes a far block", glider + below("3000", "2000", block), 1, 1},
		{"gliders side by side", glider + "100$" + glider, 1, 1},
		{"R-pentomino", "b2o$2o$bo", -2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, cfg := plane(t, "B3/S23", c.rle+"!")
			r, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 10_000, Until: run.UntilStable})
			switch {
			case err != nil:
				t.Fatal(err)
			case c.leaving == -1:
				if r.Reason != run.ReasonTarget {
					t.Errorf("ended as %s at %d", r.Reason, r.Generation)
				}
			case r.Reason != run.ReasonStable || r.Recurrence%c.period != 0 || c.leaving == -2 && r.Leaving == 0 ||
				c.leaving >= 0 && r.Leaving != c.leaving:
				t.Errorf("ended as %s at %d, repeating every %d, %d groups leave; want %d", r.Reason, r.Generation, r.Recurrence,
					r.Leaving, c.leaving)
			}
		})
	}
}

// TestSettledMeansSettled runs settled soups on. Far later, the groups are again the same after their periods, and no
// other cells exist.
func TestSettledMeansSettled(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := make([]string, 12)
		for y := range rows {
			rows[y] = string(rapid.SliceOfN(rapid.SampledFrom([]byte("bo")), 12, 12).Draw(r, "row"))
		}
		e, cfg := plane(t, rapid.SampledFrom([]string{"B3/S23", "B36/S23", "B3/S12", "B2/S34H"}).Draw(r, "rule"),
			strings.Join(rows, "$")+"!")
		result, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 20_000, Until: run.UntilStable})
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != run.ReasonStable {
			r.Skip("a switch engine, or gliders that cross far away")
		}
		populations := func() (list []uint64) {
			for range result.Recurrence {
				if _, err := e.Step(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
				list = append(list, gridtest.Population(t, e))
			}
			return list
		}
		first := populations()
		if _, err := e.Step(t.Context(), 20*result.Recurrence); err != nil {
			t.Fatal(err)
		}
		if again := populations(); !slices.Equal(first, again) {
			t.Errorf("populations of a period were %v, later %v", first, again)
		}
	})
}

// TestLifespans compares with numbers that LifeWiki gives for methuselahs, and with what follows from a
// pattern's parts.
func TestLifespans(t *testing.T) {
	const glider, blinker, beacon, pentadecathlon = "bo$2bo$3o", "3o", "2o$2o$2b2o$2b2o", "2bo4bo$2ob4ob2o$2bo4bo"
	for _, c := range []struct {
		name, rle        string
		period, lifespan uint64
	}{
		{"block", "2o$2o", 1, 0},
		{"blinker", blinker, 2, 0},
		{"glider", glider, 4, 0},
		{"lightweight spaceship", "bo2bo$o$o3bo$4o", 4, 0},
		{"pentadecathlon", pentadecathlon, 15, 0},
		{"glider and blinker", blinker + "20$30bbo$30b2bo$30b3o", 2, 0},
		{"glider and beacon, one behind the other", "60b" + "2o$60b2o$62b2o$62b2o" + "60$" + "120bbo$120b2bo$120b3o", 2, 0},
		{"T-tetromino", "3o$bo", 2, 9},
		{"a cell that dies", "o", 1, 1},
		{"R-pentomino", "b2o$2o$bo", 2, 1103},
		{"B-heptomino", "ob2o$3o$bo", 1, 148},
		{"acorn", "bo$3bo$2o2b3o", 2, 5206},
		{"diehard", "6bo$2o$bo3b3o", 1, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, cfg := plane(t, "B3/S23", c.rle+"!")
			r, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 10_000, Until: run.UntilStable, Lifespan: true})
			if err != nil || r.Reason != run.ReasonStable || r.Period != c.period || r.Lifespan == nil ||
				*r.Lifespan != c.lifespan {
				t.Errorf("%+v, %v, want period %d and lifespan %d", r, err, c.period, c.lifespan)
			}
		})
	}
}

// TestMethuselahs: runs of well-known patterns end with the lifespans that are published.
func TestMethuselahs(t *testing.T) {
	table, err := os.ReadFile("testdata/methuselahs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		var rle string
		if known, ok := builtin.Lookup(fields[0]); ok {
			rle = known.RLE
		} else {
			rle = fields[2]
		}
		e, cfg := plane(t, "B3/S23", rle)
		r, err := run.Run(t.Context(), e, run.Options{
			Config: cfg, Target: 100_000, Until: run.UntilStable, Lifespan: true,
		})
		if err != nil || r.Reason != run.ReasonStable || r.Lifespan == nil ||
			strconv.FormatUint(*r.Lifespan, 10) != fields[1] {
			t.Errorf("%s: %+v, %v, want lifespan %s", fields[0], r, err, fields[1])
		}
	}
	if rows != 20 {
		t.Errorf("%d patterns, want 20", rows)
	}
}

// TestLifespanOnATorus compares with the states of all generations, one after another. It also checks that the cells
// stay as they are.
func TestLifespanOnATorus(t *testing.T) {
	lived := 0
	rapid.Check(t, func(t *rapid.T) {
		r, err := rule.Parse(rapid.SampledFrom([]string{"B3/S23", "B36/S23", "B2/S/3", "B3/S23|B3/S3", "B03/S23"}).
			Draw(t, "rule"))
		if err != nil {
			t.Fatal(err)
		}
		w, h := rapid.IntRange(3, 12).Draw(t, "w"), rapid.IntRange(3, 12).Draw(t, "h")
		cfg := sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h}, Threads: 1}
		e, err := cpu.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		start := rapid.Uint64Range(0, 3).Draw(t, "start")
		seed := rapid.Uint64().Draw(t, "seed")
		if err := soup.Fill(t.Context(), e, w, h, seed, 0.4, 1, nil); err != nil {
			t.Fatal(err)
		}
		e.SetGeneration(start)
		hash := func() grid.Digest {
			state, err := grid.StateHash(t.Context(), e, r.States, false)
			if err != nil {
				t.Fatal(err)
			}
			return state
		}
		first := hash()
		got, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 5000, Until: run.UntilStable, Lifespan: true})
		if err != nil {
			t.Fatal(err)
		}
		if got.Reason != run.ReasonStable {
			t.Skip("a long period")
		}
		last := hash()
		if err := soup.Fill(t.Context(), e, w, h, seed, 0.4, 1, nil); err != nil {
			t.Fatal(err)
		}
		e.SetGeneration(start)
		if hash() != first {
			t.Fatal("the soup is another one")
		}
		type moment struct {
			state grid.Digest
			turn  uint64
		}
		seen := map[moment]uint64{}
		for g := start; ; g++ {
			now := moment{hash(), g % r.Period()}
			if earlier, again := seen[now]; again {
				if got.Period != g-earlier || got.Lifespan == nil || *got.Lifespan != earlier {
					t.Fatalf("%+v, want period %d and lifespan %d", got, g-earlier, earlier)
				}
				lived += int(earlier - start)
				break
			}
			seen[now] = g
			if _, err := e.Step(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := e.Step(t.Context(), got.Generation-e.Generation()); err != nil {
			t.Fatal(err)
		}
		if hash() != last {
			t.Fatal("the search has changed the cells")
		}
	})
	if lived < 100 {
		t.Errorf("the soups lived for only %d generations in all", lived)
	}
}
