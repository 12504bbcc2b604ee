package pattern

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/pattern/internal/macrocell"
	"github.com/gosper-life/gosper/pattern/internal/quadtree"
	"github.com/gosper-life/gosper/topology"
)

// Pattern is the content of a file.
type Pattern struct {
	Cells  *grid.Tiles
	Bounds grid.Rect // the size that the file states, at (0, 0), or else the bounding box of the live cells
	Rule   string    // as written; "" if the file names no rule
	// X, Y are Golly's coordinates of cell (0, 0) of Cells. They are valid if HasPosition is set.
	X, Y        int
	HasPosition bool
	Generation  uint64
	States      int // the smallest power of two that the cells need, 2 to 256
	Name        string
	Author      string
	Comments    []string
	// Depth is the number of layers of a universe of three dimensions. Its cells are all cells of that universe: the
	// cell (x, y, z) is in column x and row y + z·Bounds.H/Depth. It is 0 in two dimensions.
	Depth  int
	Format Format
	// Squares is the tree of a macrocell file, as in grid.Quadtree, if Options.Squares asks for it. Cells is then
	// empty until Draw. Drawn cells take Drawn bytes.
	Squares []grid.Square
	Drawn   uint64
	// MaxBytes is that of the Options, for Draw.
	MaxBytes uint64
	// RuleFile is the text of a rule file after the cells of an RLE file, for package rulefile; nil if there is none.
	RuleFile []byte
}

// Meta holds the information of a file in addition to its cells. RLE, macrocell and PNG keep everything, Life 1.05
// everything but the generation, plaintext only the words, Life 1.06 only the position, and NumPy nothing.
type Meta struct {
	Rule string
	// X, Y are Golly's coordinates of cell (0, 0) of the source. They are valid if HasPosition is set. Without
	// them, formats that need a position use the source's own coordinates.
	X, Y        int
	HasPosition bool
	Generation  uint64
	States      int // at least the number that the cells need; 0 means the number that the source's planes can hold
	Name        string
	Author      string
	Comments    []string
	// Depth is the number of layers of a universe of three dimensions, 0 in two. Writers take it from the rule's
	// suffix if it has one.
	Depth int
	// RuleFiles are texts of rule files that RLE files have after the cells.
	RuleFiles []string
}

// Meta returns the metadata of p in the form that Write needs.
func (p *Pattern) Meta() Meta {
	return Meta{
		Rule: p.Rule, X: p.X, Y: p.Y, HasPosition: p.HasPosition, Generation: p.Generation, States: p.States,
		Name: p.Name, Author: p.Author, Comments: p.Comments, Depth: p.Depth,
	}
}

// CheckStates refuses a pattern with cells in states that a rule with the given number of states does not have.
func (p *Pattern) CheckStates(states int) error {
	if p.States <= states {
		return nil
	}
	counts, err := grid.StateCounts(p.Cells, 1<<p.Cells.Planes())
	if err != nil {
		return err
	}
	for _, s := range p.Squares {
		if s.Level == 1 { // its children are states
			for _, state := range s.Children {
				counts[state]++
			}
		}
	}
	for state, n := range counts {
		if state >= states && n > 0 {
			return fmt.Errorf("the pattern has cells in state %d, the rule has states 0 to %d", state, states-1)
		}
	}
	return nil
}

// SyntaxError is an error in a text file and its position. Line and Column (in bytes) count from 1.
type SyntaxError = codec.SyntaxError

// Options are the limits of a reader.
type Options struct {
	// MaxBytes is the most memory for a pattern, to within a few MiB. 0 means 2 GiB, or 64 times the bytes read if
	// that is more, if grid.Fits finds that much memory.
	MaxBytes uint64
	// Progress gets the number of bytes that have been read, counted in the file as it is on disk. It may be nil.
	Progress func(read int64)
	// Squares keeps the tree of a macrocell file that is larger than a tile, instead of drawing its cells.
	Squares bool
}

// Read reads a pattern of any format with default Options.
func Read(r io.Reader, name string) (*Pattern, error) {
	return Options{}.Read(context.Background(), r, name)
}

// ReadFile reads the pattern file at path, or standard input if path is "-", with default Options.
func ReadFile(path string) (*Pattern, error) { return Options{}.ReadFile(context.Background(), path) }

// Read reads a pattern, gzipped or not. The content decides the format; if it is ambiguous, the suffix of name
// (which may be empty) decides. It ends with ctx's error soon after ctx is done.
func (o Options) Read(ctx context.Context, r io.Reader, name string) (*Pattern, error) {
	return o.read(&input{ctx: ctx, from: r, progress: o.Progress}, name)
}

// read decompresses, finds the format by the first bytes or by the name, and reads.
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
	if !format.known() {
		return nil, fmt.Errorf("unknown pattern format; known are %s", namesOf(readable))
	}
	from := &input{ctx: ctx, from: r, progress: o.Progress}
	return o.readFormat(bufio.NewReaderSize(from, headBytes), from, format)
}

// readFormat reads a pattern of a known format. The canvas bounds the memory that it may take.
func (o Options) readFormat(in *bufio.Reader, from *input, format Format) (*Pattern, error) {
	if formats[format-1].Read == nil {
		return nil, fmt.Errorf("%s: files of this format can only be written; known are %s", format, namesOf(readable))
	}
	c := codec.NewCanvas(from.ctx, codec.Limits{MaxBytes: o.MaxBytes, Read: from.read, Trees: o.Squares})
	var f codec.File
	err := formats[format-1].Read(in, &f, c)
	// Some writers put a comma after the rule.
	f.Rule = strings.TrimRight(f.Rule, ",")
	if err == nil {
		err = checkRule(f.Rule)
	}
	p := &Pattern{
		Bounds: f.Bounds, Rule: f.Rule, X: f.X, Y: f.Y, HasPosition: f.HasPosition, Generation: f.Generation,
		Name: f.Name, Author: f.Author, Comments: f.Comments, Depth: f.Depth, Format: format, Squares: f.Squares,
		Drawn:    f.Drawn,
		RuleFile: f.RuleFile,
		MaxBytes: o.MaxBytes,
	}
	if err == nil {
		err = p.take(c)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	return p, nil
}

// take makes the drawn cells the cells of p.
func (p *Pattern) take(c *codec.Canvas) error {
	box, err := c.Box()
	if err != nil {
		return err
	}
	p.Cells, p.States = c.Tiles, 1<<c.Planes
	if p.Bounds == (grid.Rect{}) {
		p.Bounds = box
	}
	return nil
}

// Source returns the cells: a tree of Squares if there are any, and otherwise Cells. It fails if the squares are too
// far apart. A tree has methods Get, BigPopulation and FirstDifference as well, which take no time for empty space.
func (p *Pattern) Source() (grid.Source, error) {
	if p.Squares == nil {
		return p.Cells, nil
	}
	return quadtree.New(p.Squares, grid.PlanesOf(p.States))
}

// Draw draws the cells of Squares and then drops the tree. It fails if the cells would take more memory than the
// machine has free, or than the reader was allowed. It ends with ctx's error soon after ctx is done.
func (p *Pattern) Draw(ctx context.Context) error {
	if p.Squares == nil {
		return nil
	}
	none := func() int64 { return 0 }
	c := codec.NewCanvas(ctx, codec.Limits{MaxBytes: p.MaxBytes, Read: none})
	if err := macrocell.Draw(p.Squares, c); err != nil {
		return err
	}
	p.Squares, p.Drawn, p.Bounds = nil, 0, grid.Rect{}
	return p.take(c)
}

// Write writes the cells of src within its Bounds, uncompressed. It reads one row at a time (a strip of 8 for
// macrocell). It checks that the format can hold the pattern before it writes the first byte.
func Write(w io.Writer, format Format, src grid.Source, meta Meta) error {
	return write(context.Background(), w, format, src, meta)
}

// write checks that the format can hold the pattern before it writes anything.
func write(ctx context.Context, w io.Writer, format Format, src grid.Source, meta Meta) error {
	if !format.known() || formats[format-1].Write == nil {
		return fmt.Errorf("cannot write format %s; allowed are %s", format, namesOf(writable))
	}
	if meta.States == 0 {
		meta.States = 1 << src.Planes()
	}
	if !meta.HasPosition {
		meta.X, meta.Y = 0, 0
	}
	if err := meta.check(ctx, src); err != nil {
		return fmt.Errorf("%s: %w", format, err)
	}
	if most := formats[format-1].States; meta.States > most {
		larger := func(c codec.Codec) bool { return writable(c) && c.States > most }
		return fmt.Errorf("%s: holds at most %d states, the pattern has %d; use %s", format, most, meta.States,
			namesOf(larger))
	}
	if t := meta.universe(); t.D > 0 {
		rows, err := src.Extent()
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		if meta.Depth = t.D; format == PNG && rows.H != t.H {
			meta.Depth = 0 // one layer of a stack
		}
	}
	if meta.Depth > 0 && !formats[format-1].Volumes {
		return fmt.Errorf("%s: holds cells of two dimensions, and the universe has three; use %s", format,
			namesOf(func(c codec.Codec) bool { return c.Volumes }))
	}
	src, err := rowByRow(ctx, src, format)
	if err != nil {
		return fmt.Errorf("%s: %w", format, err)
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if err := formats[format-1].Write(ctx, buffered, src, codec.Meta(meta)); err != nil {
		return fmt.Errorf("%s: %w", format, err)
	}
	return buffered.Flush()
}

// rowByRow returns a tree in memory, which writers of formats without trees read row by row: they skip the
// space between its squares, which may be vast. Other sources stay as they are.
func rowByRow(ctx context.Context, src grid.Source, format Format) (grid.Source, error) {
	tree, isTree := src.(grid.Quadtree)
	if !isTree || format == Macrocell {
		return src, nil
	}
	return quadtree.Of(ctx, tree)
}

// universe is the one that the rule's suffix names. It has no size if there is none.
func (m Meta) universe() (t topology.Topology) {
	_, suffix, _ := strings.Cut(m.Rule, ":")
	if named, err := topology.Parse(suffix); err == nil {
		t = named
	}
	return t
}

// check refuses facts that no format can hold.
func (m Meta) check(ctx context.Context, src grid.Source) error {
	b, err := src.Extent()
	if err != nil {
		return err
	}
	planes := src.Planes()
	far := grid.Rect{
		X: 1 - codec.MaxCoordinate, Y: 1 - codec.MaxCoordinate, W: 2*codec.MaxCoordinate - 1,
		H: 2*codec.MaxCoordinate - 1,
	}
	switch {
	case planes < 1 || planes > grid.MaxPlanes:
		return fmt.Errorf("cells of %d planes; allowed are 1 to %d", planes, grid.MaxPlanes)
	case m.States < 2 || m.States > 256:
		return fmt.Errorf("%d states; allowed are 2 to 256", m.States)
	case !far.Contains(m.X, m.Y):
		return fmt.Errorf("position %d,%d is not within ±%d", m.X, m.Y, codec.MaxCoordinate)
	case b.Union(far) != far:
		return fmt.Errorf("cells at %d,%d are not within ±%d", b.X, b.Y, codec.MaxCoordinate)
	}
	if err := checkRule(m.Rule); err != nil {
		return err
	}
	return m.checkStates(ctx, src)
}

// checkRule refuses a rule that a file could not return as one word.
func checkRule(rule string) error {
	if i := strings.IndexFunc(rule, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }); i >= 0 {
		return fmt.Errorf("rule %s has a space or control character at byte %d", codec.Quote(rule), i)
	}
	return nil
}

// checkStates refuses cells in states that need more planes than m.States does.
func (m Meta) checkStates(ctx context.Context, src grid.Source) error {
	all, err := codec.NewRows(ctx, src, 256)
	if err != nil {
		return err
	}
	for y, ok := all.Next(all.Bounds.Y); ok && all.Planes > grid.PlanesOf(m.States); y, ok = all.Next(y + 1) {
		most := uint8(0)
		if err := all.Runs(y, func(state uint8, _ int) { most = max(most, state) }); err != nil {
			return err
		}
		if int(most) >= 1<<grid.PlanesOf(m.States) {
			return fmt.Errorf("a cell of row %d is in state %d, of %d states", y, most, m.States)
		}
	}
	return nil
}
