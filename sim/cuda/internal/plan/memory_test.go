package plan

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Two copies where they fit, else one buffer with as long chunks as fit, up to a limit.
func TestChunk(t *testing.T) {
	const h200 = 139 << 30
	f := compile.Warp(mustParse(t, "B3/S23"), 2, false)
	p := Plan{Depth: 12, Words: 2, Unroll: 3, Stages: 1, Rows: 280}
	for _, c := range []struct {
		suffix      string
		free        uint64
		least, most int
	}{
		{"T65536,65536", h200, 0, 0},
		{"T524288,1048576", h200, 0, 0},
		{"T1048576,1048576", h200, largestChunk, largestChunk},
		{"T1048576,1048576", 131 << 30, leastChunk, largestChunk - 1},
		{"T1048576,1048576", 128 << 30, 0, 0}, // not even one copy
		{"P1048576,1048576", h200, largestChunk, largestChunk},
	} {
		top, err := topology.Parse(c.suffix)
		if err != nil {
			t.Fatal(err)
		}
		p := p
		p.Chunk = p.ChunkRows(f, top, c.free)
		if p.Chunk < c.least || p.Chunk > c.most {
			t.Errorf("%s: chunks of %d rows, want %d to %d", c.suffix, p.Chunk, c.least, c.most)
		}
		if l := p.Layout(f, top, top.H); p.Chunk > 0 && l.Bytes() > c.free {
			t.Errorf("%s: %d bytes of %d", c.suffix, l.Bytes(), c.free)
		}
	}
	if p, err := Parse(p.String() + ",chunk=77"); p.Chunk != 77 || err != nil {
		t.Errorf("got %+v, %v", p, err)
	}
}

// The same for layers of a volume.
func TestChunkOfLayers(t *testing.T) {
	f := compile.Warp(mustParse(t, "3D4,5/5"), 4, false)
	p := Plan{Depth: 1, Words: 4, Unroll: 3, Stages: 1, Rows: 280}
	top, err := topology.NewVolume(topology.Torus, 8192, 8192, 8192) // of 64 GiB
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		free        uint64
		least, most int
	}{
		{139 << 30, 0, 0},
		{78 << 30, largestLayers, largestLayers},
		{66 << 30, leastLayers, largestLayers - 1},
		{64 << 30, 0, 0}, // not even one copy
	} {
		p.Chunk = 0
		p.Chunk = p.ChunkRows(f, top, c.free)
		if p.Chunk < c.least || p.Chunk > c.most {
			t.Errorf("%d bytes: chunks of %d layers, want %d to %d", c.free, p.Chunk, c.least, c.most)
		}
		if l := p.Layout(f, top, top.H); p.Chunk > 0 && l.Bytes() > c.free {
			t.Errorf("%d bytes of %d", l.Bytes(), c.free)
		}
	}
}

func mustParse(t *testing.T, notation string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
