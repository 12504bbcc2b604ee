package rle

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/topology"
)

// Volumes is the format of Golly's 3D.lua for universes of three dimensions:
//
//	3D version=1 size=40 pos=19,18,18 gen=0     a torus of 40×40×40 cells, and where the pattern begins in it
//	# comments
//	x=2 y=4 z=4 rule=3D4,7/5,8                  the pattern's size
//	$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!      runs as in RLE; / goes on to the next layer
//
// Source: section "RLE3 file format" of the help of 3D.lua in Golly 4. Golly ignores keywords of the first line that
// it does not know. Gosper writes one more, grid, for universes that are no cubes or have edges: grid=P64,48,40. Golly
// knows two states; more are written as in RLE.
var Volumes = codec.Codec{
	Name: "rle3", Suffixes: []string{".rle3"}, Signatures: []string{"3D version="}, States: 256, Rule: true, Volumes: true,
	Read: readVolume, Write: writeVolume,
}

// space is the universe that a file of three dimensions describes, and where its pattern begins.
type space struct {
	topology topology.Topology
	pos      [3]int
	z        int // the current layer
}

// readVolume reads the whole universe: cells in rows y + rows·z, with the size in the rule's suffix.
func readVolume(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	r := reader{Scanner: codec.NewScanner(in), p: p, c: c, space: &space{}}
	if err := r.firstLine(); err != nil {
		return err
	}
	for {
		first, err := r.SkipSpace()
		if err != nil {
			return fmt.Errorf("the line x=… y=… z=… rule=… is missing: %w", codec.Unexpected(err))
		}
		line, err := r.Rest()
		if err != nil {
			return err
		}
		if first != '#' {
			if err := r.sizes(line); err != nil {
				return err
			}
			r.Next()
			break
		}
		if err := r.Comment(&p.Comments, strings.TrimSpace(line[1:])); err != nil {
			return err
		}
		r.Next()
	}
	t := r.space.topology
	p.Depth, p.Bounds = t.D, grid.Rect{W: t.W, H: t.H}
	p.Rule += t.Suffix()
	if err := r.start(); err != nil {
		return err
	}
	return r.body()
}

// firstLine parses "3D version=1 size=N pos=x,y,z gen=g".
func (r *reader) firstLine() error {
	line, err := r.Rest()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	fields := words(line)
	if len(fields) == 0 || fields[0].Text != "3D" {
		return r.Errorf(1, `the first line must begin with "3D"`)
	}
	t := &r.space.topology
	side, sideAt := 0, 0 // of a cube; a grid is more exact
	for _, f := range fields[1:] {
		key, value, _ := strings.Cut(f.Text, "=")
		column := r.Column + f.Column + len(key) + 1
		switch key {
		case "size":
			if side, err = r.Integer(value, column); err != nil {
				return r.Errorf(column, "size: %w", err)
			}
			sideAt = column
		case "grid":
			if *t, err = topology.Parse(value); err == nil && !t.Volume() {
				err = fmt.Errorf("%s has two dimensions", codec.Quote(value))
			}
			if err != nil {
				return r.Errorf(column, "grid: %w", err)
			}
		case "pos":
			texts := strings.Split(value, ",")
			if len(texts) != 3 {
				return r.Errorf(column, "pos: want three numbers, as in pos=0,0,0")
			}
			for i, text := range texts {
				if r.space.pos[i], err = r.Integer(text, column); err != nil {
					return err
				}
			}
		case "gen":
			if r.p.Generation, err = r.Generation(value, column); err != nil {
				return err
			}
		}
	}
	switch {
	case t.Volume():
	case sideAt == 0:
		return r.Errorf(1, "the first line names no size")
	default:
		if *t, err = topology.NewVolume(topology.Torus, side, side, side); err != nil {
			return r.Errorf(sideAt, "size: %w", err)
		}
	}
	r.Next()
	return nil
}

// sizes parses "x=W y=H z=D rule=R". The sizes are those of the pattern, which its cells tell as well.
func (r *reader) sizes(line string) error {
	fields := words(line)
	keys := []string{"x", "y", "z", "rule"}
	if len(fields) != len(keys) {
		return r.Errorf(1, "want x=… y=… z=… rule=…, found %s", codec.Quote(line))
	}
	for i, f := range fields {
		key, value, ok := strings.Cut(f.Text, "=")
		if !ok || key != keys[i] {
			return r.Errorf(r.Column+f.Column, "want %s=…, found %s", keys[i], codec.Quote(f.Text))
		}
		if key == "rule" {
			if strings.Contains(value, ":") {
				return r.Errorf(r.Column+f.Column+len("rule="), "rule %s has a size of its own: it is in the first line",
					codec.Quote(value))
			}
			r.p.Rule = value
		} else if _, err := r.Integer(value, r.Column+f.Column+2); err != nil {
			return err
		}
	}
	return nil
}

// start goes to the first cell of the pattern.
func (r *reader) start() error {
	s := r.space
	t := s.topology
	for i, side := range []int{t.W, t.LayerRows(), t.D} {
		if s.pos[i] < 0 || s.pos[i] >= side {
			return fmt.Errorf("position %d,%d,%d is outside the universe of %s cells", s.pos[0], s.pos[1], s.pos[2], t.Size())
		}
	}
	r.left, s.z = s.pos[0], s.pos[2]
	r.x, r.y = r.left, s.pos[1]+s.z*t.LayerRows()
	return r.c.Row(r.y)
}

// nextLayer goes to the start of the n-th next layer.
func (r *reader) nextLayer(n int) error {
	s := r.space
	s.z = min(s.z+n, s.topology.D)
	if s.z == s.topology.D { // inside refuses cells there
		r.x, r.y = r.left, s.topology.H
		return nil
	}
	r.x, r.y = r.left, s.pos[1]+s.z*s.topology.LayerRows()
	return r.c.Row(r.y)
}

// inside refuses a run of cells that ends at column r.x beyond the edges of the universe.
func (r *reader) inside() error {
	s := r.space
	rows := s.topology.LayerRows()
	switch {
	case s.z >= s.topology.D:
		return fmt.Errorf("a cell in layer %d is outside the universe of %s cells", s.z, s.topology.Size())
	case r.y-s.z*rows >= rows:
		return fmt.Errorf("a cell in row %d is outside the universe of %s cells", r.y-s.z*rows, s.topology.Size())
	case r.x > s.topology.W:
		return fmt.Errorf("a cell in column %d is outside the universe of %s cells", r.x-1, s.topology.Size())
	}
	return nil
}

// writeVolume writes the box around the live cells.
func writeVolume(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	notation, suffix, _ := strings.Cut(meta.Rule, ":")
	t, err := topology.Parse(suffix)
	if err != nil || !t.Volume() {
		return fmt.Errorf("the format holds universes of three dimensions; rule %q names none, as in 3D4,5/5:T64,64,64",
			meta.Rule)
	}
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err != nil {
		return err
	}
	h := t.LayerRows()
	low, high := [3]int{t.W, h, t.D}, [3]int{}
	if err := eachRun(rows, func(x, y, n int, _ uint8) error {
		for axis, c := range [3]int{x, y % h, y / h} {
			low[axis], high[axis] = min(low[axis], c), max(high[axis], c+1)
		}
		high[0] = max(high[0], x+n)
		return nil
	}); err != nil {
		return err
	}
	if high[2] == 0 {
		low = high
	}
	fmt.Fprintf(w, "3D version=1 size=%d pos=%d,%d,%d", max(t.W, h, t.D), low[0], low[1], low[2])
	if meta.Generation > 0 {
		fmt.Fprintf(w, " gen=%d", meta.Generation)
	}
	if t.Kind != topology.Torus || t.W != h || h != t.D {
		fmt.Fprintf(w, " grid=%s", strings.TrimPrefix(t.Suffix(), ":"))
	}
	w.WriteByte('\n')
	codec.WriteLabel(w, "# ", meta.Name)
	codec.WriteLabel(w, "# ", meta.Author)
	codec.WriteWords(w, "# ", meta.Comments...)
	fmt.Fprintf(w, "x=%d y=%d z=%d rule=%s\n", high[0]-low[0], high[1]-low[1], high[2]-low[2], notation)

	symbols := symbolsOf(meta.States > 2)
	l := lines{w: w}
	at := low
	if err := eachRun(rows, func(x, y, n int, state uint8) error {
		z := y / h
		y %= h
		if z > at[2] {
			l.write(appendRun(nil, z-at[2], "/"))
			at = [3]int{low[0], low[1], z}
		}
		if y > at[1] {
			l.write(appendRun(nil, y-at[1], "$"))
			at[0], at[1] = low[0], y
		}
		l.write(appendRun(appendRun(nil, x-at[0], symbols[0]), n, symbols[state]))
		at[0] = x + n
		return l.err
	}); err != nil {
		return err
	}
	l.write([]byte("!"))
	l.endLine()
	return l.err
}

// eachRun visits the runs of live cells, row after row.
func eachRun(rows *codec.Rows, visit func(x, y, n int, state uint8) error) error {
	for y, ok := rows.Next(rows.Bounds.Y); ok; y, ok = rows.Next(y + 1) {
		x := rows.Bounds.X
		var failed error
		err := rows.Runs(y, func(state uint8, n int) {
			if state != 0 && failed == nil {
				failed = visit(x, y, n, state)
			}
			x += n
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// describe names the symbols that a body may have.
func (r *reader) describe(i int, ch byte) error {
	ends := "$"
	if r.space != nil {
		ends = "$ /"
	}
	return r.Errorf(i, "unknown symbol %s; allowed are b o . A to X, pA to yO, %s and !", strconv.QuoteRune(rune(ch)),
		ends)
}

// words divides a line at white space. Unlike codec.Fields it leaves commas alone.
func words(line string) (list []codec.Field) {
	for end := 0; end < len(line); {
		start := end
		for start < len(line) && codec.IsSpace(line[start]) {
			start++
		}
		for end = start; end < len(line) && !codec.IsSpace(line[end]); end++ {
		}
		if end > start {
			list = append(list, codec.Field{Text: line[start:end], Column: start})
		}
	}
	return list
}
