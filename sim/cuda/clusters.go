package cuda

import (
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/component/slab"
)

// Clusters implements sim.ClusterCounter: package slab labels each band on its GPU, and package component joins what crosses edges.
func (e *engine) Clusters(c component.Connectivity) (component.Clusters, error) {
	j, err := component.NewJoiner(e.bands.all[0].t, c)
	if err != nil {
		return component.Clusters{}, err
	}
	err = e.do(func() error {
		if err := e.flush(); err != nil {
			return err
		}
		return e.bands.each(func(_ int, u *universe) error { return u.label(c, j.Add) })
	})
	if err != nil {
		return component.Clusters{}, err
	}
	return j.Clusters()
}

// labeller is memory in which rows of a universe are labelled, as many at a time as it has room for.
type labeller struct {
	*slab.Labeller
	connectivity component.Connectivity
	rows         int
	plain        uint64 // the rows, columns in order
	bytes        uint64
}

// mostLabelBytes is the most memory taken for labelling; more rows at a time would not be faster.
const mostLabelBytes = 8 << 30

// label finds the clusters of the rows of a universe, some rows at a time.
func (u *universe) label(c component.Connectivity, found func(*component.Part) error) error {
	l, err := u.labellerOf(c)
	if err != nil {
		return err
	}
	stride := u.plainStride()
	plane := uint64(l.rows * stride)
	for top := 0; top < u.h; top += l.rows {
		n := min(l.rows, u.h-top)
		if err := u.plainLaunch("unpack", top, n, l.plain, plane, stride); err != nil {
			return err
		}
		part, err := l.Label(slab.Rows{Address: l.plain, Stride: stride, Planes: u.planes, Plane: plane, W: u.w, H: n})
		if err == nil {
			err = found(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// labellerOf is the labeller of the last time, if it is of the same kind: taking memory takes longer than labelling.
func (u *universe) labellerOf(c component.Connectivity) (*labeller, error) {
	if u.labeller != nil && u.labeller.connectivity == c {
		return u.labeller, nil
	}
	u.dropLabeller()
	free, err := u.dev.memory()
	if err != nil {
		return nil, err
	}
	rowBytes := u.planes * u.plainStride()
	l := &labeller{connectivity: c, rows: slab.Fit(u.w, u.h, rowBytes, c, min(free/2, mostLabelBytes))}
	l.bytes = uint64(l.rows*rowBytes) + slab.Bytes(u.w, l.rows, c)
	if l.plain, err = u.dev.alloc(uint64(l.rows * rowBytes)); err != nil {
		return nil, err
	}
	if l.Labeller, err = slab.New(slabDevice{u.dev}, u.w, l.rows, c); err != nil {
		u.dev.free(l.plain)
		return nil, err
	}
	u.labeller = l
	return l, nil
}

// dropLabeller gives the memory back.
func (u *universe) dropLabeller() {
	if l := u.labeller; l != nil {
		u.dev.free(l.plain)
		l.Close()
		u.labeller = nil
	}
}

// slabDevice is a device as package slab sees it.
type slabDevice struct{ dev device }

type slabKernel struct{ kernel }

func (k slabKernel) Resident() int { return k.resident() }

func (d slabDevice) Multiprocessors() int             { return d.dev.multiprocessors() }
func (d slabDevice) Alloc(n uint64) (uint64, error)   { return d.dev.alloc(n) }
func (d slabDevice) Free(at uint64)                   { d.dev.free(at) }
func (d slabDevice) Clear(at, n uint64) error         { return d.dev.clear(at, n) }
func (d slabDevice) Read(dst []byte, at uint64) error { return d.dev.read(dst, at) }
func (d slabDevice) Launch(k slab.Kernel, blocks int, params []uint64) error {
	return d.dev.launch(k.(slabKernel).kernel, blocks, 1, params)
}

func (d slabDevice) Kernel(text, name string, warps, shared int) (slab.Kernel, error) {
	m, err := d.dev.load(text)
	if err != nil {
		return nil, err
	}
	k, err := m.team(name, warps, shared)
	return slabKernel{k}, err
}
