package rpc

import (
	"encoding/hex"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// handle stands for memory of a GPU that the client has allocated for cells: a gpu.Handle in hexadecimal digits. It
// takes the place of a file.
type handle string

// bytes returns what the digits stand for.
func (h handle) bytes() (b [64]byte, err error) {
	if len(h) != hex.EncodedLen(len(b)) {
		return b, console.Badf("read: a handle of %d hexadecimal digits; want %d", len(h), hex.EncodedLen(len(b)))
	}
	if _, err := hex.Decode(b[:], []byte(h)); err != nil {
		return b, console.Badf("read: handle: %w", err)
	}
	return b, nil
}

// readOnDevice stores the area's cells in the memory of its handle.
func (w rows) readOnDevice(from sim.Engine) error {
	h, err := w.Handle.bytes()
	if err != nil {
		return err
	}
	e, ok := from.(sim.DeviceReader)
	switch {
	case !ok:
		return console.Badf("read: engine %s does not keep its cells on a GPU", from.Info().Engine)
	case w.Bits || w.File != "":
		return console.Badf("read: a handle stands alone, without file and bits")
	case w.Height > w.layer && w.layer != w.apart:
		return console.Badf("read: on a GPU, an area of several layers has all their rows")
	}
	return e.ReadOnDevice(h, grid.Rect{X: w.X, Y: w.Y, W: w.Width, H: w.Height})
}

// readOnDevice stores the cells of some universes in the memory of the handle.
func (m *many) readOnDevice(p some) error {
	h, err := p.Handle.bytes()
	if err != nil {
		return err
	}
	b, ok := m.Batch.(sim.DeviceReader)
	switch {
	case !ok:
		return console.Badf("read: engine %s does not keep its cells on a GPU", m.Info().Engine)
	case p.Bits || p.File != "":
		return console.Badf("read: a handle stands alone, without file and bits")
	}
	if err := m.check(p); err != nil {
		return err
	}
	return b.ReadOnDevice(h, grid.Rect{Y: p.First * m.topology.H, W: m.topology.W, H: p.Universes * m.topology.H})
}
