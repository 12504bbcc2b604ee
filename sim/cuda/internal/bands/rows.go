package bands

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
)

// rows are copies on the host of some consecutive rows of a universe, in all planes. Single rows are read and
// written through them, because a transfer for every row would cost more than the row. The device puts columns
// in order, and back. While rows are read from top to bottom the next ones are fetched ahead.
type rows struct {
	band   *band
	most   int     // rows held at once
	stride int     // words of a row
	held   *copied // nil: none
	ahead  *copied // being fetched, or nil
	dirty  bool    // held was edited
	spare  []*copied
	copies int
}

// copied is a copy of some consecutive rows on the host.
type copied struct {
	first, n int // rows
	buffer   []byte
	release  func()   // of the buffer
	cells    []uint64 // the buffer: row after row, plane after plane
	staging  uint64   // the same number on the device
	fetching bool
	fetched  chan error // when it is fetched ahead
}

// transferBytes is about how much of a plane is copied at once.
const transferBytes = 4 << 20

// newRows allocates a copy to hold and one to fetch ahead, of about the given number of bytes of each plane.
func newRows(of *band, bytes int) (*rows, error) {
	r := &rows{band: of, stride: of.PlainStride() / 8}
	r.most = max(1, min(of.H, bytes/(8*r.stride)))
	for range min(2, (of.H+r.most-1)/r.most) {
		w := &copied{fetched: make(chan error, 1)}
		var err error
		if w.staging, err = of.dev.Alloc(r.planeBytes() * uint64(of.Planes)); err != nil {
			return r, err
		}
		w.buffer, w.release = of.dev.HostBuffer(r.planeBytes() * uint64(of.Planes))
		w.cells = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(w.buffer))), len(w.buffer)/8)
		r.spare = append(r.spare, w)
		r.copies++
	}
	return r, nil
}

// close frees the memory.
func (r *rows) close() {
	r.forget()
	for _, w := range r.spare {
		r.band.dev.Free(w.staging)
		w.release()
	}
	r.spare = nil
}

// bytes is the size of the copies on the device.
func (r *rows) bytes() uint64 { return uint64(r.copies*r.band.Planes) * r.planeBytes() }

// planeBytes is the distance from a plane of a copy to the next.
func (r *rows) planeBytes() uint64 { return uint64(8 * r.most * r.stride) }

// flush writes edited rows back.
func (r *rows) flush() error {
	if !r.dirty {
		return nil
	}
	if err := r.band.dev.Write(r.held.staging, r.held.buffer); err != nil {
		return err
	}
	err := r.band.plainLaunch(cells.Pack, r.band.wholeRows(r.held.first, r.held.n), r.plain(r.held.staging))
	r.dirty = err != nil
	return err
}

// forget drops the copies, because the device's cells are about to change. Edited rows that were not written
// back are lost.
func (r *rows) forget() {
	r.dirty = false
	r.drop(&r.held)
	r.drop(&r.ahead)
}

func (r *rows) drop(w **copied) {
	if *w != nil {
		r.spare, *w = append(r.spare, *w), nil
	}
}

// settle waits until nothing is being fetched ahead. Rows that could not be fetched are dropped. The
// error is not reported here, because nobody may ever ask for these rows. If somebody does, they are
// fetched again, and the error is reported then.
func (r *rows) settle() {
	if w := r.ahead; w != nil && w.fetching {
		w.fetching = false
		if err := <-w.fetched; err != nil {
			r.drop(&r.ahead)
		}
	}
}

// holds reports whether row y is on the host, so that reading it needs no transfer.
func (r *rows) holds(y int) bool { return r.held.has(y) }

func (w *copied) has(y int) bool { return w != nil && w.first <= y && y < w.first+w.n }

// fetch copies the rows of a copy from the device.
func (r *rows) fetch(w *copied) error {
	if err := r.band.plainLaunch(cells.Unpack, r.band.wholeRows(w.first, w.n), r.plain(w.staging)); err != nil {
		return err
	}
	return r.band.dev.Read(w.buffer, w.staging)
}

// take turns a spare copy into one for the rows around row y.
func (r *rows) take(y int) *copied {
	w := r.spare[len(r.spare)-1]
	r.spare = r.spare[:len(r.spare)-1]
	w.first = y / r.most * r.most
	w.n = min(r.most, r.band.H-w.first)
	return w
}

// hold makes sure that row y is held, by fetching it now.
func (r *rows) hold(y int) error {
	if err := r.flush(); err != nil {
		return err
	}
	r.forget()
	w := r.take(y)
	if err := r.fetch(w); err != nil {
		r.spare = append(r.spare, w)
		return err
	}
	r.held = w
	return nil
}

// next makes the rows that were fetched ahead the ones that are held.
func (r *rows) next() error {
	if err := r.flush(); err != nil {
		return err
	}
	r.drop(&r.held)
	r.held, r.ahead = r.ahead, nil
	return nil
}

// row is a row that is held.
func (r *rows) row(plane, y int) []uint64 {
	return r.held.cells[(plane*r.most+y-r.held.first)*r.stride:][:r.stride]
}

// part is some groups of some rows of a band.
type part struct{ firstRow, rows, firstGroup, groups int }

// wholeRows are some rows of a band with all their groups.
func (b *band) wholeRows(first, n int) part { return part{first, n, 0, b.Groups} }

// plain is rows in a device's memory as a grid has them: a word is 64 columns, one beside the other.
type plain struct {
	at     uint64 // where the first row begins
	plane  uint64 // bytes from a plane to the next
	stride int    // bytes from a row to the next
}

// plainLaunch launches a kernel that makes or takes plain rows, for a part of the band.
func (b *band) plainLaunch(how cells.Tool, of part, p plain) error {
	return b.run(how, (of.rows*of.groups+ptx.Lanes-1)/ptx.Lanes, b.Planes, []uint64{
		b.copies[b.current] + b.Origin(), b.PlaneBytes(), uint64(b.Stride), uint64(of.firstRow), uint64(of.firstGroup),
		uint64(of.rows), uint64(of.groups), uint64(b.W), p.at, p.plane, uint64(p.stride),
	})
}

// plain is the rows of staging memory.
func (r *rows) plain(staging uint64) plain { return plain{staging, r.planeBytes(), 8 * r.stride} }
