package topology_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/topology"
)

func mustParse(t testing.TB, suffix string) topology.Topology {
	t.Helper()
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// The first ring of neighbours is what Golly's own border code copies, cell by cell.
func TestFold(t *testing.T) {
	type cell struct{ x, y int }
	tests := []struct {
		suffix   string
		from, to cell
	}{
		{"T5,3", cell{-1, -1}, cell{4, 2}},
		{"T5,3", cell{5, 3}, cell{0, 0}},
		{"T5,3", cell{-12, 7}, cell{3, 1}},
		{"T5+2,3", cell{1, -1}, cell{4, 2}},
		{"T5+2,3", cell{1, 3}, cell{3, 0}},
		{"T5+2,3", cell{1, 6}, cell{0, 0}},
		{"T5+2,3", cell{-1, 1}, cell{4, 1}},
		{"T5,3-1", cell{-1, 1}, cell{4, 2}},
		{"T5,3-1", cell{5, 1}, cell{0, 0}},
		{"T0,3", cell{-7, -1}, cell{-7, 2}},
		{"T5,0", cell{6, -40}, cell{1, -40}},
		{"K5*,3", cell{1, -1}, cell{3, 2}},
		{"K5*,3", cell{1, 3}, cell{3, 0}},
		{"K5*,3", cell{1, 6}, cell{1, 0}},
		{"K5*,3", cell{-1, 1}, cell{4, 1}},
		{"K5,3*", cell{-1, 0}, cell{4, 2}},
		{"K5,3*", cell{2, -1}, cell{2, 2}},
		{"K6*+1,3", cell{1, -1}, cell{3, 2}},
		{"K6*+1,3", cell{5, 3}, cell{5, 0}},
		{"K5,4*+1", cell{5, 0}, cell{0, 2}},
		{"C5,3", cell{1, -1}, cell{3, 2}},
		{"C5,3", cell{-1, 0}, cell{4, 2}},
		{"C5,3", cell{-1, -1}, cell{0, 0}},
		{"C5,3", cell{5, 3}, cell{4, 2}},
		{"C5,3", cell{5, -1}, cell{4, 0}},
		{"S4", cell{2, -1}, cell{0, 2}},
		{"S4", cell{-1, 2}, cell{2, 0}},
		{"S4", cell{1, 4}, cell{3, 1}},
		{"S4", cell{4, 1}, cell{1, 3}},
		{"S4", cell{-1, -1}, cell{0, 0}},
		{"S4", cell{4, 4}, cell{3, 3}},
		{"S4", cell{4, -1}, cell{3, 0}},
		{"S4", cell{-3, 1}, cell{1, 2}},
		{"S4", cell{1, -3}, cell{2, 1}},
		{"S4", cell{6, 1}, cell{1, 1}},
		{"T0", cell{-9, 9}, cell{-9, 9}},
	}
	for _, test := range tests {
		x, y, inside := mustParse(t, test.suffix).Fold(test.from.x, test.from.y)
		if (cell{x, y}) != test.to || !inside {
			t.Errorf("%s: (%d, %d) folds to (%d, %d) inside %t, want (%d, %d)",
				test.suffix, test.from.x, test.from.y, x, y, inside, test.to.x, test.to.y)
		}
	}
}

func TestFoldPlane(t *testing.T) {
	tests := []struct {
		suffix string
		x, y   int
		inside bool
	}{
		{"P5,3", 0, 0, true},
		{"P5,3", 4, 2, true},
		{"P5,3", 5, 2, false},
		{"P5,3", 4, 3, false},
		{"P5,3", -1, 0, false},
		{"P5,3", 0, -1, false},
		{"P5,0", 4, -1000, true},
		{"P5,0", 5, 0, false},
		{"P0,3", 1000, 2, true},
		{"P0,3", 0, 3, false},
	}
	for _, test := range tests {
		x, y, inside := mustParse(t, test.suffix).Fold(test.x, test.y)
		if x != test.x || y != test.y || inside != test.inside {
			t.Errorf("%s: Fold(%d, %d) = %d, %d, %t, want inside %t", test.suffix, test.x, test.y, x, y, inside, test.inside)
		}
	}
}

// Beyond a face of a torus lies the opposite face of the same volume; beyond those of a plane lies nothing.
func TestFoldVolume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 6)
		w, h, d := side.Draw(t, "w"), side.Draw(t, "h"), side.Draw(t, "d")
		kind := rapid.SampledFrom([]topology.Kind{topology.Torus, topology.Plane}).Draw(t, "kind")
		top, err := topology.NewVolume(kind, w, h, d)
		if err != nil || top.Validate() != nil || !top.Volume() || top.LayerRows() != h {
			t.Fatalf("%v: %v, %v", top, err, top.Validate())
		}
		x, y, z := rapid.IntRange(-20, 20).Draw(t, "x"), rapid.IntRange(-20, 20).Draw(t, "y"),
			rapid.IntRange(-20, 20).Draw(t, "z")
		column, row, inside := top.FoldVolume(x, y, z)
		within := x >= 0 && x < w && y >= 0 && y < h && z >= 0 && z < d
		if inside != (within || kind == topology.Torus) {
			t.Fatalf("%v: (%d, %d, %d) inside: %t", top, x, y, z, inside)
		}
		if within && (column != x || row != y+z*h) {
			t.Fatalf("%v: (%d, %d, %d) is at (%d, %d)", top, x, y, z, column, row)
		}
		if inside && (column < 0 || column >= w || row < 0 || row >= h*d || (column-x)%w != 0 ||
			(row%h-y)%h != 0 || (row/h-z)%d != 0) {
			t.Fatalf("%v: (%d, %d, %d) folds to (%d, %d)", top, x, y, z, column, row)
		}
	})
}

// drawTopology makes any topology that has cells all around: everything but a plane.
func drawTopology(t *rapid.T) topology.Topology {
	w, h := rapid.IntRange(1, 9).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h")
	kind := rapid.SampledFrom([]topology.Kind{topology.Torus, topology.Klein, topology.Cross, topology.Sphere}).
		Draw(t, "kind")
	axis := rapid.SampledFrom([]topology.Axis{topology.Horizontal, topology.Vertical}).Draw(t, "axis")
	if kind == topology.Sphere {
		h = w
	}
	top, err := topology.New(kind, w, h)
	if err != nil {
		t.Fatal(err)
	}
	side := w
	if axis == topology.Vertical {
		side = h
	}
	switch {
	case kind == topology.Torus && side > 1:
		if shift := rapid.IntRange(-(side-1)/2, side/2).Draw(t, "shift"); shift != 0 {
			top.Axis, top.Shift = axis, shift
		}
	case kind == topology.Klein:
		top.Twist = axis
		if side%2 == 0 && rapid.Bool().Draw(t, "shifted") {
			top.Axis, top.Shift = axis, 1
		}
	}
	return top
}

// cross applies one edge map of section "Bounded Grids", written out literally, to a coordinate beyond that edge.
func crossX(t topology.Topology, x, y int) (int, int) {
	sign := 1 // beyond the right edge
	if x < 0 {
		sign = -1
	}
	shift := 0
	if t.Axis == topology.Vertical {
		shift = t.Shift
	}
	switch {
	case t.Kind == topology.Sphere && x < 0:
		return y, -1 - x
	case t.Kind == topology.Sphere:
		return y, 2*t.W - 1 - x
	case t.Kind == topology.Cross, t.Twist == topology.Vertical:
		return x - sign*t.W, t.H - 1 - y - shift
	default:
		return x - sign*t.W, y + sign*shift
	}
}

func crossY(t topology.Topology, x, y int) (int, int) {
	sign := 1
	if y < 0 {
		sign = -1
	}
	shift := 0
	if t.Axis == topology.Horizontal {
		shift = t.Shift
	}
	switch {
	case t.Kind == topology.Sphere && y < 0:
		return -1 - y, x
	case t.Kind == topology.Sphere:
		return 2*t.H - 1 - y, x
	case t.Kind == topology.Cross, t.Twist == topology.Horizontal:
		return t.W - 1 - x - shift, y - sign*t.H
	default:
		return x + sign*shift, y - sign*t.H
	}
}

func TestFoldIsRepeatedCrossingInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawTopology(t)
		x0, y0 := rapid.IntRange(-60, 60).Draw(t, "x"), rapid.IntRange(-60, 60).Draw(t, "y")
		x, y := x0, y0
		for outX, outY := true, true; outX || outY; {
			outX, outY = x < 0 || x >= top.W, y < 0 || y >= top.H
			switch {
			case outX && (!outY || rapid.Bool().Draw(t, "x first")):
				x, y = crossX(top, x, y)
			case outY:
				x, y = crossY(top, x, y)
			}
		}
		fx, fy, inside := top.Fold(x0, y0)
		if fx != x || fy != y || !inside {
			t.Fatalf("%s: (%d, %d) folds to (%d, %d), step by step to (%d, %d)", top, x0, y0, fx, fy, x, y)
		}
	})
}

func TestFoldKeepsCellsInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawTopology(t)
		x, y := rapid.Int().Draw(t, "x"), rapid.Int().Draw(t, "y")
		fx, fy, inside := top.Fold(x, y)
		if !inside || fx < 0 || fx >= top.W || fy < 0 || fy >= top.H {
			t.Fatalf("%s: (%d, %d) folds to (%d, %d) outside", top, x, y, fx, fy)
		}
		if gx, gy, _ := top.Fold(fx, fy); gx != fx || gy != fy {
			t.Fatalf("%s: (%d, %d) inside moves to (%d, %d)", top, fx, fy, gx, gy)
		}
	})
}

// Walking out of the grid from a cell and back leads to that cell: neighbourhood is a symmetric relation on every
// surface.
func TestNeighbourhoodIsMutual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawTopology(t)
		x := rapid.IntRange(0, top.W-1).Draw(t, "x")
		y := rapid.IntRange(0, top.H-1).Draw(t, "y")
		dx, dy := rapid.IntRange(-20, 20).Draw(t, "dx"), rapid.IntRange(-20, 20).Draw(t, "dy")
		nx, ny, _ := top.Fold(x+dx, y+dy)
		for _, symmetry := range top.Gluings() {
			bx, by := symmetry.Apply(-dx, -dy)
			if rx, ry, _ := top.Fold(nx+bx, ny+by); rx == x && ry == y {
				return
			}
		}
		t.Fatalf("%s: no way back from (%d, %d)+(%d, %d) = (%d, %d)", top, x, y, dx, dy, nx, ny)
	})
}

func TestFoldHugeSidesDoNotOverflow(t *testing.T) {
	top := mustParse(t, "T2000000000-1000000001,1999999999")
	x, y, _ := top.Fold(1_999_999_999, 1_999_999_999*1_999_999_998)
	// 1999999998 crossings downwards, each by +999999999 (= -1000000001 modulo the width).
	if wantX := (1_999_999_999 + 1_999_999_998*999_999_999) % 2_000_000_000; x != wantX || y != 0 {
		t.Fatalf("got (%d, %d), want (%d, 0)", x, y, wantX)
	}
}

// The cells beside a cell are those that Fold and FoldVolume find one step away along each axis.
func TestBeside(t *testing.T) {
	for _, suffix := range []string{
		"T5,4", "P5,4", "K5*,4", "C5,4", "S4", "T5+1,4", "T1,1", "P5,0", "T0,4", "T5,4,3", "P5,4,3", "T2,1,1", "P1,2,2",
	} {
		top := mustParse(t, ":"+suffix)
		for y := range cmp.Or(top.H, 3) {
			for x := range cmp.Or(top.W, 3) {
				var want [][2]int
				add := func(fx, fy int, inside bool) {
					if inside {
						want = append(want, [2]int{fx, fy})
					}
				}
				for _, step := range []int{-1, 1} {
					if top.Volume() {
						row, layer := y%top.LayerRows(), y/top.LayerRows()
						add(top.FoldVolume(x+step, row, layer))
						add(top.FoldVolume(x, row+step, layer))
						add(top.FoldVolume(x, row, layer+step))
						continue
					}
					add(top.Fold(x+step, y))
					add(top.Fold(x, y+step))
				}
				var got [][2]int
				for fx, fy := range top.Beside(x, y) {
					got = append(got, [2]int{fx, fy})
				}
				byCell := func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }
				slices.SortFunc(want, byCell)
				slices.SortFunc(got, byCell)
				if !slices.Equal(got, want) {
					t.Errorf("%s: beside (%d, %d) are %v, want %v", suffix, x, y, got, want)
				}
			}
		}
	}
}
