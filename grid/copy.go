package grid

import "math/bits"

// Copy copies the cells of the rectangle from to the rectangle of the same size at (toX, toY), row by row. Planes that dst has
// and src has not are cleared there, so whole states are copied. Source and destination may be the same universe and overlap.
func Copy(dst Sink, src Source, from Rect, toX, toY int) {
	if from.Empty() {
		return
	}
	planes := src.Planes()
	if d, ok := dst.(Source); ok {
		planes = d.Planes()
	}
	row := make([]uint64, wordsFor(from.W))
	for i := range from.H {
		// Away from the side the cells move to, so that no row is overwritten before it is read.
		y := i
		if toY > from.Y {
			y = from.H - 1 - i
		}
		for k := range planes {
			readPlane(row, src, k, from.X, from.Y+y, from.W)
			dst.WriteRow(row, k, toX, toY+y, from.W)
		}
	}
}

// FirstDifference finds the first cell, in row-major order, whose state differs between a and b. A cell outside a bounded
// universe counts as dead, so the sizes need not agree.
func FirstDifference(a, b Source) (x, y int, found bool) {
	box := a.Bounds().Union(b.Bounds())
	if box.Empty() {
		return 0, 0, false
	}
	rowA, rowB := make([]uint64, wordsFor(box.W)), make([]uint64, wordsFor(box.W))
	planes := max(a.Planes(), b.Planes())
	for y := box.Y; y < box.Y+box.H; y++ {
		first := box.W
		for k := range planes {
			readPlane(rowA, a, k, box.X, y, box.W)
			readPlane(rowB, b, k, box.X, y, box.W)
			for i := range rowA {
				if d := rowA[i] ^ rowB[i]; d != 0 {
					first = min(first, i<<6+bits.TrailingZeros64(d))
					break
				}
			}
		}
		if first < box.W {
			return box.X + first, y, true
		}
	}
	return 0, 0, false
}

// readPlane is ReadRow for any plane: one that src does not have is zero.
func readPlane(dst []uint64, src Source, plane, x, y, n int) {
	if plane >= src.Planes() {
		clear(dst[:wordsFor(n)])
		return
	}
	src.ReadRow(dst, plane, x, y, n)
}
