// Package film writes pictures and films with few colours: PNG, GIF and animated PNG. The same pixels always
// give the same bytes.
package film

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// Format is a kind of file.
type Format uint8

// The formats. PNG holds one frame.
const (
	PNG Format = iota + 1
	APNG
	GIF
)

// FormatOf returns the format of the suffix of a path.
func FormatOf(path string) (Format, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		return PNG, nil
	case ".apng":
		return APNG, nil
	case ".gif":
		return GIF, nil
	}
	return 0, fmt.Errorf("%s: want a name that ends in .png, .apng or .gif", path)
}

// Header describes what all frames of a film share.
type Header struct {
	W, H    int           // pixels
	Frames  int           // number of frames
	Palette color.Palette // 1 to 256 opaque colours
	Delay   time.Duration // from frame to frame; GIF keeps hundredths of a second
}

const (
	maxSide      = 1 << 14
	maxPixels    = 1 << 26
	maxFrames    = 100_000
	maxFilm      = 1 << 34 // pixels of all frames together
	shortest     = time.Millisecond
	shortestGIF  = 20 * time.Millisecond // browsers treat shorter delays as a mistake and show ten frames a second
	longestDelay = time.Minute
)

// Validate refuses what the format cannot hold, and films that would take far more memory or time than a user can want.
func (h Header) Validate(f Format) error {
	total := float64(h.W) * float64(h.H) * float64(h.Frames)
	switch {
	case h.W < 1 || h.H < 1 || h.W > maxSide || h.H > maxSide || h.W*h.H > maxPixels:
		return fmt.Errorf("a picture of %d×%d pixels: want 1 to %d each way and at most %d in all", h.W, h.H, maxSide,
			maxPixels)
	case h.Frames < 1 || h.Frames > maxFrames:
		return fmt.Errorf("%d frames: want 1 to %d", h.Frames, maxFrames)
	case f == PNG && h.Frames > 1:
		return fmt.Errorf("a .png holds one frame, not %d: use .apng or .gif", h.Frames)
	case total > maxFilm:
		return fmt.Errorf("%d frames of %d×%d pixels: want at most %d pixels in all", h.Frames, h.W, h.H, maxFilm)
	case len(h.Palette) < 1 || len(h.Palette) > 256:
		return fmt.Errorf("%d colours: want 1 to 256", len(h.Palette))
	case f != PNG && (h.Delay < shortest || h.Delay > longestDelay):
		return fmt.Errorf("delay %v: want %v to %v", h.Delay, shortest, longestDelay)
	case f == GIF && h.Delay < shortestGIF:
		return fmt.Errorf("delay %v: a GIF wants %v or more; an .apng may have less", h.Delay, shortestGIF)
	}
	return nil
}

// Writer takes the frames of a film.
type Writer interface {
	// Frame adds a frame: W·H numbers of colours, row after row.
	Frame(pixels []uint8) error
	// Close completes the film, which must have all its frames. It does not close the file.
	Close() error
}

// NewWriter starts a film.
func NewWriter(w io.Writer, f Format, h Header) (Writer, error) {
	if err := h.Validate(f); err != nil {
		return nil, err
	}
	c := changes{w: h.W, h: h.H}
	switch f {
	case PNG:
		return newStill(w, h)
	case APNG:
		return newAPNG(w, h, c), nil
	case GIF:
		return newGIF(w, h, c), nil
	}
	return nil, fmt.Errorf("format %d is not known", f)
}

func complete(frames int, h Header) error {
	if frames != h.Frames {
		return fmt.Errorf("the film has only %d of its %d frames", frames, h.Frames)
	}
	return nil
}

// changes finds the pixels that differ from frame to frame.
type changes struct {
	w, h int
	last []uint8 // nil before the first frame
}

// next returns the smallest rectangle that holds all changed pixels. It has at least one pixel, and for the
// first frame it is the whole frame.
func (c *changes) next(pixels []uint8) image.Rectangle {
	if c.last == nil {
		c.last = append([]uint8(nil), pixels...)
		return image.Rect(0, 0, c.w, c.h)
	}
	box := image.Rectangle{Min: image.Pt(c.w, c.h)}
	for y := range c.h {
		row, old := pixels[y*c.w:(y+1)*c.w], c.last[y*c.w:(y+1)*c.w]
		left, right := 0, c.w
		for left < c.w && row[left] == old[left] {
			left++
		}
		if left == c.w {
			continue
		}
		for row[right-1] == old[right-1] {
			right--
		}
		box.Min.X, box.Max.X = min(box.Min.X, left), max(box.Max.X, right)
		box.Min.Y, box.Max.Y = min(box.Min.Y, y), y+1
	}
	if box.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return box
}
