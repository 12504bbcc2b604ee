package scene_test

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
)

// anywhere draws a universe and a region that may lie in it, beside it or across its edge.
func anywhere(t *rapid.T) (src grid.Source, get func(x, y int) uint8, r scene.Region) {
	planes := rapid.IntRange(1, 3).Draw(t, "planes")
	n := rapid.IntRange(0, 60).Draw(t, "cells")
	scale := rapid.IntRange(0, 9).Draw(t, "scale")
	r = scene.Region{
		X: rapid.IntRange(-70, 20).Draw(t, "x") << scale, Y: rapid.IntRange(-30, 20).Draw(t, "y") << scale,
		W: rapid.IntRange(1, 130).Draw(t, "w"), H: rapid.IntRange(1, 40).Draw(t, "h"), Scale: scale,
	}
	state := rapid.Uint8Range(1, 1<<planes-1)
	if rapid.Bool().Draw(t, "bounded") {
		w, h := rapid.IntRange(1, 700).Draw(t, "width"), rapid.IntRange(1, 300).Draw(t, "height")
		g, err := grid.New(w, h, planes)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			g.Set(rapid.IntRange(0, w-1).Draw(t, "cx"), rapid.IntRange(0, h-1).Draw(t, "cy"), state.Draw(t, "state"))
		}
		return g, g.Get, r
	}
	tiles, err := grid.NewTiles(planes)
	if err != nil {
		t.Fatal(err)
	}
	at := rapid.IntRange(-600, 600)
	for range n {
		tiles.Set(at.Draw(t, "cx"), at.Draw(t, "cy"), state.Draw(t, "state"))
	}
	return tiles, tiles.Get, r
}

// counting is a universe that counts its cells itself.
type counting struct {
	grid.Source
	alive map[[2]int]int // by pixel
}

func (c counting) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	for i := range dst {
		dst[i] = uint64(c.alive[[2]int{i % (area.W >> scale), i / (area.W >> scale)}])
	}
	return true, nil
}

// TestReadAgreesWithCellByCell compares frames with a look at every single cell.
func TestReadAgreesWithCellByCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, get, r := anywhere(t)
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		var f scene.Frame
		f.Read(src, scene.Region{W: 3, H: 5, Scale: 1 - min(r.Scale, 1)}, scene.Unlimited) // buffers used before
		f.Read(src, r, scene.Unlimited)
		alive := map[[2]int]int{}
		b := gridtest.Extent(t, src)
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				if get(x, y) != 0 {
					alive[[2]int{(x - r.X) >> r.Scale, (y - r.Y) >> r.Scale}]++
				}
			}
		}
		for y := range r.H {
			for x := range r.W {
				if r.Scale == 0 {
					if got, want := f.State(x, y), get(r.X+x, r.Y+y); got != want {
						t.Fatalf("state of pixel %d,%d is %d, want %d", x, y, got, want)
					}
					continue
				}
				n := alive[[2]int{x, y}]
				want := uint8(0)
				if n > 0 {
					want = 1 + uint8(math.Floor(254*float64(n)/math.Exp2(float64(2*r.Scale))))
				}
				if got := f.Shade(x, y); got != want {
					t.Fatalf("pixel %d,%d with %d live cells has density %d, want %d", x, y, n, got, want)
				}
			}
		}
		if f.Sampled {
			t.Error("a frame without limits is sampled")
		}
		if density := slices.Clone(f.Density); r.Scale > 0 {
			f.Read(counting{src, alive}, r, 1)
			if f.Sampled || !slices.Equal(f.Density, density) {
				t.Fatalf("counted by the engine: %d, want %d", f.Density, density)
			}
		}
	})
}

// TestSampledDensities: with a small budget densities are near those of all cells, and no tile of an infinite
// universe is missed.
func TestSampledDensities(t *testing.T) {
	const side = 1024
	g, err := grid.New(side, side, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range side * side {
		// A third of the cells to the left, none to the right.
		if x, y := i%side, i/side; x < side/2 && (x*7+y*13)%3 == 0 {
			g.Set(x, y, 1)
		}
	}
	var f scene.Frame
	r := scene.Region{W: 32, H: 32, Scale: 5}
	f.Read(g, r, side*side/64/8)
	if !f.Sampled {
		t.Error("an eighth of the words sufficed for all cells")
	}
	for i, d := range f.Density {
		if want := 85; i%32 < 16 && (int(d) < want-12 || int(d) > want+12) || i%32 >= 16 && d != 0 {
			t.Fatalf("pixel %d,%d has density %d", i%32, i/32, d)
		}
	}
	tiles, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	tiles.Set(1000, 77, 1)
	tiles.Set(-3000, -4000, 1)
	f.Read(tiles, scene.Region{X: -4096, Y: -4096, W: 32, H: 32, Scale: 8}, 1)
	var seen int
	for _, d := range f.Density {
		seen += int(d)
	}
	if seen != 2 {
		t.Errorf("lone cells in two tiles add up to %d shades, want 2", seen)
	}
}

func TestRegionsRefused(t *testing.T) {
	for _, r := range []scene.Region{
		{},
		{W: 1},
		{W: 1, H: 1, Scale: -1},
		{W: 1, H: 1, Scale: scene.MaxScale + 1},
		{W: 1<<12 + 1, H: 1, Scale: scene.MaxScale},
		{W: 1, H: 1, X: 1, Scale: 1},
		{W: 1 << 12, H: 1<<12 + 1},
		{W: 1 << 12, H: 1<<10 + 1, Scale: 1},
		{W: 1 << 40, H: 1 << 40},
		{W: 1, H: 1, X: 1 << 62},
		{W: 1, H: 1, Y: -1 << 62},
		{W: -1, H: -1},
	} {
		if r.Validate() == nil {
			t.Errorf("region %+v is not refused", r)
		}
	}
	if err := (scene.Region{X: -8, Y: 16, W: 1 << 11, H: 1 << 11, Scale: 3}).Validate(); err != nil {
		t.Error(err)
	}
}

// TestCameraShowsAndKeeps: regions are valid and cover the screen, zooming keeps the cell under the pointer,
// fitting shows all.
func TestCameraShowsAndKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(3, 400).Draw(t, "w"), rapid.IntRange(3, 200).Draw(t, "h")
		coordinate := rapid.IntRange(-1<<45, 1<<45)
		c := scene.Camera{
			X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"),
			Zoom: rapid.IntRange(-30, scene.MaxZoom).Draw(t, "zoom"),
		}
		r := c.Region(w, h)
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		size := 1 << max(c.Zoom, 0)
		if r.W*size < w || r.H*size < h || (r.W-1)*size >= w || (r.H-1)*size >= h {
			t.Fatalf("%d×%d pixels at zoom %d show %d×%d", w, h, c.Zoom, r.W, r.H)
		}
		if w > 2*size && h > 2*size && !r.Cells().Contains(c.X, c.Y) {
			t.Fatalf("camera %+v sees %+v", c, r.Cells())
		}
		px, py := rapid.IntRange(0, w-1).Draw(t, "px"), rapid.IntRange(0, h-1).Draw(t, "py")
		x, y := c.At(w, h, px, py)
		steps := rapid.IntRange(-8, 8).Draw(t, "steps")
		m := c.Magnify(steps, w, h, px, py)
		nx, ny := m.At(w, h, px, py)
		if off := 1 << max(-m.Zoom, -c.Zoom, 0); max(nx-x, x-nx) > off || max(ny-y, y-ny) > off {
			t.Fatalf("cell %d,%d under the pointer becomes %d,%d", x, y, nx, ny)
		}
		box := grid.Rect{X: c.X, Y: c.Y, W: rapid.IntRange(1, 1<<20).Draw(t, "bw"), H: rapid.IntRange(1, 1<<20).Draw(t, "bh")}
		fit := scene.Fit(box, w, h, 3)
		if seen := fit.Region(w, h).Cells(); seen.Union(box) != seen {
			t.Fatalf("camera %+v fitted to %+v sees %+v", fit, box, seen)
		}
	})
}

// TestAgesFollowCells: ages count the generations from frame to frame, even if the camera moves.
func TestAgesFollowCells(t *testing.T) {
	g, err := grid.New(20, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var f scene.Frame
	var ages scene.Ages
	at := func(r scene.Region, generation uint64) []uint8 {
		f.Read(g, r, scene.Unlimited)
		return ages.Update(&f, generation, 0)
	}
	check := func(got []uint8, x int, want uint8) {
		t.Helper()
		if got[x] != want {
			t.Errorf("pixel %d has age %d, want %d", x, got[x], want)
		}
	}
	g.Set(3, 0, 1)
	g.Set(15, 0, 1)
	left := scene.Region{W: 10, H: 1}
	check(at(left, 100), 3, scene.Newborn)
	check(at(left, 100), 3, scene.Newborn)
	check(at(left, 105), 3, scene.Newborn+5)
	check(ages.Update(&f, 105, 0), 4, 0)
	moved := at(scene.Region{X: 2, W: 18, H: 1}, 106)
	check(moved, 1, scene.Newborn+6)
	check(moved, 13, scene.Oldest) // came into view alive
	g.Set(3, 0, 0)
	check(at(left, 107), 3, scene.Newborn-1)
	check(at(left, 110), 3, scene.Newborn-4)
	check(at(left, 1000), 3, 0)
	g.Set(3, 0, 1)
	check(at(left, 1001), 3, scene.Newborn)
	check(at(left, 5000), 3, scene.Oldest)
	check(at(scene.Region{W: 5, H: 1, Scale: 1}, 5001), 1, scene.Oldest)
	check(at(left, 5001), 3, scene.Oldest)
	check(at(left, 10), 3, scene.Newborn) // the universe went back
	check(ages.Update(&f, 11, 1), 3, scene.Newborn-1)
	check(ages.Update(&f, 11, 1), 4, scene.Newborn)
}

func TestPaintersNumbersAreColours(t *testing.T) {
	g, err := grid.New(64, 64, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 64 * 64 {
		g.Set(i%64, i/64, uint8(i%5))
	}
	var f scene.Frame
	var ages scene.Ages
	pixels := make([]uint8, 64*64)
	for _, theme := range scene.Themes {
		for _, aged := range []bool{false, true} {
			for scale := range 3 {
				f.Read(g, scene.Region{W: 64 >> scale, H: 64 >> scale, Scale: scale}, scene.Unlimited)
				p := scene.Painter{Theme: theme, States: 5, Aged: aged}
				palette := p.Palette(scale)
				painted := pixels[:f.W*f.H]
				p.Paint(painted, &f, ages.Update(&f, 1, 0), 0)
				for i, n := range painted {
					if int(n) >= len(palette) {
						t.Fatalf("%s, aged %v, scale %d: colour %d of %d", theme.Name, aged, scale, n, len(palette))
					}
					if (n == 0) != (f.Shade(i%f.W, i/f.W) == 0) {
						t.Fatalf("%s, aged %v, scale %d: pixel %d of shade %d has colour %d", theme.Name, aged, scale, i,
							f.Shade(i%f.W, i/f.W), n)
					}
				}
			}
		}
	}
	wire, err := rule.Parse("WireWorld")
	if err != nil {
		t.Fatal(err)
	}
	p := scene.Painter{Theme: scene.Themes[0], States: 4, Colours: scene.ColoursOf(wire)}
	if palette := p.Palette(0); len(palette) != 4 || palette[0] != scene.Themes[0].Dead ||
		palette[1] != (color.RGBA{0, 128, 255, 255}) {
		t.Errorf("the colours of WireWorld are %v", palette)
	}
	var theme scene.Theme
	if err := theme.UnmarshalText([]byte("GREY")); err != nil || theme.Name != "grey" {
		t.Error(theme.Name, err)
	}
	if err := theme.UnmarshalText([]byte("plaid")); err == nil ||
		err.Error() != `theme "plaid": want one of dark, light, green, grey, contrast, colour-blind` {
		t.Errorf("an unknown theme gives %v", err)
	}
}
