package bands

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Digests that devices compute are those of the packed rows, whatever the words of a lane, the planes, the devices and the digests of a launch. The last one
// may be of fewer bytes.
func TestDigests(t *testing.T) {
	for _, c := range []struct {
		rule                                    string
		words, w, h, bands, planes, bytes, most int
	}{
		{"B3/S23", 1, 512, 7, 1, 1, 128, 100},
		{"B3/S23", 2, 1024, 6, 1, 1, 512, 2},
		{"B3/S23", 4, 1536, 9, 1, 1, 320, 3},
		{"345/2/7", 2, 512, 12, 1, 3, 256, 100},
		{"B3/S23", 2, 1024, 45, 3, 1, 384, 1},
		{"345/2/7", 1, 512, 30, 2, 3, 64, 7},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r, err := rule.Parse(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			devs, err := (&gputest.Driver{}).Open(c.bands)
			if err != nil {
				t.Fatal(err)
			}
			f := compile.Warp(r, c.words, false)
			p := plan.Plan{Depth: 1, Words: c.words, Unroll: 1, Stages: 1, Rows: 50}
			defer gpu.CloseAll(devs)
			u, err := New(devs, f, topology.Topology{Kind: topology.Torus, W: c.w, H: c.h}, p)
			if err != nil {
				t.Fatal(err)
			}
			defer u.close()
			var packed []byte
			for plane := range c.planes {
				g, err := grid.New(c.w, c.h, 1)
				if err != nil {
					t.Fatal(err)
				}
				if err := soup.Fill(t.Context(), g, c.w, c.h, uint64(plane), 0.5, 1, nil); err != nil {
					t.Fatal(err)
				}
				for y := range c.h {
					row := g.Row(0, y)
					grid.InMemory(u.WriteRow(row, plane, 0, y, c.w))
					for _, word := range row {
						packed = binary.LittleEndian.AppendUint64(packed, word)
					}
				}
			}
			if err := u.Do(u.Flush); err != nil {
				t.Fatal(err)
			}
			if !u.digestible(c.planes, c.bytes) {
				t.Fatal("left to the host")
			}
			sums, err := u.digests(c.planes, c.bytes, c.most)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; len(packed) > 0; i++ {
				n := min(c.bytes, len(packed))
				if i >= len(sums) || sums[i] != sha256.Sum256(packed[:n]) {
					t.Fatalf("digest %d of %d is wrong", i, len(sums))
				}
				packed = packed[n:]
			}
		})
	}
}

// The host hashes what devices cannot divide.
func TestNotDigestible(t *testing.T) {
	r, err := rule.Parse("345/2/7")
	if err != nil {
		t.Fatal(err)
	}
	f := compile.Warp(r, 1, false)
	for _, c := range []struct {
		w, h, bands, planes, bytes int
	}{
		{544, 16, 1, 1, 64},  // rows of no whole messages
		{512, 15, 1, 2, 128}, // a digest of two planes
		{512, 30, 2, 1, 128}, // of two bands
		{512, 16, 1, 4, 64},  // more planes than there are
	} {
		devs, err := (&gputest.Driver{}).Open(c.bands)
		if err != nil {
			t.Fatal(err)
		}
		defer gpu.CloseAll(devs)
		u, err := New(devs, f, topology.Topology{Kind: topology.Torus, W: c.w, H: c.h}, plan.Plan{Depth: 1, Words: 1, Unroll: 1, Stages: 1, Rows: 50})
		if err != nil {
			t.Fatal(err)
		}
		if u.digestible(c.planes, c.bytes) {
			t.Errorf("%+v", c)
		}
		u.close()
	}
}
