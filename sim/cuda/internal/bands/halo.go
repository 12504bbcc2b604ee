package bands

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// fillHalo fills the cells up to reach beyond the edges, where kernels do not find them themselves. It fills the
// halos beside a band, and those beside some rows above and below the band. Beyond the edges of a plane cells are
// dead, and no kernel writes them. The passes of a volume find rows beyond the edges themselves, and layers unless one
// buffer holds both copies.
func (b *band) fillHalo(reach, around int) error {
	if !b.fills() {
		if b.Shift > 0 {
			return b.clearAround(reach)
		}
		return nil
	}
	return b.copyHalos(b.copies[b.current]+b.Origin(), b.Planes, reach, around)
}

// copyHalos is fillHalo for planes of bits that lie as the cells do, group 0 of row 0 at origin.
func (b *band) copyHalos(origin uint64, planes, reach, around int) error {
	if !b.wrapCols {
		if b.divided {
			around += reach * b.deep // the rows that the pass reads
		}
		first := origin - uint64(around)*uint64(b.Stride)
		rows := b.H + 2*around
		beside := halo{
			target: first, source: first, sourcePlane: b.PlaneBytes(), planes: planes, rows: rows, height: rows,
			reach: reach,
		}
		if err := b.copyHalo(beside); err != nil {
			return err
		}
	}
	if b.wrapRows || b.divided {
		return nil
	}
	above := halo{
		target: origin, source: origin, sourcePlane: b.PlaneBytes(), planes: planes,
		firstRow: -reach * b.deep, rows: reach * b.deep, height: b.H, reach: reach, whole: true,
	}
	if err := b.copyHalo(above); err != nil {
		return err
	}
	below := above
	below.firstRow = b.H
	return b.copyHalo(below)
}

// fills reports whether some cells beyond the edges are copied before each pass.
func (b *band) fills() bool { return fills(b.t, b.plan, b.height()) }

// fills does the same for a band of the given number of rows.
func fills(t topology.Topology, p plan.Plan, rows int) bool {
	wraps := p.WrapsRows(t, rows) || rows < t.H && plan.WrapsRows(t)
	return t.Kind != topology.Plane && !(plan.WrapsColumns(t, p.Words) && wraps)
}

// halo is cells beyond the edges that are copies of others.
type halo struct {
	target, source uint64 // where group 0 of row 0 begins, of the cells to make and of those to copy
	sourcePlane    uint64 // bytes from a plane of the source to the next
	planes         int
	firstRow, rows int  // to be made
	height         int  // rows of the universe whose edges they are
	reach          int  // columns beyond the edges
	whole          bool // whole rows are made; else the cells beside them
}

// copyHalo launches the kernel that copies cells beyond the edges.
func (b *band) copyHalo(h halo) error {
	left, rightFrom, right := b.Before*b.Words, (b.Groups-1)*b.Words, (b.After+1)*b.Words
	if h.whole {
		rightFrom, right = 0, (b.Groups+b.After)*b.Words
	}
	threads := h.rows * (left + right)
	if threads == 0 {
		return nil
	}
	word := func(v int) uint64 { return uint64(uint32(int32(v))) }
	return b.run(cells.Halo, (threads+ptx.Lanes-1)/ptx.Lanes, h.planes, []uint64{
		h.target, h.source, b.PlaneBytes(), h.sourcePlane, word(b.Stride),
		word(h.firstRow), word(h.rows), word(left), word(rightFrom), word(left + right),
		word(b.W), word(h.height), word(b.t.Shift), word(h.reach),
	})
}
