// Package life106 is the format Life 1.06: a list of the live cells.
package life106

import (
	"bufio"
	"context"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Codec is the format.
var Codec = codec.Codec{
	Name: "life 1.06", Suffixes: []string{".life"}, Signatures: []string{signature}, States: 2, Read: read, Write: write,
}

const signature = "#Life 1.06"

// read reads a list of live cells, "x y" on each line.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	s := codec.NewScanner(in)
	p.HasPosition = true
	signed := false
	for {
		first, err := s.SkipSpace()
		if err == io.EOF {
			if !signed && c.Blank() {
				return codec.ErrNoPattern
			}
			return nil
		}
		if err != nil {
			return err
		}
		line, err := s.Rest()
		if err != nil {
			return err
		}
		signed = signed || strings.HasPrefix(line, "#Life")
		if first != '#' {
			if err := cell(s, c, line); err != nil {
				return err
			}
		}
		s.Next()
	}
}

// cell draws the live cell of a line "x y".
func cell(s *codec.Scanner, c *codec.Canvas, line string) error {
	list := codec.Fields(line)
	if len(list) != 2 {
		return s.Errorf(s.Column, `%d words on a line; a cell is "x y"`, len(list))
	}
	x, err := s.Integer(list[0].Text, s.Column+list[0].Column)
	if err != nil {
		return err
	}
	y, err := s.Integer(list[1].Text, s.Column+list[1].Column)
	if err != nil {
		return err
	}
	if err := c.Row(y); err != nil {
		return s.Errorf(s.Column, "%w", err)
	}
	if err := c.Run(x, 1, 1); err != nil {
		return s.Errorf(s.Column, "%w", err)
	}
	return nil
}

// write lists the live cells row by row.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	w.WriteString(signature + "\n")
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err != nil {
		return err
	}
	return codec.Encode(rows, false, func(p *codec.Part, text *[]byte) {
		list := (*text)[:0]
		var end []byte // of the lines of a row
		for i := range p.Pieces {
			piece := &p.Pieces[i]
			end = strconv.AppendInt(append(end[:0], ' '), int64(meta.Y+piece.Y), 10)
			end = append(end, '\n')
			for i, word := range p.Words(piece, 0) {
				for ; word != 0; word &= word - 1 {
					list = strconv.AppendInt(list, int64(meta.X+piece.X+i<<6+bits.TrailingZeros64(word)), 10)
					list = append(list, end...)
				}
			}
		}
		*text = list
	}, codec.WriteTo(w))
}
