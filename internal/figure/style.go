package figure

import (
	"fmt"
	"image/color"
	"os"
	"reflect"

	"gonum.org/v1/plot/vg"

	"github.com/gosper-life/gosper/internal/keys"
)

// Style says how large figures are and how they look. Its file has these keys, all of them optional:
//
//	width = 86        # mm; default: 195
//	height = 60       # mm; default: 5/8 of the width, 3/4 if the width is below 120
//	font_size = 8     # of the numbers at the axes, in points; other text and lines keep their proportions to it; default: 9.5
//	dpi = 600         # pixels an inch of a PNG; default: 200
//	colours = ["#0072B2", "#D55E00"]   # of the first series; the others keep their own
//	title = false     # default: true
//	note = false      # the text below the axes; default: true
type Style struct {
	Width    float64  `json:"width"`
	Height   float64  `json:"height"`
	FontSize float64  `json:"font_size"`
	DPI      float64  `json:"dpi"`
	Colours  []string `json:"colours"`
	Title    *bool    `json:"title"`
	Note     *bool    `json:"note"`

	swap map[color.NRGBA]color.NRGBA // of opaque colours
}

// tickSize is the usual size of the numbers at the axes, in points.
const tickSize = 9.5

// narrow is the width in mm below which figures are higher for their width, because legends take more rows.
const narrow = 120

// ReadStyle reads the file of a style, TOML or JSON by its extension.
func ReadStyle(path string) (Style, error) {
	var s Style
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	err = keys.Read(&s, path, text, map[reflect.Type]string{
		reflect.TypeFor[float64](): "a number", reflect.TypeFor[[]string](): `a list of colours like "#0072B2"`,
		reflect.TypeFor[*bool](): "true or false",
	})
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Check refuses sizes that no figure can have, and reads the colours.
func (s *Style) Check() error {
	for _, v := range []struct {
		key         string
		value       float64
		least, most float64
	}{
		{"width", s.Width, 30, 1000},
		{"height", s.Height, 20, 1000},
		{"font_size", s.FontSize, 3, 72},
		{"dpi", s.DPI, 20, 2400},
	} {
		if v.value != 0 && !(v.least <= v.value && v.value <= v.most) {
			return fmt.Errorf("%s %v: want %v to %v", v.key, v.value, v.least, v.most)
		}
	}
	if len(s.Colours) > len(colours) {
		return fmt.Errorf("%d colours: want at most %d", len(s.Colours), len(colours))
	}
	s.swap = map[color.NRGBA]color.NRGBA{}
	for i, text := range s.Colours {
		c := color.NRGBA{A: 0xFF}
		if n, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B); n != 3 || err != nil || len(text) != 7 {
			return fmt.Errorf(`colour %q: want one like "#0072B2"`, text)
		}
		s.swap[colours[i]] = c
	}
	return nil
}

// size returns the width and height, and the factor by which everything in the figure is enlarged.
func (s *Style) size() (w, h vg.Length, factor float64) {
	w, h, factor = 7.68*vg.Inch, 4.8*vg.Inch, 1
	if s.Width > 0 {
		w = vg.Length(s.Width) * vg.Millimeter
		if h = w * 5 / 8; s.Width < narrow {
			h = w * 3 / 4
		}
	}
	if s.Height > 0 {
		h = vg.Length(s.Height) * vg.Millimeter
	}
	if s.FontSize > 0 {
		factor = s.FontSize / tickSize
	}
	return w, h, factor
}

// pixels returns the pixels of an inch.
func (s *Style) pixels() int {
	if s.DPI > 0 {
		return int(s.DPI)
	}
	return 200
}

// shown returns a text, or nothing if the style leaves it out.
func shown(text string, want *bool) string {
	if want != nil && !*want {
		return ""
	}
	return text
}

// painted is a canvas with the colours of a style in place of the usual ones.
type painted struct {
	vg.Canvas
	swap map[color.NRGBA]color.NRGBA
}

// SetColor implements vg.Canvas.
func (p painted) SetColor(c color.Color) {
	if of, ok := c.(color.NRGBA); ok {
		solid := of
		solid.A = 0xFF
		if other, ok := p.swap[solid]; ok {
			other.A = of.A
			c = other
		}
	}
	p.Canvas.SetColor(c)
}
