package figure

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestReadStyle reads a style and draws in it.
func TestReadStyle(t *testing.T) {
	dir := t.TempDir()
	file, path := filepath.Join(dir, "journal.toml"), filepath.Join(dir, "a.svg")
	text := "width = 86\nheight = 50\nfont_size = 19\ncolours = [\"#123456\"]\ntitle = false\nnote = false\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStyle(file)
	if err != nil {
		t.Fatal(err)
	}
	w, h, factor := s.size()
	if math.Abs(w.Dots(25.4)-86) > 1e-6 || math.Abs(h.Dots(25.4)-50) > 1e-6 || factor != 2 {
		t.Errorf("the size is %v by %v, %v times as large; want 86 mm, 50 mm, 2", w, h, factor)
	}
	f := Figure{
		Title: "a title", Note: "a note", X: Axis{Label: "abscissa"},
		Series: []Series{
			{X: []float64{1, 2}, Y: []float64{3, 4}, Line: true},
			{X: []float64{1, 2}, Y: []float64{4, 3}, Line: true},
		},
	}
	if err := f.SaveAs(path, s); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{
		"abscissa": true, "a title": false, "a note": false, "#123456": true, "#0072B2": false, "#D55E00": true,
	} {
		if got := strings.Contains(strings.ToUpper(string(drawn)), strings.ToUpper(part)); got != want {
			t.Errorf("the figure has %q: %v, want %v", part, got, want)
		}
	}
}

// TestStylesRefused: errors name the file and the key.
func TestStylesRefused(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"width = 5":                           "style.toml: width 5: want 30 to 1000",
		"font_size = -1":                      "font_size -1: want 3 to 72",
		`width = "broad"`:                     `key "width": want a number`,
		"size = 5":                            `unknown key "size"; want one of width, height`,
		`colours = ["red"]`:                   `colour "red": want one like "#0072B2"`,
		`colours = ["#12345678"]`:             `colour "#12345678"`,
		"colours = " + strings.Repeat("[", 3): "line 1",
		"title = 1":                           `key "title": want true or false`,
	} {
		file := filepath.Join(dir, "style.toml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadStyle(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestNarrow: at the width of a column, labels do not touch, and the label of the Y axis fits beside the data.
func TestNarrow(t *testing.T) {
	a := newAxes(Axis{}, Axis{}, span{0, 100_000}, span{0, 1})
	before := len(a.x.ticks)
	a.thin(3 * vg.Centimeter)
	labelled, end := 0, vg.Length(-1)
	for _, tick := range a.x.ticks {
		if tick.label == "" {
			continue
		}
		at, half := vg.Length(a.x.share(tick.value))*3*vg.Centimeter, a.x.labels.Width(tick.label)/2
		if labelled > 0 && at-half < end {
			t.Errorf("the label %s touches the one before", tick.label)
		}
		labelled, end = labelled+1, at+half
	}
	if labelled < 2 || labelled >= before {
		t.Errorf("%d of %d ticks have labels, want some of them", labelled, before)
	}
	long := strings.Repeat("a long label ", 20)
	if got := fit(lettering(10), long, 100).Width(long); got > 100.1 {
		t.Errorf("a label is %v long, want 100", got)
	}
}

// TestPDFHasText asks another program for the text in a PDF.
func TestPDFHasText(t *testing.T) {
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "a.pdf")
	f := Figure{Title: "ξ ∼ ρ²", X: Axis{Label: "time τ"}, Y: Axis{Label: "density ρ"}, Series: []Series{{
		X: []float64{0, 1}, Y: []float64{0, 2}, Line: true, Points: true, Err: []float64{1, 1},
	}}}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(reader, path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ξ", "ρ²", "time τ", "density ρ", "0.5", "2.0"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the text of the PDF: %s", want, text)
		}
	}
}
