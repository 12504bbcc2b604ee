package tiles

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

// seam joins the edges of a torus that is not made of whole tiles. The cells lie at 0 ≤ x < w, 0 ≤ y < h.
// Around them is a halo of copies, as deep as a pass reaches, which is filled again after every pass. Blocks
// that hold only copies are never computed. Of blocks that hold both, only the cells count.
//
//	        0                    w
//	  ┌─────┬───────────────────┬─────┐
//	  │ SE  │       south       │ SW  │  depth rows: copies of the last ones
//	0 ├─────┼───────────────────┼─────┤
//	  │east │       cells       │west │
//	h ├─────┼───────────────────┼─────┤
//	  │ NE  │       north       │ NW  │  copies of the first ones
//	  └─────┴───────────────────┴─────┘
type seam struct {
	tiles       *tiles
	w, h, depth int
}

// cells is the rectangle of the universe's cells.
func (s *seam) cells() grid.Rect { return grid.Rect{W: s.w, H: s.h} }

// owns reports whether a block, counted in blocks from cell (0, 0), has cells of the universe.
func (s *seam) owns(bx, by int) bool {
	core := s.tiles.core
	return 0 <= bx && bx*core < s.w && 0 <= by && by*core < s.h
}

// part is the number of rows of a tile that are the universe's, from the first on, and which columns of its w-th words.
func (s *seam) part(t *tile, w int) (rows int, mask uint64) {
	ts := s.tiles
	columns := s.w - (t.at.X<<ts.shift + 64*w)
	if t.at.X < 0 || t.at.Y < 0 || columns <= 0 {
		return 0, 0
	}
	mask = ^uint64(0)
	if columns < 64 {
		mask = 1<<columns - 1
	}
	return max(0, min(ts.side, s.h-t.at.Y<<ts.shift)), mask
}

// refresh fills the halo. For each block in which a copy changed it appends a job that touches everything around it.
func (s *seam) refresh(jobs []job) []job {
	// The left and right sides come first. The rows above and below are then copied over the whole width, so the
	// corners are copies of copies.
	jobs = s.copy(jobs, grid.Rect{X: -s.depth, W: s.depth, H: s.h}, s.w, 0)
	jobs = s.copy(jobs, grid.Rect{X: s.w, W: s.depth, H: s.h}, -s.w, 0)
	wide := grid.Rect{X: -s.depth, W: s.w + 2*s.depth, H: s.depth}
	wide.Y = -s.depth
	jobs = s.copy(jobs, wide, 0, s.h)
	wide.Y = s.h
	return s.copy(jobs, wide, 0, -s.h)
}

// copy copies into an area the cells that are dx columns and dy rows away.
func (s *seam) copy(jobs []job, area grid.Rect, dx, dy int) []job {
	ts := s.tiles
	for x := area.X &^ 63; x < area.X+area.W; x += 64 {
		mask := ^uint64(0) << max(0, area.X-x)
		if end := area.X + area.W - x; end < 64 {
			mask &= 1<<end - 1
		}
		for y := area.Y; y < area.Y+area.H; {
			// Up to the end of the block and of the tiles.
			n := min(area.Y+area.H-y, ts.core-y&(ts.core-1), ts.side-(y+dy)&(ts.side-1))
			jobs = s.copyWords(jobs, x, y, n, mask, dx, dy)
			y += n
		}
	}
	return jobs
}

// copyWords is copy for n rows of one block, from y on, and for the columns of a mask, from x on. x is a
// multiple of 64.
func (s *seam) copyWords(jobs []job, x, y, n int, mask uint64, dx, dy int) []job {
	ts := s.tiles
	at := grid.TileAt{X: x >> ts.shift, Y: y >> ts.shift}
	column := func(plane, x, y int) []uint64 {
		t := ts.stored(grid.TileAt{X: x >> ts.shift, Y: y >> ts.shift})
		return ts.column(ts.words(t), plane, x&(ts.side-1)>>6)[y&(ts.side-1):][:n]
	}
	shift := dx & 63
	var changed uint64
	for k := range ts.planes {
		low, high := column(k, x+dx-shift, y+dy), column(k, x+dx-shift+64, y+dy)
		into := column(k, x, y)
		for i, old := range into {
			// If shift is 0, the word on the right adds nothing: Go shifts by 64 to zeros.
			diff := (low[i]>>shift | high[i]<<(64-shift) ^ old) & mask
			if diff == 0 {
				continue
			}
			if ts.stored(at) == nil {
				ts.at(at)
				into = column(k, x, y)
			}
			into[i] ^= diff
			changed |= diff
		}
	}
	side := min(64, ts.core) // columns of the word that lie in one block
	for c := 0; c < 64; c += side {
		if changed<<(64-side-c)>>(64-side) != 0 {
			jobs = append(jobs, job{
				tile: ts.stored(at), bx: (x&(ts.side-1) + c) / ts.core, by: y & (ts.side - 1) / ts.core, touch: 1<<9 - 1,
			})
		}
	}
	return jobs
}

// trim drops the changes in a block that do not belong to cells of the universe.
func (s *seam) trim(b *batch, j *job, reach int) {
	ts := s.tiles
	columns := s.w - (j.tile.at.X<<ts.shift + j.bx*ts.core)
	rows := s.h - (j.tile.at.Y<<ts.shift + j.by*ts.core)
	if columns >= ts.core && rows >= ts.core || j.touch == 0 {
		return
	}
	j.touch = 0
	first := ts.core / 2 // the block's first column in its words
	for k := range ts.planes {
		for y := range ts.core {
			for i := range b.columns {
				v := &j.changed[((k*ts.core+y)*b.columns+i)*b.lanes]
				switch left := columns + first - 64*i; {
				case y >= rows || left <= 0:
					*v = 0
				case left < 64:
					*v &= 1<<left - 1
				}
				for w := *v; w != 0; w &= w - 1 {
					if x := 64*i + bits.TrailingZeros64(w) - first; 0 <= x && x < ts.core {
						j.touched(x, y, ts.core, reach)
					}
				}
			}
		}
	}
}
