package topology

import "iter"

// Fold maps any coordinate to the cell of the grid that is seen there. inside is false beyond the edges of a plane,
// where no cell corresponds to (x, y). fx and fy are then x and y. Coordinates on an infinite axis do not change.
//
// Each edge map is applied as often as the coordinate is beyond the edge; the order of the axes does not
// matter. The maps are those of Golly's bounded grids, continued beyond the first row of neighbours.
//
// It is for two dimensions and panics for a volume, whose neighbours FoldVolume finds.
func (t Topology) Fold(x, y int) (fx, fy int, inside bool) {
	if uint(x) < uint(t.W) && uint(y) < uint(t.H) {
		return x, y, true
	}
	return t.foldOutside(x, y)
}

// foldOutside is Fold for a cell beyond an edge.
func (t Topology) foldOutside(x, y int) (fx, fy int, inside bool) {
	if t.Volume() {
		panic("topology: Fold of a volume, which has neighbours in three dimensions")
	}
	switch kinds[t.Kind].join {
	case Open:
		return x, y, true
	case Wall:
		return x, y, within(x, t.W) && within(y, t.H)
	case Turn:
		fx, fy = foldSphere(x, y, t.W)
	default:
		fx, fy = t.foldAcross(x, y)
	}
	return fx, fy, true
}

// FoldVolume is Fold for a volume: it maps the coordinates of a cell to column and row of the grid that holds the
// layers one after the other.
func (t Topology) FoldVolume(x, y, z int) (column, row int, inside bool) {
	h, d := t.LayerRows(), t.D
	if kinds[t.Kind].join == Wrap {
		x, y, z = floorMod(x, t.W), floorMod(y, h), floorMod(z, d)
	} else if uint(x) >= uint(t.W) || uint(y) >= uint(h) || uint(z) >= uint(d) {
		return 0, 0, false
	}
	return x, z*h + y, true
}

// Beside yields the cells beside the one in column x and row y of the grid that holds the universe: those beyond its
// four edges, or in a volume beyond its six faces. It may yield a cell more than once, and yields no dead cells beyond
// the edges of a plane.
func (t Topology) Beside(x, y int) iter.Seq2[int, int] {
	h, z := t.H, 0
	return func(yield func(x, y int) bool) {
		if t.Volume() {
			h = t.LayerRows()
			z = y / h
			for _, dz := range [2]int{-1, 1} {
				if fx, fy, inside := t.FoldVolume(x, y-z*h, z+dz); inside && !yield(fx, fy) {
					return
				}
			}
		}
		for _, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			fx, fy := x+d[0], y+d[1]
			inside := uint(fx) < uint(t.W) && uint(fy-z*h) < uint(h)
			switch {
			case inside:
			case t.Volume():
				fx, fy, inside = t.FoldVolume(fx, fy-z*h, z)
			default:
				fx, fy, inside = t.foldOutside(fx, fy)
			}
			if inside && !yield(fx, fy) {
				return
			}
		}
	}
}

// within reports whether v lies on an axis of n cells, or of infinitely many when n is 0.
func within(v, n int) bool { return n == 0 || uint(v) < uint(n) }

// foldAcross wraps both axes. Crossing a pair of edges moves a coordinate along them: it is mirrored if they
// are twisted, and then shifted.
func (t Topology) foldAcross(x, y int) (int, int) {
	crossX, x := divide(x, t.W)
	crossY, y := divide(y, t.H)
	if t.Axis == NoAxis && t.Twist == NoAxis && t.Kind == Torus { // the usual case, and nothing moves
		return x, y
	}
	movedX, movedY := x, y
	if crossY != 0 {
		movedX = t.along(Horizontal, x, crossY, t.W)
	}
	if crossX != 0 {
		movedY = t.along(Vertical, y, crossX, t.H)
	}
	return movedX, movedY
}

// along returns the position of v on a ring of n cells after the given number of crossings of a pair of edges.
// Crossing the bottom edge adds the shift, and crossing the top edge subtracts it. The same holds for right and
// left. Two mirrored crossings cancel, with a shift as well, so only their parity counts.
func (t Topology) along(pair Axis, v, crossings, n int) int {
	shift := 0
	if t.Axis == pair {
		shift = t.Shift
	}
	switch {
	case t.Join(pair) == Mirror && crossings&1 != 0:
		return floorMod(n-1-v-shift, n)
	case t.Join(pair) == Mirror || shift == 0:
		return v
	}
	// The crossings are reduced first, so that the product of two sides fits in an int.
	return floorMod(v+floorMod(crossings, n)*floorMod(shift, n)%n, n)
}

// foldSphere folds onto n×n cells. The top edge is joined to the left one, and the bottom edge to the right
// one. The four edge maps are quarter turns about the top-left and bottom-right corners, so copies of the grid
// repeat with period 2n both ways:
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

// divide returns the floor quotient and remainder of v by n: how often the edges of an axis are crossed, and
// where that ends. An infinite axis has no edges.
func divide(v, n int) (crossings, rest int) {
	switch { // a division takes longer than all else
	case n == 0 || uint(v) < uint(n):
		return 0, v
	case v < 0 && v >= -n:
		return -1, v + n
	case v >= n && v-n < n:
		return 1, v - n
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
