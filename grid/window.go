package grid

// Window is a part of a source, moved to other coordinates.
type Window struct {
	Source
	Bounds Rect // the part, in the coordinates of the source
	DX, DY int  // by how much it is moved
}

// Extent implements Source.
func (w Window) Extent() (Rect, error) { return w.moved(w.Bounds), nil }

// Occupied returns the source's occupied rectangles within the window. The function Occupied uses it.
func (w Window) Occupied() []Rect { return w.parts(Occupied) }

// OccupiedRows returns the source's occupied rows within the window. The function OccupiedRows uses it.
func (w Window) OccupiedRows() []Rect { return w.parts(OccupiedRows) }

// parts returns the rectangles that a function lists, within the window.
func (w Window) parts(of func(Source) ([]Rect, error)) []Rect {
	all, err := of(w.Source)
	if err != nil { // a reader of the rows will get the same error
		all = []Rect{w.Bounds}
	}
	var parts []Rect
	for _, part := range all {
		if part = part.Intersect(w.Bounds); !part.Empty() {
			parts = append(parts, w.moved(part))
		}
	}
	return parts
}

// ReadRow implements Source.
func (w Window) ReadRow(dst []uint64, plane, x, y, n int) error {
	return w.Source.ReadRow(dst, plane, x-w.DX, y-w.DY, n)
}

func (w Window) moved(r Rect) Rect {
	if r.Empty() {
		return Rect{}
	}
	r.X, r.Y = r.X+w.DX, r.Y+w.DY
	return r
}
