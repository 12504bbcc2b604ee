package checkpoint

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
)

const (
	lowestDrawn  = 3 // the level of the lowest squares of two states
	lowestStates = 1 // and of more

	drawnBit    = 0x80 // in a square's first byte: it has cells instead of children
	squareBytes = 1 + 4*4
	drawnBytes  = 1 + 8
)

// writeTree writes the squares of a tree.
func writeTree(out *bufio.Writer, tree grid.Quadtree, population uint64) error {
	squares := 0
	for s := range tree.Squares() {
		squares++
		var row [squareBytes]byte
		if s.Level == lowestDrawn && s.Children == [4]uint32{} {
			row[0] = drawnBit | lowestDrawn
			binary.LittleEndian.PutUint64(row[1:], s.Cells)
			out.Write(row[:drawnBytes])
			continue
		}
		row[0] = byte(s.Level)
		for i, child := range s.Children {
			binary.LittleEndian.PutUint32(row[1+4*i:], child)
		}
		out.Write(row[:])
	}
	if squares == 0 && population > 0 {
		return errors.New("there is too little memory to list the squares of the tree")
	}
	return nil
}

// readTree reads the squares of a tree, and refuses data that is not a tree.
func (f *File) readTree() error {
	in := bufio.NewReaderSize(io.NewSectionReader(f.cells, 0, f.cells.Size()), 1<<20)
	for {
		first, err := in.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var row [squareBytes]byte
		size := squareBytes
		if first&drawnBit != 0 {
			size = drawnBytes
		}
		if _, err := io.ReadFull(in, row[1:size]); err != nil {
			return errors.New("checkpoint cells: the last square is cut off")
		}
		s := grid.Square{Level: int(first &^ drawnBit)}
		if first&drawnBit != 0 {
			s.Cells = binary.LittleEndian.Uint64(row[1:])
		} else {
			for i := range s.Children {
				s.Children[i] = binary.LittleEndian.Uint32(row[1+4*i:])
			}
		}
		if err := f.checkSquare(s, first&drawnBit != 0); err != nil {
			return fmt.Errorf("checkpoint cells: square %d: %w", len(f.squares)+1, err)
		}
		f.squares = append(f.squares, s)
	}
}

// checkSquare refuses a square that cannot follow those before.
func (f *File) checkSquare(s grid.Square, drawn bool) error {
	switch {
	case drawn && s.Level != lowestDrawn, s.Level < lowestStates, s.Level >= bits.UintSize:
		return fmt.Errorf("level %d", s.Level)
	case len(f.squares) == math.MaxUint32-1:
		return errors.New("there are too many")
	case s.Level == lowestStates:
		for _, state := range s.Children {
			if int(state) >= f.Header.States {
				return fmt.Errorf("a state above %d", f.Header.States-1)
			}
		}
	case !drawn:
		for _, child := range s.Children {
			if int(child) > len(f.squares) || child > 0 && f.squares[child-1].Level != s.Level-1 {
				return fmt.Errorf("a child is not of level %d", s.Level-1)
			}
		}
	}
	return nil
}

// restoreTree loads the squares into an engine.
func (f *File) restoreTree(e sim.Engine) error {
	if len(f.squares) == 0 {
		return nil
	}
	if tree, ok := e.(grid.QuadtreeSink); ok {
		return tree.SetSquares(f.squares)
	}
	p := pattern.Pattern{Squares: f.squares}
	if err := p.Draw(context.Background()); err != nil {
		return fmt.Errorf("%w; --engine hashlife keeps it as the tree it is", err)
	}
	for _, part := range p.Cells.Occupied() {
		if err := grid.Copy(e, p.Cells, part, part.X, part.Y); err != nil {
			return err
		}
	}
	return nil
}

// Tree returns how many different squares the cells are kept as, 0 if they are not kept as squares, and how
// many bytes they would take drawn.
func (f *File) Tree() (squares int, drawn uint64) {
	tiles := make([]uint64, len(f.squares)+1)
	for i, s := range f.squares {
		if s.Level <= tileLevel {
			tiles[i+1] = 1
			continue
		}
		for _, child := range s.Children {
			sum, carry := bits.Add64(tiles[i+1], tiles[child], 0)
			tiles[i+1] = sum | -carry
		}
	}
	return len(f.squares), grid.Product(tiles[len(f.squares)],
		uint64(grid.PlanesOf(f.Header.States))*grid.TileSide*grid.TileSide/8)
}

// tileLevel is the level of squares of grid.TileSide.
const tileLevel = 8
