package component

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// volume finds the clusters of a volume. A run of live cells in a row is a node of the forest. First, runs that touch
// in neighbouring rows of the same layer or of the layer before are united. Then the seam joins those that touch over
// the edges of a torus.
type volume struct {
	seam
	c     Connectivity
	first []int32 // the first column of each run, row by row and layer by layer
	last  []int32
	rows  []int32 // the first run of each row, and the number of all runs
	cut   bool    // the last layer is not before the first, also on a torus
}

// perRun is the number of bytes that a volume takes for each run.
const perRun = 4 + 4 + 16 + 24

// labelVolume finds the clusters of cells in state 1 of a volume.
func (l *Labeller) labelVolume(src grid.Source, t topology.Topology, c Connectivity) (Clusters, error) {
	v := &l.volume
	if err := v.label(src, t, c); err != nil {
		return Clusters{}, err
	}
	found := Clusters{Span: v.span}
	v.count(&found.Sizes)
	if t.Kind == topology.Plane {
		found.Span = v.faceToFace()
	}
	return found, nil
}

// label finds runs and joins those that touch.
func (v *volume) label(src grid.Source, t topology.Topology, c Connectivity) error {
	if v.forest == nil {
		v.forest = new(forest)
	}
	v.t, v.c, v.group, v.span = t, c, groupOf(t), SpanNone
	if err := v.read(src); err != nil {
		return err
	}
	n := len(v.first)
	if err := grid.Fits(perRun * uint64(n)); err != nil {
		return fmt.Errorf("clusters of %s cells: %w", v.t.Size(), err)
	}
	v.nodes = slices.Grow(v.nodes[:0], n)
	for i := range n {
		v.nodes = append(v.nodes, node{int32(i), uint64(v.last[i] - v.first[i] + 1)})
	}
	for row := range v.t.H {
		v.unite(row)
	}
	v.from = slices.Grow(v.from[:0], n)[:n]
	clear(v.from)
	if v.t.Kind == topology.Torus {
		for i := range v.nodes {
			v.nodes[i].parent = v.forest.find(int32(i)) // the seam does not shorten paths
		}
		for row := range v.t.H {
			v.wrap(row)
		}
	}
	return nil
}

// read finds the runs of every row.
func (v *volume) read(src grid.Source) error {
	words := (v.t.W + 63) / 64
	cells, other := make([]uint64, words), make([]uint64, words)
	v.first, v.last, v.rows = v.first[:0], v.last[:0], v.rows[:0]
	for row := range v.t.H {
		if err := src.ReadRow(cells, 0, 0, row, v.t.W); err != nil {
			return err
		}
		for k := 1; k < src.Planes(); k++ { // of state 1 only
			if err := src.ReadRow(other, k, 0, row, v.t.W); err != nil {
				return err
			}
			for i, word := range other {
				cells[i] &^= word
			}
		}
		v.rows = append(v.rows, int32(len(v.first)))
		for x := nextBit(cells, 0, true, v.t.W); x < v.t.W; {
			end := nextBit(cells, x, false, v.t.W)
			v.first, v.last = append(v.first, int32(x)), append(v.last, int32(end-1))
			x = nextBit(cells, end, true, v.t.W)
		}
		if len(v.first) > 1<<31-1-v.t.W {
			return fmt.Errorf("clusters of %s cells: at most 2^31 runs of cells can be joined", v.t.Size())
		}
	}
	v.rows = append(v.rows, int32(len(v.first)))
	return nil
}

// nextBit is the first column from x on whose bit is set or not, or n.
func nextBit(row []uint64, x int, set bool, n int) int {
	for x < n {
		word := row[x>>6]
		if !set {
			word = ^word
		}
		if word >>= x & 63; word != 0 {
			return min(n, x+bits.TrailingZeros64(word))
		}
		x = x&^63 + 64
	}
	return n
}

// before are the rows of one half of a cell's neighbours: each pair of cells that touch is found from one of them.
var before = []struct{ dy, dz int }{{-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// unite unites the runs of a row with those that they touch in rows before it, without crossing an edge.
func (v *volume) unite(row int) {
	h := v.t.LayerRows()
	y, z := row%h, row/h
	for _, o := range before {
		reach, touches := v.c.reach(o.dy, o.dz)
		if !touches || uint(y+o.dy) >= uint(h) || z+o.dz < 0 {
			continue
		}
		for a, b := range v.overlaps(row, row+o.dz*h+o.dy, reach) {
			v.union(a, b)
		}
	}
}

// wrap joins the runs of a row with those that they touch over the edges of a torus, in the row and in rows before it.
func (v *volume) wrap(row int) {
	a, b := v.rows[row], v.rows[row+1]
	if a == b {
		return
	}
	if v.first[a] == 0 && int(v.last[b-1]) == v.t.W-1 {
		v.join(b-1, a, winding{x: 1})
	}
	h := v.t.LayerRows()
	y, z := row%h, row/h
	for _, o := range before {
		reach, touches := v.c.reach(o.dy, o.dz)
		if !touches || v.cut && z+o.dz < 0 {
			continue
		}
		over := winding{y: beyond(y+o.dy, h), z: beyond(z+o.dz, v.t.D)}
		there := row + o.dz*h + o.dy - over.y*h - over.z*v.t.H
		v.overEdges(row, there, reach, over)
		if over != (winding{}) {
			v.touch(row, there, reach, over)
		}
	}
}

// reach returns the number of columns that a neighbour in a row at an offset may be away. touches is false if the row
// has no neighbours.
func (c Connectivity) reach(dy, dz int) (columns int, touches bool) {
	diagonal := dy != 0 && dz != 0
	switch c {
	case TwentySix:
		return 1, true
	case Eighteen:
		if diagonal {
			return 0, true
		}
		return 1, true
	}
	return 0, !diagonal
}

// overEdges joins runs of one row with those of another that they touch over the left and the right edge of a torus.
func (v *volume) overEdges(row, other, reach int, over winding) {
	a, endA := v.rows[row], v.rows[row+1]
	b, endB := v.rows[other], v.rows[other+1]
	if reach == 0 || a == endA || b == endB {
		return
	}
	right, left := over, over
	right.x, left.x = 1, -1
	if int(v.last[endA-1]) == v.t.W-1 && v.first[b] == 0 {
		v.join(endA-1, b, right)
	}
	if v.first[a] == 0 && int(v.last[endB-1]) == v.t.W-1 {
		v.join(a, endB-1, left)
	}
}

// touch joins runs of one row with those of another that are at most reach columns away.
func (v *volume) touch(row, other, reach int, over winding) {
	for a, b := range v.overlaps(row, other, reach) {
		v.join(a, b, over)
	}
}

// overlaps yields the runs of one row and of another that are at most reach columns apart.
func (v *volume) overlaps(row, other, reach int) iter.Seq2[int32, int32] {
	return func(yield func(a, b int32) bool) {
		a, endA := v.rows[row], v.rows[row+1]
		b, endB := v.rows[other], v.rows[other+1]
		r := int32(reach)
		for a < endA && b < endB {
			if v.first[b] <= v.last[a]+r && v.first[a] <= v.last[b]+r && !yield(a, b) {
				return
			}
			if v.last[a] < v.last[b] {
				a++
			} else {
				b++
			}
		}
	}
}

// faceToFace says between which opposite faces of a volume with dead edges a cluster reaches.
func (v *volume) faceToFace() Span { return spanOf(v.faces()) }

// spanOf says between which opposite faces a cluster reaches, given the faces that clusters touch.
func spanOf(touched map[int32]uint8) (s Span) {
	for _, faces := range touched {
		for i := range 3 {
			if faces>>(2*i)&3 == 3 {
				s |= SpanX << i
			}
		}
	}
	return s
}

// faces are those of a volume that clusters touch, as bits: left, right, top, bottom, first and last layer.
func (v *volume) faces() map[int32]uint8 {
	touched := map[int32]uint8{} // by cluster
	h := v.t.LayerRows()
	for row := range v.t.H {
		y, z := row%h, row/h
		for i := v.rows[row]; i < v.rows[row+1]; i++ {
			faces := uint8(0)
			for k, at := range []bool{
				v.first[i] == 0, int(v.last[i]) == v.t.W-1, y == 0, y == h-1, z == 0, z == v.t.D-1,
			} {
				if at {
					faces |= 1 << k
				}
			}
			if faces != 0 {
				root, _ := v.find(i)
				touched[root] |= faces
			}
		}
	}
	return touched
}

// ofVolumes are the connectivities of three dimensions.
var ofVolumes = []Connectivity{TwentySix, Eighteen, Six}

// inVolume reports whether cells of a volume can touch in this way.
func (c Connectivity) inVolume() bool { return slices.Contains(ofVolumes, c) }
