package cuda

import "unsafe"

// rows are copies on the host of some consecutive rows of a universe, all planes, through which single rows are read and written: a
// transfer for every row would cost more than the row. Columns are put in order, and back, on the device. While rows are read from top
// to bottom the next ones are fetched ahead.
type rows struct {
	u      *universe
	most   int    // rows held at once
	stride int    // words of a row
	held   *block // nil: none
	ahead  *block // being fetched; nil: none
	dirty  bool   // held was edited
	spare  []*block
	blocks int
}

// block is a copy of rows.
type block struct {
	first, n int // rows
	buffer   []byte
	release  func()   // of the buffer
	cells    []uint64 // the buffer: row after row, plane after plane
	staging  uint64   // as many on the device
	fetching bool
	fetched  chan error // when it is fetched ahead
}

// transferBytes is about how much of a plane is moved at once.
const transferBytes = 4 << 20

// newRows takes what is needed: a block to hold and one to fetch ahead, of about so many bytes of each plane.
func newRows(u *universe, bytes int) (*rows, error) {
	r := &rows{u: u, stride: u.plainStride() / 8}
	r.most = max(1, min(u.h, bytes/(8*r.stride)))
	for range min(2, (u.h+r.most-1)/r.most) {
		b := &block{fetched: make(chan error, 1)}
		var err error
		if b.staging, err = u.dev.alloc(r.planeBytes() * uint64(u.planes)); err != nil {
			return r, err
		}
		b.buffer, b.release = u.dev.buffer(r.planeBytes() * uint64(u.planes))
		b.cells = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b.buffer))), len(b.buffer)/8)
		r.spare = append(r.spare, b)
		r.blocks++
	}
	return r, nil
}

// close gives the memory back.
func (r *rows) close() {
	r.forget()
	for _, b := range r.spare {
		r.u.dev.free(b.staging)
		b.release()
	}
	r.spare = nil
}

// bytes is the size of the copies on the device.
func (r *rows) bytes() uint64 { return uint64(r.blocks*r.u.planes) * r.planeBytes() }

// planeBytes is the distance from a plane of a block to the next.
func (r *rows) planeBytes() uint64 { return uint64(8 * r.most * r.stride) }

// flush writes what was edited back.
func (r *rows) flush() error {
	if !r.dirty {
		return nil
	}
	r.dirty = false
	if err := r.u.dev.write(r.held.staging, r.held.buffer); err != nil {
		return err
	}
	return r.u.plainLaunch("pack", r.held.first, r.held.n, r.held.staging, r.planeBytes(), 8*r.stride)
}

// forget drops the copies: the device's cells are about to change. What was edited is written back before or lost.
func (r *rows) forget() {
	r.dirty = false
	r.drop(&r.held)
	r.drop(&r.ahead)
}

func (r *rows) drop(b **block) {
	if *b != nil {
		r.spare, *b = append(r.spare, *b), nil
	}
}

// settle waits until nothing is being fetched ahead any more. What could not be fetched is dropped.
func (r *rows) settle() {
	if b := r.ahead; b != nil && b.fetching {
		b.fetching = false
		if err := <-b.fetched; err != nil {
			r.drop(&r.ahead)
		}
	}
}

// holds reports whether row y is here, so that opening it needs no transfer.
func (r *rows) holds(y int) bool { return r.held.has(y) }

func (b *block) has(y int) bool { return b != nil && b.first <= y && y < b.first+b.n }

// fetch copies the rows of a block from the device.
func (r *rows) fetch(b *block) error {
	if err := r.u.plainLaunch("unpack", b.first, b.n, b.staging, r.planeBytes(), 8*r.stride); err != nil {
		return err
	}
	return r.u.dev.read(b.buffer, b.staging)
}

// take makes a spare block one of the rows around row y.
func (r *rows) take(y int) *block {
	b := r.spare[len(r.spare)-1]
	r.spare = r.spare[:len(r.spare)-1]
	b.first = y / r.most * r.most
	b.n = min(r.most, r.u.h-b.first)
	return b
}

// hold makes sure that row y is held, by fetching it now.
func (r *rows) hold(y int) error {
	if err := r.flush(); err != nil {
		return err
	}
	r.forget()
	b := r.take(y)
	if err := r.fetch(b); err != nil {
		r.spare = append(r.spare, b)
		return err
	}
	r.held = b
	return nil
}

// row is a row that is held.
func (r *rows) row(plane, y int) []uint64 {
	return r.held.cells[(plane*r.most+y-r.held.first)*r.stride:][:r.stride]
}

// openRow is a row, perhaps to be edited; nil where the device failed.
func (e *engine) openRow(plane, y int, edit bool) []uint64 {
	i := e.bands.at(y)
	r := e.rows[i]
	y -= e.bands.all[i].top
	if !r.holds(y) && !e.hold(i, y) {
		return nil
	}
	r.dirty = r.dirty || edit
	return r.row(plane, y)
}

// hold makes sure that row y of a band is held. Where rows are read one after the other it has the next ones fetched meanwhile.
func (e *engine) hold(i, y int) bool {
	r := e.rows[i]
	onwards := r.held != nil && r.held.has(y-y%r.most-1)
	r.settle()
	if r.ahead.has(y) {
		if r.dirty && !e.access(func() error { return e.within(i, r.flush) }) {
			return false
		}
		r.drop(&r.held)
		r.held, r.ahead = r.ahead, nil
	} else if !e.access(func() error { return e.within(i, func() error { return r.hold(y) }) }) {
		return false
	}
	if next := r.held.first + r.most; onwards && next < r.u.h {
		b := r.take(next)
		b.fetching = true
		r.ahead = b
		go func() {
			b.fetched <- e.devs[0].do(func() error { return e.within(i, func() error { return r.fetch(b) }) })
		}()
	}
	return true
}

// within runs f where the device of a band is entered, and goes back to the first.
func (e *engine) within(i int, f func() error) error {
	return e.bands.each(func(j int, _ *universe) error {
		if j != i {
			return nil
		}
		return f()
	})
}
