package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/topology"
)

// maxRadius is the largest radius of a neighbourhood, Golly's own limit.
const maxRadius = 500

// Offset is one neighbour: the cell at (x+DX, y+DY), y down, counted Weight times.
type Offset struct{ DX, DY, Weight int }

// Neighbourhood is the set of cells that count, without the centre. The letters are those of larger than Life in Golly and LifeViewer:
//
//	M Moore          N von Neumann   C circular   2 Euclidean   B checkerboard   D aligned checkerboard
//	+ cross          X saltire       * star       # hash        H hexagonal      A asterisk
//	3 tripod         G Gaussian      @ custom     W weighted
type Neighbourhood struct {
	Letter byte // 'M', 'N', 'C', '2', 'B', 'D', '+', 'X', '*', '#', 'H', 'A', '3', 'G', '@', 'W'
	Radius int  // 1 to 500

	// weights are those of '@' and 'W', row by row from the north-west. The centre's own weight matters only for the notation: the rule's Birth and
	// Survival already include it.
	weights []int8
}

// shapes are the letters whose shape follows from the radius.
const shapes = "MNC2BD+X*#HA3G"

// NewNeighbourhood returns the neighbourhood of a letter whose shape follows from the radius: any letter except @ and W.
func NewNeighbourhood(letter byte, radius int) (Neighbourhood, error) {
	switch {
	case letter == 'L':
		return Neighbourhood{}, fmt.Errorf("the triangular neighbourhood L is not supported: it differs from cell to cell")
	case strings.IndexByte(shapes, letter) < 0:
		return Neighbourhood{}, fmt.Errorf("unknown neighbourhood %q: want one of %s, @ and W",
			letter, strings.Join(strings.Split(shapes, ""), ", "))
	case radius < 1 || radius > maxRadius:
		return Neighbourhood{}, fmt.Errorf("radius %d: want 1 to %d", radius, maxRadius)
	}
	return Neighbourhood{Letter: letter, Radius: radius}, nil
}

// NewCustom returns the neighbourhood N@ of the cells that are set in a (2·radius+1)² square, row by row from the north-west. The centre is ignored.
func NewCustom(radius int, cells []bool) (Neighbourhood, error) {
	weights := make([]int, len(cells))
	for i, in := range cells {
		if in && i != len(cells)/2 {
			weights[i] = 1
		}
	}
	return newSquare('@', radius, weights)
}

// NewWeighted returns the neighbourhood NW of a (2·radius+1)² square of weights from -127 to 127, row by row from the north-west. The centre's weight
// is ignored: a rule includes it in Birth and Survival.
func NewWeighted(radius int, weights []int) (Neighbourhood, error) {
	return newSquare('W', radius, weights)
}

func newSquare(letter byte, radius int, weights []int) (Neighbourhood, error) {
	side := 2*radius + 1
	if radius < 1 || radius > maxRadius || len(weights) != side*side {
		return Neighbourhood{}, fmt.Errorf("%d weights at radius %d: the radius must be 1 to %d, with (2·radius+1)² weights",
			len(weights), radius, maxRadius)
	}
	n := Neighbourhood{Letter: letter, Radius: radius, weights: make([]int8, len(weights))}
	for i, w := range weights {
		if w < -127 || w > 127 {
			return Neighbourhood{}, fmt.Errorf("weight %d: want -127 to 127", w)
		}
		n.weights[i] = int8(w)
	}
	return n, nil
}

// Weight returns how often the cell at the offset counts: 0 outside the neighbourhood and at the centre.
func (n Neighbourhood) Weight(dx, dy int) int {
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
	case '@', 'W':
		return int(n.weights[(dy+r)*(2*r+1)+dx+r])
	}
	if in {
		return 1
	}
	return 0
}

// centreWeight is what the notation adds to the count for a centre in state 1.
func (n Neighbourhood) centreWeight() int {
	switch n.Letter {
	case 'G':
		return (n.Radius + 1) * (n.Radius + 1)
	case 'W':
		return int(n.weights[len(n.weights)/2])
	default:
		return 0
	}
}

// Offsets returns the cells of the neighbourhood row by row, without the centre and cells of weight 0.
func (n Neighbourhood) Offsets() []Offset {
	var offsets []Offset
	for dy := -n.Radius; dy <= n.Radius; dy++ {
		for dx := -n.Radius; dx <= n.Radius; dx++ {
			if w := n.Weight(dx, dy); w != 0 {
				offsets = append(offsets, Offset{dx, dy, w})
			}
		}
	}
	return offsets
}

// Size is the number of Offsets.
func (n Neighbourhood) Size() int {
	size := 0
	for dy := -n.Radius; dy <= n.Radius; dy++ {
		for dx := -n.Radius; dx <= n.Radius; dx++ {
			if n.Weight(dx, dy) != 0 {
				size++
			}
		}
	}
	return size
}

// TotalWeight is the sum of the weights of all Offsets.
func (n Neighbourhood) TotalWeight() int {
	negative, positive := n.weightSums()
	return negative + positive
}

// weightSums returns the sum of the negative weights and that of the positive weights.
func (n Neighbourhood) weightSums() (negative, positive int) {
	for dy := -n.Radius; dy <= n.Radius; dy++ {
		for dx := -n.Radius; dx <= n.Radius; dx++ {
			w := n.Weight(dx, dy)
			negative += min(w, 0)
			positive += max(w, 0)
		}
	}
	return negative, positive
}

// Equal reports whether both count the same cells with the same weights; their letters may differ.
func (n Neighbourhood) Equal(m Neighbourhood) bool {
	if n.Letter == m.Letter && n.Radius == m.Radius && slices.Equal(n.weights, m.weights) {
		return true
	}
	r := max(n.Radius, m.Radius)
	for dy := -r; dy <= r; dy++ {
		for dx := -r; dx <= r; dx++ {
			if n.Weight(dx, dy) != m.Weight(dx, dy) {
				return false
			}
		}
	}
	return true
}

// Invariant reports whether the symmetry maps the neighbourhood to itself, including its weights.
func (n Neighbourhood) Invariant(s topology.Symmetry) bool {
	for dy := -n.Radius; dy <= n.Radius; dy++ {
		for dx := -n.Radius; dx <= n.Radius; dx++ {
			if n.Weight(dx, dy) != n.Weight(s.Apply(dx, dy)) {
				return false
			}
		}
	}
	return true
}

// Draw draws the neighbourhood, one row on each line: c is the centre, # a neighbour and . any other cell. If weights other than 1 occur, the weights
// are shown instead of #.
func (n Neighbourhood) Draw() string {
	width, weighted := 1, false
	for _, o := range n.Offsets() {
		width = max(width, len(strconv.Itoa(o.Weight)))
		weighted = weighted || o.Weight != 1
	}
	var b strings.Builder
	for dy := -n.Radius; dy <= n.Radius; dy++ {
		for dx := -n.Radius; dx <= n.Radius; dx++ {
			cell := "."
			switch w := n.Weight(dx, dy); {
			case dx == 0 && dy == 0:
				cell = "c"
			case w != 0 && weighted:
				cell = strconv.Itoa(w)
			case w != 0:
				cell = "#"
			}
			if dx > -n.Radius {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%*s", width, cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func abs(v int) int { return max(v, -v) }
