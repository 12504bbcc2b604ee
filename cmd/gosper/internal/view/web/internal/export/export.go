// Package export writes the cells of a session as text.
package export

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

const (
	mostCells = 1 << 26 // in the box around a saved pattern, because the universe stops while they are copied
	mostBytes = 4 << 20 // bytes
)

// Text returns the present cells of a session as RLE, or as a macrocell file if they are a tree and too far
// apart for that. The universe stops while they are copied, not while RLE is written.
func Text(ctx context.Context, s *session.Session) (string, error) {
	var cells grid.Source
	var meta pattern.Meta
	var text Limited
	if err := s.ReadHeld(ctx, func(src grid.Source, m pattern.Meta) error {
		box, err := src.Extent()
		if err != nil {
			return err
		}
		if _, isTree := src.(grid.Quadtree); isTree && grid.Product(uint64(box.W), uint64(box.H)) > mostCells {
			return pattern.Write(&text, pattern.Macrocell, src, m)
		}
		if grid.Product(uint64(box.W), uint64(box.H)) > mostCells {
			return fmt.Errorf("%d×%d cells are too many to save from here; gosper run --out writes them", box.W, box.H)
		}
		tiles, err := grid.TilesOf(ctx, src)
		cells, meta = framed{tiles, box}, m
		return err
	}); err != nil {
		return "", err
	}
	if cells == nil {
		return text.String(), nil
	}
	err := pattern.Write(&text, pattern.RLE, cells, meta)
	return text.String(), err
}

// framed is cells with the bounds of their original.
type framed struct {
	*grid.Tiles
	box grid.Rect
}

// Extent implements grid.Source.
func (f framed) Extent() (grid.Rect, error) { return f.box, nil }

// Limited is a buffer that holds at most mostBytes bytes.
type Limited struct{ bytes.Buffer }

// Write implements io.Writer. It refuses more bytes than that.
func (l *Limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > mostBytes {
		return 0, fmt.Errorf("the pattern takes more than %d bytes; gosper run --out writes it", mostBytes)
	}
	return l.Buffer.Write(p)
}
