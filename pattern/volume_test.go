package pattern_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/pattern"
)

// The example of 3D.lua's help in Golly.
const spaceship = `3D version=1 size=40 pos=19,18,18
# A 10c/10 orthogonal spaceship.
# Found by Andrew Trevorrow in April, 2018.
x=2 y=4 z=4 rule=3D4,7/5,8
$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!
`

// volume returns the live cells of a pattern as "x,y,z".
func volume(p *pattern.Pattern) (cells []string) {
	h := p.Bounds.H / p.Depth
	for y := range p.Bounds.H {
		for x := range p.Bounds.W {
			if s := p.Cells.Get(x, y); s != 0 {
				cells = append(cells, fmt.Sprintf("%d,%d,%d", x, y%h, y/h))
			}
		}
	}
	return cells
}

func TestReadsGollysVolumes(t *testing.T) {
	p, err := pattern.Read(strings.NewReader(spaceship), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"20,19,18", "20,20,18",
		"20,18,19", "20,19,19", "20,20,19", "19,21,19", "20,21,19",
		"19,18,20", "20,18,20", "20,19,20", "20,20,20", "20,21,20",
		"20,19,21", "20,20,21",
	}
	if diff := cmp.Diff(want, volume(p)); diff != "" {
		t.Error(diff)
	}
	if p.Rule != "3D4,7/5,8:T40,40,40" || p.Depth != 40 || p.Bounds != (grid.Rect{W: 40, H: 1600}) ||
		len(p.Comments) != 2 {
		t.Errorf("rule %q, %d layers, %v, %q", p.Rule, p.Depth, p.Bounds, p.Comments)
	}
	var out bytes.Buffer
	if err := pattern.Write(&out, pattern.RLE3, grid.Part{Source: p.Cells, Bounds: p.Bounds}, p.Meta()); err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(spaceship, "oo", "2o"); out.String() != want {
		t.Errorf("written as\n%s\nwant\n%s", out.String(), want)
	}
}

// TestVolumesComeBack: what is written as RLE3, as an array or as a picture is read again, and the body of a file for
// ParaView is that of an array.
func TestVolumesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h, d := rapid.IntRange(1, 80).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h"), rapid.IntRange(1, 9).Draw(t, "d")
		states := rapid.SampledFrom([]int{2, 4, 256}).Draw(t, "states")
		g, err := grid.New(w, h*d, grid.PlanesOf(states))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 40).Draw(t, "cells") {
			g.Set(rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h*d-1).Draw(t, "y"),
				uint8(rapid.IntRange(0, states-1).Draw(t, "state")))
		}
		kind := rapid.SampledFrom([]string{"T", "P"}).Draw(t, "kind")
		meta := pattern.Meta{
			Rule: fmt.Sprintf("3D4,5/5:%s%d,%d,%d", kind, w, h, d), States: states,
			HasPosition: rapid.Bool().Draw(t, "position"),
			Generation:  uint64(rapid.IntRange(0, 3).Draw(t, "generation")),
		}
		for _, format := range []pattern.Format{pattern.RLE3, pattern.NPY, pattern.PNG} {
			var out bytes.Buffer
			if err := pattern.Write(&out, format, g, meta); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			p, err := pattern.Read(&out, "")
			if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, text)
			}
			if p.Format != format || p.Depth != d || p.HasPosition || p.Bounds != g.Bounds() {
				t.Fatalf("%s: %s of %d layers, %v", format, p.Format, p.Depth, p.Bounds)
			}
			if format != pattern.NPY && (p.Rule != meta.Rule || p.Generation != meta.Generation) {
				t.Fatalf("rule %s at generation %d, want %s at %d", p.Rule, p.Generation, meta.Rule, meta.Generation)
			}
			for y := range h * d {
				for x := range w {
					if got, want := p.Cells.Get(x, y), g.Get(x, y); got != want {
						t.Fatalf("%s: cell %d,%d is %d, want %d\n%s", format, x, y, got, want, text)
					}
				}
			}
		}
		var array, image bytes.Buffer
		if err := pattern.Write(&array, pattern.NPY, g, meta); err != nil {
			t.Fatal(err)
		}
		if err := pattern.Write(&image, pattern.VTI, g, meta); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`WholeExtent="0 %d 0 %d 0 %d"`, w, h, d); !strings.Contains(image.String(), want) {
			t.Fatalf("%q lacks %s", image.String(), want)
		}
		_, data, _ := bytes.Cut(image.Bytes(), []byte("<AppendedData encoding=\"raw\">\n_"))
		n := w * h * d
		if len(data) < 8+n || int(binary.LittleEndian.Uint64(data)) != n ||
			!bytes.Equal(data[8:8+n], array.Bytes()[array.Len()-n:]) {
			t.Fatalf("%d bytes of data, want %d", len(data), n)
		}
		for _, format := range []pattern.Format{pattern.RLE, pattern.Macrocell, pattern.Plaintext} {
			if err := pattern.Write(io.Discard, format, g, meta); err == nil ||
				states == 2 && !strings.Contains(err.Error(), "three") {
				t.Fatalf("%s: %v", format, err)
			}
		}
	})
}

func TestRefusesVolumes(t *testing.T) {
	for text, want := range map[string]string{
		"3D version=1 pos=0,0,0\nx=1 y=1 z=1 rule=3D4/4\no!":                                                "the first line names no size",
		"3D version=1 size=0\nx=1 y=1 z=1 rule=3D4/4\no!":                                                   "line 1, column 19: size: ",
		"3D version=1 size=9 pos=1,2\nx=1 y=1 z=1 rule=3D4/4\no!":                                           "pos: want three numbers",
		"3D version=1 size=9 pos=9,0,0\nx=1 y=1 z=1 rule=3D4/4\no!":                                         "position 9,0,0 is outside",
		"3D version=1 size=9\nx=1 y=1 rule=3D4/4\no!":                                                       "want x=… y=… z=… rule=…",
		"3D version=1 size=9\n":                                                                             "is missing",
		"3D version=1 size=9\nx=1 y=1 z=1 rule=3D4/4\n10o!":                                                 "a cell in column 9 is outside",
		"3D version=1 size=9\nx=1 y=1 z=1 rule=3D4/4\n9$o!":                                                 "a cell in row 9 is outside",
		"3D version=1 size=9\nx=1 y=1 z=1 rule=3D4/4\n9/o!":                                                 "a cell in layer 9 is outside",
		"3D version=1 size=9\nx=1 y=1 z=1 rule=3D4/4\no?o!":                                                 "line 3, column 2: unknown symbol '?'",
		"3D version=1 size=9 grid=T9,9\nx=1 y=1 z=1 rule=3D4/4\no!":                                         "has two dimensions",
		"3D version=1 size=2000000 \nx=1 y=1 z=1 rule=3D4/4\no!":                                            "rows in all its layers",
		"\x93NUMPY\x01\x00\x46\x00" + pad("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2, 3), }"): "is empty",
	} {
		if _, err := pattern.Read(strings.NewReader(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func pad(header string) string { return header + strings.Repeat(" ", 69-len(header)) + "\n" }

// TestStacks writes volumes as files of their layers and reads them by the stack's name, by its folder and one by one.
func TestStacks(t *testing.T) {
	const w, h, d = 70, 5, 12
	g, err := grid.New(w, h*d, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		g.Set(i*i%w, i*7%(h*d), uint8(i%4))
	}
	meta := pattern.Meta{Rule: "4/4/4/M:P70,5,12", States: 4, Generation: 9}
	for _, name := range []string{"%d.png", "layer-%03d.png", "a%02db.png.gz"} {
		dir := t.TempDir()
		stack := filepath.Join(dir, name)
		if err := pattern.WriteFile(t.Context(), stack, g, meta, false); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != d {
			t.Fatalf("%s: %d files, %v", name, len(entries), err)
		}
		for _, path := range []string{stack, dir} {
			p, err := pattern.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if p.Depth != d || p.Bounds != g.Bounds() || p.Rule != meta.Rule || p.Generation != 9 || p.HasPosition {
				t.Errorf("%s: %d layers of %v, rule %s, generation %d", path, p.Depth, p.Bounds, p.Rule, p.Generation)
			}
			if x, y, differ := gridtest.Difference(t, grid.Part{Source: p.Cells, Bounds: p.Bounds}, g); differ {
				t.Errorf("%s: cell %d,%d differs", path, x, y)
			}
		}
		p, err := pattern.ReadFile(pattern.LayerName(stack, 3))
		if err != nil || p.Depth != 0 || p.Bounds.H != h || !p.HasPosition || p.X != 0 || p.Y != 3*h {
			t.Errorf("%s: a layer: %+v, %v", name, p, err)
		}
		// Nothing is replaced without force, and nothing is written if one file exists.
		if err := os.Remove(pattern.LayerName(stack, 0)); err != nil {
			t.Fatal(err)
		}
		if err := pattern.WriteFile(t.Context(), stack, g, meta, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(pattern.LayerName(stack, 0)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: half of a stack was written: %v", name, err)
		}
		if _, err := pattern.ReadFile(stack); err == nil || !strings.Contains(err.Error(), "11 layers of 70×5 cells") {
			t.Errorf("%s: %v", name, err)
		}
		if err := pattern.WriteFile(t.Context(), stack, g, meta, true); err != nil {
			t.Error(err)
		}
		if err := os.Remove(pattern.LayerName(stack, 4)); err != nil {
			t.Fatal(err)
		}
		if _, err := pattern.ReadFile(dir); err == nil || !strings.Contains(err.Error(), "is number 5 of 11") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"run7%d.png", "s%d-v2.png"} { // with more digits
		stack := filepath.Join(t.TempDir(), name)
		if err := pattern.WriteFile(t.Context(), stack, g, meta, false); err != nil {
			t.Fatal(err)
		}
		if p, err := pattern.ReadFile(stack); err != nil || p.Depth != d {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	dir := t.TempDir()
	plane := filepath.Join(dir, "%03d.png")
	if err := pattern.WriteFile(t.Context(), plane, g, pattern.Meta{States: 4}, false); err != nil {
		t.Fatal(err)
	}
	if p, err := pattern.ReadFile(plane); err != nil || p.Depth != 0 || p.Bounds != g.Bounds() {
		t.Errorf("a plane in a file of this name: %+v, %v", p, err)
	}
	for _, name := range []string{"a1.png", "b2.png"} {
		if err := pattern.WriteFile(t.Context(), filepath.Join(dir, name), g, pattern.Meta{States: 4}, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pattern.ReadFile(dir); err == nil || !strings.Contains(err.Error(), "different stacks") {
		t.Error(err)
	}
	if _, err := pattern.ReadFile(filepath.Join(dir, "c%d.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
