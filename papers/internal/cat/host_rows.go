package cat

// sumEach is BASE: every neighbour of every cell.
func (u *hostUniverse) sumEach() {
	r := u.t.radius
	for y := range u.h {
		for x := range u.w {
			sum := 0
			for dy := -r; dy <= r; dy++ {
				row := u.at(x-r, y+dy)
				for _, cell := range u.from[row : row+2*r+1] {
					sum += int(cell)
				}
			}
			at := u.at(x, y)
			u.to[at] = u.t.next(u.from[at], sum)
		}
	}
}

// sumTiles is SHARED and COARSE: every neighbour, from a copy of a tile of w×h cells and its halo.
func (u *hostUniverse) sumTiles(w, h int) func() {
	r := u.t.radius
	pitch := w + 2*r
	tile := make([]uint8, pitch*(h+2*r))
	return func() {
		for y0 := 0; y0 < u.h; y0 += h {
			for x0 := 0; x0 < u.w; x0 += w {
				for i := range min(h, u.h-y0) + 2*r {
					copy(tile[i*pitch:(i+1)*pitch], u.from[u.at(x0-r, y0+i-r):])
				}
				for y := y0; y < min(y0+h, u.h); y++ {
					for x := x0; x < min(x0+w, u.w); x++ {
						sum := 0
						for dy := range 2*r + 1 {
							for _, cell := range tile[(y-y0+dy)*pitch+x-x0:][:2*r+1] {
								sum += int(cell)
							}
						}
						u.to[u.at(x, y)] = u.t.next(tile[(y-y0+r)*pitch+x-x0+r], sum)
					}
				}
			}
		}
	}
}

// sumPairs is MCELL: two cells side by side, whose neighbours are read in pairs of columns, the first of them even.
func (u *hostUniverse) sumPairs() {
	r := u.t.radius
	even := r + r%2
	for y := range u.h {
		for x := 0; x < u.w; x += 2 {
			both, left, right := 0, 0, 0
			for dy := -r; dy <= r; dy++ {
				row := u.from[u.at(x-even, y+dy):][:2*even+2]
				for _, cell := range row[2 : 2*even] {
					both += int(cell)
				}
				// If the radius is odd, the outermost column of each side belongs to neither of them, and the next column to one.
				// If it is even, the outermost column belongs to one, and the next column to both.
				left += int(row[1])
				right += int(row[2*even])
				if r%2 == 0 {
					left += int(row[0]) + int(row[2*even])
					right += int(row[1]) + int(row[2*even+1])
				}
			}
			at := u.at(x, y)
			u.to[at] = u.t.next(u.from[at], both+left)
			u.to[at+1] = u.t.next(u.from[at+1], both+right)
		}
	}
}
