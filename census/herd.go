package census

import (
	"encoding/binary"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/blocks"
)

// herd advances many worlds together: the tiles of all of them that must be computed go through the lanes of the vectors side by side.
type herd struct {
	blocks        *blocks.Words
	jobs          []job
	vectors       bool // eight tiles can be copied at once
	spare         tile // stands in lanes without a job
	tiles         [8]*tile
	now           [8]uintptr // where the rows that are now begin in the tiles
	changed, live [9]uint8   // scratch for eight tiles, by direction
}

// job is a tile being computed.
type job struct {
	world   *world
	tile    *tile
	changed bool
}

func newHerd(r rule.Rule) (*herd, error) {
	blocks, err := blocks.NewWords(r, tileHeight, reach)
	if err != nil {
		return nil, err
	}
	_, stride := blocks.Input()
	return &herd{blocks: blocks, spare: tile{near: lonely}, vectors: vectors && blocks.Lanes() == 8 && stride == 8 && blocks.Margin() == reach}, nil
}

// pass advances worlds by n generations, at most reach. The tiles that are awake must be right for passes of this length: see wakeAll.
func (h *herd) pass(worlds []*world, n int) {
	h.jobs = h.jobs[:0]
	for _, w := range worlds {
		for _, t := range w.awake {
			h.jobs = append(h.jobs, job{world: w, tile: t})
		}
		w.awake = w.awake[:0]
		w.passes++
		w.generation += n
	}
	lanes := h.blocks.Lanes()
	for rest := h.jobs; len(rest) > 0; rest = rest[min(lanes, len(rest)):] {
		if part := rest[:min(lanes, len(rest))]; h.vectors {
			h.eight(part, n)
		} else {
			h.eachLane(part, n)
		}
	}
	for _, w := range worlds {
		w.side ^= 1
	}
}

// eachLane does jobs, as many as there are lanes, tile by tile.
func (h *herd) eachLane(jobs []job, n int) {
	in, stride := h.blocks.Input()
	for lane, j := range jobs {
		j.tile.gather(in[lane:], stride, j.world.side)
	}
	out, stride := h.blocks.Advance(n)
	for lane := range jobs {
		j := &jobs[lane]
		changed, live := j.tile.scatter(out[lane:], stride, j.world.side)
		j.done(changed.directions(), live.directions())
	}
}

// done tells what a job has come to: directions in which neighbours are within reach of what has changed, and of what lives.
func (j *job) done(changed, live uint) {
	if changed != 0 {
		j.changed = true
		j.tile.count = -1
		j.world.stir(j.tile, changed, live)
	}
}

// eight does up to eight jobs with vectors.
func (h *herd) eight(jobs []job, n int) {
	for lane, j := range jobs {
		h.tiles[lane], h.now[lane] = j.tile, firstSide+uintptr(j.world.side)*(secondSide-firstSide)
	}
	for lane := len(jobs); lane < len(h.tiles); lane++ {
		h.tiles[lane], h.now[lane] = &h.spare, firstSide
	}
	in, stride := h.blocks.Input()
	gather8(&in[0], &h.tiles, &h.now)
	out, _ := h.blocks.Advance(n)
	scatter8(&h.tiles, &h.now, &out[0], &in[reach*stride], &h.changed, &h.live)
	changed, live := transposed8(h.changed), transposed8(h.live)
	for lane := range jobs {
		jobs[lane].done(uint(changed&0xFF)|uint(h.changed[8]>>lane&1)<<8, uint(live&0xFF)|uint(h.live[8]>>lane&1)<<8)
		changed, live = changed>>8, live>>8
	}
}

// transposed8 turns the first eight of some bytes, with a bit for each of eight lanes, into eight bytes, one for each lane (Hacker's
// Delight, section 7-3).
func transposed8(lanes [9]uint8) uint64 {
	v := binary.LittleEndian.Uint64(lanes[:])
	for _, step := range [...]struct {
		shift int
		mask  uint64
	}{{7, 0x00AA00AA00AA00AA}, {14, 0x0000CCCC0000CCCC}, {28, 0x00000000F0F0F0F0}} {
		t := (v ^ v>>step.shift) & step.mask
		v ^= t ^ t<<step.shift
	}
	return v
}
