package component

import (
	"cmp"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Part is the result of labelling some whole rows of a universe on their own. Nothing is known about cells
// beyond their first and last row and column. A GPU makes parts (package sim/cuda/internal/labels), and a Joiner
// joins them.
type Part struct {
	Sizes Histogram // of the clusters that touch no edge
	Edge  []uint64  // the sizes of the clusters that do
	// The cluster of each cell along the edges, as an index of Edge, or -1 if the cell is dead. Top and Bottom are
	// by column, Left and Right by row.
	Top, Bottom, Left, Right []int32
}

// Part finds the clusters of cells in state 1 of some rows of a universe: those of the extent of src. The part is valid
// until the next call.
func (l *Labeller) Part(src grid.Source, c Connectivity) (*Part, error) {
	box, err := src.Extent()
	if err != nil {
		return nil, err
	}
	t := topology.Topology{Kind: topology.Plane, W: box.W, H: box.H}
	if err := cmp.Or(t.Validate(), c.Fits(t)); err != nil {
		return nil, err
	}
	l.out = Clusters{}
	l.reset()
	if err := l.whole(src, box, t, c); err != nil {
		return nil, err
	}
	l.compact(&l.out.Sizes, l.each)
	p := &Part{Sizes: l.out.Sizes, Top: l.top, Bottom: l.bottom, Left: l.left, Right: l.right}
	for _, n := range l.nodes {
		p.Edge = append(p.Edge, n.size)
	}
	return p, nil
}

// Span returns the directions in which clusters span a universe of two dimensions that is one part. It does not use
// sizes.
func (p *Part) Span(t topology.Topology, c Connectivity) (Span, error) {
	if err := cmp.Or(t.Validate(), c.Fits(t), inPlane(t)); err != nil {
		return 0, err
	}
	if w, h := len(p.Top), len(p.Left); !t.Bounded() || w != t.W || h != t.H || len(p.Bottom) != w || len(p.Right) != h {
		return 0, fmt.Errorf("a part of %d×%d cells is not all of %v", w, h, t)
	}
	f := forest{nodes: make([]node, len(p.Edge))}
	for i := range f.nodes {
		f.nodes[i] = node{int32(i), 1} // all alike, so that paths stay short
	}
	return f.close(&perimeter{p.Top, p.Bottom, p.Left, p.Right}, t, c), nil
}

// inPlane refuses volumes, whose parts have faces and not edges.
func inPlane(t topology.Topology) error {
	if t.Volume() {
		return fmt.Errorf("parts of %v: want a universe of two dimensions", t)
	}
	return nil
}

// Joiner joins parts that follow each other down a universe. It joins clusters that cross the edge of a part, as the
// topology says, so the code that labels parts need not know topologies.
type Joiner struct {
	forest
	perimeter
	t     topology.Topology
	c     Connectivity
	sizes Histogram
}

// NewJoiner starts at the top of a bounded universe.
func NewJoiner(t topology.Topology, c Connectivity) (*Joiner, error) {
	if err := cmp.Or(t.Validate(), c.Fits(t), inPlane(t)); err != nil {
		return nil, err
	}
	if !t.Bounded() {
		return nil, fmt.Errorf("clusters on a %v: an infinite universe cannot be joined from parts", t.Kind)
	}
	return &Joiner{t: t, c: c}, nil
}

// Add adds the next rows, len(p.Left) of them. The part may be reused afterwards.
func (j *Joiner) Add(p *Part) error {
	w, h := len(p.Top), len(p.Left)
	if w != j.t.W || len(p.Bottom) != w || len(p.Right) != h || h == 0 || len(j.left)+h > j.t.H {
		return fmt.Errorf("a part of %d×%d cells does not fit after %d rows of %v", w, h, len(j.left), j.t)
	}
	j.sizes.Merge(&p.Sizes)
	first := int32(len(j.nodes))
	j.grow(len(p.Edge))
	for i, size := range p.Edge {
		j.nodes = append(j.nodes, node{first + int32(i), size})
	}
	moved := func(dst, src []int32) []int32 {
		old := len(dst)
		dst = append(dst, src...)
		if first > 0 {
			for i, label := range dst[old:] {
				if label != none {
					dst[old+i] += first
				}
			}
		}
		return dst
	}
	top := moved(nil, p.Top)
	if len(j.left) == 0 {
		j.top = top
	} else {
		j.join(j.bottom, top)
	}
	j.bottom = moved(j.bottom[:0], p.Bottom)
	j.left, j.right = moved(j.left, p.Left), moved(j.right, p.Right)
	if len(j.left) < j.t.H {
		j.compact(&j.sizes, j.each)
	}
	return nil
}

// join joins clusters that touch between two rows. Like Labeller.join it leaves out contacts that others imply.
func (j *Joiner) join(up, down []int32) {
	for x, d := range down {
		switch u := up[x]; {
		case d == none:
		case u != none:
			if x == 0 || up[x-1] == none || down[x-1] == none {
				j.union(u, d)
			}
		case j.c != Four:
			if x > 0 && down[x-1] == none && up[x-1] != none {
				j.union(up[x-1], d)
			}
			if j.c == Eight && x+1 < len(down) && down[x+1] == none && up[x+1] != none {
				j.union(up[x+1], d)
			}
		}
	}
}

// Clusters joins the edges of the universe. All rows must have been added. The Joiner cannot be used again.
func (j *Joiner) Clusters() (Clusters, error) {
	if len(j.left) != j.t.H {
		return Clusters{}, fmt.Errorf("%d rows of %v are missing", j.t.H-len(j.left), j.t)
	}
	span := j.close(&j.perimeter, j.t, j.c)
	j.count(&j.sizes)
	return Clusters{Sizes: j.sizes, Span: span}, nil
}
