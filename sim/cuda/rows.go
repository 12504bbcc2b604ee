package cuda

import "unsafe"

// rows is a copy on the host of some consecutive rows of a universe, all planes, through which single rows are read and written:
// a transfer for every row would cost more than the row.
type rows struct {
	u      *universe
	first  int // row
	n      int // rows held, 0: none
	most   int
	words  [][]uint32 // by plane
	dirty  bool
	cells  []uint64 // the row below, unpacked
	row    int      // -1: none
	plane  int
	edited bool // cells differ from words
}

// transferBytes is about how much is moved at once.
const transferBytes = 4 << 20

func newRows(u *universe) *rows {
	r := &rows{u: u, row: -1, cells: make([]uint64, (u.w+63)/64)}
	r.most = max(1, min(u.h, transferBytes/u.stride))
	for range u.planes {
		r.words = append(r.words, make([]uint32, r.most*u.stride/4))
	}
	return r
}

func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// address is where row y of a plane begins, before its ghosts.
func (r *rows) address(plane, y int) uint64 {
	u := r.u
	return u.copies[u.current] + uint64(plane)*u.planeBytes() + uint64(u.above+y)*uint64(u.stride)
}

// flush writes what was edited back.
func (r *rows) flush() error {
	r.keepRow()
	if !r.dirty {
		return nil
	}
	r.dirty = false
	for plane, words := range r.words {
		if err := r.u.dev.write(r.address(plane, r.first), bytesOf(words[:r.n*r.u.stride/4])); err != nil {
			return err
		}
	}
	return nil
}

// forget drops the copy: the device's cells are about to change.
func (r *rows) forget() { r.n, r.row = 0, -1 }

// discard drops the copy and what was edited in it.
func (r *rows) discard() {
	r.dirty, r.edited = false, false
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
	for plane, words := range r.words {
		if err := r.u.dev.read(bytesOf(words[:n*r.u.stride/4]), r.address(plane, r.first)); err != nil {
			return err
		}
	}
	r.n = n
	return nil
}

// of is the groups of a row that is held.
func (r *rows) of(plane, y int) []uint32 {
	start := ((y-r.first)*r.u.stride + r.u.margin) / 4
	return r.words[plane][start : start+r.u.groups*r.u.words]
}

// open unpacks row y of a plane into cells.
func (r *rows) open(plane, y int) error {
	if r.row == y && r.plane == plane {
		return nil
	}
	r.keepRow()
	if err := r.hold(y); err != nil {
		return err
	}
	r.u.unpack(r.cells, r.of(plane, y))
	r.row, r.plane = y, plane
	return nil
}

// keepRow packs an edited row.
func (r *rows) keepRow() {
	if r.edited {
		r.u.pack(r.of(r.plane, r.row), r.cells)
		r.edited, r.dirty = false, true
	}
}
