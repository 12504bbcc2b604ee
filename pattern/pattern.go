// Package pattern reads and writes pattern files: RLE, macrocell, plaintext, Life 1.05 and 1.06, PNG and NumPy arrays,
// and reads MCell. Files may be gzipped.
//
// Coordinates: x to the right, y down. In formats that give a size (RLE, plaintext, PNG, NumPy, MCell) the upper left
// cell of the file is (0, 0) of Pattern.Cells; in formats that give places (macrocell, Life 1.05 and 1.06) cells keep
// theirs, which are Golly's. Pattern.X and Pattern.Y carry the one into the other.
//
// Readers stream: they hold the tiles that the live cells need, and never more than Options.MaxBytes. Writers stream
// rows.
package pattern

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/gosper-life/gosper/grid"
)

// Pattern is what a file holds.
type Pattern struct {
	Cells  *grid.Tiles
	Bounds grid.Rect // the size the file states, at (0, 0); where it states none, the bounding box of the live cells
	Rule   string    // as written; "" if the file names none
	// X, Y are Golly's coordinates of cell (0, 0) of Cells, when HasPosition.
	X, Y        int
	HasPosition bool
	Generation  uint64
	States      int // the smallest power of two that the cells need, 2 to 256
	Name        string
	Author      string
	Comments    []string
	Format      Format
	// Squares are the tree of a macrocell file of two states, as grid.Quadtree has it, where Options.Squares asks for it. Cells are empty
	// then, until Draw, and take so many bytes when they are drawn.
	Squares []grid.Square
	Drawn   uint64
}

// Meta is what a file can say beside its cells. Formats keep what they have a place for: RLE, macrocell and PNG everything,
// Life 1.05 all but the generation, plaintext the words, Life 1.06 the position, NumPy nothing.
type Meta struct {
	Rule string
	// X, Y are Golly's coordinates of cell (0, 0) of the source, when HasPosition. Without it formats that need a place
	// take the source's own coordinates.
	X, Y        int
	HasPosition bool
	Generation  uint64
	States      int // at least what the cells need; 0: what the source's planes can hold
	Name        string
	Author      string
	Comments    []string
}

// Meta returns what Write needs to say of p again.
func (p *Pattern) Meta() Meta {
	return Meta{
		Rule: p.Rule, X: p.X, Y: p.Y, HasPosition: p.HasPosition, Generation: p.Generation, States: p.States,
		Name: p.Name, Author: p.Author, Comments: p.Comments,
	}
}

// CheckStates refuses a pattern with cells in states that a rule of so many states does not have.
func (p *Pattern) CheckStates(states int) error {
	if p.States <= states {
		return nil
	}
	counts, err := grid.StateCounts(p.Cells, 1<<p.Cells.Planes())
	if err != nil {
		return err
	}
	for state, n := range counts {
		if state >= states && n > 0 {
			return fmt.Errorf("the pattern has cells in state %d, the rule has states 0 to %d", state, states-1)
		}
	}
	return nil
}

// Options are the limits of a reader.
type Options struct {
	// MaxBytes is the memory a pattern may take, to within a few MiB. 0: DefaultMaxBytes, or Expansion times the bytes read where
	// that is more, as far as grid.Fits finds it available.
	MaxBytes uint64
	// Progress is told how many bytes have been read, those of the file as it is on disk; nil: nobody is.
	Progress func(read int64)
	// Squares keeps the tree of a macrocell file of two states that is larger than a tile, instead of drawing its cells.
	Squares bool
}

// What a file may expand to. A few bytes of a file can stand for terabytes of cells, and a cell far from all others takes a tile.
const (
	DefaultMaxBytes = 2 << 30
	Expansion       = 64 // a row of gliders takes some 40 times the memory that it has bytes in a file
)

// Read reads a pattern of any format with default Options.
func Read(r io.Reader, name string) (*Pattern, error) {
	return Options{}.Read(context.Background(), r, name)
}

// ReadFile reads the pattern file at path, or standard input if path is "-", with default Options.
func ReadFile(path string) (*Pattern, error) { return Options{}.ReadFile(context.Background(), path) }

// Read reads a pattern, gzipped or not. The content says which format it is; where that leaves a doubt the suffix of
// name (which may be empty) decides. It ends with ctx's error soon after that is done.
func (o Options) Read(ctx context.Context, r io.Reader, name string) (*Pattern, error) {
	return o.read(&input{ctx: ctx, from: r, progress: o.Progress}, name)
}

func (o Options) read(from *input, name string) (*Pattern, error) {
	in, name, err := decompress(from, name)
	if err != nil {
		return nil, err
	}
	const mark = "\ufeff" // Windows editors begin files with it
	if head, _ := in.Peek(len(mark)); string(head) == mark {
		in.Discard(len(mark)) // never fails: the bytes are buffered
	}
	head, err := in.Peek(headBytes)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, err
	}
	format, err := detect(head, name)
	if err != nil {
		return nil, err
	}
	return o.readFormat(in, from, format)
}

// ReadFormat reads an uncompressed pattern of a known format.
func (o Options) ReadFormat(ctx context.Context, r io.Reader, format Format) (*Pattern, error) {
	if format == 0 || int(format) > len(codecs) {
		return nil, fmt.Errorf("unknown pattern format; known are %s", formatNames(false))
	}
	from := &input{ctx: ctx, from: r, progress: o.Progress}
	return o.readFormat(bufio.NewReaderSize(from, headBytes), from, format)
}

func (o Options) readFormat(in *bufio.Reader, from *input, format Format) (*Pattern, error) {
	p := &Pattern{Format: format}
	c := newCanvas(o, from)
	err := codecs[format-1].read(in, p, c)
	// Some writers put a comma behind the rule, as behind all that stands before it in a header.
	p.Rule = strings.TrimRight(p.Rule, ",")
	if err == nil {
		err = checkRule(p.Rule)
	}
	if err == nil {
		err = c.finish(p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	return p, nil
}

// Write writes the cells of src within its Bounds, uncompressed. It reads a row at a time (a strip of 8 for macrocell)
// and refuses, before the first byte, what the format cannot hold.
func Write(w io.Writer, format Format, src grid.Source, meta Meta) error {
	if format == 0 || int(format) > len(codecs) || codecs[format-1].write == nil {
		return fmt.Errorf("cannot write format %s; allowed are %s", format, formatNames(true))
	}
	if meta.States == 0 {
		meta.States = 1 << src.Planes()
	}
	if !meta.HasPosition {
		meta.X, meta.Y = 0, 0
	}
	if err := meta.check(src); err != nil {
		return fmt.Errorf("%s: %w", format, err)
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	err := codecs[format-1].write(buffered, src, meta)
	if err != nil {
		return fmt.Errorf("%s: %w", format, err)
	}
	return buffered.Flush()
}

// check refuses what no format can hold.
func (m Meta) check(src grid.Source) error {
	b, err := src.Extent()
	if err != nil {
		return err
	}
	planes := src.Planes()
	far := grid.Rect{X: 1 - maxCoordinate, Y: 1 - maxCoordinate, W: 2*maxCoordinate - 1, H: 2*maxCoordinate - 1}
	switch {
	case planes < 1 || planes > grid.MaxPlanes:
		return fmt.Errorf("cells of %d planes; allowed are 1 to %d", planes, grid.MaxPlanes)
	case m.States < 2 || m.States > 256:
		return fmt.Errorf("%d states; allowed are 2 to 256", m.States)
	case !far.Contains(m.X, m.Y):
		return fmt.Errorf("position %d,%d is not within ±%d", m.X, m.Y, maxCoordinate)
	case b.Union(far) != far:
		return fmt.Errorf("cells at %d,%d are not within ±%d", b.X, b.Y, maxCoordinate)
	}
	if err := checkRule(m.Rule); err != nil {
		return err
	}
	return m.checkStates(src)
}

// checkRule refuses what would not come back from a file as one word.
func checkRule(rule string) error {
	if i := strings.IndexFunc(rule, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }); i >= 0 {
		return fmt.Errorf("rule %s has a space or control character at byte %d", quote(rule), i)
	}
	return nil
}

// checkStates refuses cells in states that need more planes than m.States does.
func (m Meta) checkStates(src grid.Source) error {
	all, err := newRows(src, Meta{States: 256})
	if err != nil {
		return err
	}
	for y, ok := all.next(all.bounds.Y); ok && all.planes > grid.PlanesOf(m.States); y, ok = all.next(y + 1) {
		most := uint8(0)
		if err := all.runs(y, func(state uint8, _ int) { most = max(most, state) }); err != nil {
			return err
		}
		if int(most) >= 1<<grid.PlanesOf(m.States) {
			return fmt.Errorf("a cell of row %d is in state %d, of %d states", y, most, m.States)
		}
	}
	return nil
}

// twoStates returns an error unless the cells fit a format that has only dead and live ones.
func (m Meta) twoStates() error {
	if m.States > 2 {
		return fmt.Errorf("holds 2 states, the pattern has %d; rle, macrocell, png and npy hold up to 256", m.States)
	}
	return nil
}
