package cat

import (
	"testing"

	"github.com/gosper-life/gosper/internal/gpu"
)

// h200 is what launches depend on of an H200.
var h200 = gpu.Properties{Major: 9, Multiprocessors: 132, SharedBytes: 228 << 10, SharedBlockBytes: 227 << 10}

func TestTensorLaunches(t *testing.T) {
	for _, c := range []struct {
		method                          Method
		radius                          int
		tile                            [2]int
		kernel                          string
		warps, shared, blocksX, blocksY int
	}{
		{CAT, 5, [2]int{}, "known_1x14", 8, (3 + 16) * 512, 64, 5},
		{CAT, 5, [2]int{4, 8}, "known_4x8", 8, (3 + 40) * 512, 16, 8},
		{CAT, 16, [2]int{30, 12}, "wmma", 8, (3 + 30*14) * 512, 3, 6},
		{MMA, 5, [2]int{}, "cat", 3, (3 + 15) * 768, 64, 5},
		{MMA, 16, [2]int{16, 16}, "cat", 24, (3 + 16*18) * 768, 4, 4},
		{MMA, 23, [2]int{1, 4}, "cat_wide", 2, (5 + 8) * 768, 64, 16},
		{Cached, 5, [2]int{}, "cat_cached", 20, (3 + 40 + 32 + 60) * 768, 16, 8},
	} {
		p, err := c.method.launch(transition{radius: c.radius}, 1024, 1000, Options{Tile: c.tile}, h200)
		if err != nil {
			t.Fatal(err)
		}
		if p.kernel != c.kernel || p.threads != 32*c.warps || p.shared != c.shared || p.gridX != c.blocksX ||
			p.gridY != c.blocksY {
			t.Errorf("%s %v: kernel %s, %d warps, %d bytes, %d×%d blocks, want %+v",
				c.method, c.tile, p.kernel, p.threads/32, p.shared, p.gridX, p.gridY, c)
		}
	}
	small := h200
	small.SharedBlockBytes = 99 << 10
	if p, err := Cached.launch(transition{radius: 22}, 64, 64, Options{}, small); err != nil ||
		p.shared > small.SharedBlockBytes {
		t.Errorf("CAT-CACHED needs %d of %d bytes: %v", p.shared, small.SharedBlockBytes, err)
	}
	a100 := h200
	a100.Major = 8
	if p, err := CAT.launch(transition{radius: 1}, 64, 208, Options{}, a100); err != nil || p.gridY != 1 ||
		p.shared != (3+15)*512 {
		t.Errorf("CAT on an A100: %d bytes, %d blocks high, %v; want tiles of 1×13", p.shared, p.gridY, err)
	}
	if got, want := TileBytes(30, 12), 512*(3+30*14); got != want {
		t.Errorf("a tile of 30×12 needs %d bytes, want %d", got, want)
	}
	for _, o := range []Options{{Tile: [2]int{0, 3}}, {Warps: 33}, {Warps: -1}} {
		for _, m := range []Method{CAT, MMA} {
			if _, err := m.launch(transition{radius: 1}, 64, 64, o, h200); err == nil {
				t.Errorf("%s: %+v is not refused", m, o)
			}
		}
	}
}

// Patches cover the universe, and memory all patches.
func TestTemporalLaunches(t *testing.T) {
	for _, c := range []struct {
		radius, generations           int
		kernel                        string
		blocksX, blocksY, aside, halo int
	}{
		{1, 0, "temporal_5", 3, 21, 8, 8},
		{1, 1, "temporal_5", 3, 17, 8, 1},
		{5, 2, "temporal_5", 3, 23, 16, 10},
		{8, 1, "temporal_8", 3, 21, 8, 8},
		{8, 3, "temporal_8", 4, 63, 24, 24},
		{16, 1, "temporal_16", 3, 32, 16, 16},
	} {
		p, err := Temporal.launch(transition{radius: c.radius}, 1024, 1000, Options{Generations: c.generations}, h200)
		if err != nil {
			t.Fatal(err)
		}
		across, margin := int(p.args[0]), int(p.args[1])
		if p.kernel != c.kernel || p.threads != 128 || p.gridX != c.blocksX || p.gridY != c.blocksY ||
			int(p.args[4]) != c.halo || int(p.args[5]) != c.aside {
			t.Errorf("kernel %s, %d×%d blocks, arguments %v, want %+v", p.kernel, p.gridX, p.gridY, p.args, c)
		}
		if rows := (c.blocksY-1)*(64-2*c.halo) - c.halo + 64; p.layout.bytes < across*16*(rows+16*margin) {
			t.Errorf("%+v: %d bytes for patches of %d rows", c, p.layout.bytes, rows)
		}
	}
	for _, c := range []struct{ radius, generations int }{{1, -1}, {1, 32}, {8, 4}, {16, 2}} {
		o := Options{Generations: c.generations}
		if _, err := Temporal.launch(transition{radius: c.radius}, 64, 64, o, h200); err == nil {
			t.Errorf("radius %d, %d generations a launch: not refused", c.radius, c.generations)
		}
	}
}

// Strips cover the universe and keep every multiprocessor busy, or are as short as warming up allows.
func TestStripRows(t *testing.T) {
	for _, c := range []struct{ columns, h, extra, warps, most, want int }{
		{76, 16384, 32, 8448, 256, 64},
		{76, 16384, 2, 8448, 16, 16},
		{304, 65536, 32, 8448, 256, 256},
		{1, 5, 2, 8448, 16, 5},
		{512, 1024, 2, 2112, 48, 48},
		{128, 256, 2, 2112, 48, 8},
	} {
		if got := stripRows(c.columns, c.h, c.extra, c.warps, c.most); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
