package render

import (
	"image"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

const soup3D = "--rule 3D5..7/6:T16,12,8 --seed 3 --density 0.2 -q"

// TestFilmsOfVolumes compares the first and the last frame of a film with pictures, which have all colours.
func TestFilmsOfVolumes(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{
		"render " + soup3D + " -g 4 --pixels 60 --turn 10 --out v.gif",
		"render " + soup3D + " -g 0 --pixels 60 --out 0.png",
		"render " + soup3D + " -g 4 --pixels 60 --yaw 70 --out 4.png",
		"render " + soup3D + " -g 2 --pixels 60 --colour age --out age.gif",
		"render " + soup3D + " -g 2 --pixels 60 --colour depth --theme light --out depth.apng",
		"render " + soup3D + " -g 2 --pixels 60 --colour position --box 0..3,2..2,1..7 --zoom 2 --out clip.png",
	} {
		if out := clitest.Gosper(t, dir, strings.Fields(args)...); out.Code != 0 {
			t.Fatalf("%s: %s", args, out.Stderr)
		}
	}
	film, err := gif.DecodeAll(open(t, filepath.Join(dir, "v.gif")))
	if err != nil {
		t.Fatal(err)
	}
	if len(film.Image) != 5 {
		t.Fatalf("%d frames", len(film.Image))
	}
	canvas := image.NewRGBA(image.Rect(0, 0, 60, 60))
	for i, frame := range film.Image {
		for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y++ {
			for x := frame.Rect.Min.X; x < frame.Rect.Max.X; x++ {
				if _, _, _, alpha := frame.At(x, y).RGBA(); alpha != 0 {
					canvas.Set(x, y, frame.At(x, y))
				}
			}
		}
		name := map[int]string{0: "0.png", 4: "4.png"}[i]
		if name == "" {
			continue
		}
		picture, err := png.Decode(open(t, filepath.Join(dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		worst, lit := 0, 0
		for y := range 60 {
			for x := range 60 {
				r, g, b, _ := picture.At(x, y).RGBA()
				r2, g2, b2, _ := canvas.At(x, y).RGBA()
				for _, d := range []int{int(r) - int(r2), int(g) - int(g2), int(b) - int(b2)} {
					worst = max(worst, d>>8, -d>>8)
				}
				if r > 0x5000 {
					lit++
				}
			}
		}
		if worst > 20 || lit < 100 {
			t.Errorf("frame %d: a colour is wrong by %d of 255; %d bright pixels", i, worst, lit)
		}
	}
}

// TestSlice: a slice shows the cells of one layer, as a picture of its rows alone does.
func TestSlice(t *testing.T) {
	dir := t.TempDir()
	const flat = "render --rule 3D5..7/6:T16,12,8 --seed 3 --density 0.2 -q -g 1 --scale 2 "
	if out := clitest.Gosper(t, dir, strings.Fields(flat+"--slice 3 --out slice.png")...); out.Code != 0 {
		t.Fatal(out.Stderr)
	}
	if out := clitest.Gosper(t, dir, strings.Fields(
		"run --rule 3D5..7/6:T16,12,8 --seed 3 --density 0.2 -q -g 1 --out all.npy")...); out.Code != 0 {
		t.Fatal(out.Stderr)
	}
	cells, err := os.ReadFile(filepath.Join(dir, "all.npy"))
	if err != nil {
		t.Fatal(err)
	}
	cells = cells[len(cells)-16*12*8:] // after the header
	picture, err := png.Decode(open(t, filepath.Join(dir, "slice.png")))
	if err != nil {
		t.Fatal(err)
	}
	if picture.Bounds() != image.Rect(0, 0, 32, 24) {
		t.Fatalf("%v", picture.Bounds())
	}
	live := 0
	for y := range 12 {
		for x := range 16 {
			want := cells[x+16*(y+12*3)]
			if got := picture.(*image.Paletted).ColorIndexAt(2*x, 2*y); got != want {
				t.Fatalf("cell %d,%d is %d, want %d", x, y, got, want)
			}
			live += int(want)
		}
	}
	if live == 0 {
		t.Error("the layer is empty")
	}
}

func TestVolumeFlagsRefuse(t *testing.T) {
	for flags, want := range map[string]string{
		"--yaw nan":                      `"nan": want a number`,
		"--pitch 91":                     "--pitch 91: want -90 to 90",
		"--zoom 0":                       "--zoom 0: want 0.1 to 20",
		"--pixels 9000":                  "--pixels 9000: want 1 to 8192",
		"--colour red":                   `--colour "red": want state, age, depth or position`,
		"--box 0..1,2":                   `box "0..1,2": want ranges of x, y and z`,
		"--box 3..1,2,3":                 `box "3..1,2,3": want ranges of x, y and z`,
		"--box 0..16,0,0":                "--box: x goes to 16, want at most 15",
		"--slice 8":                      "--slice 8: want a layer from 0 to 7",
		"--slice 1 --yaw 3":              "--yaw: it does not go with --slice",
		"--crop 0,0,2x2":                 "--crop and --scale are for flat pictures",
		"--scale 4":                      "--crop and --scale are for flat pictures",
		"--rule B3/S23 --size 9 --yaw 1": "",
	} {
		args := strings.Fields("render " + soup3D + " --out x.png " + flags)
		if want == "" {
			args = strings.Fields("render --out x.png -q " + flags)
			want = "--yaw: it is for universes of three dimensions"
		}
		dir := t.TempDir()
		out := clitest.Gosper(t, dir, args...)
		if out.Code != console.InputError || !strings.Contains(out.Stderr, want) || strings.Count(out.Stderr, "\n") != 1 {
			t.Errorf("%s: code %d, %q, want %q", flags, out.Code, out.Stderr, want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left", flags, left)
		}
	}
}
