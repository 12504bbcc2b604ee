package layout

// TurnSlabs stores a row with its halo; slab s+by of src becomes slab s.
func (l *Layout) TurnSlabs(dst, src []uint64, by int) {
	if by == 0 {
		copy(dst, src)
		return
	}
	cut := by * l.Wide()
	for at := 0; at < (2*l.Halo+l.Vectors)*l.Lanes; at += l.Lanes {
		to, from := dst[at:at+l.Lanes], src[at:at+l.Lanes]
		copy(to, from[cut:])
		copy(to[l.Lanes-cut:], from[:cut])
	}
}

// CopySlab stores a slab of src with its halo as slab s of a row.
func (l *Layout) CopySlab(dst []uint64, s int, src []uint64, from int) {
	wide := l.Wide()
	for at := 0; at < (2*l.Halo+l.Vectors)*l.Lanes; at += l.Lanes {
		for k := at; k < at+wide; k++ {
			dst[k+s*wide] = src[k+from*wide]
		}
	}
}

// ClearSlab kills the cells of a slab of a row, with its halo.
func (l *Layout) ClearSlab(row []uint64, s int) {
	wide := l.Wide()
	for at := 0; at < (2*l.Halo+l.Vectors)*l.Lanes; at += l.Lanes {
		clear(row[at+s*wide : at+(s+1)*wide])
	}
}
