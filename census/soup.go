package census

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Symmetry says how a soup is made from 256 random bits. There are the official symmetries of Catagolue, and their
// inflated forms: an "i" before the name doubles the soup's sides by making each cell a square of four.
type Symmetry struct {
	name      string
	inflation int // number of doublings
	shape     shape
}

// shape is a symmetry before inflation. Its square has 16 rows of 16 bits, the first bit on the right.
type shape struct {
	height int // of a strip of 256 cells; 0 for all other shapes
	crop   int // the number of rows and columns of the square that are taken, from the first bit on; 0 for all
	// away is the place of the first bit; the others are on its left and below it.
	away   int
	copies []part // the parts of which the soup is made; nil for the square itself and for strips
}

// cells is the number of columns and rows that are taken of the square.
func (s *shape) cells() int { return cmp.Or(s.crop, 16) }

// part is a square that is turned or mirrored, and moved: cell (x, y) of it is at (a·x + b·y + dx, c·x + d·y + dy).
type part struct {
	fold       fold
	a, b, c, d int
	dx, dy     int
}

// moved is the place of a cell of the square.
func (p part) moved(x, y int) (int, int) { return p.a*x + p.b*y + p.dx, p.c*x + p.d*y + p.dy }

// fold says which of the bits a square has.
type fold uint8

const (
	plain   fold = iota
	across       // rows and columns are exchanged
	above        // the bits above the diagonal through the first one, and their mirror images below it
	beneath      // the bits below that diagonal, and their mirror images above it
)

// at returns the bit of column i and row j.
func (f fold) at(digest *[sha256.Size]byte, i, j int) bool {
	if f == across || f == above && i < j || f == beneath && i > j {
		i, j = j, i
	}
	return digest[2*j+i/8]>>(7-i%8)&1 != 0
}

func itself(f fold) part               { return part{f, 1, 0, 0, 1, 0, 0} }
func halfTurn(f fold, dx, dy int) part { return part{f, -1, 0, 0, -1, dx, dy} }

// below is a square and its image in a mirror below it, which is moved to the right.
func below(f fold, dx, dy int) []part { return []part{itself(f), {f, 1, 0, 0, -1, dx, dy}} }

// turned is a square and its image after half a turn.
func turned(f fold, dx, dy int) []part { return []part{itself(f), halfTurn(f, dx, dy)} }

// quarters are the images of a square after turns by a quarter.
func quarters(dx, dy int) []part {
	return append(turned(plain, dx, dy), part{plain, 0, -1, 1, 0, 0, dy}, part{plain, 0, 1, -1, 0, dx, 0})
}

// mirrored are the four images of a square in a rectangle with two mirrors.
func mirrored(f, beside fold, dx, dy int) []part {
	return append(turned(f, dx, dy), part{beside, 1, 0, 0, -1, 0, dy}, part{beside, -1, 0, 0, 1, dx, 0})
}

// sixths are the images of a square of hexagons after turns by multiples of some sixths. A sixth brings (x, y) to
// (x-y, x). The soups of D6_1 and D12 are lifelib's, where the mirrors of the images do not meet in the centre of the
// turns.
func sixths(of part, each int) []part {
	var all []part
	for turn := range 6 {
		if turn%each == 0 {
			all = append(all, of)
		}
		of.a, of.b, of.c, of.d = of.a-of.c, of.b-of.d, of.a, of.b
	}
	return all
}

// flipped is the square that is mirrored at its other diagonal.
var flipped = part{above, 1, 0, 0, -1, 0, 0}

// Symmetries lists the names that ParseSymmetry reads, without inflation, in Catagolue's order. The soups of G1, G2_1,
// H2_+1 and H4_+1, which are searched in other ways, are those of C1, C2_1, D2_+1 and D4_+1.
var Symmetries = []string{
	"C1", "1x256", "2x128", "4x64", "8x32", "10x10", "C2_1", "C2_2", "C2_4", "C3_1", "C4_1", "C4_4", "C6",
	"D2_+1", "D2_+2", "D2_x", "D2_xo", "D2_+1_gO1s0", "D2_+1_gO1s1", "D2_+1_gO1s2",
	"D4_+1", "D4_+2", "D4_+4", "D4_x1", "D4_x4", "D6_1", "D6_1o", "D8_1", "D8_4", "D12", "G1", "G2_1", "H2_+1", "H4_+1",
}

// shapeOf returns the symmetry of a name, and false if there is none. Positions and orientations are those of lifelib's
// soups.
func shapeOf(name string) (shape, bool) {
	copies, away := []part(nil), 0
	switch name {
	case "C1", "G1":
		return shape{}, true
	case "8x32", "4x64", "2x128", "1x256":
		return shape{height: int(name[0] - '0')}, true
	case "10x10":
		return shape{crop: 10, copies: []part{itself(plain)}}, true
	case "C2_1", "G2_1":
		copies = turned(plain, 0, 0)
	case "C2_2":
		copies = turned(across, 1, 0)
	case "C2_4":
		copies = turned(plain, 1, -1)
	case "C3_1":
		copies, away = sixths(itself(plain), 2), 8
	case "C4_1":
		copies = quarters(0, 0)
	case "C4_4":
		copies = quarters(1, -1)
	case "C6":
		copies = sixths(itself(plain), 1)
	case "D2_+1", "H2_+1":
		copies = below(plain, 0, 0)
	case "D2_+2":
		copies = below(plain, 0, -1)
	case "D2_x":
		copies = []part{itself(above)}
	case "D2_xo":
		copies = []part{flipped}
	case "D2_+1_gO1s0", "D2_+1_gO1s1", "D2_+1_gO1s2":
		copies = below(plain, int(name[len(name)-1]-'0'), -2)
	case "D4_+1", "H4_+1":
		copies = mirrored(plain, plain, 0, 0)
	case "D4_+2":
		copies = mirrored(plain, plain, 1, 0)
	case "D4_+4":
		copies = mirrored(plain, plain, 1, -1)
	case "D4_x1":
		copies = mirrored(above, beneath, 0, 0)
	case "D4_x4":
		copies = mirrored(above, beneath, 1, -1)
	case "D6_1":
		copies, away = sixths(itself(above), 2), 8
	case "D6_1o":
		copies = sixths(flipped, 2)
	case "D8_1":
		copies = mirrored(above, above, 0, 0)
	case "D8_4":
		copies = mirrored(above, above, 1, -1)
	case "D12":
		copies, away = sixths(itself(above), 1), 8
	default:
		return shape{}, false
	}
	return shape{copies: copies, away: away}, true
}

// mostInflated is the number of times that a soup may be doubled: iiii turns 16×16 cells into 256×256.
const mostInflated = 4

// ParseSymmetry reads the name of a symmetry: one of Symmetries with up to four letters i before it.
func ParseSymmetry(name string) (Symmetry, error) {
	base := strings.TrimLeft(name, "i")
	s, ok := shapeOf(base)
	if inflation := len(name) - len(base); ok && inflation <= mostInflated {
		return Symmetry{name, inflation, s}, nil
	}
	return Symmetry{}, fmt.Errorf("symmetry %q: want one of %s, optionally with up to %d letters i before it", name,
		strings.Join(Symmetries, ", "), mostInflated)
}

// String is the symmetry's name.
func (s Symmetry) String() string {
	if s.name == "" {
		return "C1"
	}
	return s.name
}

// isSquare reports whether a soup is the square of 16×16 cells itself.
func (s Symmetry) isSquare() bool { return s.inflation == 0 && s.shape.isSquare() }

func (s *shape) isSquare() bool { return s.height == 0 && s.copies == nil }

// side is the length of a soup's longer side, at most.
func (s Symmetry) side() int {
	sh := &s.shape
	switch {
	case sh.isSquare():
		return 16 << s.inflation
	case sh.height > 0:
		return 256 / sh.height << s.inflation
	}
	left, right, top, bottom := areaSide, -areaSide, areaSide, -areaSide
	for _, p := range sh.copies {
		for corner := range 4 { // of the square
			x, y := sh.away-corner&1*(sh.cells()-1), sh.away+corner>>1*(sh.cells()-1)
			x, y = p.moved(x, y)
			left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
		}
	}
	return (max(right-left, bottom-top) + 1) << s.inflation
}

// Cell is the position of a live cell, x to the right and y down.
type Cell = sparse.Cell

// Soup makes soup i of a root as lifelib does, which Catagolue's search programs use. Its bits are the SHA-256 of the
// root followed by i in decimal, so one short string identifies a soup. The first bit of the hash is the highest of its
// first byte and the upper right cell of the square; two bytes are a row. For C2_2 and its inflated forms two bytes are
// a column, unless the seed begins with "l_".
func Soup(root string, i uint64, s Symmetry) []Cell {
	return SoupOf(strconv.AppendUint([]byte(root), i, 10), s)
}

// SoupOf makes the soup of a seed as Catagolue lists it: "n_GcpqZ62YqD3310086454". Its cells are in rows from above,
// and in a row from the left, unless it is inflated.
func SoupOf(seed []byte, s Symmetry) []Cell { return appendSoup(nil, seed, s) }

// areaSide is the side of an area in which all shapes but strips fit, with cell (0, 0) in its middle.
const areaSide = 64

// appendSoup appends the cells of a soup.
func appendSoup(cells []Cell, seed []byte, s Symmetry) []Cell {
	digest := sha256.Sum256(seed)
	sh := &s.shape
	if sh.copies == nil {
		width := 32 / cmp.Or(sh.height, 16) // in bytes
		for i := range digest {
			y, k := i/width, width-1-i%width // the last byte of a row has its first columns
			for b := digest[y*width+k]; b != 0; b &= b - 1 {
				cells = append(cells, Cell{X: bits.TrailingZeros8(b) - 8*k - 7, Y: y})
			}
		}
		return s.inflate(cells)
	}
	var area [areaSide]uint64 // bit 32+x of word 32+y is cell (x, y)
	for _, p := range sh.copies {
		if p.fold == across && bytes.HasPrefix(seed, []byte("l_")) {
			p.fold = plain // of C2_2: lifelib transposes the digest, unless the seed begins with "l_"
		}
		for j := range sh.cells() {
			for i := range sh.cells() {
				if p.fold.at(&digest, i, j) {
					x, y := p.moved(sh.away-i, sh.away+j)
					area[areaSide/2+y] |= 1 << (areaSide/2 + x)
				}
			}
		}
	}
	for y, row := range area {
		for ; row != 0; row &= row - 1 {
			cells = append(cells, Cell{X: bits.TrailingZeros64(row) - areaSide/2, Y: y - areaSide/2})
		}
	}
	return s.inflate(cells)
}

// inflate turns each cell into a square of cells.
func (s Symmetry) inflate(cells []Cell) []Cell {
	for range s.inflation {
		larger := make([]Cell, 0, 4*len(cells))
		for _, c := range cells {
			x, y := 2*c.X, 2*c.Y
			larger = append(larger, Cell{X: x, Y: y}, Cell{X: x + 1, Y: y}, Cell{X: x, Y: y + 1}, Cell{X: x + 1, Y: y + 1})
		}
		cells = larger
	}
	return cells
}
