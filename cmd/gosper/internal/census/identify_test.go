package census

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	_ "github.com/gosper-life/gosper/sim/cpu" // an engine
)

// TestInterrupted: the message after an interrupt says how far a search got and which limits end it.
func TestInterrupted(t *testing.T) {
	p, _, err := origin.Known("max")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := census.CellsOf(p.Cells)
	if err != nil {
		t.Fatal(err)
	}
	limits := census.Limits{Generations: 40, Population: 5000}.OrDefault()
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	counter, err := census.NewCounter(life, limits)
	if err != nil {
		t.Fatal(err)
	}
	counter.IdentifyAndCount(cells)
	generation, population := counter.Reached()
	if generation < 20 || population <= len(cells) {
		t.Errorf("reached %d cells at generation %d", population, generation)
	}
	text := interruption(generation, population, len(cells), limits)
	if want := fmt.Sprintf("%d cells became %s by generation %d; less than --generations 40, --population 5000 or --box ",
		len(cells), number.Grouped(uint64(population)), generation); !strings.Contains(text, want) {
		t.Errorf("%s: want %s", text, want)
	}
}

// TestWordsOfGrowth: guns, rakes and puffers among the built-in patterns have the words and numbers of
// testdata/growth.tsv.
func TestWordsOfGrowth(t *testing.T) {
	table, err := os.ReadFile("testdata/growth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	counter, err := census.NewCounter(life, census.Limits{Period: 320, Population: leastPopulation}.OrDefault())
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		name, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		p, _, err := origin.Known(name)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := census.CellsOf(p.Cells)
		if err != nil {
			t.Fatal(err)
		}
		o, tally := counter.IdentifyAndCount(cells)
		class := "growth"
		if g := growthOf(o, tally.Output); g != nil && g.Class != nil {
			class = *g.Class
		}
		if got := fmt.Sprintf("%s\t%s\t%d\t%g", o.Kind, class, o.Period, o.Growth.Cells); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if rows != 13 {
		t.Errorf("%d patterns, want 13", rows)
	}
}

// TestComesBack runs patterns under rules, or in universes, that a census does not take.
func TestComesBack(t *testing.T) {
	limits := census.Limits{Generations: 2000, Population: 3000}.OrDefault()
	for _, test := range []struct {
		pattern, rule string
		kind          census.Kind
		period        int
		limit         string
	}{
		{"bosco", "", census.Oscillator, 166, ""},
		{"glider", "B3/S23:T12,10", census.Oscillator, 240, ""},
		{"gosper-gun", "B3/S23History", census.LinearGrowth, 1, "generations"},
		{"gosper-gun", "B3/S23:T1000,1000", census.Unknown, 0, "generations"},
		{"max", "B3/S23History", census.Unknown, 0, "population"},
	} {
		flags := origin.Flags{Pattern: test.pattern, Rule: test.rule}
		u, err := flags.Origin(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := comesBack(t.Context(), u, limits)
		if err != nil || got.object.Kind != test.kind || got.object.Period != test.period || got.limit != test.limit {
			t.Errorf("%s under %s: %+v, %v", test.pattern, test.rule, got, err)
		}
	}
}

// stopping is a context that is canceled once it has been asked a number of times.
type stopping struct {
	context.Context
	asked atomic.Int64
	most  int64
}

func (s *stopping) Err() error {
	if s.asked.Add(1) > s.most {
		return context.Canceled
	}
	return nil
}

// TestComesBackInterrupted: after an interrupt the outcome has the generation and the population that were reached. A
// run up to that generation has the same population.
func TestComesBackInterrupted(t *testing.T) {
	u, err := (&origin.Flags{Pattern: "rpentomino", Rule: "B3/S23History"}).Origin(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := census.Limits{}.OrDefault()
	got, err := comesBack(&stopping{Context: t.Context(), most: 1000}, u, limits)
	if !errors.Is(err, context.Canceled) || got.at < 10 || got.limit != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	limits.Generations = got.at
	whole, err := comesBack(t.Context(), u, limits)
	if err != nil || whole.at != got.at || whole.cells != got.cells || got.cells <= 5 {
		t.Errorf("%d cells at generation %d, a run has %d at %d, %v", got.cells, got.at, whole.cells, whole.at, err)
	}
}

// TestWholeCells writes growth without fractions.
func TestWholeCells(t *testing.T) {
	for _, test := range []struct {
		cells              float64
		period             int
		quadratic          bool
		whole, generations uint64
	}{
		{5, 30, false, 5, 30},
		{66.8, 240, false, 334, 1200},
		{334. / 5, 2080, false, 334, 10400},
		{2, 4, true, 2, 4},
		{0.25, 8, true, 1, 16},
	} {
		if n, g := wholeCells(test.cells, test.period, test.quadratic); n != test.whole || g != test.generations {
			t.Errorf("%g in %d: %d in %d, want %d in %d", test.cells, test.period, n, g, test.whole, test.generations)
		}
	}
}

// TestLifespanOfCollections: the lifespan of many objects side by side is known even if they do not all come back
// together for millions of generations. One object of billiard-table is never again what it is at the start: after
// 6,126,120 generations, a common multiple of the periods, there is one cell more.
func TestLifespanOfCollections(t *testing.T) {
	for name, want := range map[string]int{
		"billiard-table": 1, "low-period": 0,
		"honey-farm-hasslers": 0, // with parts that meet less often than every 60 generations
	} {
		file := "/usr/share/golly/Patterns/Life/Oscillators/" + name + ".rle"
		if _, err := os.Stat(file); err != nil {
			t.Skip("no patterns of Golly's")
		}
		p, err := origin.OpenPattern(t.Context(), file, pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cells, err := census.CellsOf(p.Cells)
		if err != nil {
			t.Fatal(err)
		}
		life, err := rule.Parse(p.Rule)
		if err != nil {
			t.Fatal(err)
		}
		counter, err := census.NewCounter(life, census.Limits{}.OrDefault())
		if err != nil {
			t.Fatal(err)
		}
		tally := counter.Count(cells)
		if tally.Endless {
			t.Errorf("%s: %+v", name, tally)
		}
		if got := counter.Lifespan(cells, tally); got != want {
			t.Errorf("%s: %d generations, want %d", name, got, want)
		}
	}
}
