package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/lattice"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
)

// TestFilmOfTheReadme makes docs/gun.gif again: the command there is this one, and films are the same whenever
// they are made.
func TestFilmOfTheReadme(t *testing.T) {
	want, err := os.ReadFile("../../../../docs/gun.gif")
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []string{"1", "2"} {
		dir := t.TempDir()
		args := []string{
			"render", "gosper-gun", "--from", "150", "-g", "29", "--crop", "-3,-3,56x34", "--scale", "8", "--ages", "--out",
			"gun.gif",
			"--threads", threads,
		}
		if out := clitest.Finish(t, clitest.Command(t, dir, args...)); out.Code != 0 {
			t.Fatal(out.Stderr)
		}
		got, err := os.ReadFile(filepath.Join(dir, "gun.gif"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("with %s threads the film has %d bytes that are not those of docs/gun.gif", threads, len(got))
		}
	}
	film, err := gif.DecodeAll(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if len(film.Image) != 30 || film.LoopCount != 0 {
		t.Errorf("%d frames, played %d times", len(film.Image), film.LoopCount)
	}
}

// TestPicturesShowTheCells compares a picture with the pattern file of the same generation, cell by cell.
func TestPicturesShowTheCells(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", "r-pentomino", "-g", "100", "--out", "r.rle", "-q"},
		{"render", "r-pentomino", "-g", "100", "--out", "r.png", "--scale", "3", "--crop", "-40,-35,90x80"},
	} {
		if out := clitest.Finish(t, clitest.Command(t, dir, args...)); out.Code != 0 {
			t.Fatal(out.Stderr)
		}
	}
	p, err := origin.OpenPattern(t.Context(), filepath.Join(dir, "r.rle"), pattern.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "r.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, 270, 240) {
		t.Fatalf("the picture is %v", img.Bounds())
	}
	pixels := img.(*image.Paletted)
	live := 0
	for y := range 240 {
		for x := range 270 {
			want := p.Cells.Get(x/3-40-p.X, y/3-35-p.Y)
			if got := pixels.ColorIndexAt(x, y); got != want {
				t.Fatalf("pixel %d,%d is %d, want %d", x, y, got, want)
			}
			live += int(want)
		}
	}
	if inside := gridtest.Population(t, p.Cells); live == 0 || uint64(live) != 9*inside {
		t.Errorf("%d live pixels, %d live cells", live, inside)
	}
}

func TestFittingScales(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want string
	}{
		{3, 3, "8"},
		{80, 20, "8"},
		{81, 81, "7"},
		{640, 1, "1"},
		{641, 2, "1/2"},
		{1280, 2, "1/2"},
		{1281, 2, "1/4"},
		{16384, 16384, "1/32"},
	} {
		if got := fitting(grid.Rect{W: c.w, H: c.h}, lattice.Squares).String(); got != c.want {
			t.Errorf("%d×%d: %s, want %s", c.w, c.h, got, c.want)
		}
	}
	if got := fitting(grid.Rect{W: 100, H: 100}, lattice.Hexagons).String(); got != "4" { // rows lean to the left
		t.Errorf("100×100 hexagons: %s, want 4", got)
	}
}

// TestPicturesOfHexagonsAndTriangles: pixels show the cells that lie there.
func TestPicturesOfHexagonsAndTriangles(t *testing.T) {
	dir := t.TempDir()
	for rule, kind := range map[string]lattice.Kind{"B2/S34H": lattice.Hexagons, "B4/S35L": lattice.Triangles} {
		pattern := "x = 4, y = 3, rule = " + rule + "\nob2o$2bo$3obo!\n"
		if err := os.WriteFile(filepath.Join(dir, "a.rle"), []byte(pattern), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.png", "a.gif"} {
			out := clitest.Finish(t, clitest.Command(t, dir, "render", "a.rle", "-g", "0", "--scale", "10", "--crop", "0,0,4x3",
				"--out", name, "--force"))
			if out.Code != 0 {
				t.Fatal(out.Stderr)
			}
			file, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			img, _, err := image.Decode(file)
			if err := errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			w, h := kind.Size(4, 3, 10)
			if img.Bounds() != image.Rect(0, 0, w, h) {
				t.Fatalf("%s, %s: %v, want %d×%d", rule, name, img.Bounds(), w, h)
			}
			alive := []bool{true, false, true, true, false, false, true, false, true, true, true, false}
			for p, cell := range kind.Pixels(0, 0, 4, 3, 10) {
				r, _, _, _ := img.At(p%w, p/w).RGBA()
				if light := r > 0x8000; light != (cell >= 0 && alive[cell]) {
					t.Fatalf("%s, %s: pixel %d,%d of cell %d: light %v", rule, name, p%w, p/w, cell, light)
				}
			}
		}
	}
}

// TestInterruptedFilmsLeaveNoFile: an interruption leaves neither half a film nor a temporary file.
func TestInterruptedFilmsLeaveNoFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals here")
	}
	dir := t.TempDir()
	cmd := clitest.Command(t, dir, "render", "--size", "2000", "--seed", "1", "--scale", "1/4", "-g", "50000", "--every",
		"50", "--out", "soup.apng")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	clitest.Until(t, "it begins to write", func() bool {
		entries, err := os.ReadDir(dir)
		return err != nil || len(entries) > 0
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || console.Status(cmd.ProcessState.ExitCode()) != console.Interrupted {
		t.Errorf("an interrupted film ends with %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestMainGroup: without --crop, a picture of a pattern that objects have left shows what they have left behind, at a
// scale at which cells can be seen. --crop all shows everything.
func TestMainGroup(t *testing.T) {
	dir := t.TempDir()
	report := func(args ...string) (r struct {
		Width  int    `json:"image_width"`
		Height int    `json:"image_height"`
		X      int    `json:"x"`
		Y      int    `json:"y"`
		Scale  string `json:"scale"`
	},
	) {
		t.Helper()
		args = append([]string{"render", "two.rle", "--from", "4000", "--out", "a.png", "--force", "--json"}, args...)
		out := clitest.Finish(t, clitest.Command(t, dir, args...))
		if out.Code != 0 {
			t.Fatal(out.Stderr)
		}
		if err := json.Unmarshal([]byte(out.Stdout), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	// a glider that leaves a pulsar at 0,0 to 12,12
	text := "#P 0 0\nx = 33, y = 33, rule = B3/S23\n2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$" +
		"o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o18$31bo$32bo$30b3o!\n"
	if err := os.WriteFile(filepath.Join(dir, "two.rle"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	all := report("--crop", "all")
	if all.Scale != "1/2" || all.Width < 500 {
		t.Errorf("all cells are shown at scale %s in %d columns, want 1/2 and more than 500", all.Scale, all.Width)
	}
	for _, args := range [][]string{nil, {"--crop", "main"}} {
		got := report(args...)
		// the pulsar's 15×15 cells from -1,-1 on, in one of its phases, with a margin of two cells
		if got.Scale != "8" || got.Width != 8*19 || got.Height != 8*19 || got.X != -3 || got.Y != -3 {
			t.Errorf("the main group is %+v, want 19×19 cells from -3,-3 on, at scale 8", got)
		}
	}
	if got := report("--scale", "1/2"); got != all {
		t.Errorf("with a scale the picture shows %+v, want %+v", got, all)
	}
}
