package bands

import (
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
)

// drawn is the random bits of a band's rule: planes that lie in memory as the cells do. They are made before
// each pass, a set of planes for every generation of it. Sets take turns, so generations that share random
// bits, and belong to one pass or two, find them there.
//
//	pass of depth 2     generation 8: set 0 ──▶ level 0     generation 9: set 1 ──▶ level 1
type drawn struct {
	source *noise.Source
	seeds  uint64 // address of the seed
	layout cells.Layout
	sets   []set
	held   []uint64 // allocated memory
}

// set is the random bits of a generation.
type set struct {
	memory     uint64
	generation uint64
	made       bool
}

// makeDrawn takes the memory.
func (b *band) makeDrawn() error {
	n := &drawn{layout: b.Layout}
	b.drawn = n
	var err error
	if n.source, err = noise.New(b.dev, b.f.Chances(), b.Words); err != nil {
		return err
	}
	n.layout.Planes = n.source.Planes()
	take := func(bytes uint64) (uint64, error) {
		at, err := b.dev.Alloc(bytes)
		if err != nil {
			return 0, err
		}
		n.held = append(n.held, at)
		return at, b.dev.Clear(at, bytes)
	}
	if n.seeds, err = take(8); err != nil {
		return err
	}
	sets := b.plan.Depth
	if n.source.Pairs() { // a pass may begin with the second of two generations
		sets = sets/2 + 1
	}
	for range sets {
		at, err := take(n.layout.Bytes())
		if err != nil {
			return err
		}
		n.sets = append(n.sets, set{memory: at})
	}
	return nil
}

// bytes is the memory of all sets.
func (n *drawn) bytes() uint64 {
	if n == nil {
		return 0
	}
	return uint64(len(n.sets)) * n.layout.Bytes()
}

func (n *drawn) free(dev *gpu.Device) {
	if n != nil {
		n.source.Free()
		dev.Free(n.held...)
		n.held = nil
	}
}

// setSeed forgets the random bits of another seed.
func (n *drawn) setSeed(dev *gpu.Device, seed uint64) error {
	if n == nil {
		return nil
	}
	for i := range n.sets {
		n.sets[i].made = false
	}
	return dev.Write(n.seeds, gpu.Bytes([]uint64{seed}))
}

// draw returns where the random bits of a generation are: the address of group 0 of row 0 of the first plane. It
// makes them if they do not exist yet.
func (b *band) draw(generation uint64) (uint64, error) {
	n := b.drawn
	generation = n.source.Draw(generation)
	number := generation
	if n.source.Pairs() {
		number /= 2
	}
	s := &n.sets[number%uint64(len(n.sets))]
	origin := s.memory + n.layout.Origin()
	if s.made && s.generation == generation {
		return origin, nil
	}
	s.made, s.generation = true, generation
	around := 0
	if b.divided { // all that a pass may look at
		around = b.Above
	}
	err := n.source.Make(noise.Place{
		Base: origin, Plane: b.PlaneBytes(), Stride: b.Stride, First: -around, Rows: b.H + 2*around, Width: b.W,
		Top: b.place.Top, Tall: b.place.Tall, Universes: 1, Seeds: n.seeds,
	}, generation)
	if err != nil || !b.fills() {
		return origin, err
	}
	reach := b.plan.Depth * b.f.Radius
	return origin, b.copyHalos(origin, n.layout.Planes, reach, max(0, around-reach*b.deep))
}
