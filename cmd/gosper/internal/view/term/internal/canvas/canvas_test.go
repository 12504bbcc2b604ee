package canvas

import (
	"image/color"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
)

var escape = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// TestCanvasesShowEveryPixel compares both kinds of characters with the pixels they are made of.
func TestCanvasesShowEveryPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		braille := rapid.Bool().Draw(t, "braille")
		c := New(rapid.IntRange(1, 9).Draw(t, "columns"), rapid.IntRange(1, 5).Draw(t, "rows"), braille, false)
		c.colours = make([]color.RGBA, 2)
		c.outside = 2
		c.lit = func(n uint16) bool { return n == 1 }
		for i := range c.pixels {
			c.pixels[i] = uint16(rapid.IntRange(0, 1).Draw(t, "pixel"))
		}
		var got []uint16
		lines := c.Lines()
		for py := range c.h {
			for px := range c.w {
				x, y, bit := px, py/2, py%2
				if braille {
					x, y = px/2, py/4
					bit = [4][2]int{{0, 3}, {1, 4}, {2, 5}, {6, 7}}[py%4][px%2]
				}
				r := []rune(escape.ReplaceAllString(lines[y], ""))[x]
				switch {
				case r == ' ':
					got = append(got, 0)
				case braille:
					got = append(got, uint16((r-0x2800)>>bit&1))
				default:
					got = append(got, uint16(map[rune]int{'▀': 1, '▄': 2, '█': 3}[r]>>bit&1))
				}
			}
		}
		for i, n := range c.pixels {
			if got[i] != n {
				t.Fatalf("pixel %d,%d is %d, want %d:\n%s", i%c.w, i/c.w, got[i], n, strings.Join(lines, "\n"))
			}
		}
	})
}

// seenBy is the picture that a camera has of a universe without cells, and the canvas for it.
func seenBy(camera scene.Camera, columns, rows int) (*Canvas, *Picture) {
	c := New(columns, rows, false, false)
	f := &scene.Frame{Region: camera.Region(c.w, c.h)}
	p := &Picture{Frame: f, Zoom: camera.Zoom, Painted: make([]uint8, f.W*f.H), Colours: make([]color.RGBA, 2)}
	c.Draw(p)
	return c, p
}

// TestPixels: at any zoom, exactly the pixels that show a part of an area get its colour.
func TestPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		area := grid.Rect{
			X: rapid.IntRange(-70, 70).Draw(t, "x"), Y: rapid.IntRange(-40, 40).Draw(t, "y"),
			W: rapid.IntRange(0, 100).Draw(t, "w"), H: rapid.IntRange(0, 50).Draw(t, "h"),
		}
		camera := scene.Camera{
			X: rapid.IntRange(-50, 50).Draw(t, "cx"), Y: rapid.IntRange(-50, 50).Draw(t, "cy"),
			Zoom: rapid.IntRange(-5, 5).Draw(t, "zoom"),
		}
		c, p := seenBy(camera, 64, 16)
		before := uint16(len(c.colours))
		c.Tint(p.Pixels(area), color.RGBA{A: 0xff})
		for py := range c.h {
			for px := range c.w {
				x, y := camera.At(c.w, c.h, px, py)
				side := 1 << max(-camera.Zoom, 0)
				want := !area.Intersect(grid.Rect{X: x, Y: y, W: side, H: side}).Empty()
				if got := c.pixels[py*c.w+px] >= before; got != want {
					t.Fatalf("pixel %d,%d, which shows %d×%d cells from %d,%d on, is in the area: %v", px, py, side, side, x, y, got)
				}
			}
		}
	})
}

// TestStamp: a pixel shows a live cell of a clip if one of its cells is alive.
func TestStamp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clip, err := grid.New(rapid.IntRange(1, 150).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h"), 2)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 30).Draw(t, "cells") {
			clip.Set(rapid.IntRange(0, clip.W()-1).Draw(t, "x"), rapid.IntRange(0, clip.H()-1).Draw(t, "y"),
				rapid.Uint8Range(1, 3).Draw(t, "state"))
		}
		x, y := rapid.IntRange(-150, 50).Draw(t, "left"), rapid.IntRange(-50, 50).Draw(t, "top")
		camera := scene.Camera{Zoom: rapid.IntRange(-4, 4).Draw(t, "zoom")}
		c, p := seenBy(camera, 40, 12)
		first := uint16(len(c.colours))
		c.Stamp(p, clip, x, y, make([]color.RGBA, 4))
		for py := range c.h {
			for px := range c.w {
				fromX, fromY := camera.At(c.w, c.h, px, py)
				states := map[uint16]bool{}
				for dy := range 1 << max(-camera.Zoom, 0) {
					for dx := range 1 << max(-camera.Zoom, 0) {
						if at := (grid.Rect{X: fromX + dx - x, Y: fromY + dy - y, W: 1, H: 1}); !at.Intersect(clip.Bounds()).Empty() &&
							clip.Get(at.X, at.Y) != 0 {
							states[uint16(clip.Get(at.X, at.Y))] = true
						}
					}
				}
				n := c.pixels[py*c.w+px]
				if c.lit(n) != (len(states) > 0) || c.lit(n) && !states[n-first] {
					t.Fatalf("pixel %d,%d has colour %d; among its cells are states %v", px, py, n, states)
				}
			}
		}
	})
}
