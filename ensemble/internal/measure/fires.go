package measure

import "github.com/gosper-life/gosper/topology"

// fires burns the cluster of trees, cells in state 1, that lightning on a random cell would set alight. Each
// fire burns alone: the trees are there again for the next.
type fires struct{}

// Quantities implements Instrument.
func (fires) Quantities(s Setting) []string { return cascadesOf("fire", octaves(s.cells())) }

// Measure implements Instrument.
func (fires) Measure(dst []float64, v View) {
	f := newForest(v)
	random, all := v.chance(), newCascades(octaves(v.cells()))
	for range v.started() {
		all.add(f.burn(random.IntN(v.Topology.W), random.IntN(v.Topology.H)))
	}
	all.store(dst)
}

// forest is the trees of a universe, and which of them burnt in the last fire.
type forest struct {
	on        topology.Topology
	trees     func(x, y int) bool
	burnt     []int32 // by cell: the number of the last fire in which it burnt
	fires     int32
	now, next [][2]int32
}

func newForest(v View) *forest {
	return &forest{on: v.Topology, trees: func(x, y int) bool {
		return v.Cells.Row(0, y)[x>>6]>>(x&63)&1 == 1
	}, burnt: make([]int32, v.Topology.W*v.Topology.H)}
}

// burn sets a cell alight. In each generation the trees next to those that burn catch fire.
func (f *forest) burn(x, y int) cascade {
	var one cascade
	f.fires++
	f.catch(x, y)
	for len(f.next) > 0 {
		f.now, f.next = f.next, f.now[:0]
		one.duration++
		one.size += len(f.now)
		for _, at := range f.now {
			for x, y := range f.on.Beside(int(at[0]), int(at[1])) {
				f.catch(x, y)
			}
		}
	}
	return one
}

func (f *forest) catch(x, y int) {
	if at := y*f.on.W + x; f.trees(x, y) && f.burnt[at] != f.fires {
		f.burnt[at] = f.fires
		f.next = append(f.next, [2]int32{int32(x), int32(y)})
	}
}
