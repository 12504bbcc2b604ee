package bands

// Snapshot is a copy of cells. Comparing it with the cells later shows which have changed. It copies groups of 256
// rows of vectors: all groups, or one of Every.
type Snapshot struct {
	Every  int
	engine *Engine
	kept   []int      // rows of vectors
	words  []uint64   // row after row, the planes of each together
	at     []int      // by row of vectors: where it begins in words
	differ [][]uint64 // by row of vectors: where some plane has changed, if known; nil for those that are not kept
	known  []bool
	some   []uint64 // scratch: a row of vectors
	cells  []uint64 // scratch: a row of cells
}

// NewSnapshot returns an empty snapshot for all cells, or for the largest sample of them that fits in most bytes.
func (e *Engine) NewSnapshot(most int) *Snapshot {
	const group = 256
	u := e.u
	s := &Snapshot{Every: 1 + (8*u.planes*u.Stride*u.Rows-1)/most, engine: e}
	s.at, s.differ, s.known = make([]int, u.Rows), make([][]uint64, u.Rows), make([]bool, u.Rows)
	for y := range u.Rows {
		if y/group%s.Every == 0 {
			s.at[y] = len(s.kept) * u.planes * u.Stride
			s.kept = append(s.kept, y)
			s.differ[y] = make([]uint64, u.Stride)
		}
	}
	s.words = make([]uint64, len(s.kept)*u.planes*u.Stride)
	s.some, s.cells = make([]uint64, u.Stride), make([]uint64, len(e.cells))
	return s
}

// Take copies the cells as they are now.
func (s *Snapshot) Take() {
	words := s.words
	for _, y := range s.kept {
		for k := range s.engine.u.planes {
			words = words[copy(words, s.engine.u.row(k, y)):]
		}
	}
}

// Compare prepares to find the changes since the cells were taken. The cells must stay as they are until the last
// call of Changed.
func (s *Snapshot) Compare() { clear(s.known) }

// compared returns where some plane of a row of vectors has changed; nil if the row is not kept.
func (s *Snapshot) compared(y int) []uint64 {
	differ := s.differ[y]
	if differ == nil || s.known[y] {
		return differ
	}
	s.known[y] = true
	clear(differ)
	words := s.words[s.at[y]:]
	for k := range s.engine.u.planes {
		before, now := words[:len(differ)], s.engine.u.row(k, y)[:len(differ)]
		for i, v := range before {
			differ[i] |= v ^ now[i]
		}
		words = words[len(differ):]
	}
	return differ
}

// Changed sets the bits of the columns in which a cell of rows y0 ≤ y < y1 has changed, and clears the others.
func (s *Snapshot) Changed(columns []uint64, y0, y1 int) {
	u := s.engine.u
	clear(columns)
	for y := y0; y < y1; {
		slab := y / u.Rows
		clear(s.some)
		first := u.Halo*u.Lanes + slab*u.Wide()
		for end := min(y1, (slab+1)*u.Rows); y < end; y++ {
			differ := s.compared(y - slab*u.Rows)
			if differ == nil {
				continue
			}
			for at := first; at < first+u.Vectors*u.Lanes; at += u.Lanes {
				for i := at; i < at+u.Wide(); i++ {
					s.some[i] |= differ[i]
				}
			}
		}
		u.Unpack(s.cells, s.some, slab)
		for i, v := range s.cells {
			columns[i] |= v
		}
	}
}
