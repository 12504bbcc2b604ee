package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"
)

// saver is a Figure or a HeatMap.
type saver interface{ Save(path string) error }

func examples() map[string]saver {
	nan, inf := math.NaN(), math.Inf(1)
	var decay Series
	for i := range 60 {
		t := float64(i * 10)
		decay.X = append(decay.X, t)
		decay.Y = append(decay.Y, 0.03+0.3*math.Exp(-t/80))
		decay.Err = append(decay.Err, 0.01)
	}
	decay.Name, decay.Line = "128×128", true
	dots := Series{
		Name: "64×64", X: []float64{0, 100, 200, 300, 400}, Y: []float64{0.3, 0.2, nan, 0.1, 0.05},
		Err: []float64{0.02, 0.01, 0, inf, 0.01}, Points: true, Line: true,
	}
	var power Series
	for s := 1.0; s < 3000; s *= 1.7 {
		power.X, power.Y, power.Err = append(power.X, s), append(power.Y, math.Pow(s, -2.1)),
			append(power.Err, math.Pow(s, -1.9))
	}
	power.X, power.Y, power.Err = append(power.X, 4000, -3), append(power.Y, 0, 1), append(power.Err, 1, 1)
	power.Points, power.Name = true, "clusters"
	objects := []string{
		"xs4_33", "xp2_7", "xs6_696", "xs7_2596", "xs5_253", "xs6_356", "xq4_153", "xs8_6996",
		"xs12_g8o653z11",
	}
	h := HeatMap{
		Title: "Density after settling", X: Axis{Label: "initial density"}, Y: Axis{Label: "radius", Log: true},
		Xs: []float64{0.1, 0.2, 0.3, 0.5}, Ys: []float64{1, 2, 4, 8}, Scale: Axis{Label: "density"},
	}
	for i := range h.Ys {
		h.Values = append(h.Values, []float64{float64(i), 1, 2, nan})
	}
	return map[string]saver{
		"lines": Figure{
			Title: "Density against time, B3/S23", X: Axis{Label: "generation"}, Y: Axis{Label: "density"},
			Series: []Series{decay, dots},
		},
		"log": Figure{
			X: Axis{Label: "cluster size s", Log: true}, Y: Axis{Label: "n(s)", Log: true},
			Series: []Series{power},
		},
		"bars": Figure{
			Title: "Census", Y: Axis{Label: "share", Log: true}, Categories: objects,
			Bars: []Bars{
				{
					"measured",
					[]float64{0.3, 0.28, 0.18, 0.05, 0.04, 0.02, 0.002, 0.0005, 1e-6},
					[]float64{0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.0001, 1e-6},
				},
				{Name: "published", Values: []float64{0.31, 0.27, 0.18, 0.05, 0.04, 0.02, 0.002, 0.0005, 0}},
			},
		},
		"bars-linear": Figure{Categories: []string{"a", "b"}, Bars: []Bars{{Values: []float64{-1, 2}}}},
		"empty":       Figure{X: Axis{Log: true}},
		"one-point":   Figure{Series: []Series{{X: []float64{1e9}, Y: []float64{0}, Line: true}}},
		"heat":        h,
		"heat-one":    HeatMap{Xs: []float64{0}, Ys: []float64{1}, Values: [][]float64{{inf}}},
	}
}

func TestSaveMakesWholeEqualFiles(t *testing.T) {
	dir := t.TempDir()
	if keep := os.Getenv("GOSPER_FIGURES"); keep != "" {
		dir = keep // to look at them
	}
	for name, f := range examples() {
		for _, ext := range []string{".png", ".svg", ".pdf"} {
			var files [2][]byte
			for i := range files {
				path := filepath.Join(dir, name+ext)
				if err := f.Save(path); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var err error
				if files[i], err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(files[0], files[1]) {
				t.Errorf("%s%s: equal figures made different files", name, ext)
			}
			if ext == ".png" {
				picture, err := png.Decode(bytes.NewReader(files[0]))
				if err != nil || picture.Bounds().Dx() != 1536 || picture.Bounds().Dy() != 960 {
					t.Errorf("%s: %v, %v", name, picture.Bounds(), err)
				}
				continue
			}
			if ext == ".pdf" {
				if !bytes.HasPrefix(files[0], []byte("%PDF-")) || bytes.Count(files[0], []byte("/Type /Page\n")) != 1 {
					t.Errorf("%s: no PDF of one page", name)
				}
				continue
			}
			decoder := xml.NewDecoder(bytes.NewReader(files[0]))
			for {
				_, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if strings.Contains(string(files[0]), "NaN") || strings.Contains(string(files[0]), "Inf") {
				t.Errorf("%s: a number that is not finite was drawn", name)
			}
		}
	}
}

func TestSVGShowsWhatItWasGiven(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	if err := examples()["lines"].Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		">Density against time, B3/S23<", ">128×128<", ">64×64<", ">generation<", ">density<",
		">0.30<", ">600<",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the figure", want)
		}
	}
}

// many is a figure of n named series.
func many(n int, name func(i int) string) Figure {
	f := Figure{Title: "Many", X: Axis{Label: "x"}, Y: Axis{Label: "y"}}
	for i := range n {
		f.Series = append(f.Series, Series{
			Name: name(i), X: []float64{0, 1}, Y: []float64{0, float64(i)},
			Err: []float64{1, 1}, Line: true,
		})
	}
	return f
}

func svg(t *testing.T, f saver) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.svg")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLegendOfMany: a legend of a thousand names leaves room for the data, and says how many it leaves out.
func TestLegendOfMany(t *testing.T) {
	short := func(i int) string { return fmt.Sprintf("rule %d", i) }
	text := svg(t, many(1000, short))
	for name, want := range map[string]bool{">rule 0<": true, ">rule 15<": true, ">rule 16<": false, ">984 more<": true} {
		if strings.Contains(text, name) != want {
			t.Errorf("%s in the legend: %v", name, !want)
		}
	}
	if n := strings.Count(text, "stroke:#C8C8C8"); n != 984+1 { // and that of the legend
		t.Errorf("%d lines are grey, want 985", n)
	}
	if text := svg(t, many(16, short)); strings.Contains(text, "more<") || strings.Contains(text, "stroke:#C8C8C8") {
		t.Error("a legend that has room for all leaves some out")
	}
	for _, c := range []struct{ n, length, shown int }{
		{0, 1, 0},
		{1, 500, 1},
		{16, 5, 16},
		{17, 5, 16},
		{10, 60, 5},
		{6, 60, 6},
		{1000, 60, 5},
	} {
		var entries []entry
		for range c.n {
			entries = append(entries, entry{name: strings.Repeat("m", c.length)})
		}
		if shown, more := shorten(entries, 7.68*vg.Inch-2*margin); len(shown) != c.shown || len(shown)+more != c.n {
			t.Errorf("%d names of %d letters: %d are shown and %d are not, want %d", c.n, c.length, len(shown), more, c.shown)
		}
	}
}

// TestScale: series whose colours are a scale's stand in no legend.
func TestScale(t *testing.T) {
	f := many(19, func(i int) string { return fmt.Sprintf("density %d", i) })
	f.Scale = Axis{Label: "density of the soups"}
	values := make([]float64, len(f.Series))
	for i := range f.Series {
		values[i] = float64(i)
		f.Series[i].Value = &values[i]
	}
	text := svg(t, f)
	for name, want := range map[string]bool{
		">density 0<": false, "more<": false, ">density of the soups<": true,
		"stroke:#440154": true, "stroke:#FDE725": true,
	} {
		if strings.Contains(text, name) != want {
			t.Errorf("%s in the figure: %v", name, !want)
		}
	}
	f.Scale.Log = true
	if err := f.Save(filepath.Join(t.TempDir(), "a.svg")); err == nil ||
		!strings.Contains(err.Error(), "series 0 (density 0) has the value 0: want a finite value") {
		t.Errorf("got %v", err)
	}
}

func TestNotes(t *testing.T) {
	f := many(1, func(int) string { return "" })
	f.Note = "± 1 standard error."
	if text := svg(t, f); !strings.Contains(text, ">± 1 standard error.<") {
		t.Error("the note is not there")
	}
	f.X.Log = true
	if text := svg(t, f); !strings.Contains(text,
		">± 1 standard error. Points with X up to 0 cannot be shown on the logarithmic axis.<") {
		t.Error("nothing says what is left out")
	}
}

// TestLongNotes: a note that is too long for a line goes on in the next one.
func TestLongNotes(t *testing.T) {
	f := many(1, func(int) string { return "" })
	f.Note = strings.Repeat("one two three ", 30)
	text := svg(t, f)
	n := strings.Count(text, ">one ") + strings.Count(text, ">two ") + strings.Count(text, ">three ")
	if words := strings.Count(text, "three"); n < 2 || words != 30 {
		t.Errorf("%d lines of %d words", n, words)
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"aa bb cc", []string{"aa bb", "cc"}},
		{"toolong a b", []string{"toolong", "a b"}},
		{"a", []string{"a"}},
	} {
		if got := broken(c.text, func(line string) bool { return len(line) <= 5 }); !slices.Equal(got, c.want) {
			t.Errorf("%q is broken into %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for want, c := range map[string]struct {
		f    saver
		name string
	}{
		"a.gif: unknown extension, want .png, .svg or .pdf": {Figure{}, "a.gif"},
		"series 0 (s) has 1 X, 2 Y and 0 errors: want as many of each": {Figure{Series: []Series{{
			Name: "s",
			X:    []float64{1}, Y: []float64{1, 2},
		}}}, "a.png"},
		"bars 0 () have 1 values and 0 errors for 0 categories": {
			Figure{Bars: []Bars{{Values: []float64{1}}}},
			"a.png",
		},
		"categories cannot stand on a logarithmic axis": {Figure{
			Categories: []string{"a"},
			X:          Axis{Log: true},
		}, "a.png"},
		"a heat map without Xs": {HeatMap{}, "a.png"},
		"Y 0 of a heat map: want finite, increasing values that the axis": {HeatMap{
			Y: Axis{Log: true}, Xs: []float64{1},
			Ys: []float64{0},
		}, "a.png"},
		"row 0 of a heat map has 2 values for 1 Xs": {HeatMap{
			Xs: []float64{1}, Ys: []float64{1},
			Values: [][]float64{{1, 2}},
		}, "a.png"},
		"a heat map of 0 rows for 1 Ys": {
			HeatMap{Xs: []float64{1}, Ys: []float64{1}},
			"a.png",
		},
		"gone": {Figure{}, "gone/a.png"},
	} {
		path := filepath.Join(dir, c.name)
		if err := c.f.Save(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made", c.name)
		}
	}
}

func TestStyles(t *testing.T) {
	f := Figure{Series: []Series{
		{Name: "a"},
		{Like: "a"},
		{Name: "b"},
		{Like: "c"},
		{Name: "c"},
		{Name: "d", Like: "b"},
		{Like: "d"},
	}}
	for i, want := range []int{0, 0, 1, 2, 2, 1, -1} {
		if got := f.style(i); got != want {
			t.Errorf("series %d has style %d, want %d", i, got, want)
		}
	}
	if err := f.check(); err == nil || !strings.Contains(err.Error(), `like "d"`) {
		t.Errorf("got %v", err)
	}
}

// An axis covers the range that it is told to, and values beyond it.
func TestLeastRange(t *testing.T) {
	f := Figure{X: Axis{Log: true, Least: 0.1, Most: 14}, Y: Axis{Most: 700}}
	f.Series = []Series{{X: []float64{1, 20}, Y: []float64{-5, 300}}}
	x, y := f.spans()
	if (x != span{0.1, 20}) || (y != span{-5, 700}) {
		t.Errorf("x %v, y %v", x, y)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		log       bool
		low, high float64
		want      string
	}{
		{false, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{false, -0.03, 0.33, "0 0.05 0.10 0.15 0.20 0.25 0.30"},
		{false, -12, 25, "−10 −5 0 5 10 15 20 25"},
		{false, 0, 4e7, "0 5e6 1e7 1.5e7 2e7 2.5e7 3e7 3.5e7 4e7"},
		{false, 0, 2.5e-7, "0 5e−8 1e−7 1.5e−7 2e−7 2.5e−7"},
		{true, 1, 100, "1 2 5 10 20 50 100"},
		{true, 1e-8, 1, "1e−8 1e−7 1e−6 1e−5 1e−4 1e−3 0.01 0.1 1"},
		{true, 1e-20, 1e4, "1e−18 1e−15 1e−12 1e−9 1e−6 1e−3 1 1000"},
		{true, 3e4, 3e5, "5e4 1e5 2e5"},
	} {
		ticks := linearTicks
		if c.log {
			ticks = logTicks
		}
		var got []string
		for _, tick := range ticks(c.low, c.high) {
			if tick.label != "" {
				got = append(got, tick.label)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%v to %v: %s", c.low, c.high, diff)
		}
	}
}
