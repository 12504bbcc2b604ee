package component

// forest holds clusters for union-find. Each cluster is a tree of nodes, and its root holds its size.
type forest struct {
	nodes []node
	fresh []int32   // scratch of compact: the new number of each old node
	kept  []node    // scratch of compact
	from  []winding // scratch of close
}

type node struct {
	parent int32 // the node itself if it is a root
	size   uint64
}

func (f *forest) reset() { f.nodes = f.nodes[:0] }

// grow makes room for n more nodes, so that adding is fast.
func (f *forest) grow(n int) {
	if need := len(f.nodes) + n; need > cap(f.nodes) {
		nodes := make([]node, len(f.nodes), need+need/2)
		copy(nodes, f.nodes)
		f.nodes = nodes
	}
}

// find returns the root of a node and halves the path to it.
func (f *forest) find(i int32) int32 {
	for {
		p := f.nodes[i].parent
		if p == i {
			return i
		}
		g := f.nodes[p].parent
		f.nodes[i].parent = g
		i = g
	}
}

// union joins two clusters and returns the root. The root with the smaller number stays, because it is more
// likely to be in the row above.
func (f *forest) union(a, b int32) int32 {
	a, b = f.find(a), f.find(b)
	if a == b {
		return a
	}
	if a > b {
		a, b = b, a
	}
	f.nodes[b].parent = a
	f.nodes[a].size += f.nodes[b].size
	return a
}

// compact counts and drops every cluster that has no label in use. Each remaining cluster gets one new node.
// labels calls its argument for every label in use, and compact changes the labels.
func (f *forest) compact(sizes *Histogram, labels func(keep func(*int32))) {
	f.fresh = resized(f.fresh, len(f.nodes))
	f.kept = f.kept[:0]
	labels(func(label *int32) {
		root := f.find(*label)
		if f.fresh[root] == none {
			f.fresh[root] = int32(len(f.kept))
			f.kept = append(f.kept, node{f.fresh[root], f.nodes[root].size})
		}
		*label = f.fresh[root]
	})
	for i, n := range f.nodes {
		if n.parent == int32(i) && f.fresh[i] == none {
			sizes.Add(n.size, 1)
		}
	}
	f.nodes, f.kept = f.kept, f.nodes
}

// count counts every cluster.
func (f *forest) count(sizes *Histogram) {
	for i, n := range f.nodes {
		if n.parent == int32(i) {
			sizes.Add(n.size, 1)
		}
	}
}
