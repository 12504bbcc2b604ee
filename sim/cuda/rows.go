package cuda

import "unsafe"

// rows is a copy on the host of some consecutive rows of a universe, all planes, through which single rows are read and written:
// a transfer for every row would cost more than the row. Columns are put in order, and back, on the device.
type rows struct {
	u       *universe
	first   int // row
	n       int // rows held, 0: none
	most    int
	stride  int      // words of a row
	cells   []uint64 // row after row, plane after plane
	staging uint64   // as many on the device
	dirty   bool
}

// transferBytes is about how much of a plane is moved at once.
const transferBytes = 4 << 20

func newRows(u *universe) (*rows, error) {
	r := &rows{u: u, stride: u.plainStride() / 8}
	r.most = max(1, min(u.h, transferBytes/(8*r.stride)))
	r.cells = make([]uint64, u.planes*r.most*r.stride)
	var err error
	r.staging, err = u.dev.alloc(r.bytes())
	return r, err
}

func (r *rows) close() { r.u.dev.free(r.staging) }

// bytes is the size of the copy.
func (r *rows) bytes() uint64 { return uint64(8 * len(r.cells)) }

// planeBytes is the distance from a plane to the next, on the host and on the device.
func (r *rows) planeBytes() uint64 { return uint64(8 * r.most * r.stride) }

func (r *rows) buffer() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.cells))), r.bytes())
}

// flush writes what was edited back.
func (r *rows) flush() error {
	if !r.dirty {
		return nil
	}
	r.dirty = false
	if err := r.u.dev.write(r.staging, r.buffer()); err != nil {
		return err
	}
	return r.u.plainLaunch("pack", r.first, r.n, r.staging, r.planeBytes(), 8*r.stride)
}

// forget drops the copy: the device's cells are about to change.
func (r *rows) forget() { r.n = 0 }

// discard drops the copy and what was edited in it.
func (r *rows) discard() {
	r.dirty = false
	r.forget()
}

// holds reports whether row y is here, so that opening it needs no transfer.
func (r *rows) holds(y int) bool { return r.first <= y && y < r.first+r.n }

// hold makes sure that row y is held.
func (r *rows) hold(y int) error {
	if r.holds(y) {
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	r.forget()
	r.first = y / r.most * r.most
	n := min(r.most, r.u.h-r.first)
	if err := r.u.plainLaunch("unpack", r.first, n, r.staging, r.planeBytes(), 8*r.stride); err != nil {
		return err
	}
	if err := r.u.dev.read(r.buffer(), r.staging); err != nil {
		return err
	}
	r.n = n
	return nil
}

// row is a row that is held.
func (r *rows) row(plane, y int) []uint64 {
	return r.cells[(plane*r.most+y-r.first)*r.stride:][:r.stride]
}
