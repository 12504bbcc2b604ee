package playne

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/papers/experiment"
)

func TestFitPower(t *testing.T) {
	law := func(l float64) float64 { return 3e-9 * math.Pow(l, 2.1) }
	var points []Point
	for _, l := range Sides {
		s := law(float64(l))
		points = append(points, Point{float64(l), s, 0.01 * s})
	}
	f, ok := FitPower(points)
	if !ok || math.Abs(f.Exponent-2.1) > 1e-9 || math.Abs(f.At(100)/law(100)-1) > 1e-9 {
		t.Errorf("exponent %v, at 100 %v", f.Exponent, f.At(100))
	}
	// The error of a slope is known in closed form: one over the root of the weighted spread of the logarithms.
	mean, spread := 0.0, 0.0
	for _, p := range points {
		mean += math.Log(p.L) / float64(len(points))
	}
	for _, p := range points {
		spread += math.Pow(math.Log(p.L)-mean, 2)
	}
	if want := 0.01 / math.Sqrt(spread); math.Abs(f.Error-want) > 1e-9 {
		t.Errorf("error %v, want %v", f.Error, want)
	}
	// Points that scatter more than their errors say make the exponent as uncertain as they are.
	scattered := slices.Clone(points)
	for i := range scattered {
		scattered[i].Seconds *= 1 + 0.1*float64(i%2)
	}
	if s, _ := FitPower(scattered); s.Error < 3*f.Error || s.Error > 10*f.Error || math.Abs(s.Exponent-2.1) > 2*s.Error {
		t.Errorf("exponent %v of scattered points, %v of others", s, f)
	}
	// A point that is wrong and known to be uncertain hardly matters.
	points = append(points, Point{L: 1000, Seconds: 1, Error: 10})
	if f, _ := FitPower(points); math.Abs(f.Exponent-2.1) > 0.01 {
		t.Errorf("exponent %v with an uncertain point", f.Exponent)
	}
	for _, few := range [][]Point{nil, {{L: 32, Seconds: 1}}, {{L: 32, Seconds: 1}, {L: 32, Seconds: 2}}} {
		if f, ok := FitPower(few); ok {
			t.Errorf("a fit %v to %v", f, few)
		}
	}
}

func TestCoreClock(t *testing.T) {
	if c := CoreClock(); c < 1e8 || c > 1e10 {
		t.Errorf("a clock of %v Hz", c)
	}
}

// measured are made-up rows of two devices whose times follow a square law.
func measured() []experiment.Measurement {
	var rows []experiment.Measurement
	for _, universes := range []int{1, Many} {
		for _, l := range []int64{64, 128} {
			seconds := 1e-9 * float64(l*l*int64(universes))
			e, joules := seconds/100, 500*seconds
			rows = append(rows,
				experiment.Measurement{
					Method: MethodCPU, Device: "a core", Width: l, Height: l, Seconds: 4 * seconds, StdErr: &e,
					Parameters: experiment.Parameters{ParameterUniverses: universes, ParameterClock: 4}.String(),
				},
				experiment.Measurement{
					Method: MethodGPU, Device: "a multiprocessor", Width: l, Height: l, Seconds: seconds, StdErr: &e,
					CellsPerSec: 1e9, Joules: &joules,
					Parameters: experiment.Parameters{
						ParameterUniverses: universes, ParameterClock: 2, ParameterRows: "most", ParameterShared: 232448,
					}.String(),
				})
		}
	}
	return rows
}

func TestTables(t *testing.T) {
	var b strings.Builder
	for _, table := range Tables(measured()) {
		if err := table.Markdown(&b); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(line), " ")) // the widths of columns do not matter
	}
	for _, want := range []string{
		"| a core | 1 | 2.00 ± 0.01 | | |",
		"| a multiprocessor, most rows of threads | 16.38 ± 0.16 | 1.00× | 2.00 | 32768 | 1.00× |",
		"| a core | 65.54 ± 0.16 | 4.00× | 4.00 | 262144 | 8.00× |",
		"| a multiprocessor, most rows of threads | 1638 ± 16 | 1.00× | 2.00 | 3276800 | 1.00× | 2e06 |",
		"| a core | 6554 ± 16 | 4.00× | 4.00 | 26214400 | 8.00× | |",
		"| 227 KiB (a multiprocessor) | 1362² | | 181² | | 240² |",
		"| 48 KiB (Fermi, Kepler) | 626² | about 620² | 155² | about 150² | 109² |",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

// Times by rows of threads are a table of their own, with the fastest named, and the curves between the least
// and the most are in no figure.
func TestRowsOfThreads(t *testing.T) {
	var rows []experiment.Measurement
	for i, threads := range []string{RowsMost, "1", "4", "2"} {
		rows = append(rows, experiment.Measurement{
			Method: MethodGPU, Device: "a GPU", Width: 128, Height: 128, Seconds: []float64{40e-6, 90e-6, 30e-6, 50e-6}[i],
			Parameters: experiment.Parameters{ParameterUniverses: 1, ParameterRows: threads}.String(),
		})
	}
	all := curves(rows)
	tables := rowsOfThreads(all)
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	want := [][]string{{"128", "90", "50", "30", "40", "8", "4"}}
	if got := tables[0]; got.Title != "µs a generation by rows of threads, one simulation on a GPU" ||
		!slices.EqualFunc(got.Rows, want, slices.Equal[[]string]) {
		t.Errorf("got %+v", got)
	}
	for _, d := range Figures(rows) {
		if f, ok := d.Figure.(figure.Figure); ok && d.Name == "playne-single" && len(f.Series) != 2 {
			t.Errorf("%d curves", len(f.Series))
		}
	}
	for _, l := range Sides {
		list := RowsOfThreads(l)
		if list[0] != 1 || list[len(list)-1] != DefaultRows(l) || !slices.IsSorted(list) ||
			len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("side %d: %v", l, list)
		}
	}
}
