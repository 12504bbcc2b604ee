package cat

// eights are four cells, or sums, in each of the 32 lanes of a warp: two eights of columns by eight rows of a patch of
// CAT-TEMPORAL, or the same with rows and columns exchanged. Element 2i + c of a lane is at 8c + 2·(lane mod 4) + i
// of sixteen, and at lane / 4 of eight; see temporal.cu.
type eights [32][4]int32

// placeOfEight returns the first of these places.
func placeOfEight(lane, element int) int { return 8*(element%2) + lane%4*2 + element/2 }

// factorAround returns the right factor of a product for sixteen sums: of a radius up to 8, and of one up to 16 the
// part of all but the cells after.
func factorAround(before, here, after *eights, far bool) *lanes {
	b := newLanes(8)
	for lane := range b {
		copy(b[lane], here[lane][:])
		for e := range 4 {
			from := after
			if far || e%2 == 1 {
				from = before
			}
			b[lane][4+e] = from[lane][e]
		}
	}
	return b
}

// bandAround returns the band for such a factor: the first eight results count each cell low times, the others high
// times.
func bandAround(radius int, low, high int32, far bool) *lanes {
	a := newLanes(16)
	for lane := range a {
		for i := range a[lane] {
			q, e := i/4, i%4
			in, weight := placeOfEight(lane, e), []int32{low, high}[q%2]
			if q >= 2 {
				in -= 16
				if !far && e%2 == 0 {
					in += 32
				}
			}
			a[lane][i] = weight * inBand(in-(q%2*8+lane/4), radius)
		}
	}
	return a
}

// bandAfter returns the band for the cells after, alone in a factor.
func bandAfter(radius int, low, high int32) *lanes {
	a := newLanes(16)
	for lane := range a {
		for i := range 8 {
			q, e := i/4, i%4
			a[lane][i] = []int32{low, high}[q] * inBand(16+placeOfEight(lane, e)-(q*8+lane/4), radius)
		}
	}
	return a
}

// patchProduct is one direction's sum of sixteen, with its bands.
type patchProduct struct {
	far         bool
	first, last *lanes
}

func newPatchProduct(radius int, low, high int32) patchProduct {
	far := radius > 8
	return patchProduct{far, bandAround(radius, low, high, far), bandAfter(radius, low, high)}
}

func (p patchProduct) addTo(sum *lanes, before, here, after *eights) {
	multiplyAdd(sum, p.first, factorAround(before, here, after, p.far), 4)
	if p.far {
		b := newLanes(8)
		for lane := range b {
			copy(b[lane], after[lane][:])
		}
		multiplyAdd(sum, p.last, b, 4)
	}
}

// patch has the registers of a warp of CAT-TEMPORAL: sixteen columns by eight rows, and so on. Cells of every
// second eight rows are 4 or 0.
type patch [patchColumns / 16][patchRows / 8]eights

// multiplyPatches is CAT-TEMPORAL.
func (u *hostUniverse) multiplyPatches() {
	halo := u.margin()
	aside := roundUp(halo, 8)
	for y0 := 0; y0 < u.h; y0 += patchRows - 2*halo {
		for x0 := 0; x0 < u.w; x0 += patchColumns - 2*aside {
			var cells patch
			each := func(f func(cell *int32, column, row int, alive int32)) {
				for b := range cells {
					for j := range cells[b] {
						for lane := range cells[b][j] {
							for e := range cells[b][j][lane] {
								f(&cells[b][j][lane][e], 16*b+placeOfEight(lane, e), 8*j+lane/4, int32(1+j%2*3))
							}
						}
					}
				}
			}
			each(func(cell *int32, column, row int, alive int32) {
				x, y := x0+column-aside, y0+row-halo
				if -halo <= x && x < u.w+halo && -halo <= y && y < u.h+halo {
					*cell = alive * int32(u.from[u.at(x, y)])
				}
			})
			for range u.pass {
				cells.advance(u.t)
			}
			each(func(cell *int32, column, row int, alive int32) {
				x, y := x0+column-aside, y0+row-halo
				right := column >= aside && column < patchColumns-aside && row >= halo && row < patchRows-halo
				if right && x < u.w && y < u.h {
					u.to[u.at(x, y)] = uint8(*cell / alive)
				}
			})
		}
	}
}

// advance advances a patch by a generation, with dead cells around it.
func (c *patch) advance(t transition) {
	small := t.maxSum() <= 127
	doubled, second := int32(1), int32(1)
	if small {
		doubled, second = 2, 128
	}
	rows := [2]patchProduct{newPatchProduct(t.radius, 1, doubled), newPatchProduct(t.radius, 64, 64*doubled)}
	columns := [2]patchProduct{newPatchProduct(t.radius, 1, 1), newPatchProduct(t.radius, second, second)}
	dead := &eights{}
	at := func(list []eights, i int) *eights {
		if i < 0 || i >= len(list) {
			return dead
		}
		return &list[i]
	}
	var before [patchRows / 8]eights
	for b := range c {
		var h [2][patchRows / 16]eights
		for a := range h[0] {
			sum := newLanes(4)
			for p := range 2 {
				j, after := 2*a+p, dead
				if b+1 < len(c) {
					after = &c[b+1][j]
				}
				rows[p].addTo(sum, &before[j], &c[b][j], after)
				before[j] = c[b][j]
			}
			for lane := range sum {
				for q, both := range sum[lane] { // the second eight of rows times 256
					h[q/2][a][lane][q%2*2], h[q/2][a][lane][q%2*2+1] = both&255, both>>8
				}
			}
		}
		for a := range h[0] {
			var sums [2]*lanes
			for k := range h {
				if k == 0 || !small {
					sums[k] = newLanes(4)
				} else {
					sums[k] = sums[0]
				}
				columns[k].addTo(sums[k], at(h[k][:], a-1), at(h[k][:], a), at(h[k][:], a+1))
			}
			for lane := range 32 {
				for q := range 4 {
					for k := range h {
						sum := sums[k][lane][q]
						if small { // the second eight of columns times 256
							sum = sum >> (8 * k) & 255
						}
						alive := int32(1 + q/2*3)
						cell := &c[b][2*a+q/2][lane][q%2*2+k]
						*cell = alive * int32(t.next(uint8(*cell/alive), int(sum)))
					}
				}
			}
		}
	}
}
