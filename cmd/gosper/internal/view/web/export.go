package web

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

const (
	mostSaved      = 1 << 26 // in the box around a saved pattern, because the universe stops while they are copied
	mostSavedBytes = 4 << 20 // bytes
)

// savedText returns the present cells of a session as RLE, as RLE3 if they have three dimensions, or as a macrocell
// file if they are a tree and too far apart for that. The universe stops while they are copied, not while runs are
// written.
func savedText(ctx context.Context, s *session.Session) (string, error) {
	var cells grid.Source
	var meta pattern.Meta
	var text limitedText
	format := pattern.RLE
	if err := s.ReadHeld(ctx, func(src grid.Source, m pattern.Meta) error {
		box, err := src.Extent()
		if err != nil {
			return err
		}
		if _, isTree := src.(grid.Quadtree); isTree && grid.Product(uint64(box.W), uint64(box.H)) > mostSaved {
			return pattern.Write(&text, pattern.Macrocell, src, m)
		}
		if grid.Product(uint64(box.W), uint64(box.H)) > mostSaved {
			return fmt.Errorf("%d×%d cells are too many to save from here; gosper run --out writes them", box.W, box.H)
		}
		tiles, err := grid.TilesOf(ctx, src)
		cells, meta = framed{tiles, box}, m
		if s.Status().Topology.Volume() {
			format = pattern.RLE3
		}
		return err
	}); err != nil {
		return "", err
	}
	if cells == nil {
		return text.String(), nil
	}
	err := pattern.Write(&text, format, cells, meta)
	return text.String(), err
}

// framed is cells with the bounds of their original.
type framed struct {
	*grid.Tiles
	box grid.Rect
}

// Extent implements grid.Source.
func (f framed) Extent() (grid.Rect, error) { return f.box, nil }

// limitedText is a buffer that holds at most mostBytes bytes.
type limitedText struct{ bytes.Buffer }

// Write implements io.Writer. It refuses more bytes than that.
func (l *limitedText) Write(p []byte) (int, error) {
	if l.Len()+len(p) > mostSavedBytes {
		return 0, fmt.Errorf("the pattern takes more than %d bytes; gosper run --out writes it", mostSavedBytes)
	}
	return l.Buffer.Write(p)
}
