package component

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// volume finds the clusters of a volume. A run of live cells in a row is a node of a forest. Runs that touch,
// in neighbouring rows of the same layer or of the layer before, are joined by union-find. On a torus each node
// has a winding, which says in which copy of the universe its cells lie, seen from its parent. A path that
// closes on itself in another copy spans the universe.
type volume struct {
	t         topology.Topology
	c         Connectivity
	first     []int32 // the first column of each run, row by row and layer by layer
	last      []int32
	rows      []int32   // the first run of each row, and the number of all runs
	parent    []int32   // of each run
	size      []uint64  // of the cluster; of roots
	from      []winding // of each run, seen from its parent
	spansOver Span
}

// perRun is the number of bytes that a volume takes for each run.
const perRun = 4 + 4 + 4 + 8 + 24

// labelVolume finds the clusters of cells in state 1 of a volume.
func labelVolume(src grid.Source, t topology.Topology, c Connectivity) (Clusters, error) {
	v := volume{t: t, c: c, rows: make([]int32, 0, t.H+1)}
	if err := v.read(src); err != nil {
		return Clusters{}, err
	}
	n := len(v.first)
	if err := grid.Fits(perRun * uint64(n)); err != nil {
		return Clusters{}, fmt.Errorf("clusters of %s cells: %w", t.Size(), err)
	}
	v.parent, v.size, v.from = make([]int32, n), make([]uint64, n), make([]winding, n)
	for i := range v.parent {
		v.parent[i], v.size[i] = int32(i), uint64(v.last[i]-v.first[i]+1)
	}
	for row := range t.H {
		v.connect(row)
	}
	found := Clusters{Span: v.spansOver}
	for i, p := range v.parent {
		if int(p) == i {
			found.Sizes.Add(v.size[i], 1)
		}
	}
	if t.Kind == topology.Plane {
		found.Span = v.faceToFace()
	}
	return found, nil
}

// read finds the runs of every row.
func (v *volume) read(src grid.Source) error {
	words := (v.t.W + 63) / 64
	cells, other := make([]uint64, words), make([]uint64, words)
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

// connect joins the runs of a row with those that they touch in rows before it and, on a torus, in the row itself.
func (v *volume) connect(row int) {
	a, b := v.rows[row], v.rows[row+1]
	if a == b {
		return
	}
	torus := v.t.Kind == topology.Torus
	if torus && v.first[a] == 0 && int(v.last[b-1]) == v.t.W-1 {
		v.join(b-1, a, winding{x: 1})
	}
	h := v.t.LayerRows()
	y, z := row%h, row/h
	for _, o := range before {
		reach, touches := v.c.reach(o.dy, o.dz)
		if !touches {
			continue
		}
		_, there, inside := v.t.FoldVolume(0, y+o.dy, z+o.dz)
		if inside {
			v.touch(row, there, reach, winding{y: beyond(y+o.dy, h), z: beyond(z+o.dz, v.t.D)})
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

// touch joins runs of one row with those of another that are at most reach columns away.
func (v *volume) touch(row, other, reach int, over winding) {
	a, endA := v.rows[row], v.rows[row+1]
	b, endB := v.rows[other], v.rows[other+1]
	if b == endB {
		return
	}
	if reach > 0 && v.t.Kind == topology.Torus { // over the left and the right edge
		right, left := over, over
		right.x, left.x = 1, -1
		if int(v.last[endA-1]) == v.t.W-1 && v.first[b] == 0 {
			v.join(endA-1, b, right)
		}
		if v.first[a] == 0 && int(v.last[endB-1]) == v.t.W-1 {
			v.join(a, endB-1, left)
		}
	}
	r := int32(reach)
	for a < endA && b < endB {
		if v.first[b] <= v.last[a]+r && v.first[a] <= v.last[b]+r {
			v.join(a, b, over)
		}
		if v.last[a] < v.last[b] {
			a++
		} else {
			b++
		}
	}
}

// find returns the root of a run and the winding from there to the run. It shortens the path.
func (v *volume) find(i int32) (root int32, w winding) {
	for v.parent[i] != i {
		p := v.parent[i]
		if g := v.parent[p]; g != p {
			v.from[i] = v.from[p].plus(v.from[i], 1)
			v.parent[i] = g
		}
		w = v.from[i].plus(w, 1)
		i = v.parent[i]
	}
	return i, w
}

// plus adds windings, the second one times a sign: on a torus their order does not matter.
func (a winding) plus(b winding, sign int) winding {
	return winding{a.x + sign*b.x, a.y + sign*b.y, a.z + sign*b.z}
}

// join joins the clusters of two runs, the second of which lies over some edges. If both are in one cluster, a path has
// closed.
func (v *volume) join(a, b int32, over winding) {
	rootA, toA := v.find(a)
	rootB, toB := v.find(b)
	between := toA.plus(over, 1).plus(toB, -1) // from one root to the other
	if rootA == rootB {
		for i, n := range []int{between.x, between.y, between.z} {
			if n != 0 {
				v.spansOver |= SpanX << i
			}
		}
		return
	}
	if v.size[rootA] < v.size[rootB] {
		rootA, rootB, between = rootB, rootA, winding{}.plus(between, -1)
	}
	v.parent[rootB] = rootA
	v.size[rootA] += v.size[rootB]
	v.from[rootB] = between
}

// faceToFace says between which opposite faces of a volume with dead edges a cluster reaches.
func (v *volume) faceToFace() (s Span) {
	touched := map[int32]uint8{} // by cluster: the faces that it touches
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
	for _, faces := range touched {
		for i := range 3 {
			if faces>>(2*i)&3 == 3 {
				s |= SpanX << i
			}
		}
	}
	return s
}

// ofVolumes are the connectivities of three dimensions.
var ofVolumes = []Connectivity{TwentySix, Eighteen, Six}

// inVolume reports whether cells of a volume can touch in this way.
func (c Connectivity) inVolume() bool { return slices.Contains(ofVolumes, c) }
