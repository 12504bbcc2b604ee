package census

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu"
)

// herd advances many worlds together: the tiles of all of them that must be computed go through the lanes of the vectors side by side.
type herd struct {
	blocks *cpu.Blocks
	jobs   []job
}

// job is a tile being computed.
type job struct {
	world         *world
	tile          *tile
	changed, live bands
}

func newHerd(r rule.Rule) (*herd, error) {
	blocks, err := cpu.NewBlocks(r, tileHeight, reach)
	if err != nil {
		return nil, err
	}
	return &herd{blocks: blocks}, nil
}

// pass advances worlds by n generations, at most reach. The tiles that are awake must be right for passes of this length: see wakeAll.
func (h *herd) pass(worlds []*world, n int) {
	h.jobs = h.jobs[:0]
	for _, w := range worlds {
		w.generation += n
		for _, t := range w.awake {
			t.awake = false
			h.jobs = append(h.jobs, job{world: w, tile: t})
		}
		w.awake = w.awake[:0]
	}
	lanes := h.blocks.Lanes()
	in, stride := h.blocks.Input()
	for first := 0; first < len(h.jobs); first += lanes {
		part := h.jobs[first:min(first+lanes, len(h.jobs))]
		for lane := range part {
			part[lane].tile.gather(in[lane:], stride)
		}
		out, stride := h.blocks.Advance(n)
		for lane := range part {
			j := &part[lane]
			j.changed, j.live = j.tile.scatter(out[lane:], stride)
		}
	}
	for i := range h.jobs {
		j := &h.jobs[i]
		if j.changed == (bands{}) {
			continue
		}
		j.tile.now ^= 1
		j.world.stir(j.tile, j.changed.directions(), j.live.directions())
	}
}
