package census

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/blocks"
)

// herd advances many worlds together: the tiles of all of them that must be computed go through the lanes of the vectors side by side.
type herd struct {
	blocks  *blocks.Words
	vectors bool // eight tiles can be copied at once
	// By lane, as many as are taken:
	tiles  []*tile
	worlds []*world
	now    []uintptr // where the rows that are now begin in the tiles
	spare  tile      // stands in lanes that are not
	found  found     // scratch for eight tiles
}

// found tells for each direction in which of eight tiles, as bits, something within reach of the neighbour there has changed or lives: a byte
// for each of the first eight directions, and the last one.
type found struct{ changed, changedLast, live, liveLast uint64 }

func newHerd(r rule.Rule) (*herd, error) {
	blocks, err := blocks.NewWords(r, tileHeight, reach)
	if err != nil {
		return nil, err
	}
	_, stride := blocks.Input()
	lanes := blocks.Lanes()
	return &herd{
		blocks: blocks, vectors: vectors && lanes == 8 && stride == 8 && blocks.Margin() == reach,
		tiles: make([]*tile, 0, lanes), worlds: make([]*world, 0, lanes), now: make([]uintptr, 0, lanes), spare: tile{near: lonely},
	}, nil
}

// pass advances worlds by n generations, at most reach. The tiles that are awake must be right for passes of this length: see wakeAll.
func (h *herd) pass(worlds []*world, n int) {
	for _, w := range worlds {
		w.computed, w.awake = w.awake, w.computed[:0]
		w.passes++
		w.generation += n
		now := firstSide + uintptr(w.side)*(secondSide-firstSide)
		for _, t := range w.computed {
			h.tiles, h.worlds, h.now = append(h.tiles, t), append(h.worlds, w), append(h.now, now)
			if len(h.tiles) == cap(h.tiles) {
				h.compute(n)
			}
		}
	}
	if len(h.tiles) > 0 {
		h.compute(n)
	}
	for _, w := range worlds {
		w.side ^= 1
	}
}

// compute advances the tiles in the lanes, and wakes what may change next.
func (h *herd) compute(n int) {
	if h.vectors {
		h.eight(n)
	} else {
		h.eachLane(n)
	}
	h.tiles, h.worlds, h.now = h.tiles[:0], h.worlds[:0], h.now[:0]
}

// eachLane computes tile by tile.
func (h *herd) eachLane(n int) {
	in, stride := h.blocks.Input()
	for lane, t := range h.tiles {
		t.gather(in[lane:], stride, h.worlds[lane].side)
	}
	out, stride := h.blocks.Advance(n)
	for lane, t := range h.tiles {
		w := h.worlds[lane]
		changed, live := t.scatter(out[lane:], stride, w.side)
		w.stir(t, changed.directions(), live.directions())
	}
}

// eight computes up to eight tiles with vectors.
func (h *herd) eight(n int) {
	tiles, now := (*[8]*tile)(h.tiles[:8]), (*[8]uintptr)(h.now[:8])
	for lane := len(h.tiles); lane < 8; lane++ {
		tiles[lane], now[lane] = &h.spare, firstSide
	}
	in, stride := h.blocks.Input()
	gather8(&in[0], tiles, now)
	out, _ := h.blocks.Advance(n)
	f := &h.found
	scatter8(tiles, now, &out[0], &in[reach*stride], f)
	changed, live := transposed8(f.changed), transposed8(f.live)
	for lane, t := range h.tiles {
		h.worlds[lane].stir(t, uint(changed>>(8*lane)&0xFF|f.changedLast>>lane&1<<8), uint(live>>(8*lane)&0xFF|f.liveLast>>lane&1<<8))
	}
}

// transposed8 turns eight bytes with a bit for each of eight lanes into eight bytes, one for each lane (Hacker's Delight, section 7-3).
func transposed8(v uint64) uint64 {
	t := (v ^ v>>7) & 0x00AA00AA00AA00AA
	v ^= t ^ t<<7
	t = (v ^ v>>14) & 0x0000CCCC0000CCCC
	v ^= t ^ t<<14
	t = (v ^ v>>28) & 0x00000000F0F0F0F0
	return v ^ t ^ t<<28
}
