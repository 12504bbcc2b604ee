package cat

// band is B_d of fragments of a side, row by row: B_d[l][j] is 1 where |side·d + l − j| ≤ radius.
func band(side, d, radius int) []int32 {
	b := make([]int32, side*side)
	for i := range b {
		b[i] = inBand(side*d+i/side-i%side, radius)
	}
	return b
}

func inBand(distance, radius int) int32 {
	if -radius <= distance && distance <= radius {
		return 1
	}
	return 0
}

// addProduct adds a·b to c, all of side×side.
func addProduct(c, a, b []int32, side int) {
	for i := range side {
		for l := range side {
			if f := a[i*side+l]; f != 0 {
				for j := range side {
					c[i*side+j] += f * b[l*side+j]
				}
			}
		}
	}
}

// multiply is CAT, with the whole universe as its tile: H = Σ X(x+d, y)·B_d, then S = Σ B_−d·H(x, y+d), or in a cross
// S = H + Σ B_−d·X(x, y+d).
func (u *hostUniverse) multiply() {
	side, area := u.side, u.side*u.side
	reach := u.t.reach(side)
	down := len(u.from) / area / u.across
	x, h := make([]int32, len(u.from)), make([]int32, len(u.from))
	for i, cell := range u.from {
		x[i] = int32(cell)
	}
	fragment := func(m []int32, fx, fy int) []int32 { return m[(fy*u.across+fx)*area:][:area] }
	for fy := range down {
		for fx := reach; fx < u.across-reach; fx++ {
			for d := -reach; d <= reach; d++ {
				addProduct(fragment(h, fx, fy), fragment(x, fx+d, fy), band(side, d, u.t.radius), side)
			}
		}
	}
	for fy := reach; fy < down-reach; fy++ {
		for fx := reach; fx < u.across-reach; fx++ {
			sums, columns := make([]int32, area), h
			if u.t.cross {
				copy(sums, fragment(h, fx, fy))
				columns = x
			}
			for d := -reach; d <= reach; d++ {
				addProduct(sums, band(side, -d, u.t.radius), fragment(columns, fx, fy+d), side)
			}
			at := (fy*u.across + fx) * area
			for i, sum := range sums {
				u.to[at+i] = u.t.next(u.from[at+i], int(sum))
			}
		}
	}
}

// lanes are registers of the 32 lanes of a warp, element by element.
type lanes [32][]int32

// multiplyAdd is the product d += a·b of m16n8k16 (FP16, e = 2 elements to a register) and m16n8k32 (INT8, e =
// 4), with elements in lanes as PTX ISA specifies.
func multiplyAdd(d, a, b *lanes, e int) {
	for i := range 16 {
		for n := range 8 {
			for k := range 8 * e {
				t, register, element := k%(4*e)/e, k/(4*e), k%e
				d[i%8*4+n/2][i/8*2+n%2] += a[i%8*4+t][(i/8+2*register)*e+element] * b[n*4+t][register*e+element]
			}
		}
	}
}

func newLanes(elements int) *lanes {
	var l lanes
	for i := range l {
		l[i] = make([]int32, elements)
	}
	return &l
}

// place returns the row or column of a fragment for a slot of a product's results, and summed the one for a
// slot of the index that is summed over; see register.cu.
func place(slot, e int) int  { return slot/2%4*2*e + slot/8*2 + slot%2 }
func summed(slot, e int) int { return slot/e%4*2*e + slot/(4*e)*e + slot%e }

// multiplyInLanes is CAT-REGISTERS (e = 2) and CAT-INT8 (e = 4): fragments of 8e×8e, as the lanes of a warp have them.
func (u *hostUniverse) multiplyInLanes(e int) func() {
	side, reach := 8*e, u.t.reach(8*e)
	area, blocks := side*side, side/8
	// bands[d][v] is the left factor of 16 results.
	var bands [][]*lanes
	for d := -reach; d <= reach; d++ {
		var row []*lanes
		for v := range side / 16 {
			a := newLanes(4 * e)
			for i := range 16 {
				for k := range side {
					a[i%8*4+k%(4*e)/e][(i/8+2*(k/(4*e)))*e+k%e] = inBand(side*d+summed(k, e)-place(16*v+i, e), u.t.radius)
				}
			}
			row = append(row, a)
		}
		bands = append(bands, row)
	}
	// cells are eight rows of a fragment as a right factor: 2e cells of a row a lane.
	cells := func(fx, fy, block int) *lanes {
		b := newLanes(2 * e)
		for lane := range b {
			at := (fy*u.across+fx)*area + place(8*block+lane/4, e)*side + lane%4*2*e
			for i := range b[lane] {
				b[lane][i] = int32(u.from[at+i])
			}
		}
		return b
	}
	return func() {
		down := len(u.from) / area / u.across
		for fx := reach; fx < u.across-reach; fx++ {
			// h[fy][c] is eight columns of H as a right factor.
			h := make([][]*lanes, down)
			for fy := range h {
				h[fy] = make([]*lanes, blocks)
				for c := range h[fy] {
					h[fy][c] = newLanes(2 * e)
				}
				for j := range blocks {
					for v := range side / 16 {
						d := newLanes(4)
						for i, b := range bands {
							multiplyAdd(d, b[v], cells(fx+i-reach, fy, j), e)
						}
						for lane := range d { // nothing moves between lanes
							for i, sum := range d[lane] {
								h[fy][2*v+i/2][lane][2*j+i%2] = sum
							}
						}
					}
				}
			}
			for fy := reach; fy < down-reach; fy++ {
				for v := range side / 16 {
					for c := range blocks {
						s := newLanes(4)
						for i, b := range bands {
							multiplyAdd(s, b[v], h[fy+i-reach][c], e)
						}
						for lane := range s {
							for i, sum := range s[lane] {
								at := (fy*u.across+fx)*area + place(16*v+i/2*8+lane/4, e)*side + lane%4*2*e + 2*c + i%2
								u.to[at] = u.t.next(u.from[at], int(sum))
							}
						}
					}
				}
			}
		}
	}
}
