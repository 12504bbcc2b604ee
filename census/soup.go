package census

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Symmetry says how a soup is made from 256 random bits. There are the official symmetries of Catagolue for
// square grids, and their inflated forms: an "i" before the name doubles the soup's sides by making each cell a
// square of four.
type Symmetry struct {
	name      string
	inflation int // number of doublings
	shape     shape
}

// shape is a symmetry before inflation.
type shape struct {
	height   int  // of a strip of 256 cells; 0 for a square of 16×16, possibly with mirror images
	diagonal bool // the square is mirrored at its main diagonal; the bits give the part above it
	turned   bool // the images beside and below the square are its transpose, which gives quarter turns
	images   images
	x, y     int // position that column 0 or row 0 is mirrored to: 0 (itself) or -1
}

// width is the width of a rectangle of 256 cells without images; 0 for other shapes.
func (s shape) width() int {
	switch {
	case s.height > 0:
		return 256 / s.height
	case s == shape{}:
		return 16
	}
	return 0
}

// side is the length of a soup's longer side, at most.
func (s Symmetry) side() int {
	side := 16
	switch {
	case s.shape.height > 0:
		side = max(s.shape.height, 256/s.shape.height)
	case s.shape.images != alone:
		side = 32
	}
	return side << s.inflation
}

// images are the copies of the square that a soup contains in addition to the square.
type images uint8

const (
	alone  images = iota
	below         // mirrored at a horizontal line
	across        // rotated by half a turn
	all           // both, and mirrored at a vertical line
)

// shapes are the symmetries by name.
var shapes = map[string]shape{
	"C1": {}, "8x32": {height: 8}, "4x64": {height: 4}, "2x128": {height: 2}, "1x256": {height: 1},
	"C2_1": {images: across}, "C2_2": {images: across, x: -1}, "C2_4": {images: across, x: -1, y: -1},
	"C4_1": {images: all, turned: true}, "C4_4": {images: all, turned: true, x: -1, y: -1},
	"D2_+1": {images: below}, "D2_+2": {images: below, y: -1}, "D2_x": {diagonal: true},
	"D4_+1": {images: all}, "D4_+2": {images: all, x: -1}, "D4_+4": {images: all, x: -1, y: -1},
	"D4_x1": {images: all, diagonal: true, turned: true},
	"D4_x4": {images: all, diagonal: true, turned: true, x: -1, y: -1},
	"D8_1":  {images: all, diagonal: true}, "D8_4": {images: all, diagonal: true, x: -1, y: -1},
}

// Symmetries lists the names that ParseSymmetry reads, without inflation, in Catagolue's order.
var Symmetries = []string{
	"C1", "1x256", "2x128", "4x64", "8x32", "C2_1", "C2_2", "C2_4", "C4_1", "C4_4",
	"D2_+1", "D2_+2", "D2_x", "D4_+1", "D4_+2", "D4_+4", "D4_x1", "D4_x4", "D8_1", "D8_4",
}

// mostInflated is the number of times that a soup may be doubled: iiii turns 16×16 cells into 256×256.
const mostInflated = 4

// ParseSymmetry reads the name of a symmetry: one of Symmetries with up to four letters i before it.
func ParseSymmetry(name string) (Symmetry, error) {
	plain := strings.TrimLeft(name, "i")
	s, ok := shapes[plain]
	if inflation := len(name) - len(plain); ok && inflation <= mostInflated {
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

// Cell is the position of a live cell, x to the right and y down.
type Cell = sparse.Cell

// Soup makes soup i of a root as Catagolue's search programs do. Its bits are the SHA-256 of the root followed
// by i in decimal, so one short string identifies a soup. The first bit of the hash is the highest of its first
// byte and the upper left cell of the square; two bytes are a row. For C2_2 and its inflated forms two bytes are a
// column, unless the seed begins with "l_".
func Soup(root string, i uint64, s Symmetry) []Cell {
	return SoupOf(strconv.AppendUint([]byte(root), i, 10), s)
}

// SoupOf makes the soup of a seed as Catagolue lists it: "n_GcpqZ62YqD3310086454".
func SoupOf(seed []byte, s Symmetry) []Cell { return appendSoup(nil, seed, s) }

// appendSoup appends the cells of a soup.
func appendSoup(cells []Cell, seed []byte, s Symmetry) []Cell {
	digest := sha256.Sum256(seed)
	if width := s.shape.width(); width > 0 {
		for k, b := range digest {
			for ; b != 0; b &= b - 1 {
				i := 8*k + 7 - bits.TrailingZeros8(b)
				cells = append(cells, Cell{X: i % width, Y: i / width})
			}
		}
		return s.inflate(cells)
	}
	bit := func(i int) bool { return digest[i/8]>>(7-i%8)&1 != 0 }
	// lifelib transposes the digest for C2_2, unless the seed begins with "l_".
	transposed := s.shape == shapes["C2_2"] && !bytes.HasPrefix(seed, []byte("l_"))
	square := func(x, y int) bool { // the given square
		if transposed || s.shape.diagonal && x < y {
			x, y = y, x
		}
		return bit(16*y + x)
	}
	other := square
	if s.shape.turned {
		// Transposed. If the square is already mirrored at its diagonal, its mirrored part is below.
		other = func(x, y int) bool {
			if s.shape.diagonal && x < y {
				x, y = y, x
			}
			return bit(16*x + y)
		}
	}
	seen := map[Cell]bool{}
	add := func(x, y int) {
		if c := (Cell{X: x, Y: y}); !seen[c] {
			seen[c] = true
			cells = append(cells, c)
		}
	}
	for y := range 16 {
		for x := range 16 {
			mx, my := s.shape.x-x, s.shape.y-y
			if square(x, y) {
				add(x, y)
				if s.shape.images >= across {
					add(mx, my)
				}
			}
			if other(x, y) {
				if s.shape.images == below || s.shape.images == all {
					add(x, my)
				}
				if s.shape.images == all {
					add(mx, y)
				}
			}
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
