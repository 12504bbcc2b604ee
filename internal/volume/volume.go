// Package volume draws three-dimensional universes as shaded cubes, by casting a ray for each sample of a pixel.
//
// A ray goes from cell to cell through the volume (Amanatides and Woo, "A fast voxel traversal algorithm for ray
// tracing", Eurographics 1987) and skips bricks of 8×8×8 dead cells at once. The colour of a live cell is darkened by
// the angle between the light and the face that the ray meets, by shadow, by the cells that stand around that face
// (ambient occlusion) and by distance.
//
// Axes: if the view is not turned, x goes to the right, y down, and z away from the viewer.
package volume

import (
	"fmt"
	"math"
)

// MostCells is the largest number of cells that a Volume holds.
const MostCells = 1 << 30

// brick is the side of the cubes of cells that a ray skips if all of them are dead.
const brick = 8

// Volume holds the states of W×H×D cells. Cells in state 0 are not drawn. It must not be changed while it is drawn.
type Volume struct {
	W, H, D int
	states  []byte // of (x, y, z) at x + W·(y + H·z)

	bricks [3]int // their number along x, y and z
	some   []bool // whether a brick has a live cell
}

// New returns a volume of dead cells. It is an error if a side is less than 1 or if there are more than MostCells.
func New(w, h, d int) (*Volume, error) {
	if w < 1 || h < 1 || d < 1 || w > MostCells/h || w*h > MostCells/d {
		return nil, fmt.Errorf("a volume of %d×%d×%d cells: want 1 to %d cells", w, h, d, MostCells)
	}
	v := &Volume{W: w, H: h, D: d, states: make([]byte, w*h*d)}
	v.bricks = [3]int{(w + brick - 1) / brick, (h + brick - 1) / brick, (d + brick - 1) / brick}
	v.some = make([]bool, v.bricks[0]*v.bricks[1]*v.bricks[2])
	return v, nil
}

// Set gives a cell inside the volume a state.
func (v *Volume) Set(x, y, z int, state byte) {
	v.states[x+v.W*(y+v.H*z)] = state
	if state != 0 {
		v.some[v.brickOf(x, y, z)] = true
	}
}

// Clear makes all cells dead.
func (v *Volume) Clear() {
	clear(v.states)
	clear(v.some)
}

// At returns the state of a cell; cells outside the volume are dead.
func (v *Volume) At(x, y, z int) byte {
	if uint(x) >= uint(v.W) || uint(y) >= uint(v.H) || uint(z) >= uint(v.D) {
		return 0
	}
	return v.states[x+v.W*(y+v.H*z)]
}

func (v *Volume) brickOf(x, y, z int) int {
	return x/brick + v.bricks[0]*(y/brick+v.bricks[1]*(z/brick))
}

// Box is the cells Min ≤ (x, y, z) < Max.
type Box struct{ Min, Max [3]int }

// Whole returns the box of all cells.
func (v *Volume) Whole() Box { return Box{Max: [3]int{v.W, v.H, v.D}} }

// vector is a point or a direction; cell (x, y, z) is the cube from (x, y, z) to (x+1, y+1, z+1).
type vector [3]float64

// product returns a·b, rounded. Without the conversion, Go may add a product without rounding it on some processors,
// and pictures would differ.
func product(a, b float64) float64 { return float64(a * b) }

func (a vector) add(b vector, by float64) vector {
	return vector{a[0] + product(by, b[0]), a[1] + product(by, b[1]), a[2] + product(by, b[2])}
}

func (a vector) dot(b vector) float64 {
	return product(a[0], b[0]) + product(a[1], b[1]) + product(a[2], b[2])
}

func (a vector) cross(b vector) vector {
	return vector{
		product(a[1], b[2]) - product(a[2], b[1]),
		product(a[2], b[0]) - product(a[0], b[2]),
		product(a[0], b[1]) - product(a[1], b[0]),
	}
}

func (a vector) unit() vector { return vector{}.add(a, 1/math.Sqrt(a.dot(a))) }

// hit describes the place at which a ray meets a live cell, or a box.
type hit struct {
	cell [3]int
	at   float64 // the distance from the ray's start, in lengths of its direction
	axis int     // the axis that is perpendicular to the face that the ray meets
	sign int     // of the face: -1 if the ray goes in the axis's direction
}

// enter returns where a ray enters and leaves a box. It enters at 0 if it starts inside.
func (b *Box) enter(from, along vector) (in hit, out float64, outAxis int, ok bool) {
	in.axis, out = -1, math.Inf(1)
	for axis := range 3 {
		low, high := float64(b.Min[axis]), float64(b.Max[axis])
		if along[axis] == 0 {
			if from[axis] < low || from[axis] >= high {
				return hit{}, 0, 0, false
			}
			continue
		}
		near, far := (low-from[axis])/along[axis], (high-from[axis])/along[axis]
		sign := -1
		if along[axis] < 0 {
			near, far, sign = far, near, 1
		}
		if near > in.at {
			in.at, in.axis, in.sign = near, axis, sign
		}
		if far < out {
			out, outAxis = far, axis
		}
	}
	return in, out, outAxis, in.at < out
}

// cast returns the first live cell within the box that a ray meets.
func (v *Volume) cast(b *Box, from, along vector) (hit, bool) {
	h, out, _, ok := b.enter(from, along)
	if !ok {
		return hit{}, false
	}
	var step [3]int
	var every, next [3]float64 // the lengths from one face to the next one along each axis, and where that one is
	p := from.add(along, h.at)
	for axis := range 3 {
		c := int(math.Floor(p[axis]))
		if axis == h.axis { // exactly at a face of the box
			c = b.Min[axis]
			if h.sign > 0 {
				c = b.Max[axis] - 1
			}
		}
		h.cell[axis] = min(max(c, b.Min[axis]), b.Max[axis]-1)
		switch {
		case along[axis] > 0:
			step[axis], every[axis] = 1, 1/along[axis]
			next[axis] = (float64(h.cell[axis]+1) - from[axis]) / along[axis]
		case along[axis] < 0:
			step[axis], every[axis] = -1, -1/along[axis]
			next[axis] = (float64(h.cell[axis]) - from[axis]) / along[axis]
		default:
			next[axis] = math.Inf(1)
		}
		// A ray that runs along a face may enter the box beyond it by rounding.
		next[axis] = max(next[axis], h.at)
	}
	if h.axis < 0 { // the ray starts inside the box, perhaps inside a cell: it meets the face that looks at it most
		for axis := range 3 {
			if h.axis < 0 || math.Abs(along[axis]) > math.Abs(along[h.axis]) {
				h.axis, h.sign = axis, -1
				if along[axis] < 0 {
					h.sign = 1
				}
			}
		}
	}
	for {
		c := h.cell
		if v.some[v.brickOf(c[0], c[1], c[2])] {
			if v.states[c[0]+v.W*(c[1]+v.H*c[2])] != 0 {
				return h, true
			}
			axis := least(next)
			h.cell[axis] += step[axis]
			h.at, h.axis, h.sign = next[axis], axis, -step[axis]
			next[axis] += every[axis]
			if h.cell[axis] < b.Min[axis] || h.cell[axis] >= b.Max[axis] {
				return hit{}, false
			}
			continue
		}
		// Leave the brick of dead cells. It is left through the face that is met first.
		var leave [3]float64
		for axis := range 3 {
			leave[axis] = next[axis] + product(float64(remaining(c[axis], step[axis])), every[axis])
			if step[axis] == 0 {
				leave[axis] = math.Inf(1)
			}
		}
		axis := least(leave)
		at := leave[axis]
		if at >= out {
			return hit{}, false
		}
		for other := range 3 {
			if other == axis {
				skipped := remaining(c[axis], step[axis]) + 1
				h.cell[axis] += skipped * step[axis]
				next[axis] += product(float64(skipped), every[axis])
				continue
			}
			for next[other] < at {
				h.cell[other] += step[other]
				next[other] += every[other]
			}
		}
		h.at, h.axis, h.sign = at, axis, -step[axis]
		if h.cell[axis] < b.Min[axis] || h.cell[axis] >= b.Max[axis] {
			return hit{}, false
		}
	}
}

// remaining returns the cells between c and the face of its brick in the direction of step.
func remaining(c, step int) int {
	if step > 0 {
		return brick - 1 - c%brick
	}
	return c % brick
}

// least returns the index of the least of three numbers.
func least(a [3]float64) int {
	switch {
	case a[0] <= a[1] && a[0] <= a[2]:
		return 0
	case a[1] <= a[2]:
		return 1
	}
	return 2
}
