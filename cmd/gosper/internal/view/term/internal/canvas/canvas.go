// Package canvas shows pictures of cells with the characters of a terminal.
package canvas

import (
	"fmt"
	"image/color"
	"math/bits"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
)

// Canvas is an array of pixels that is shown with characters: two pixels for each, one above the other, or the
// eight dots of a braille character.
type Canvas struct {
	braille bool
	mono    bool     // the terminal has no colours
	states  int      // number of states that get their own characters if there are no colours; 0 for none
	w, h    int      // pixels
	pixels  []uint16 // number of each pixel's colour
	lit     func(n uint16) bool
	signs   map[uint16]rune // without colours: the characters of dead pixels of some colours
	outside uint16          // the colour beyond the universe's edges
	colours []color.RGBA
}

// Size returns the pixels of a canvas of columns×rows characters.
func Size(columns, rows int, braille bool) (w, h int) {
	if braille {
		return 2 * columns, 4 * rows
	}
	return columns, 2 * rows
}

// Picture is a frame with what is needed to show it.
type Picture struct {
	Frame   *scene.Frame
	Zoom    int     // zoom of the camera that asked for the frame
	Painted []uint8 // by pixel of the frame: number of a palette colour
	Colours []color.RGBA
	Aged    bool
	Width   int // of the universe; 0 if infinite
	Height  int
}

// Pixels is the part of the picture that shows an area.
func (p *Picture) Pixels(area grid.Rect) grid.Rect {
	if area.Empty() {
		return grid.Rect{}
	}
	scale, up := p.Frame.Scale, max(p.Zoom, 0)
	at := func(distance int) int { return distance >> scale << up }
	rest := 1<<scale - 1 // rounds up
	x, y := at(area.X-p.Frame.X), at(area.Y-p.Frame.Y)
	return grid.Rect{X: x, Y: y, W: at(area.X+area.W-p.Frame.X+rest) - x, H: at(area.Y+area.H-p.Frame.Y+rest) - y}
}

// inside says for each of n blocks of 2^scale cells, from a coordinate on, whether it lies in a universe with
// sides of the given length.
func inside(from, n, scale, side int) []bool {
	in := make([]bool, n)
	for i := range in {
		at := from + i<<scale
		in[i] = side == 0 || at < side && at+1<<scale > 0
	}
	return in
}

// Draw draws a picture on the canvas. Pixels beyond the universe's edges get the colour after the palette's last.
func (c *Canvas) Draw(p *Picture) {
	c.colours = append(p.Colours[:len(p.Colours):len(p.Colours)], beyond(p.Colours))
	c.outside = uint16(len(c.colours) - 1)
	outside := c.outside
	if c.states = 0; c.mono && p.Frame.Scale == 0 && !p.Aged {
		c.states = len(p.Colours) - 1
	}
	c.lit = func(n uint16) bool { return n != 0 && n != outside && !(p.Aged && n < scene.Newborn) }
	up, f := max(p.Zoom, 0), p.Frame
	inColumn, inRow := inside(f.X, f.W, f.Scale, p.Width), inside(f.Y, f.H, f.Scale, p.Height)
	for y := range c.h {
		fy := y >> up
		row := c.pixels[y*c.w : (y+1)*c.w]
		for x := range row {
			fx := x >> up
			switch {
			case fx >= f.W || fy >= f.H || !inColumn[fx] || !inRow[fy]:
				row[x] = outside
			default:
				row[x] = uint16(p.Painted[fy*f.W+fx])
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

// tintShare is the share of a tint in the mixture with the colour of a pixel.
const tintShare = 0.4

// Mark changes the colours of the pixels in a rectangle, one for live and one for dead cells.
func (c *Canvas) Mark(r grid.Rect, live, dead color.RGBA) {
	c.recolour(r, []color.RGBA{dead, live}, '+', func(n uint16, lit bool) uint16 {
		if lit {
			return 1
		}
		return 0
	}, func(n uint16) bool { return n == 1 })
}

// Tint mixes the colours of the pixels in a rectangle with another one.
func (c *Canvas) Tint(r grid.Rect, with color.RGBA) {
	lit := c.lit
	var mixed []color.RGBA
	for _, colour := range c.colours {
		mixed = append(mixed, scene.Mix(colour, with, tintShare))
	}
	c.recolour(r, mixed, '·', func(n uint16, _ bool) uint16 { return n }, lit)
}

// recolour gives the pixels in a rectangle further colours: to says which one a pixel gets, and lit which ones are of
// live cells. Without colours, the pixels that are not lit show a sign.
func (c *Canvas) recolour(r grid.Rect, colours []color.RGBA, sign rune, to func(n uint16, lit bool) uint16,
	lit func(n uint16) bool,
) {
	first, before := uint16(len(c.colours)), c.lit
	c.colours = append(c.colours, colours...)
	c.lit = func(n uint16) bool { return n >= first && lit(n-first) || n < first && before(n) }
	if c.mono && c.signs == nil {
		c.signs = map[uint16]rune{}
	}
	r = r.Intersect(grid.Rect{W: c.w, H: c.h})
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			n := &c.pixels[y*c.w+x]
			*n = first + to(*n, before(*n))
			if c.mono && !c.lit(*n) {
				c.signs[*n] = sign
			}
		}
	}
}

// Stamp shows the live cells of a clip, whose first cell goes to (x, y), over a picture that has been drawn.
// colours are those of states.
func (c *Canvas) Stamp(p *Picture, clip *grid.Grid, x, y int, colours []color.RGBA) {
	first, before := uint16(len(c.colours)), c.lit
	c.colours = append(c.colours, colours...)
	highest := uint16(len(c.colours)) - 1
	c.lit = func(n uint16) bool { return n >= first || before(n) }
	seen := grid.Rect{X: x, Y: y, W: clip.W(), H: clip.H()}.Intersect(p.Frame.Cells())
	for row := seen.Y - y; row < seen.Y-y+seen.H; row++ {
		live := make([]uint64, len(clip.Row(0, row)))
		for k := range clip.Planes() {
			for i, word := range clip.Row(k, row) {
				live[i] |= word
			}
		}
		for i, word := range live {
			for ; word != 0; word &= word - 1 {
				column := 64*i + bits.TrailingZeros64(word)
				r := p.Pixels(grid.Rect{X: x + column, Y: y + row, W: 1, H: 1}).Intersect(grid.Rect{W: c.w, H: c.h})
				colour := min(first+uint16(clip.Get(column, row)), highest)
				for py := r.Y; py < r.Y+r.H; py++ {
					for px := r.X; px < r.X+r.W; px++ {
						c.pixels[py*c.w+px] = colour
					}
				}
			}
		}
	}
}

// New makes a dead canvas of columns×rows characters.
func New(columns, rows int, braille, mono bool) *Canvas {
	w, h := Size(columns, rows, braille)
	return &Canvas{braille: braille, mono: mono, w: w, h: h, pixels: make([]uint16, w*h)}
}

// Lines returns the canvas as text with colours. For terminals without colour, characters alone tell live from dead.
func (c *Canvas) Lines() []string {
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
func (c *Canvas) half(x, y int) (r rune, fg, bg int) {
	top, bottom := c.pixels[2*y*c.w+x], c.pixels[(2*y+1)*c.w+x]
	if c.states > 1 && int(max(top, bottom)) <= c.states {
		return c.shade(int(top), int(bottom)), int(top), 0
	}
	switch lit := c.lit; {
	case !lit(top) && !lit(bottom) && (top == bottom || c.mono):
		return c.sign(max(top, bottom)), 0, int(top)
	case top == bottom:
		return '█', int(top), 0
	case !lit(top):
		return '▄', int(bottom), int(top)
	}
	return '▀', int(top), int(bottom)
}

// sign is the character of dead pixels.
func (c *Canvas) sign(n uint16) rune {
	if sign, ok := c.signs[n]; ok {
		return sign
	}
	return ' '
}

// shade returns the character for two pixels if only characters tell states apart: a block for state 1, lighter
// shades for later states, and a thin line if only one of the two cells is in such a state.
func (c *Canvas) shade(top, bottom int) rune {
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

// dots returns the braille character for 2×4 pixels. Its colour is that of the lit dot with the highest number:
// the densest, the oldest, or the latest state. Dots that are not lit have no colours of their own.
func (c *Canvas) dots(x, y int) (r rune, fg, bg int) {
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
		return c.sign(uint16(bg)), 0, bg
	}
	return 0x2800 + r, fg, bg
}
