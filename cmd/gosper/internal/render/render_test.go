package render

import (
	"bytes"
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
		if got := fitting(grid.Rect{W: c.w, H: c.h}).String(); got != c.want {
			t.Errorf("%d×%d: %s, want %s", c.w, c.h, got, c.want)
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
	for { // until it has begun to write
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			break
		}
	}
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
