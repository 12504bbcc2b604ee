package labels

import (
	"fmt"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/gpu"
)

// Many labels universes of the same size, each as a separate area, and finds the clusters of the cells along their
// edges. This is enough to find out which clusters span the universe. Its methods must be called inside the device's
// Do.
type Many struct {
	labeller *Labeller
	shape    shape // of what Label has labelled
	found    numbered
}

// manyBytes is about the most memory taken for labelling. More universes at a time would not be faster.
const manyBytes = 256 << 20

// NewMany makes memory for up to n universes of w×h cells, or for those that fit: Most says how many.
func NewMany(dev *gpu.Device, n, w, h int, c component.Connectivity) (*Many, error) {
	one := newShape(w, h, c)
	n = max(1, min(n, int(manyBytes/one.bytes()), mostTiles/one.tiles()))
	l, err := newLabeller(dev, newShapes(n, w, h, c), c)
	if err != nil {
		return nil, err
	}
	return &Many{labeller: l}, nil
}

// Most is the number of universes that can be labelled at once.
func (m *Many) Most() int { return m.labeller.most.areas }

// Close frees the memory.
func (m *Many) Close() { m.labeller.Close() }

// Label labels the cells in state 1 of n universes. The rows are those of the first universe. The same rows of the
// next universe are the given number of bytes further. Perimeter then tells what has been found, until Label is
// called again.
func (m *Many) Label(r Rows, n int, apart uint64) error {
	l := m.labeller
	if most := l.most; r.W != most.w || r.H != most.h || n < 1 || n > most.areas ||
		apart%uint64(4*max(1, r.Interleaved)) != 0 {
		return fmt.Errorf("%d universes of %d×%d cells, %d bytes apart: the labeller is for up to %d of %d×%d", n, r.W, r.H,
			apart, most.areas, most.w, most.h)
	}
	if err := r.check(); err != nil {
		return err
	}
	s := newShapes(n, r.W, r.H, l.c)
	q := l.connect(r, s, apart)
	l.numberEdges(q, s)
	if q.err != nil {
		return q.err
	}
	var err error
	m.found, err = l.readEdges(s, m.found)
	m.shape = s
	return err
}

// Perimeter returns the clusters along the edges of universe i, without sizes. It may be called outside the device's
// Do.
func (m *Many) Perimeter(i int) *component.Part { return m.found.part(m.shape, i) }
