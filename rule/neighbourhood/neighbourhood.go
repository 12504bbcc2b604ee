// Package neighbourhood says which cells around a cell count for its next state, and how much: the shapes of larger
// than Life by their letters, custom shapes and weights. Package rule reads their notation and defines the effect of
// the count.
package neighbourhood

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/topology"
)

// MaxRadius is the largest radius, Golly's own limit.
const MaxRadius = 500

// Offset is one neighbour: the cell at (x+DX, y+DY), y down, counted Weight times. In a volume it is DZ layers further
// on; in two dimensions DZ is 0.
type Offset struct{ DX, DY, DZ, Weight int }

// Set is the set of cells that count, without the centre. The letters are those of larger than Life in Golly
// and LifeViewer:
//
//	M Moore          N von Neumann   C circular   2 Euclidean   B checkerboard   D aligned checkerboard
//	+ cross          X saltire       * star       # hash        H hexagonal      A asterisk
//	3 tripod         G Gaussian      L triangular @ custom      W weighted
//
// Those of a volume, the first three of any radius:
//
//	M cube           N octahedron    2 sphere (dx²+dy²+dz² ≤ radius²)
//	C 8 corners      E 12 edges      H 12 hexahedral: the 6 faces, and the 6 edges with dx+dy+dz = 0
//	K of radius 3: where cells change places, those that decide whether a cell moves (rule.Swaps)
//
// H are the spheres that touch a sphere when spheres are packed densely, with the offsets of Carter Bays, "Patterns for
// Simple Cellular Automata in a Universe of Dense-Packed Spheres", Complex Systems 1 (1987), page 872. Golly's 3D.lua
// uses the same.
type Set struct {
	// Letter is 'M', 'N', 'C', '2', 'B', 'D', '+', 'X', '*', '#', 'H', 'A', '3', 'G', 'L', '@', 'W';
	// in a volume also 'E' and 'K'.
	Letter byte
	Radius int // 1 to 500; how far it reaches along rows or columns

	// Triangles says that cells are triangles. Everything else is defined for the triangles that point down. Their
	// column and row have an even sum. Those that point up see it upside down: see UpsideDown.
	Triangles bool

	// Volume says that the neighbourhood has three dimensions. The letter is one of those of a volume.
	Volume bool

	// weights are those of '@' and 'W', row by row from the north-west. The centre's own weight matters only for
	// the notation: a rule's births and survivals already include it.
	weights []int8
}

// shapes are the letters whose shape follows from the radius.
const shapes = "MNC2BD+X*#HA3GL"

// New returns the neighbourhood of a letter whose shape follows from the radius: any letter except @ and W. The
// triangles that L has within a radius have a corner in common with those within the radius before. They lie
// within twice as many columns.
func New(letter byte, radius int) (Set, error) {
	switch {
	case letter == 'L' && radius > MaxRadius/2:
		return Set{}, fmt.Errorf("radius %d: of triangles, want 1 to %d", radius, MaxRadius/2)
	case letter == 'F':
		return Set{}, fmt.Errorf(
			"the corner and edge ranges of neighbourhood F are not supported: N@ with a list of cells says the same")
	case strings.IndexByte(shapes, letter) < 0:
		return Set{}, fmt.Errorf("unknown neighbourhood %q: want one of %s, @ and W",
			letter, strings.Join(strings.Split(shapes, ""), ", "))
	case radius < 1 || radius > MaxRadius:
		return Set{}, fmt.Errorf("radius %d: want 1 to %d", radius, MaxRadius)
	}
	if letter == 'L' {
		return Set{Letter: letter, Radius: 2 * radius, Triangles: true}, nil
	}
	return Set{Letter: letter, Radius: radius}, nil
}

// NewCustom returns the neighbourhood N@ of the cells that are set in a (2·radius+1)² square, row by row from
// the north-west. The centre is ignored.
func NewCustom(radius int, cells []bool) (Set, error) {
	weights := make([]int, len(cells))
	for i, in := range cells {
		if in && i != len(cells)/2 {
			weights[i] = 1
		}
	}
	return newSquare('@', radius, weights)
}

// NewWeighted returns the neighbourhood NW of a (2·radius+1)² square of weights from -127 to 127, row by row
// from the north-west. The centre's weight matters only for the notation: a rule includes it in its births and
// survivals.
func NewWeighted(radius int, weights []int) (Set, error) {
	return newSquare('W', radius, weights)
}

// newSquare makes a neighbourhood of any weights in a square, row by row.
func newSquare(letter byte, radius int, weights []int) (Set, error) {
	side := 2*radius + 1
	if radius < 1 || radius > MaxRadius || len(weights) != side*side {
		return Set{}, fmt.Errorf("%d weights at radius %d: the radius must be 1 to %d, with (2·radius+1)² weights",
			len(weights), radius, MaxRadius)
	}
	n := Set{Letter: letter, Radius: radius, weights: make([]int8, len(weights))}
	for i, w := range weights {
		if w < -127 || w > 127 {
			return Set{}, fmt.Errorf("weight %d: want -127 to 127", w)
		}
		n.weights[i] = int8(w)
	}
	return n, nil
}

// WeightAt returns how often the cell at the offset counts: 0 outside the neighbourhood and at the centre.
func (n Set) WeightAt(dx, dy, dz int) int {
	if !n.Volume {
		if dz != 0 {
			return 0
		}
		return n.Weight(dx, dy)
	}
	ax, ay, az := abs(dx), abs(dy), abs(dz)
	sum := ax + ay + az
	if max(ax, ay, az) > n.Radius || sum == 0 {
		return 0
	}
	var in bool
	switch n.Letter {
	case 'M':
		in = true
	case 'N':
		in = sum <= n.Radius
	case '2':
		in = dx*dx+dy*dy+dz*dz <= n.Radius*n.Radius
	case 'C':
		in = sum == 3
	case 'E':
		in = sum == 2
	case 'H':
		in = sum == 1 || sum == 2 && dx+dy+dz == 0
	case 'K':
		in = decides(ax, ay, az)
	}
	if in {
		return 1
	}
	return 0
}

// decides reports whether a cell belongs to K. In the plane in which a cell moves, its partners are diagonally beside
// it, what calls its pairs is a knight's move away, and what calls those of a partner is a knight's move from there.
func decides(ax, ay, az int) bool {
	far, near := max(ax, ay, az), ax+ay+az-max(ax, ay, az)
	if min(ax, ay, az) > 0 { // in no plane
		return false
	}
	switch far {
	case 1:
		return true
	case 2:
		return near == 1
	}
	return near == 0 || near == 2
}

// Weight is WeightAt in the cell's own layer.
func (n Set) Weight(dx, dy int) int {
	if n.Volume {
		return n.WeightAt(dx, dy, 0)
	}
	r, ax, ay := n.Radius, abs(dx), abs(dy)
	if ax > r || ay > r || ax+ay == 0 {
		return 0
	}
	var in bool
	switch n.Letter {
	case 'M':
		in = true
	case 'N':
		in = ax+ay <= r
	case 'C':
		in = dx*dx+dy*dy <= r*r+r
	case '2':
		in = dx*dx+dy*dy <= r*r
	case 'B':
		in = (ax+ay)%2 == 1
	case 'D':
		in = (ax+ay)%2 == 0
	case '+':
		in = ax == 0 || ay == 0
	case 'X':
		in = ax == ay
	case '*':
		in = ax == 0 || ay == 0 || ax == ay
	case '#':
		in = ax == 1 || ay == 1
	case 'H':
		in = abs(dx-dy) <= r
	case 'A':
		in = dx == 0 || dy == 0 || dx == dy
	case '3':
		in = dx == 0 && dy < 0 || dy == 0 && dx < 0 || dx == dy && dx > 0
	case 'G':
		return (r + 1 - ax) * (r + 1 - ay)
	case 'L': // a row towards the edge is one triangle shorter on both sides; the base is above
		in = ay <= r/2 && (dy < 0 && ax <= r+1+dy || dy >= 0 && ax <= r-dy)
	case '@', 'W':
		return int(n.weights[(dy+r)*(2*r+1)+dx+r])
	}
	if in {
		return 1
	}
	return 0
}

// CentreWeight is the number that the notation adds to the count if the centre is in state 1.
func (n Set) CentreWeight() int {
	switch n.Letter {
	case 'G':
		return (n.Radius + 1) * (n.Radius + 1)
	case 'W':
		return int(n.weights[len(n.weights)/2])
	default:
		return 0
	}
}

// each yields the offsets within the radius layer by layer and row by row, with the weights of the cells there.
func (n Set) each(yield func(Offset) bool) {
	layers := 0
	if n.Volume {
		layers = n.Radius
	}
	for dz := -layers; dz <= layers; dz++ {
		for dy := -n.Radius; dy <= n.Radius; dy++ {
			for dx := -n.Radius; dx <= n.Radius; dx++ {
				if !yield(Offset{dx, dy, dz, n.WeightAt(dx, dy, dz)}) {
					return
				}
			}
		}
	}
}

// Offsets returns the cells of the neighbourhood layer by layer and row by row, without the centre and cells of
// weight 0.
func (n Set) Offsets() []Offset {
	var offsets []Offset
	for o := range n.each {
		if o.Weight != 0 {
			offsets = append(offsets, o)
		}
	}
	return offsets
}

// Size is the number of Offsets.
func (n Set) Size() int {
	size := 0
	for o := range n.each {
		if o.Weight != 0 {
			size++
		}
	}
	return size
}

// TotalWeight is the sum of the weights of all Offsets.
func (n Set) TotalWeight() int {
	negative, positive := n.WeightSums()
	return negative + positive
}

// WeightSums returns the sum of the negative weights and that of the positive weights.
func (n Set) WeightSums() (negative, positive int) {
	for o := range n.each {
		negative += min(o.Weight, 0)
		positive += max(o.Weight, 0)
	}
	return negative, positive
}

// Equal reports whether both count the same cells with the same weights; their letters may differ.
func (n Set) Equal(m Set) bool {
	if n.Triangles != m.Triangles || n.Volume != m.Volume {
		return false
	}
	if n.Letter == m.Letter && n.Radius == m.Radius && slices.Equal(n.weights, m.weights) {
		return true
	}
	if n.Radius < m.Radius {
		n, m = m, n
	}
	for o := range n.each {
		if o.Weight != m.WeightAt(o.DX, o.DY, o.DZ) {
			return false
		}
	}
	return true
}

// Invariant reports whether the symmetry maps the neighbourhood, and each layer of it, to itself, including its
// weights. For triangles
// it depends on the sides of the universe which way a triangle then points, so only the identity is sure to.
func (n Set) Invariant(s topology.Symmetry) bool {
	if n.Triangles {
		return s == topology.Identity
	}
	for o := range n.each {
		dx, dy := s.Apply(o.DX, o.DY)
		if o.Weight != n.WeightAt(dx, dy, o.DZ) {
			return false
		}
	}
	return true
}

// Draw draws the neighbourhood, one row on each line: c is the centre, # a neighbour and . any other cell. If
// weights other than 1 occur, the weights are shown instead of #. The layers of a volume follow each other, with an
// empty line between them.
func (n Set) Draw() string {
	width, weighted := 1, false
	for _, o := range n.Offsets() {
		width = max(width, len(strconv.Itoa(o.Weight)))
		weighted = weighted || o.Weight != 1
	}
	var b strings.Builder
	for o := range n.each {
		cell := "."
		switch {
		case o.DX == 0 && o.DY == 0 && o.DZ == 0:
			cell = "c"
		case o.Weight != 0 && weighted:
			cell = strconv.Itoa(o.Weight)
		case o.Weight != 0:
			cell = "#"
		}
		switch {
		case o.DX > -n.Radius:
			b.WriteByte(' ')
		case n.Volume && o.DY == -n.Radius && o.DZ > -n.Radius:
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%*s", width, cell)
		if o.DX == n.Radius {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Notation returns the text that rules have after N: the letter, and after @ and W hexadecimal digits, one for each
// cell if the weights allow. The L for triangular cells is not part of it; it comes at the very end of a rule.
func (n Set) Notation() string {
	const hexDigits = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte(n.Letter)
	switch n.Letter {
	case '@':
		cells := slices.Delete(slices.Clone(n.weights), len(n.weights)/2, len(n.weights)/2+1)
		for four := range slices.Chunk(cells, 4) {
			b.WriteByte(hexDigits[8*four[0]+4*four[1]+2*four[2]+four[3]])
		}
	case 'W':
		sign := 8
		if slices.ContainsFunc(n.weights, func(w int8) bool { return w > 7 || w < -7 }) {
			sign = 128
		}
		for _, w := range n.weights {
			v := int(w)
			if v < 0 {
				v = sign - v
			}
			if sign == 128 {
				b.WriteByte(hexDigits[v>>4])
			}
			b.WriteByte(hexDigits[v&15])
		}
	}
	return b.String()
}

func abs(v int) int { return max(v, -v) }
