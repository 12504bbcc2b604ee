package bands

import (
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/sim/cuda/internal/labels"
)

// Clusters finds the clusters: package labels finds those of each band on its GPU, and package component joins what
// crosses edges.
func (u *Universe) Clusters(c component.Connectivity) (component.Clusters, error) {
	j, err := component.NewJoiner(u.all[0].t, c)
	if err == nil {
		err = u.each(func(_ int, b *band) error { return b.label(c, j.Add) })
	}
	if err != nil {
		return component.Clusters{}, err
	}
	return j.Clusters()
}

// labeller holds memory for labelling the rows of a universe. It labels as many rows at a time as fit.
type labeller struct {
	*labels.Labeller
	connectivity component.Connectivity
	rows         int
	bytes        uint64
}

// mostLabelBytes is the most memory taken for labelling; more rows at a time would not be faster.
const mostLabelBytes = 8 << 30

// label finds the clusters of the rows of a universe, some rows at a time.
func (b *band) label(c component.Connectivity, found func(*component.Part) error) error {
	l, err := b.labellerOf(c)
	if err != nil {
		return err
	}
	cells := b.copies[b.current] + b.Origin()
	for top := 0; top < b.H; top += l.rows {
		part, err := l.Label(labels.Rows{
			Address: cells + uint64(top)*uint64(b.Stride), Stride: b.Stride, Planes: b.Planes, Plane: b.PlaneBytes(),
			Interleaved: b.Words,
			W:           b.W, H: min(l.rows, b.H-top),
		})
		if err == nil {
			err = found(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// labellerOf returns the labeller of the last call if it is of the same kind, because allocating takes longer
// than labelling.
func (b *band) labellerOf(c component.Connectivity) (*labeller, error) {
	if b.labeller != nil && b.labeller.connectivity == c {
		return b.labeller, nil
	}
	b.dropLabeller()
	free, _, err := b.dev.FreeMemory()
	if err != nil {
		return nil, err
	}
	l := &labeller{connectivity: c, rows: labels.Fit(b.W, b.H, c, min(free/2, mostLabelBytes))}
	l.bytes = labels.Bytes(b.W, l.rows, c)
	if l.Labeller, err = labels.New(b.dev, b.W, l.rows, c); err != nil {
		return nil, err
	}
	b.labeller = l
	return l, nil
}

// dropLabeller frees the memory.
func (b *band) dropLabeller() {
	if l := b.labeller; l != nil {
		l.Close()
		b.labeller = nil
	}
}
