package bands

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// fillHalo fills the cells up to reach beyond the edges, where kernels do not find them themselves. Of a band it fills those beside it and beside
// some rows around it. Beyond the edges of a plane cells are dead, and no kernel writes them.
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
			around += reach // what the pass reads
		}
		first := origin - uint64(around)*uint64(b.Stride)
		if err := b.copyHalo(first, first, b.PlaneBytes(), planes, 0, b.H+2*around, b.H+2*around, reach, false); err != nil {
			return err
		}
	}
	if b.wrapRows || b.divided {
		return nil
	}
	if err := b.copyHalo(origin, origin, b.PlaneBytes(), planes, -reach, reach, b.H, reach, true); err != nil {
		return err
	}
	return b.copyHalo(origin, origin, b.PlaneBytes(), planes, b.H, reach, b.H, reach, true)
}

// fills reports whether some cells beyond the edges are copied before each pass.
func (b *band) fills() bool { return fills(b.t, b.plan, b.H) }

// fills is the same for a band of so many rows.
func fills(t topology.Topology, p plan.Plan, rows int) bool {
	wraps := p.WrapsRows(t, rows) || rows < t.H && plan.WrapsRows(t)
	return t.Kind != topology.Plane && !(plan.WrapsColumns(t, p.Words) && wraps)
}

// copyHalo launches the kernel for n rows of a universe of the given height, either for whole rows or for the cells beside them.
func (b *band) copyHalo(target, source, sourcePlane uint64, planes, firstRow, n, height, reach int, whole bool) error {
	left, rightFrom, right := b.Before*b.Words, (b.Groups-1)*b.Words, (b.After+1)*b.Words
	if whole {
		rightFrom, right = 0, (b.Groups+b.After)*b.Words
	}
	threads := n * (left + right)
	if threads == 0 {
		return nil
	}
	word := func(v int) uint64 { return uint64(uint32(int32(v))) }
	return b.run(cells.Halo, (threads+ptx.Lanes-1)/ptx.Lanes, planes, []uint64{
		target, source, b.PlaneBytes(), sourcePlane, word(b.Stride), word(firstRow), word(n), word(left), word(rightFrom), word(left + right),
		word(b.W), word(height), word(b.t.Shift), word(reach),
	})
}
