// Package plaintext is the format of .cells files: one character for each cell.
package plaintext

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Codec is the format.
var Codec = codec.Codec{Name: "plaintext", Suffixes: []string{".cells"}, States: 2, Read: read, Write: write}

// read reads a .cells file: comment lines start with "!" and come first, then a line for each row.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	s := codec.NewScanner(in)
	for y := 0; ; {
		first, err := s.In.Peek(1)
		if err == io.EOF {
			if p.Bounds.Empty() {
				return codec.ErrNoPattern
			}
			return nil
		}
		if err != nil {
			return err
		}
		if first[0] != '!' {
			cells, err := s.CellRow(c, 0, y)
			if err != nil {
				return err
			}
			y++
			p.Bounds = grid.Rect{W: max(p.Bounds.W, cells), H: y}
			continue
		}
		line, err := s.Rest()
		if err != nil {
			return err
		}
		if err := s.Describe(p, strings.TrimRight(line[1:], " \t")); err != nil {
			return err
		}
		s.Next()
	}
}

// write writes every row of the bounds in full, so that the size is kept. If there is no row it writes a dead
// cell, because a file without a row is not valid.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err == nil {
		err = rows.Fit(codec.MostBytes)
	}
	if err != nil {
		return err
	}
	codec.WriteLabel(w, "!Name: ", meta.Name)
	codec.WriteLabel(w, "!Author: ", meta.Author)
	codec.WriteWords(w, "!", meta.Comments...)
	if rows.Bounds.Empty() {
		w.WriteString(".\n")
	}
	end := rows.Bounds.X + rows.Bounds.W
	return codec.Encode(rows, true, func(p *codec.Part, text *[]byte) {
		*text = (*text)[:0]
		for i := range p.Pieces {
			piece := &p.Pieces[i]
			if *text = p.AppendBytes(*text, piece, '.', 'O'-'.'); piece.X+piece.N == end {
				*text = append(*text, '\n')
			}
		}
	}, codec.WriteTo(w))
}
