package topology

// Fold maps any coordinate to the cell of the grid that is seen there. inside is false where there is none: beyond the
// edges of a plane, where fx and fy are x and y. An infinite axis is left alone.
//
// Each edge map is applied as often as the coordinate is beyond the edge; the order of the axes does not matter. The
// maps are those of Golly's bounded grids, continued beyond the first row of neighbours.
func (t Topology) Fold(x, y int) (fx, fy int, inside bool) {
	if uint(x) < uint(t.W) && uint(y) < uint(t.H) {
		return x, y, true
	}
	return t.foldOutside(x, y)
}

func (t Topology) foldOutside(x, y int) (fx, fy int, inside bool) {
	switch t.Kind {
	case Torus:
		fx, fy = t.foldTorus(x, y)
	case Plane:
		return x, y, within(x, t.W) && within(y, t.H)
	case Klein:
		fx, fy = t.foldKlein(x, y)
	case Cross:
		fx, fy = t.foldCross(x, y)
	case Sphere:
		fx, fy = foldSphere(x, y, t.W)
	default:
		return x, y, true
	}
	return fx, fy, true
}

// within reports whether v lies on an axis of n cells, or of infinitely many when n is 0.
func within(v, n int) bool { return n == 0 || uint(v) < uint(n) }

// foldTorus wraps both axes. Crossing the bottom edge adds the shift to x, crossing the top takes it away; likewise
// left and right.
func (t Topology) foldTorus(x, y int) (int, int) {
	crossX, x := divide(x, t.W)
	crossY, y := divide(y, t.H)
	switch t.Axis {
	case Horizontal:
		x = slide(x, crossY, t.Shift, t.W)
	case Vertical:
		y = slide(y, crossX, t.Shift, t.H)
	}
	return x, y
}

// slide is v + crossings·shift on a ring of n cells. The crossings are reduced first: a product of two sides fits an
// int.
func slide(v, crossings, shift, n int) int {
	return floorMod(v+floorMod(crossings, n)*floorMod(shift, n)%n, n)
}

// foldKlein wraps both axes and reflects the coordinate along the twisted edges at each crossing of them. Reflections
// with a shift undo themselves, so only the parity of the crossings counts.
func (t Topology) foldKlein(x, y int) (int, int) {
	crossX, x := divide(x, t.W)
	crossY, y := divide(y, t.H)
	if t.Twist == Horizontal && crossY&1 != 0 {
		x = floorMod(t.W-1-x-t.Shift, t.W)
	}
	if t.Twist == Vertical && crossX&1 != 0 {
		y = floorMod(t.H-1-y-t.Shift, t.H)
	}
	return x, y
}

// foldCross wraps both axes and reflects along each pair of edges that is crossed an odd number of times.
func (t Topology) foldCross(x, y int) (int, int) {
	crossX, x := divide(x, t.W)
	crossY, y := divide(y, t.H)
	if crossY&1 != 0 {
		x = t.W - 1 - x
	}
	if crossX&1 != 0 {
		y = t.H - 1 - y
	}
	return x, y
}

// foldSphere folds onto n×n cells whose top edge is joined to the left one and whose bottom edge is joined to the right
// one. The four edge maps are quarter turns about the top-left and bottom-right corners, so copies of the grid repeat
// with period 2n both ways:
//
//	 0 ≤ x < n     n ≤ x < 2n
//	+-----------+-------------+
//	| as it is  | (y, 2n-1-x) |  0 ≤ y < n
//	+-----------+-------------+
//	|(2n-1-y, x)| half turn   |  n ≤ y < 2n
//	+-----------+-------------+
func foldSphere(x, y, n int) (int, int) {
	x, y = floorMod(x, 2*n), floorMod(y, 2*n)
	switch {
	case x < n && y < n:
		return x, y
	case y < n:
		return y, 2*n - 1 - x
	case x < n:
		return 2*n - 1 - y, x
	default:
		return 2*n - 1 - x, 2*n - 1 - y
	}
}

// divide is the floor quotient and remainder of v by n: how often the edges of an axis are crossed, and where that
// ends. An infinite axis has no edges to cross.
func divide(v, n int) (crossings, rest int) {
	if n == 0 {
		return 0, v
	}
	crossings, rest = v/n, v%n
	if rest < 0 {
		crossings, rest = crossings-1, rest+n
	}
	return crossings, rest
}

func floorMod(v, n int) int {
	_, rest := divide(v, n)
	return rest
}
