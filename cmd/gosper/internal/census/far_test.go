package census

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
)

// looked looks at the far future of a pattern.
func looked(t *testing.T, pattern string) census.Object {
	t.Helper()
	u, err := (&origin.Flags{Pattern: pattern}).Origin(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := lookFar(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestLookFar: the far future of built-in patterns agrees with their near future and their names.
func TestLookFar(t *testing.T) {
	for _, test := range []struct {
		pattern string
		kind    census.Kind
		class   string
		period  int // or a divisor of it
	}{
		{"gosper-gun", census.LinearGrowth, "", 60},
		{"blinker-puffer", census.LinearGrowth, "", 120},
		{"max", census.QuadraticGrowth, "spacefiller", 60},
		{"pulsar", census.Oscillator, "", 3},
		{"rpentomino", census.Unknown, "", 0},
	} {
		o := looked(t, test.pattern)
		if class := classOf(o, census.Output{}); o.Kind != test.kind || class != test.class || o.Period != test.period {
			t.Errorf("%s: %+v, a %q", test.pattern, o, class)
		}
	}
}

// TestWordsOfFiles: large patterns of Golly's collection have the words of their authors.
func TestWordsOfFiles(t *testing.T) {
	const folder = "/usr/share/golly/Patterns/Life/"
	if _, err := os.Stat(folder); err != nil || testing.Short() {
		t.Skip("no patterns of Golly's, or short tests")
	}
	for _, test := range []struct {
		pattern string
		kind    census.Kind
		class   string
	}{
		{"Breeders/slide-breeder.rle", census.QuadraticGrowth, "breeder"},
		{"Breeders/spacefiller.rle", census.QuadraticGrowth, "spacefiller"},
		{"Guns/2c5-spaceship-gun-p690.rle", census.Oscillator, ""}, // these two eat their spaceships
		{"Guns/7-in-a-row-Cordership-V-gun.rle", census.Oscillator, ""},
		{"Rakes/c2-Cordership-rake.rle", census.LinearGrowth, ""},
		{"Miscellaneous/sawtooth6b.rle", census.Sawtooth, ""},
	} {
		o := looked(t, folder+test.pattern)
		if class := classOf(o, census.Output{}); o.Kind != test.kind || class != test.class {
			t.Errorf("%s: %v, a %q; want %v, a %q", test.pattern, o.Kind, class, test.kind, test.class)
		}
	}
}

// TestGollyGrowth: gosper identify names the growth of patterns of Golly's collection as their authors do.
func TestGollyGrowth(t *testing.T) {
	const folder = "/usr/share/golly/Patterns/"
	if _, err := os.Stat(folder); err != nil || testing.Short() {
		t.Skip("no patterns of Golly's, or short tests")
	}
	table, err := os.ReadFile("testdata/golly_growth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		file, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		var out, progress bytes.Buffer
		cmd := IdentifyCommand{Pattern: folder + file, JSON: true}
		if err := cmd.Run(t.Context(), &console.Console{Out: &out, Err: &progress}); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Kind   string
			Period int
			Growth struct{ Class string }
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s\t%s\t%d", got.Kind, got.Growth.Class, got.Period); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if rows != 25 {
		t.Errorf("%d patterns, want 25", rows)
	}
}

// TestAbout finds powers of the time, and teeth, in populations without a period.
func TestAbout(t *testing.T) {
	wave := func(i int) float64 { return 3 * math.Sin(float64(i*i)) }
	for _, test := range []struct {
		name     string
		n        func(i int) float64
		kind     census.Kind
		power    float64
		sawtooth bool
	}{
		{"linear", func(i int) float64 { return 1000 + 10*float64(i) + wave(i) }, census.LinearGrowth, 1, false},
		{"quadratic", func(i int) float64 { return 50 + float64(i*i) + wave(i) }, census.QuadraticGrowth, 2, false},
		{"a power", func(i int) float64 { return 20*math.Pow(float64(i), 1.5) + wave(i) }, census.Growing, 1.5, false},
		{"steady", func(i int) float64 { return 500 + wave(i) }, census.Unknown, 0, false},
		{"a fuse that burns", func(i int) float64 { return 9999 - 2*float64(i) }, census.Unknown, 0, false},
		{"teeth, each twice as high", func(i int) float64 {
			start := math.Exp2(math.Floor(math.Log2(float64(i + 1))))
			return 10 + 100*min(float64(i+1)-start, 2*start-float64(i+1))
		}, census.Growing, 0, true},
		{"teeth of the same height", func(i int) float64 {
			return 10 + 100*math.Abs(float64(i%40-20))
		}, census.Unknown, 0, false},
	} {
		f := &far{every: firstApart}
		for i := range mostLooks {
			f.populations, f.boxes = append(f.populations, int(test.n(i))), append(f.boxes, grid.Rect{W: 9, H: 9})
		}
		if got := isSawtooth(f.populations); got != test.sawtooth {
			t.Errorf("%s: a sawtooth %v", test.name, got)
		}
		o := f.about()
		if !test.sawtooth && (o.Kind != test.kind || math.Abs(o.Growth.Power-test.power) > 0.05) {
			t.Errorf("%s: %v, power %.2f", test.name, o.Kind, o.Growth.Power)
		}
	}
}

// TestWorkEnds: a limit on work ends a search under a rule that a census does not take.
func TestWorkEnds(t *testing.T) {
	u, err := (&origin.Flags{Pattern: "max", Rule: "B3/S23History"}).Origin(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := census.Limits{Work: 300, Population: 1 << 20}.OrDefault()
	got, err := comesBack(t.Context(), u, limits)
	if err != nil || got.limit != "work" || got.at < 5 || got.at > 100 {
		t.Errorf("%+v, %v", got, err)
	}
}
