package grid

// Part is a part of a source, moved to other coordinates.
type Part struct {
	Source
	Bounds Rect // the part, in the coordinates of the source
	DX, DY int  // by how much it is moved
}

// Extent implements Source.
func (p Part) Extent() (Rect, error) { return p.moved(p.Bounds), nil }

// Occupied returns the source's occupied rectangles within the part. The function Occupied uses it.
func (p Part) Occupied() []Rect { return p.parts(Occupied) }

// OccupiedRows returns the source's occupied rows within the part. The function OccupiedRows uses it.
func (p Part) OccupiedRows() []Rect { return p.parts(OccupiedRows) }

// parts returns the rectangles that a function lists, within the part.
func (p Part) parts(of func(Source) ([]Rect, error)) []Rect {
	all, err := of(p.Source)
	if err != nil { // a reader of the rows will get the same error
		all = []Rect{p.Bounds}
	}
	var parts []Rect
	for _, r := range all {
		if r = r.Intersect(p.Bounds); !r.Empty() {
			parts = append(parts, p.moved(r))
		}
	}
	return parts
}

// ReadRow implements Source.
func (p Part) ReadRow(dst []uint64, plane, x, y, n int) error {
	return p.Source.ReadRow(dst, plane, x-p.DX, y-p.DY, n)
}

func (p Part) moved(r Rect) Rect {
	if r.Empty() {
		return Rect{}
	}
	r.X, r.Y = r.X+p.DX, r.Y+p.DY
	return r
}
