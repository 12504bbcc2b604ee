package hosts

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// side is one of the two neighbours of a band.
type side int

const (
	above side = iota
	below
)

// opposite is the side at which the neighbour on this side sees the band.
func (s side) opposite() side { return 1 - s }

// A band is some lines of the universe, with a halo of reach lines on each side that has a neighbour.
// Up to three engines advance parts of it:
//
//	main           halo above │ lines of the band …………………………………………… │ halo below
//	border above   halo above │ boundary │ inner lines
//	border below                           inner lines │ boundary │ halo below
//
// A border has three times reach lines. After a pass, the outer reach lines on both sides of an engine are wrong. Only
// the boundary lines of a border are right then. The neighbour needs them as its next halo. A border is small, so it
// has them long before the main engine is done.
type band struct {
	layout
	span
	reach   int
	planes  int
	has     [2]bool       // neighbours
	main    sim.Engine    // the halo above, the lines, the halo below
	borders [2]sim.Engine // which compute the boundary lines first; nil if there is no neighbour
	states  int
	before  *grid.Grid     // the cells of the generation before, or nil
	earlier uint64         // the previous generation
	threads int            // that fill it; 0 means one for each core
	moves   *atomic.Uint64 // rises with each step and each row
}

// openBand makes band i of some, with dead cells.
func openBand(ctx context.Context, engine string, cfg sim.Config, bands []span, i, depth int) (*band, error) {
	l, err := layoutOf(cfg)
	if err != nil {
		return nil, err
	}
	if depth < 1 || depth > l.deepest(bands) {
		return nil, errSmall
	}
	b := &band{
		layout: l, span: bands[i], reach: l.reach(depth), planes: cfg.Rule.Planes(), states: cfg.Rule.States,
		has: l.neighbours(i, len(bands)), threads: cfg.Threads, moves: new(atomic.Uint64),
	}
	open := func(first, lines int) (sim.Engine, error) {
		part := cfg
		if part.Topology, err = l.of(lines); err != nil {
			return nil, err
		}
		e, err := sim.Open(ctx, engine, part)
		if err != nil {
			return nil, err
		}
		return e, l.place(e, cfg, first)
	}
	if b.main, err = open(b.First-b.top(), b.total()); err != nil {
		b.close()
		return nil, err
	}
	for s, has := range b.has {
		if !has {
			continue
		}
		if b.borders[s], err = open(b.First-b.top()+b.border(side(s)), b.borderLines()); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

func (b *band) close() {
	for _, e := range append(b.borders[:], b.main) {
		if e != nil {
			e.Close()
		}
	}
}

// top is the number of lines of the halo above.
func (b *band) top() int {
	if b.has[above] {
		return b.reach
	}
	return 0
}

// total is the number of lines with the halos.
func (b *band) total() int {
	n := b.top() + b.Lines
	if b.has[below] {
		n += b.reach
	}
	return n
}

// borderLines is the number of lines of a border: the boundary lines, and as many on both sides of
// them. In a small band the border is the whole band.
func (b *band) borderLines() int { return min(3*b.reach, b.total()) }

// border is the first line of a border in the main engine.
func (b *band) border(s side) int {
	if s == above {
		return 0
	}
	return b.total() - b.borderLines()
}

// inner is the rectangle of the band in its main engine.
func (b *band) inner() grid.Rect {
	return grid.Rect{Y: b.top() * b.rows, W: b.topology.W, H: b.Lines * b.rows}
}

// cells are those of the band, with row 0 the first row of the band.
func (b *band) cells() grid.Source {
	return grid.Part{Source: b.main, Bounds: b.inner(), DY: -b.top() * b.rows}
}

// lineBytes is the size of a line in messages and files.
func (b *band) lineBytes() int { return b.rows * b.planes * rowBytes(b.topology.W) }

// rowBytes is the size of a row of one plane: whole words.
func rowBytes(w int) int { return (w + 63) / 64 * 8 }

// rowsOut appends the rows of some lines of an engine to a message: for each row its planes.
func (b *band) rowsOut(data []byte, e grid.Source, first, lines int) ([]byte, error) {
	row := make([]uint64, (b.topology.W+63)/64)
	data = slices.Grow(data, lines*b.lineBytes())
	for y := first * b.rows; y < (first+lines)*b.rows; y++ {
		for k := range b.planes {
			if err := e.ReadRow(row, k, 0, y, b.topology.W); err != nil {
				return nil, err
			}
			data = appendWords(data, row)
		}
	}
	return data, nil
}

// rowsIn writes rows of a message to lines of an engine. Its length is that of whole lines.
func (b *band) rowsIn(data []byte, e grid.Sink, first int) error {
	row := make([]uint64, (b.topology.W+63)/64)
	for y := first * b.rows; len(data) > 0; y++ {
		for k := range b.planes {
			data = takeWords(row, data)
			if err := e.WriteRow(row, k, 0, y, b.topology.W); err != nil {
				return err
			}
		}
	}
	return nil
}

// boundary returns the present lines at the edge of the band that the neighbour on a side needs.
func (b *band) boundary(s side) ([]byte, error) {
	first := b.top()
	if s == below {
		first += b.Lines - b.reach
	}
	return b.rowsOut(nil, b.main, first, b.reach)
}

// setHalo writes the lines of the neighbour on a side.
func (b *band) setHalo(s side, data []byte) error {
	if want := b.reach * b.lineBytes(); len(data) != want {
		return fmt.Errorf("a halo of %d bytes came, want %d", len(data), want)
	}
	first := 0
	if s == below {
		first = b.top() + b.Lines
	}
	return b.rowsIn(data, b.main, first)
}

// ahead advances the border of a side from the present generation of the main engine by n more.
func (b *band) ahead(ctx context.Context, s side, n uint64) error {
	border := b.borders[s]
	from := grid.Rect{Y: b.border(s) * b.rows, W: b.topology.W, H: b.borderLines() * b.rows}
	if err := grid.Copy(border, b.main, from, 0, 0); err != nil {
		return err
	}
	border.SetGeneration(b.main.Generation())
	return b.step(ctx, border, n)
}

// next returns the lines of a side's border. boundary will return the same when the main engine has reached the
// generation of that border.
func (b *band) next(s side) ([]byte, error) {
	at := b.reach
	if s == below {
		at = b.borderLines() - 2*b.reach
	}
	return b.rowsOut(nil, b.borders[s], at, b.reach)
}

// step advances an engine by all of n generations, or fails.
func (b *band) step(ctx context.Context, e sim.Engine, n uint64) error {
	for n > 0 {
		done, err := e.Step(ctx, n)
		if err != nil {
			return err
		}
		n -= done
		b.moves.Add(1)
	}
	return nil
}

// fill makes the band's part of a soup, on the device if the engine can. The lines of neighbours get other cells, which
// the first halos replace.
func (b *band) fill(ctx context.Context, seed uint64, density float64) error {
	w := b.topology.W
	first := uint64(b.First-b.top()) * uint64(b.rows) * uint64(w) // below 0 it wraps, as the seed does
	return soup.Fill(ctx, b.main, w, b.total()*b.rows, soup.SeedFrom(seed, first), density, b.threads,
		func(_, _ uint64) { b.moves.Add(1) })
}

// Sample is the numbers of a row of a series. A band's is relative to its first row.
type Sample struct {
	Generation uint64    `json:"generation"`
	Population uint64    `json:"population"`
	Known      bool      `json:"known"` // births and deaths
	Births     uint64    `json:"births"`
	Deaths     uint64    `json:"deaths"`
	Box        grid.Rect `json:"box"` // of the cells not in state 0, within their layer
	FirstLayer int       `json:"first_layer"`
	Layers     int       `json:"layers"` // with such cells; 0 in two dimensions
}

// keep remembers the cells, for the births and deaths of the next generation.
func (b *band) keep() (err error) {
	in := b.inner()
	if b.before == nil {
		if b.before, err = grid.New(in.W, in.H, b.planes); err != nil {
			return fmt.Errorf("births and deaths of the series: %w", err)
		}
	}
	b.earlier = b.main.Generation()
	return grid.Copy(b.before, b.main, in, 0, 0)
}

// sample counts the cells.
func (b *band) sample() (Sample, error) {
	s := Sample{Generation: b.main.Generation()}
	s.Known = b.before != nil && b.earlier+1 == s.Generation
	w := b.topology.W
	src := b.cells()
	now, was, scratch := make([]uint64, (w+63)/64), make([]uint64, (w+63)/64), make([]uint64, (w+63)/64)
	for y := range b.Lines * b.rows {
		b.moves.Add(1)
		if err := readLive(now, scratch, src, y, w); err != nil {
			return s, err
		}
		if s.Known {
			grid.InMemory(readLive(was, scratch, b.before, y, w))
		}
		for i, word := range now {
			s.Population += uint64(bits.OnesCount64(word))
			s.Births += uint64(bits.OnesCount64(word &^ was[i]))
			s.Deaths += uint64(bits.OnesCount64(was[i] &^ word))
		}
		first, end := grid.BitSpan(now)
		if end == 0 {
			continue
		}
		global := b.First*b.rows + y
		if b.topology.Volume() {
			layer := global / b.rows
			global %= b.rows
			if s.Layers == 0 {
				s.FirstLayer = layer
			}
			s.Layers = layer - s.FirstLayer + 1
		}
		s.Box = s.Box.Union(grid.Rect{X: first, Y: global, W: end - first, H: 1})
	}
	if !s.Known {
		s.Births, s.Deaths = 0, 0
	}
	return s, nil
}

// add joins the sample of a band to that of the bands above it. Layers are counted from the first one
// with cells to the last one, so those in between count as well.
func (s *Sample) add(o Sample) {
	s.Generation, s.Known = o.Generation, o.Known
	s.Population, s.Births, s.Deaths = s.Population+o.Population, s.Births+o.Births, s.Deaths+o.Deaths
	s.Box = s.Box.Union(o.Box)
	switch {
	case o.Layers == 0:
	case s.Layers == 0:
		s.FirstLayer, s.Layers = o.FirstLayer, o.Layers
	default:
		s.Layers = o.FirstLayer + o.Layers - s.FirstLayer
	}
}

// readLive stores into dst which of the w cells of a row are not in state 0.
func readLive(dst, scratch []uint64, src grid.Source, y, w int) error {
	err := src.ReadRow(dst, 0, 0, y, w)
	for k := 1; k < src.Planes() && err == nil; k++ {
		err = src.ReadRow(scratch, k, 0, y, w)
		for i, word := range scratch {
			dst[i] |= word
		}
	}
	return err
}

// pass advances the band by n generations, at most its depth. send gets the boundary lines of each
// side as soon as they are known. receive returns the lines of a neighbour. waited is the time in
// receive.
//
//	borders ─┬▶ main engine ………………………………… ─▶ receive ─▶ halos
//	         └▶ next ─▶ send ── on the network ──┘
//
// The borders do not run beside the main engine. On a GPU each of their passes would wait for a whole
// pass of the main engine.
func (b *band) pass(ctx context.Context, n uint64, send func(side, []byte), receive func(side) ([]byte, error)) (
	waited time.Duration, err error,
) {
	for s, has := range b.has {
		if has {
			if err := b.ahead(ctx, side(s), n); err != nil {
				return 0, err
			}
		}
	}
	sent := make(chan error, 1)
	go func() { sent <- b.sendNext(send) }()
	err = b.step(ctx, b.main, n)
	if err = errors.Join(err, <-sent); err != nil {
		return 0, err
	}
	return b.receive(receive)
}

// sendNext sends the boundary lines that the borders have computed.
func (b *band) sendNext(send func(side, []byte)) (err error) {
	defer recovered(&err)
	for s, has := range b.has {
		if has {
			data, err := b.next(side(s))
			if err != nil {
				return err
			}
			send(side(s), data)
		}
	}
	return nil
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("a worker panicked: %v", r)
	}
}

// receive gets the halos.
func (b *band) receive(receive func(side) ([]byte, error)) (waited time.Duration, err error) {
	for s, has := range b.has {
		if !has {
			continue
		}
		begin := time.Now()
		data, err := receive(side(s))
		waited += time.Since(begin)
		if err != nil {
			return waited, err
		}
		if err := b.setHalo(side(s), data); err != nil {
			return waited, err
		}
	}
	return waited, nil
}

// bytes is the memory of the band's engines.
func (b *band) bytes() (n uint64) {
	for _, e := range append(b.borders[:], b.main) {
		if e != nil {
			n += e.Info().Bytes
		}
	}
	return n
}
