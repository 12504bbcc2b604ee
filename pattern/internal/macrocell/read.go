// Package macrocell is Golly's format of quadtrees with up to 256 states.
package macrocell

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Macrocell files (Golly, for Bill Gosper's hashed life) are quadtrees. Each line is a node. Nodes are numbered
// from 1, children come first, and the root comes last. A node of level k is a square with 2^k cells on each
// side:
//
//	two states:  level 3 drawn, ".*$" rows of a leaf     multi-state:  1 nw ne sw se   (states)
//	             k nw ne sw se   (nodes; 0 is empty)                   k nw ne sw se   (nodes; 0 is empty)
//
//	┌────┬────┐
//	│ nw │ ne │   The upper left cell of the root's south-eastern child is (0, 1): Golly's axis of y points up inside,
//	├────┼────┤   so row 0 belongs to the northern half.
//	│ sw │ se │
//	└────┴────┘
const (
	offset = 1 // Golly's y of the first row below the root's centre

	leafLevel  = 3 // of two-state files
	cellsLevel = 1 // the lowest of multi-state files

	// blockLevel is the level of the square that is drawn at once, the size of a tile.
	blockLevel = 8

	// maxLevel is the largest root that can be drawn within ±codec.MaxCoordinate.
	maxLevel = bits.UintSize - 4

	nodeBytes = 32
)

type node struct {
	// child is nw ne sw se: nodes, or states in the lowest level of a multi-state file. In a leaf the first two
	// are the low and high half of its cells, row by row, 8 bits each.
	child [4]uint32
	level int32
	leaf  bool   // an 8×8 drawing
	tiles uint64 // number of squares of blockLevel that contain cells, at most math.MaxUint64; for lower levels 0 or 1
}

// reader keeps all nodes, because a line may refer to any node before it. Cells are drawn only at the end, from the
// root.
type reader struct {
	*codec.Scanner
	p     *codec.File
	c     *codec.Canvas
	nodes []node        // number 0 is the empty node
	list  []codec.Field // of the current line
	top   uint8         // or of all states
	block [grid.MaxPlanes][grid.TileSide][grid.TileSide / 64]uint64
}

// Codec is the format.
var Codec = codec.Codec{
	Name: "macrocell", Suffixes: []string{".mc"}, Signatures: []string{signature}, Signed: true, States: 256, Rule: true,
	Read: read, Write: write,
}

const signature = "[M2]"

// read reads the nodes of the tree line by line. A node only refers to nodes before it, and the last
// one is the root.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	r := &reader{Scanner: codec.NewScanner(in), p: p, c: c, nodes: make([]node, 1)}
	p.HasPosition = true
	line, err := r.Rest()
	if err != nil {
		return codec.Unexpected(err)
	}
	if !strings.HasPrefix(line, signature) {
		return r.Errorf(1, "file must start with %q", signature)
	}
	for r.Next(); ; r.Next() {
		line, err := r.Rest()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch line = strings.TrimRight(line, " \t"); {
		case line == "":
		case line[0] == '#':
			err = r.hashLine(line)
		case line[0] == '.' || line[0] == '*' || line[0] == '$':
			err = r.leaf(line)
		default:
			err = r.inner(line)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case len(r.nodes) > 1:
	case r.p.Rule == "":
		return errors.New("file has no nodes")
	default: // what Golly writes of a universe without cells
		return r.c.Grow(1)
	}
	return r.draw()
}

// hashLine reads a line of facts about the pattern. Unknown ones are ignored.
func (r *reader) hashLine(line string) error {
	var err error
	switch words := strings.Fields(line); {
	case words[0] == "#R" && len(words) > 1:
		r.p.Rule = words[1]
	case words[0] == "#G" && len(words) > 1:
		r.p.Generation, err = r.Generation(words[1], 1+strings.Index(line, words[1]))
	case words[0] == "#N":
		r.p.Name = strings.TrimSpace(line[2:])
	case words[0] == "#O":
		r.p.Author = strings.TrimSpace(line[2:])
	case words[0] == "#C":
		err = r.Comment(&r.p.Comments, strings.TrimPrefix(line[2:], " "))
	}
	return err
}

// leaf reads an 8×8 drawing. Rows end at "$". Dead cells at the right and rows at the bottom may be left out.
func (r *reader) leaf(line string) error {
	var cells uint64
	x, y := 0, 0
	for i := range len(line) {
		switch ch := line[i]; {
		case ch == '$':
			x, y = 0, y+1
			continue
		case ch != '.' && ch != '*':
			return r.Errorf(1+i, "unknown symbol %q in a leaf; allowed are . * and $", ch)
		case x > 7 || y > 7:
			return r.Errorf(1+i, "leaf is larger than 8×8")
		case ch == '*':
			cells |= 1 << (8*y + x)
			r.top |= 1
		}
		x++
	}
	return r.add(node{child: [4]uint32{uint32(cells), uint32(cells >> 32)}, level: leafLevel, leaf: true})
}

// inner reads "k nw ne sw se".
func (r *reader) inner(line string) error {
	r.list = codec.AppendFields(r.list[:0], line)
	list := r.list
	if len(list) != 5 {
		return r.Errorf(1, `%d numbers; a node is "level nw ne sw se"`, len(list))
	}
	var numbers [5]uint32
	for i, f := range list {
		n, err := strconv.ParseUint(f.Text, 10, 31)
		if err != nil {
			return r.Errorf(1+f.Column, "%s is not a level, state or node", codec.Quote(f.Text))
		}
		numbers[i] = uint32(n)
	}
	n := node{child: [4]uint32(numbers[1:]), level: int32(numbers[0])}
	if n.level < cellsLevel {
		return r.Errorf(1, "level %d is too low; the lowest is %d", n.level, cellsLevel)
	}
	for i, child := range n.child {
		column := 1 + list[1+i].Column
		switch {
		case n.level == cellsLevel:
			if child > 255 {
				return r.Errorf(column, "state %d is larger than 255", child)
			}
			r.top |= uint8(child)
		case child >= uint32(len(r.nodes)):
			return r.Errorf(column, "node %d has not been defined yet", child)
		case child != 0 && r.nodes[child].level != n.level-1:
			return r.Errorf(column, "node %d has level %d, a child of level %d must have %d",
				child, r.nodes[child].level, n.level, n.level-1)
		}
	}
	return r.add(n)
}

// tilesOf computes node.tiles of a node whose children are known.
func (r *reader) tilesOf(n node) (tiles uint64) {
	for i, child := range n.child {
		switch {
		case n.leaf && i < 2, n.level == cellsLevel:
			tiles |= uint64(min(child, 1))
		case n.leaf:
		case n.level <= blockLevel:
			tiles |= r.nodes[child].tiles
		default:
			sum, carry := bits.Add64(tiles, r.nodes[child].tiles, 0)
			tiles = sum | -carry
		}
	}
	return tiles
}

// add adds a node. A few bytes of a file can ask for much memory, so each node is counted against the
// limit.
func (r *reader) add(n node) error {
	if len(r.nodes) == math.MaxInt32 {
		return r.Errorf(1, "more than %d nodes", math.MaxInt32-1)
	}
	n.tiles = r.tilesOf(n)
	r.nodes = append(r.nodes, n)
	r.c.Held = uint64(cap(r.nodes)) * nodeBytes
	if err := r.c.Reserve(r.c.Held); err != nil {
		return r.Errorf(1, "%w", err)
	}
	return nil
}

// draw expands the tree into cells, or keeps it.
func (r *reader) draw() error {
	planes := max(1, bits.Len8(r.top))
	if root := r.nodes[len(r.nodes)-1]; r.c.Trees && root.level > blockLevel && root.tiles > 0 {
		r.p.Squares, r.p.Drawn = r.squares(), grid.Product(root.tiles, uint64(planes)*codec.TileBytes)
		if root.level > maxLevel {
			r.p.Drawn = math.MaxUint64
		}
		return r.c.Grow(planes)
	}
	return r.spread(planes)
}

// spread expands the tree into cells with the given number of planes.
func (r *reader) spread(planes int) error {
	root := &r.nodes[len(r.nodes)-1]
	for root.level > maxLevel && root.tiles > 0 {
		if !r.shrink(root) {
			return fmt.Errorf("cells are too far apart; coordinates are within ±%d", codec.MaxCoordinate)
		}
	}
	// A file of a few lines can describe more cells than the universe has atoms, so check the memory before drawing.
	if err := r.c.Reserve(grid.Product(root.tiles, uint64(planes)*codec.TileBytes)); err != nil {
		return err
	}
	if err := r.c.Grow(planes); err != nil {
		return err
	}
	if root.tiles == 0 {
		return nil
	}
	half := -1 << (root.level - 1)
	return r.square(*root, half, half+offset)
}

// shrink replaces a root by the square in its middle if everything else is empty.
func (r *reader) shrink(root *node) bool {
	for i, child := range root.child {
		inward := 3 - i
		quarter := r.nodes[child]
		for j, grandchild := range quarter.child {
			if j != inward && r.nodes[grandchild].tiles != 0 {
				return false
			}
		}
		root.child[i] = quarter.child[inward]
	}
	root.level--
	return true
}

// square draws a node with its upper left cell at (x, y).
func (r *reader) square(n node, x, y int) error {
	if n.tiles == 0 {
		return nil
	}
	if n.level > blockLevel {
		half := 1 << (n.level - 1)
		for i, child := range n.child {
			if err := r.square(r.nodes[child], x+i&1*half, y+i>>1*half); err != nil {
				return err
			}
		}
		return nil
	}
	for plane := range r.c.Planes {
		clear(r.block[plane][:])
	}
	r.render(n, 0, 0)
	side := 1 << n.level
	for plane := range r.c.Planes {
		for i := range side {
			if row := &r.block[plane][i]; row[0]|row[1]|row[2]|row[3] != 0 {
				if err := r.c.Tiles.WriteRow(row[:], plane, x, y+i, side); err != nil {
					return err
				}
			}
		}
	}
	return r.c.Reserve(r.c.Bytes())
}

// render draws a node into the block.
func (r *reader) render(n node, x, y int) {
	switch {
	case n.tiles == 0:
	case n.leaf:
		// Byte i of the cells is row i, and its lowest bit is on the left.
		cells := uint64(n.child[0]) | uint64(n.child[1])<<32
		for i := range 8 {
			r.block[0][y+i][x>>6] |= cells >> (8 * i) & 0xff << (x & 63)
		}
	case n.level == cellsLevel:
		for i, state := range n.child {
			x, y := x+i&1, y+i>>1
			for plane := range r.c.Planes {
				r.block[plane][y][x>>6] |= uint64(state>>plane&1) << (x & 63)
			}
		}
	default:
		half := 1 << (n.level - 1)
		for i, child := range n.child {
			r.render(r.nodes[child], x+i&1*half, y+i>>1*half)
		}
	}
}
