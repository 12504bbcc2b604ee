package wavefront

// ring keeps the last n rows of some planes. Row y is in slot y modulo n, so a new row takes the place
// of the row n before it:
//
//	slot     0    1    2    3    4          n = 5
//	row      10   11   12   8    9          row 13 comes next, in place of row 8
type ring struct {
	n, planes int
	rows      [][]uint64
	base      int // a multiple of n at or shortly below the rows in use: rows are found without a division
}

// place puts the rows into the first words, and returns the others.
func (r *ring) place(words []uint64, stride int) (rest []uint64) {
	r.rows = make([][]uint64, r.n*r.planes)
	for i := range r.rows {
		r.rows[i], words = words[:stride:stride], words[stride:]
	}
	return words
}

// start prepares for rows from y on, and those shortly before.
func (r *ring) start(y int) {
	r.base = y - y%r.n
	if y < r.base {
		r.base -= r.n
	}
}

// row returns row y of a plane. Between calls y must not decrease.
func (r *ring) row(plane, y int) []uint64 { return r.rows[r.slot(y)*r.planes+plane] }

// slot is the place of row y in the ring. base moves on when a row is two turns of the ring ahead of it, so that one
// subtraction is mostly enough.
func (r *ring) slot(y int) int {
	slot := y - r.base
	for slot >= r.n {
		slot -= r.n
		if slot >= r.n {
			r.base += r.n
		}
	}
	for slot < 0 {
		slot += r.n
	}
	return slot
}

// clear makes all rows zeros.
func (r *ring) clear() {
	for _, row := range r.rows {
		clear(row)
	}
}
