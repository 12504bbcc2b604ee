package cat

import "math/bits"

// firstColumn returns the first of the eight columns, relative to the fragment, that lane t of four has in
// product number p; see rows.cu.
func firstColumn(products, p, t int) int {
	switch {
	case products == 3:
		return 32*(p-1) + 8*t
	case p == 0:
		return 8 * t
	case t < 2:
		return 8*t - 16
	}
	return 8*t + 16
}

// multiplyRows is CAT-ROWS: the rows i above and i below together times the band of their width, summed over i,
// in fragments of 32×32 with the elements where the lanes of a warp have them.
func (u *hostUniverse) multiplyRows() {
	const e, side = 4, 32
	products := 2
	if u.t.radius > 16 {
		products = 3
	}
	for y0 := 0; y0 < u.h; y0 += 16 {
		for x0 := 0; x0 < u.w; x0 += side {
			var sums [side / 8]*lanes
			for block := range sums {
				sums[block] = newLanes(4)
				for i, width := range u.t.widths {
					for p := range products {
						left, right := newLanes(4*e), newLanes(2*e)
						for k := range side {
							t, register, element := k%(4*e)/e, k/(4*e), k%e
							column := firstColumn(products, p, t) + register*e + element
							for row := range 16 {
								cell := u.cell(x0+column, y0+row+i)
								if i > 0 {
									cell += u.cell(x0+column, y0+row-i)
								}
								left[row%8*4+t][(row/8+2*register)*e+element] = cell
							}
							for n := range 8 {
								right[n*4+t][register*e+element] = inBand(column-place(8*block+n, e), width)
							}
						}
						multiplyAdd(sums[block], left, right, e)
					}
				}
				for lane, four := range sums[block] {
					for i, sum := range four {
						x, y := x0+lane%4*8+2*block+i%2, y0+i/2*8+lane/4
						if x < u.w && y < u.h {
							at := u.at(x, y)
							u.to[at] = u.t.next(u.from[at], int(sum))
						}
					}
				}
			}
		}
	}
}

// cell returns cell (x, y), or 0 beyond the rows of the margin, which no band reaches.
func (u *hostUniverse) cell(x, y int) int32 {
	if x < -margin || y < -u.t.radius || y >= u.h+u.t.radius {
		return 0
	}
	return int32(u.from[u.at(x, y)])
}

// bitsBetween returns the bits lo to hi of a word, as far as it has them.
func bitsBetween(lo, hi int) uint32 {
	lo, hi = max(lo, 0), min(hi, 31)
	if lo > hi {
		return 0
	}
	return uint32(uint64(2)<<hi - uint64(1)<<lo)
}

// countBits is CAT-BITS: bits set both in the three words around a cell, in each row of its neighbourhood, and
// in those of a band.
func (u *hostUniverse) countBits() {
	radius := u.t.radius
	for y := range u.h {
		for x0 := 0; x0 < u.w; x0 += 32 {
			words := make([]uint32, 3*(2*radius+1))
			for i := range words {
				for b := range 32 {
					words[i] |= uint32(u.cell(x0+32*(i%3-1)+b, y+i/3-radius)) << b
				}
			}
			for column := range min(32, u.w-x0) {
				sum := 0
				for i, word := range words {
					width := u.t.widths[max(i/3-radius, radius-i/3)]
					from := column - 32*(i%3-1)
					sum += bits.OnesCount32(word & bitsBetween(from-width, from+width))
				}
				at := u.at(x0+column, y)
				u.to[at] = u.t.next(u.from[at], sum)
			}
		}
	}
}
