package census

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu"
)

// herd advances many worlds together: the tiles of all of them that must be computed go through the lanes of the vectors side by side.
type herd struct {
	blocks  *cpu.Blocks
	jobs    []job
	vectors bool // eight tiles can be copied at once
	// Scratch for eight tiles.
	near          [9][8]*rows
	next          [8]*rows
	changed, live [3][8]uint64
	unused        rows
}

// job is a tile being computed.
type job struct {
	world         *world
	tile          *tile
	changed, live uint // directions in which neighbours are within reach of what has changed, and of what lives
}

func newHerd(r rule.Rule) (*herd, error) {
	blocks, err := cpu.NewBlocks(r, tileHeight, reach)
	if err != nil {
		return nil, err
	}
	_, stride := blocks.Input()
	return &herd{blocks: blocks, vectors: vectors && blocks.Lanes() == 8 && stride == 8 && blocks.Margin() == reach}, nil
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
	for first := 0; first < len(h.jobs); first += lanes {
		if part := h.jobs[first:min(first+lanes, len(h.jobs))]; h.vectors {
			h.eight(part, n)
		} else {
			h.eachLane(part, n)
		}
	}
	for i := range h.jobs {
		j := &h.jobs[i]
		if j.changed != 0 {
			j.tile.now ^= 1
			j.world.stir(j.tile, j.changed, j.live)
		}
	}
}

// eachLane does jobs, as many as there are lanes, tile by tile.
func (h *herd) eachLane(jobs []job, n int) {
	in, stride := h.blocks.Input()
	for lane := range jobs {
		jobs[lane].tile.gather(in[lane:], stride)
	}
	out, stride := h.blocks.Advance(n)
	for lane := range jobs {
		j := &jobs[lane]
		changed, live := j.tile.scatter(out[lane:], stride)
		j.changed, j.live = changed.directions(), live.directions()
	}
}

// eight does up to eight jobs with vectors.
func (h *herd) eight(jobs []job, n int) {
	for lane := range 8 {
		if lane >= len(jobs) {
			for d := range h.near {
				h.near[d][lane] = &dead
			}
			h.next[lane] = &h.unused
			continue
		}
		t := jobs[lane].tile
		for d := range h.near {
			h.near[d][lane] = t.beside(d)
		}
		h.next[lane] = &t.states[t.now^1]
	}
	in, stride := h.blocks.Input()
	gather8(&in[0], &h.near)
	out, _ := h.blocks.Advance(n)
	scatter8(&h.next, &out[0], &in[reach*stride], tileBits, &h.changed, &h.live)
	for lane := range jobs {
		changed := bands{h.changed[0][lane], h.changed[1][lane], h.changed[2][lane]}
		live := bands{h.live[0][lane], h.live[1][lane], h.live[2][lane]}
		jobs[lane].changed, jobs[lane].live = changed.directions(), live.directions()
	}
}
