package render

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
)

// crop is a flag that reads "X,Y,WxH", "main" or "all".
type crop struct {
	part part
	at   origin.Point
	size origin.Size
}

// part says which cells of an unbounded universe a film shows.
type part int

const (
	given    part = iota // those within a rectangle
	partMain             // the largest group of cells, and others that are not much smaller
	partAll
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *crop) UnmarshalText(text []byte) error {
	switch string(text) {
	case "main":
		c.part = partMain
		return nil
	case "all":
		c.part = partAll
		return nil
	}
	i := strings.LastIndexByte(string(text), ',')
	if i < 0 {
		return fmt.Errorf("crop %q: want X,Y,WxH, as in -10,-10,80x60, or main or all", text)
	}
	if err := c.at.UnmarshalText(text[:i]); err != nil {
		return err
	}
	return c.size.UnmarshalText(text[i+1:])
}

// groups finds the groups of cells that lie apart from each other: objects that have left a pattern are groups of their
// own. It divides the plane into squares; squares with cells that touch belong to one group.
type groups struct {
	squares map[grid.TileAt]*square
	box     grid.Rect // of all cells
	read    uint64    // cells that were read
}

// square is the cells of a square of groupSide × groupSide cells, added up over all frames.
type square struct {
	cells uint64
	box   grid.Rect
	seen  bool // by main
}

// groupSide is the side of the squares. It is the width of a word. Objects belong together if they are less than one
// square apart, and may if they are less than two apart.
const groupSide = 64

// mostRead is the largest area that is read to find groups, in cells. Another group is shown with the largest one if it
// has at least one of leastPart parts of its cells.
const (
	mostRead  = 1 << 30
	leastPart = 8
)

// errLarge says that a universe is too large to look for groups.
var errLarge = errors.New("too large to look for groups of cells")

// add adds the cells of a frame.
func (g *groups) add(e sim.Engine) error {
	parts, err := grid.Occupied(e)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if g.read += grid.Product(uint64(part.W), uint64(part.H)); g.read > mostRead {
			return errLarge
		}
		x := part.X &^ (groupSide - 1)
		n := (part.X + part.W - x + groupSide - 1) / groupSide
		row, all := make([]uint64, n), make([]uint64, n)
		for y := part.Y; y < part.Y+part.H; y++ {
			clear(all)
			for k := range e.Planes() {
				if err := e.ReadRow(row, k, x, y, n*groupSide); err != nil {
					return err
				}
				for i, w := range row {
					all[i] |= w
				}
			}
			for i, w := range all {
				if w != 0 {
					g.addWord(w, x+i*groupSide, y)
				}
			}
		}
	}
	return nil
}

// addWord adds the cells of a row of a square, which begins in column x.
func (g *groups) addWord(w uint64, x, y int) {
	at := grid.TileAt{X: x / groupSide, Y: (y &^ (groupSide - 1)) / groupSide}
	s := g.squares[at]
	if s == nil {
		s = &square{}
		g.squares[at] = s
	}
	first := bits.TrailingZeros64(w)
	cells := grid.Rect{X: x + first, Y: y, W: bits.Len64(w) - first, H: 1}
	s.cells += uint64(bits.OnesCount64(w))
	s.box, g.box = s.box.Union(cells), g.box.Union(cells)
}

// main returns the box of the largest group, and of others with at least a part of its cells.
func (g *groups) main() grid.Rect {
	var found []square
	for at, s := range g.squares {
		if !s.seen {
			found = append(found, g.group(at))
		}
	}
	most := uint64(0)
	for _, group := range found {
		most = max(most, group.cells)
	}
	var box grid.Rect
	for _, group := range found {
		if group.cells >= (most+leastPart-1)/leastPart {
			box = box.Union(group.box)
		}
	}
	return box
}

// group adds up the squares of the group of a square.
func (g *groups) group(of grid.TileAt) (sum square) {
	open := []grid.TileAt{of}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		s := g.squares[at]
		if s == nil || s.seen {
			continue
		}
		s.seen = true
		sum.cells += s.cells
		sum.box = sum.box.Union(s.box)
		for i := range 9 {
			open = append(open, grid.TileAt{X: at.X + i%3 - 1, Y: at.Y + i/3 - 1})
		}
	}
	return sum
}
