//go:build !js

package film

import (
	"image"
	"image/png"
	"io"
)

func newStill(w io.Writer, h Header) (Writer, error) { return &still{w: w, header: h}, nil }

// still writes the only frame of a PNG.
type still struct {
	w      io.Writer
	header Header
	done   int
}

// Frame implements Writer.
func (s *still) Frame(pixels []uint8) error {
	s.done++
	img := &image.Paletted{
		Pix: pixels, Stride: s.header.W, Rect: image.Rect(0, 0, s.header.W, s.header.H),
		Palette: s.header.Palette,
	}
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(s.w, img)
}

// Close implements Writer.
func (s *still) Close() error { return complete(s.done, s.header) }
