package term

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
)

// canvas is an array of pixels that is shown with characters: two pixels for each, one above the other, or the eight dots of a braille character.
type canvas struct {
	braille bool
	mono    bool     // the terminal has no colours
	states  int      // number of states that get their own characters if there are no colours; 0 for none
	w, h    int      // pixels
	pixels  []uint16 // number of each pixel's colour
	lit     func(n uint16) bool
	outside uint16 // the colour beyond the universe's edges
	colours []color.RGBA
}

// size returns the pixels of a canvas of columns×rows characters.
func size(columns, rows int, braille bool) (w, h int) {
	if braille {
		return 2 * columns, 4 * rows
	}
	return columns, 2 * rows
}

// picture is a frame with what is needed to show it.
type picture struct {
	frame   *scene.Frame
	zoom    int     // zoom of the camera that asked for the frame
	painted []uint8 // by pixel of the frame: number of a palette colour
	colours []color.RGBA
	aged    bool
	width   int // of the universe; 0 if infinite
	height  int
}

// inside says for each of n blocks of 2^scale cells, from a coordinate on, whether it lies in a universe with sides of the given length.
func inside(from, n, scale, side int) []bool {
	in := make([]bool, n)
	for i := range in {
		at := from + i<<scale
		in[i] = side == 0 || at < side && at+1<<scale > 0
	}
	return in
}

// draw draws a picture on the canvas. Pixels beyond the universe's edges get the colour after the palette's last.
func (c *canvas) draw(p *picture) {
	c.colours = append(p.colours[:len(p.colours):len(p.colours)], beyond(p.colours))
	c.outside = uint16(len(c.colours) - 1)
	outside := c.outside
	if c.states = 0; c.mono && p.frame.Scale == 0 && !p.aged {
		c.states = len(p.colours) - 1
	}
	c.lit = func(n uint16) bool { return n != 0 && n != outside && !(p.aged && n < scene.Newborn) }
	up, f := max(p.zoom, 0), p.frame
	inColumn, inRow := inside(f.X, f.W, f.Scale, p.width), inside(f.Y, f.H, f.Scale, p.height)
	for y := range c.h {
		fy := y >> up
		row := c.pixels[y*c.w : (y+1)*c.w]
		for x := range row {
			fx := x >> up
			switch {
			case fx >= f.W || fy >= f.H || !inColumn[fx] || !inRow[fy]:
				row[x] = outside
			default:
				row[x] = uint16(p.painted[fy*f.W+fx])
			}
		}
	}
}

// beyond returns the colour for pixels beyond the edges: that of dead cells with a little grey.
func beyond(colours []color.RGBA) color.RGBA {
	part := func(a uint8) uint8 { return uint8((4*int(a) + 0x80) / 5) }
	d := colours[0]
	return color.RGBA{part(d.R), part(d.G), part(d.B), 0xff}
}

// mark changes the colours of the pixels in a rectangle, one for live and one for dead cells.
func (c *canvas) mark(x, y, w, h int, live, dead color.RGBA) {
	marked := uint16(len(c.colours))
	c.colours = append(c.colours, dead, live)
	lit := c.lit
	c.lit = func(n uint16) bool { return n == marked+1 || n < marked && lit(n) }
	for py := max(y, 0); py < min(y+h, c.h); py++ {
		for px := max(x, 0); px < min(x+w, c.w); px++ {
			n := &c.pixels[py*c.w+px]
			if lit(*n) {
				*n = marked + 1
			} else {
				*n = marked
			}
		}
	}
}

// newCanvas makes a dead canvas of columns×rows characters.
func newCanvas(columns, rows int, braille bool) *canvas {
	w, h := size(columns, rows, braille)
	return &canvas{braille: braille, w: w, h: h, pixels: make([]uint16, w*h)}
}

// lines returns the canvas as text with colours. For terminals without colour, characters alone tell live from dead.
func (c *canvas) lines() []string {
	character, columns, rows := c.half, c.w, c.h/2
	if c.braille {
		character, columns, rows = c.dots, c.w/2, c.h/4
	}
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		fg, bg := -1, -1
		for x := range columns {
			r, newFg, newBg := character(x, y)
			if newBg != bg {
				b.WriteString(sgr(48, c.colours[newBg]))
				bg = newBg
			}
			if r != ' ' && newFg != fg {
				b.WriteString(sgr(38, c.colours[newFg]))
				fg = newFg
			}
			b.WriteRune(r)
		}
		b.WriteString("\x1b[m")
		lines[y] = b.String()
	}
	return lines
}

// sgr returns the escape sequence that sets the foreground (38) or background (48).
func sgr(which int, c color.RGBA) string {
	return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", which, c.R, c.G, c.B)
}

// half returns the character for two pixels, one above the other.
func (c *canvas) half(x, y int) (r rune, fg, bg int) {
	top, bottom := c.pixels[2*y*c.w+x], c.pixels[(2*y+1)*c.w+x]
	if c.states > 1 && int(max(top, bottom)) <= c.states {
		return c.shade(int(top), int(bottom)), int(top), 0
	}
	switch lit := c.lit; {
	case !lit(top) && !lit(bottom) && (top == bottom || c.mono):
		return ' ', 0, int(top)
	case top == bottom:
		return '█', int(top), 0
	case !lit(top):
		return '▄', int(bottom), int(top)
	}
	return '▀', int(top), int(bottom)
}

// shade returns the character for two pixels if only characters tell states apart: a block for state 1, lighter shades for later states, and a thin
// line if only one of the two cells is in such a state.
func (c *canvas) shade(top, bottom int) rune {
	switch {
	case top == 0 && bottom == 0:
		return ' '
	case top <= 1 && bottom <= 1:
		return []rune{'▄', '▀', '█'}[2*top+bottom-1]
	case top == 0:
		return '▁'
	case bottom == 0:
		return '▔'
	case top == 1:
		return '▛'
	case bottom == 1:
		return '▙'
	}
	shades := []rune("▓▒░")
	return shades[min(len(shades)-1, (top+bottom-4)*len(shades)/max(1, 2*(c.states-1)))]
}

// dots returns the braille character for 2×4 pixels. Its colour is that of the lit dot with the highest number: the densest, the oldest, or the
// latest state. Dots that are not lit have no colours of their own.
func (c *canvas) dots(x, y int) (r rune, fg, bg int) {
	// Unicode numbers the dots 1 2 3 7 down the left and 4 5 6 8 down the right column, bit 0 being dot 1.
	bits := [4][2]rune{{1, 8}, {2, 16}, {4, 32}, {64, 128}}
	beyond := 0
	for dy, row := range bits {
		for dx, bit := range row {
			switch n := c.pixels[(4*y+dy)*c.w+2*x+dx]; {
			case c.lit(n):
				r |= bit
				fg = max(fg, int(n))
			case n >= c.outside: // or where the pen is
				beyond, bg = beyond+1, max(bg, int(n))
			}
		}
	}
	if beyond < 4 && bg == int(c.outside) {
		bg = 0
	}
	if r == 0 {
		return ' ', 0, bg
	}
	return 0x2800 + r, fg, bg
}
