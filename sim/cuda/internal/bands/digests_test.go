package bands

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
	"pgregory.net/rapid"
)

// universe makes a universe of random cells on the given number of devices, and the same cells in the memory of the
// host.
func universe(t testing.TB, driver *gputest.Driver, notation string, words, w, h, bands int) (*Universe, *grid.Grid) {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	devs, err := driver.Open(bands)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gpu.CloseAll(devs) })
	f := compile.Warp(r, words, false)
	u, err := New(devs, f, topology.Topology{Kind: topology.Torus, W: w, H: h},
		plan.Plan{Depth: 1, Words: words, Unroll: 1, Stages: 1, Rows: 50})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.close)
	all, err := grid.New(w, h, f.Planes)
	if err != nil {
		t.Fatal(err)
	}
	for plane := range f.Planes {
		g, err := grid.New(w, h, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), g, w, h, uint64(plane), 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		for y := range h {
			grid.InMemory(u.WriteRow(g.Row(0, y), plane, 0, y, w))
			grid.InMemory(all.WriteRow(g.Row(0, y), plane, 0, y, w))
		}
	}
	if err := u.Do(u.Flush); err != nil {
		t.Fatal(err)
	}
	return u, all
}

// packed is the stream of bytes that grid.StateHash hashes, made from its definition.
func packed(g *grid.Grid, w, h, planes int) (stream []byte) {
	for plane := range planes {
		for y := range h {
			var row []byte
			for _, word := range g.Row(plane, y) {
				row = binary.LittleEndian.AppendUint64(row, word)
			}
			stream = append(stream, row[:(w+7)/8]...)
		}
	}
	return stream
}

// Digests that devices compute are those of the packed rows, for all widths, words of a lane, planes, numbers of
// devices and digests of a launch. Left to the host are those of pieces that do not lie in one plane of one band, and
// no others.
func TestDigests(t *testing.T) {
	type universes struct {
		rule                                    string
		words, w, h, bands, planes, bytes, most int
	}
	check := func(t testing.TB, c universes) {
		t.Helper()
		u, g := universe(t, &gputest.Driver{}, c.rule, c.words, c.w, c.h, c.bands)
		stream := packed(g, c.w, c.h, c.planes)
		sums, err := u.digests(t.Context(), c.planes, c.bytes, c.most)
		if err != nil {
			t.Fatal(err)
		}
		if n := (len(stream) + c.bytes - 1) / c.bytes; len(sums) != n {
			t.Fatalf("%+v: %d digests, want %d", c, len(sums), n)
		}
		owner := func(at int) int { // of a byte of the stream: its plane and band
			row := at / ((c.w + 7) / 8)
			return row/c.h*c.bands + u.at(row%c.h)
		}
		for i, sum := range sums {
			from, end := i*c.bytes, min(len(stream), (i+1)*c.bytes)
			switch whole := end-from == c.bytes && owner(from) == owner(end-1); {
			case whole != (sum != nil):
				t.Errorf("%+v: digest %d: computed on a device: %v", c, i, sum != nil)
			case sum != nil && *sum != sha256.Sum256(stream[from:end]):
				t.Errorf("%+v: digest %d of %d is wrong", c, i, len(sums))
			}
		}
	}
	for _, c := range []universes{
		// rows of whole messages
		{"B3/S23", 1, 512, 7, 1, 1, 128, 100},
		{"B3/S23", 2, 1024, 6, 1, 1, 512, 2},
		{"B3/S23", 4, 1536, 9, 1, 1, 320, 3},
		{"345/2/7", 2, 512, 12, 1, 3, 256, 100},
		{"345/2/7", 2, 512, 13, 2, 3, 256, 2}, // seams of planes and bands within pieces
		{"B3/S23", 2, 1024, 45, 3, 1, 384, 1},
		{"345/2/7", 1, 512, 30, 2, 3, 64, 7},
		// others
		{"B3/S23", 1, 1, 300, 1, 1, 64, 2},
		{"B3/S23", 2, 8, 200, 3, 1, 64, 100},
		{"B3/S23", 4, 9, 200, 1, 1, 128, 1},
		{"B3/S23", 2, 511, 40, 1, 1, 64, 5},
		{"B3/S23", 1, 513, 40, 2, 1, 192, 3},
		{"B3/S23", 4, 1000, 33, 3, 1, 448, 2},
		{"B3/S23", 2, 3001, 5, 1, 1, 64, 4}, // a row of several pieces
		{"345/2/7", 2, 100, 31, 2, 3, 128, 2},
		{"345/2/7", 4, 77, 50, 4, 2, 64, 100},
		{"B3/S23", 2, 100, 3, 1, 1, 1 << 20, 2}, // nothing for a device
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) { check(t, c) })
	}
	rapid.Check(t, func(r *rapid.T) {
		c := universes{
			rule:  rapid.SampledFrom([]string{"B3/S23", "345/2/4"}).Draw(r, "rule"),
			words: rapid.SampledFrom([]int{1, 2, 4}).Draw(r, "words"),
			w:     rapid.IntRange(1, 700).Draw(r, "width"), bands: rapid.IntRange(1, 3).Draw(r, "bands"),
			bytes: 64 * rapid.IntRange(1, 5).Draw(r, "bytes"),
			most:  rapid.IntRange(1, 40).Draw(r, "most"),
		}
		c.h, c.planes = rapid.IntRange(c.bands, 40).Draw(r, "height"), 1
		if c.rule != "B3/S23" {
			c.planes = 2
		}
		check(t, c)
	})
}

// hashed is a universe that is hashed where it is, as an engine is.
type hashed struct {
	cellsOf
	computed int // pieces
}

func (h *hashed) PieceSums(ctx context.Context, planes, bytes int) (sums []*grid.Digest, err error) {
	err = h.Do(func() error {
		sums, err = h.digests(ctx, planes, bytes, 2)
		return err
	})
	for _, sum := range sums {
		if sum != nil {
			h.computed++
		}
	}
	return sums, err
}

// The hash of a universe is that of its cells in the memory of the host, with pieces on both sides of a seam,
// one across it, and a last one that is short.
func TestHashAcrossBands(t *testing.T) {
	const w, h = 10007, 3600
	u, g := universe(t, &gputest.Driver{}, "B3/S23", 2, w, h, 2)
	src := &hashed{cellsOf: cellsOf{u}}
	got, err := grid.StateHash(t.Context(), src, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := grid.StateHash(t.Context(), g, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	if got != want || src.computed != 3 {
		t.Errorf("%x, want %x; %d pieces were hashed where they are, want 3", got, want, src.computed)
	}
}

// The host hashes what devices would not hash faster, have no memory for, or do not have.
func TestHashedByHost(t *testing.T) {
	for _, c := range []struct {
		w, h, planes int
		free         uint64
		want         bool // on the device
	}{
		{1000, 80, 1, 0, true}, // 156 pieces of 64 bytes
		{1000, 40, 1, 0, false},
		{1000, 80, 1, 2 * 156 * 64, true},
		{1000, 80, 1, 2*128*64 - 1, false}, // 127 pieces fit in half of the memory
		{1024, 80, 1, 6000, true},          // rows of whole messages need none
		{1000, 80, 2, 0, false},
	} {
		driver := &gputest.Driver{}
		u, _ := universe(t, driver, "B3/S23", 2, c.w, c.h, 1)
		if c.free > 0 {
			driver.Limit = driver.Used + c.free
		}
		var sums []*grid.Digest
		err := u.Do(func() (err error) {
			sums, err = u.Digests(t.Context(), c.planes, 64)
			return err
		})
		if err != nil || (sums != nil) != c.want {
			t.Errorf("%+v: %d digests, %v", c, len(sums), err)
		}
	}
}

// If any call of the driver fails, the digests are right or there is an error, and no memory is kept.
func TestDigestFaults(t *testing.T) {
	driver := &gputest.Driver{}
	u, g := universe(t, driver, "B3/S23", 2, 1000, 300, 2)
	stream, used := packed(g, 1000, 300, 1), driver.Used
	for n := 1; ; n++ {
		var sums []*grid.Digest
		driver.FailAt = driver.Calls + n
		err := u.Do(func() (err error) {
			sums, err = u.Digests(t.Context(), 1, 64)
			return err
		})
		failed := driver.Calls >= driver.FailAt
		driver.FailAt = 0
		for i, sum := range sums {
			if sum != nil && *sum != sha256.Sum256(stream[64*i:64*i+64]) {
				t.Errorf("call %d: digest %d is wrong", n, i)
			}
		}
		if driver.Used != used {
			t.Fatalf("call %d: %d bytes are kept", n, driver.Used-used)
		}
		if !failed {
			if err != nil || sums == nil || n < 20 {
				t.Errorf("%d calls: %v", n, err)
			}
			return
		}
	}
}

// Hashing ends with its context, and keeps no memory.
func TestDigestsInterrupted(t *testing.T) {
	driver := &gputest.Driver{}
	u, _ := universe(t, driver, "B3/S23", 2, 1000, 300, 2)
	ctx, cancel := context.WithCancel(t.Context())
	used, launches := driver.Used, 0
	driver.Before = func(function string) {
		if function == "cuLaunchKernel" {
			if launches++; launches == 4 { // two kernels on each device
				cancel()
			}
		}
	}
	err := u.Do(func() error {
		_, err := u.digests(ctx, 1, 64, 10)
		return err
	})
	if !errors.Is(err, context.Canceled) || launches != 4 || driver.Used != used {
		t.Errorf("%v after %d launches, %d bytes are kept", err, launches, driver.Used-used)
	}
}

// The kernels that are compiled ahead are those that hash, or that copy rows to the host.
func TestDigestTools(t *testing.T) {
	for _, c := range []struct {
		w, h, devices int
		want          []cells.Tool
	}{
		{16384, 16384, 1, []cells.Tool{cells.Unpack}},
		{65536, 65536, 1, []cells.Tool{cells.Digests}},
		{65536, 65537, 1, []cells.Tool{cells.Digests, cells.Unpack}},
		{65536, 65536, 8, []cells.Tool{cells.Unpack}},
		{1000000, 1000000, 2, []cells.Tool{cells.Join, cells.JoinDigests, cells.Unpack}},
	} {
		if got := DigestTools(topology.Topology{Kind: topology.Torus, W: c.w, H: c.h},
			c.devices); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d×%d on %d: %v, want %v", c.w, c.h, c.devices, got, c.want)
		}
	}
}
