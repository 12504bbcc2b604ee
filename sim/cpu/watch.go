package cpu

import (
	"context"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/internal/bands"
	"github.com/gosper-life/gosper/sim/cpu/internal/tiles"
)

// watch records the changes of a universe in bands during as many generations as a pass of tiles takes.
type watch struct {
	depth   int      // the generations
	touches []uint16 // by block of 32×32 cells, row by row: how it changed, as tiles.Engine.Continue takes it
	across  int      // blocks of a row
	share   float64  // the blocks that a further pass would compute, as a share of all
	sample  bool     // only some of the blocks are known
}

const (
	// Passes of 6 generations, a multiple of 2, 3 and 6, leave the most common oscillators of most rules alone.
	// Some rules have many of period 4.
	usualDepth = 6
	otherDepth = 4
	// mostCompared is the number of bytes of cells that are compared. Of larger universes it is a sample.
	mostCompared = 16 << 20
)

// watch advances the bands by the generations of a look and compares them. It says that passes should have
// otherDepth generations if these would compute less than half as many blocks as usualDepth.
func (a *adaptive) watch(ctx context.Context) (w watch, done uint64, err error) {
	if a.before == nil {
		a.before, a.later = a.NewSnapshot(mostCompared), a.NewSnapshot(mostCompared)
	}
	both := a.depth == usualDepth
	a.before.Take()
	if both {
		if done, err = a.Engine.Step(ctx, usualDepth-otherDepth); err != nil {
			return w, done, err
		}
		a.later.Take()
	}
	k, err := a.Engine.Step(ctx, uint64(a.depth)-done)
	if done += k; err != nil {
		return w, done, err
	}
	w = a.compare(a.before, a.depth)
	if both && w.share > 0 {
		if other := a.compare(a.later, otherDepth); other.share < w.share/2 {
			w = other
		}
	}
	return w, done, nil
}

// compare finds the blocks that changed in the generations since a snapshot. It stops when they are too many.
func (a *adaptive) compare(since *bands.Snapshot, depth int) watch {
	area, reach := a.Bounds(), depth*a.radius
	words, down := (area.W+63)/64, (area.H+31)/32
	w := watch{depth: depth, touches: make([]uint16, down*2*words), across: 2 * words, sample: since.Every > 1}
	left := uint32(math.MaxUint32) >> (32 - reach)
	right := left << (32 - reach)
	columns, changed := make([]uint64, words), 0
	since.Compare()
	for by := range down {
		for _, part := range []struct {
			from, to int
			rows     uint16
		}{{0, reach, 0b000_111_111}, {reach, 32 - reach, 0b000_111_000}, {32 - reach, 32, 0b111_111_000}} {
			since.Changed(columns, min(32*by+part.from, area.H), min(32*by+part.to, area.H))
			for i, v := range columns {
				for half, v := range [2]uint32{uint32(v), uint32(v >> 32)} {
					if v == 0 {
						continue
					}
					touch := uint16(0b010_010_010)
					if v&left != 0 {
						touch |= 0b001_001_001
					}
					if v&right != 0 {
						touch |= 0b100_100_100
					}
					w.touches[by*w.across+2*i+half] |= touch & part.rows
				}
			}
		}
		for _, touch := range w.touches[by*w.across : (by+1)*w.across] {
			if touch != 0 {
				changed++
			}
		}
		if since.Every*changed > int(quiet*a.even*float64(len(w.touches))) {
			w.share = 1 // at least too much
			return w
		}
	}
	w.share = min(1, float64(since.Every*w.woken())/float64(len(w.touches)))
	return w
}

// woken is the number of blocks that changes touch.
func (w *watch) woken() int {
	down := len(w.touches) / w.across
	awake, n := make([]bool, len(w.touches)), 0
	for i, touch := range w.touches {
		for ; touch != 0; touch &= touch - 1 {
			d := bits.TrailingZeros16(touch)
			x, y := (i%w.across+d%3-1+w.across)%w.across, (i/w.across+d/3-1+down)%down
			if at := y*w.across + x; !awake[at] {
				awake[at] = true
				n++
			}
		}
	}
	return n
}

// hand copies the cells to tiles, with the known changes.
func (a *adaptive) hand(t *tiles.Engine, w watch) error {
	if err := grid.Copy(t, a.Engine, a.Bounds(), 0, 0); err != nil {
		return err
	}
	t.SetGeneration(a.Generation())
	if !w.sample {
		t.Continue(w.touches, w.across)
	}
	return nil
}
