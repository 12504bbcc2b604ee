package plan

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/topology"
)

// WrapsColumns reports whether the columns beyond the left and right edge are those of the same row from the
// other edge, and rows are whole groups. Then a kernel can find them without a halo.
func WrapsColumns(t topology.Topology, words int) bool {
	return t.Kind == topology.Torus && t.Axis != topology.Vertical && t.W%(32*words) == 0
}

// WrapsRows reports whether kernels find the rows beyond the top and bottom of the given rows at the other end.
func (p Plan) WrapsRows(t topology.Topology, rows int) bool {
	return WrapsRows(t) && rows == t.H && p.Chunk == 0
}

// Height is the number of rows that strips go down: of a volume, the layers.
func Height(t topology.Topology) int { return t.H / Deep(t) }

// Deep is the number of rows of the cells that are one row for strips: of a volume, the rows of a layer.
func Deep(t topology.Topology) int {
	if t.Volume() {
		return t.LayerRows()
	}
	return 1
}

// Layout is the layout of the given number of rows of a universe, or of all volumes of a batch, one after the other.
func (p Plan) Layout(f *warpprog.Program, t topology.Topology, rows int) cells.Layout {
	if p.Patches {
		return cells.New(t.W, rows, f.Planes, p.Words, 0, 0, 0)
	}
	var groups, above int
	below := wavefront.Prefetched
	if !WrapsColumns(t, p.Words) {
		groups = wavefront.Plan{Depth: p.Depth, Words: p.Words}.Halo(f)
	}
	switch {
	case t.Volume() && rows >= t.H && p.Chunk == 0: // kernels find the layers beyond the first and the last
	case t.Volume(): // layers that are loaded beyond these are not used
		above = p.Depth * f.Radius * Deep(t)
		if rows < t.H {
			above *= p.Exchanged(f, t, rows/Deep(t))
		}
		below += above
	case !p.WrapsRows(t, rows):
		more := 0
		if rows < t.H {
			more = (p.Exchanged(f, t, rows) - 1) * p.Depth * f.Radius
		}
		above = p.Depth*f.Radius + more
		below += p.OfStrips(t).LastIteration(f, p.Depth-1) + 1 + 2*p.Unroll + more // a strip loads some rows ahead
	}
	l := cells.New(t.W, rows, f.Planes, p.Words, groups, above, below)
	if t.Volume() {
		l.Pack()
	}
	if p.Chunk > 0 {
		l.Shift = p.Chunk*Deep(t) + above + below
	}
	return l
}

// WrapsRows reports whether the rows beyond the top and bottom are whole rows of the universe, without a shift.
func WrapsRows(t topology.Topology) bool {
	return t.Kind == topology.Torus && t.Axis != topology.Horizontal
}

const (
	spareBytes   = 1 << 30 // of the device's memory, for everything but the universe
	leastChunk   = 256     // rows; shorter ones would mostly warm up
	largestChunk = 32768   // rows

	leastLayers   = 8 // layers of a chunk of a volume; each chunk warms up for the layers around it
	largestLayers = 512
)

// ChunkRows is the number of rows of a chunk, or of layers of a volume's, for a plan on a device with the given free
// bytes. It is 0 if two copies fit, or if not even one does.
func (p Plan) ChunkRows(f *warpprog.Program, t topology.Topology, free uint64) int {
	two := p.Layout(f, t, t.H)
	if 2*two.Bytes()+spareBytes <= free {
		return 0
	}
	least, most := leastChunk, largestChunk
	if t.Volume() {
		least, most = leastLayers*f.Radius, largestLayers
	}
	p.Chunk = least
	one := p.Layout(f, t, t.H)
	if one.Bytes()+spareBytes > free {
		return 0
	}
	spare := (free - spareBytes - one.Bytes()) / uint64(one.Planes) / uint64(one.Stride) / uint64(Deep(t))
	return least + int(min(spare, uint64(most-least)))
}
