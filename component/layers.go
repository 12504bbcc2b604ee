package component

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// LayersPart is the result of labelling some layers of a volume on their own. Nothing is known about cells
// beyond the first and the last of these layers. A LayersJoiner joins parts.
type LayersPart struct {
	Sizes Histogram   // of the clusters that touch neither the first nor the last layer
	Edge  []uint64    // the sizes of the clusters that do
	Faces []uint8     // by cluster of Edge: the faces of the universe that it touches; see volume.faces
	Span  Span        // of closed paths within the part, and of clusters that are not in Edge
	Ends  [2][]EndRun // the runs of live cells in the first and the last layer, row by row
}

// EndRun is a run of live cells in a row of a layer, as part of a cluster of Edge. On a torus X and Y say in
// which copy of the universe it lies, seen from other runs of the cluster.
type EndRun struct{ Row, First, Last, Cluster, X, Y int32 }

// PartOfLayers finds the clusters of cells in state 1 of some layers of a volume. t is the topology of these
// layers alone.
func PartOfLayers(src grid.Source, t topology.Topology, c Connectivity) (*LayersPart, error) {
	if err := cmp.Or(t.Validate(), c.Fits(t), asVolume(t)); err != nil {
		return nil, err
	}
	if box, err := src.Extent(); err != nil || box != (grid.Rect{W: t.W, H: t.H}) {
		return nil, cmp.Or(err, fmt.Errorf("clusters of %d×%d cells do not fit %v", box.W, box.H, t))
	}
	v := volume{cut: true}
	if err := v.label(src, t, c); err != nil {
		return nil, err
	}
	p := &LayersPart{Span: v.span}
	var faces map[int32]uint8
	if t.Kind == topology.Plane {
		faces = v.faces()
	}
	edge := map[int32]int32{}
	rows := t.LayerRows()
	for end, top := range []int{0, t.H - rows} {
		for y := range rows {
			for i := v.rows[top+y]; i < v.rows[top+y+1]; i++ {
				root, w := v.find(i)
				at, known := edge[root]
				if !known {
					at = int32(len(p.Edge))
					edge[root] = at
					p.Edge = append(p.Edge, v.nodes[root].size)
					p.Faces = append(p.Faces, faces[root]&sides)
				}
				p.Ends[end] = append(p.Ends[end], EndRun{int32(y), v.first[i], v.last[i], at, int32(w.x), int32(w.y)})
			}
		}
	}
	inside := map[int32]uint8{}
	for i, n := range v.nodes {
		if _, isEdge := edge[int32(i)]; int(n.parent) == i && !isEdge {
			p.Sizes.Add(n.size, 1)
			inside[int32(i)] = faces[int32(i)]
		}
	}
	p.Span |= spanOf(inside)
	return p, nil
}

// sides are the faces that a part knows: all but the first and the last layer.
const sides = 1<<4 - 1

// asVolume refuses universes of two dimensions.
func asVolume(t topology.Topology) error {
	if !t.Volume() {
		return fmt.Errorf("layers of %v: want a universe of three dimensions", t)
	}
	return nil
}

var errEnds = errors.New("the ends of layers do not fit the universe")

// JoinLayers joins the parts of all layers of a volume, in their order. The runs at the ends of parts are nodes of one
// forest, below the clusters that they belong to.
func JoinLayers(t topology.Topology, c Connectivity, parts []*LayersPart) (Clusters, error) {
	if err := cmp.Or(t.Validate(), c.Fits(t), asVolume(t)); err != nil {
		return Clusters{}, err
	}
	v := volume{seam: seam{forest: new(forest), t: t, group: groupOf(t)}, c: c, rows: []int32{0}}
	h := t.LayerRows()
	runs := 0
	for _, p := range parts {
		runs += len(p.Ends[0]) + len(p.Ends[1])
	}
	v.nodes, v.from = make([]node, runs), make([]winding, runs)
	found := Clusters{}
	touched := map[int32]uint8{} // by cluster: faces
	for i, p := range parts {
		found.Sizes.Merge(&p.Sizes)
		found.Span |= p.Span
		clusters := int32(len(v.nodes))
		if len(p.Faces) != len(p.Edge) {
			return Clusters{}, errEnds
		}
		for k, size := range p.Edge {
			at := clusters + int32(k)
			v.nodes, v.from = append(v.nodes, node{at, size}), append(v.from, winding{})
			touched[at] = p.Faces[k] & sides
		}
		for end, list := range p.Ends {
			z := uint8(0)
			if end == 0 && i == 0 {
				z = 1 << 4
			}
			if end == 1 && i == len(parts)-1 {
				z = 1 << 5
			}
			for y := range int32(h) {
				for last := int32(-1); len(list) > 0 && list[0].Row == y; list = list[1:] {
					r := list[0]
					if r.First <= last || r.Last < r.First || int(r.Last) >= t.W || r.Cluster < 0 || int(r.Cluster) >= len(p.Edge) {
						return Clusters{}, errEnds
					}
					n := len(v.first)
					v.first, v.last, last = append(v.first, r.First), append(v.last, r.Last), r.Last
					v.nodes[n].parent, v.from[n] = clusters+r.Cluster, winding{x: int(r.X), y: int(r.Y)}
					touched[clusters+r.Cluster] |= z
				}
				v.rows = append(v.rows, int32(len(v.first)))
			}
			if len(list) > 0 {
				return Clusters{}, errEnds
			}
		}
	}
	for i := range parts {
		if i > 0 {
			v.meet(2*i, 2*i-1, 0)
		}
	}
	if t.Kind == topology.Torus {
		v.meet(0, 2*len(parts)-1, -1)
	}
	whole := map[int32]uint8{}
	for i := runs; i < len(v.nodes); i++ {
		root, _ := v.find(int32(i))
		if whole[root] |= touched[int32(i)]; int(root) == i {
			found.Sizes.Add(v.nodes[i].size, 1)
		}
	}
	found.Span |= v.span
	if t.Kind == topology.Plane {
		found.Span |= spanOf(whole)
	}
	return found, nil
}

// meet joins the runs of a layer with those of the layer before it, which lies beyond z edges. v.rows has the
// rows of both.
func (v *volume) meet(layer, before, z int) {
	h := v.t.LayerRows()
	for y := range h {
		for dy := -1; dy <= 1; dy++ {
			reach, touches := v.c.reach(dy, -1)
			if !touches {
				continue
			}
			if _, there, inside := v.t.FoldVolume(0, y+dy, 0); inside {
				over := winding{y: beyond(y+dy, h), z: z}
				if v.t.Kind == topology.Torus {
					v.overEdges(layer*h+y, before*h+there, reach, over)
				}
				v.touch(layer*h+y, before*h+there, reach, over)
			}
		}
	}
}
