package scene

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
)

// Theme holds the colours of a picture.
type Theme struct {
	Name    string
	Dead    color.RGBA
	Live    color.RGBA
	Faint   color.RGBA // of a block with few live cells
	Newborn color.RGBA // of a cell just born, where colours show ages
	Old     color.RGBA // of an old live cell
	Died    color.RGBA // of a cell just dead, from which its trail fades
	Dying   color.RGBA // of the last state of rules with more than two
}

// Themes lists all themes, the default first. The colours of densities are among those that terminals with 256
// colours have.
var Themes = []Theme{
	{
		Name: "dark", Dead: rgb(0x0b0e14), Live: rgb(0xffd75f),
		Faint: rgb(0x875f00), Newborn: rgb(0xfff7d6), Old: rgb(0xdf6a20), Died: rgb(0x24477f), Dying: rgb(0x8a1f3d),
	},
	{
		Name: "light", Dead: rgb(0xffffff), Live: rgb(0x17324d),
		Faint: rgb(0xafd7ff), Newborn: rgb(0x2f8fd8), Old: rgb(0x0d1b2a), Died: rgb(0xf3cdb9), Dying: rgb(0xf0b429),
	},
	{
		Name: "green", Dead: rgb(0x03110a), Live: rgb(0x87ff87),
		Faint: rgb(0x005f00), Newborn: rgb(0xeafff0), Old: rgb(0x1f9d55), Died: rgb(0x0f4a35), Dying: rgb(0x0b5d3b),
	},
	{
		Name: "grey", Dead: rgb(0x000000), Live: rgb(0xffffff),
		Faint: rgb(0x464646), Newborn: rgb(0xffffff), Old: rgb(0x8a8a8a), Died: rgb(0x3a3a3a), Dying: rgb(0x404040),
	},
	{
		Name: "contrast", Dead: rgb(0x000000), Live: rgb(0xffffff),
		Faint: rgb(0x808080), Newborn: rgb(0xffff00), Old: rgb(0xffffff), Died: rgb(0x303030), Dying: rgb(0x00ffff),
	},
	// Colours of M. Okabe and K. Ito, "Color universal design" (2008), which can be told apart with any colour vision.
	{
		Name: "colour-blind", Dead: rgb(0xffffff), Live: rgb(0x005faf),
		Faint: rgb(0x87afd7), Newborn: rgb(0xe69f00), Old: rgb(0x0072b2), Died: rgb(0xf5dfb0), Dying: rgb(0xcc79a7),
	},
}

// UnmarshalText implements encoding.TextUnmarshaler: it finds a theme by its name.
func (t *Theme) UnmarshalText(name []byte) error {
	var names []string
	for _, known := range Themes {
		if strings.EqualFold(known.Name, string(name)) {
			*t = known
			return nil
		}
		names = append(names, known.Name)
	}
	return fmt.Errorf("theme %q: want one of %s", name, strings.Join(names, ", "))
}

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

// Mix returns the colour between a and b, at the given share of the way.
func Mix(a, b color.RGBA, share float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + share*(float64(y)-float64(x)))) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 0xff}
}

// shades is the number of steps in which densities are shown, from almost dead to full.
const shades = 16

// Painter gives each pixel of a frame a colour of a small palette.
type Painter struct {
	Theme  Theme
	States int
	// Colours are those of the states of a rule file, which take the place of the theme's for cells that are not
	// dead; nil for all other rules.
	Colours []color.RGBA
	Aged    bool // colours of single cells show ages rather than states; they need Ages
}

// ColoursOf returns the colours of a rule's states if a rule file gives them or has more than two states. Otherwise
// it returns nil.
func ColoursOf(r rule.Rule) []color.RGBA {
	if r.File == nil || r.States == 2 && r.File.Colours == nil {
		return nil
	}
	colours := make([]color.RGBA, r.States)
	for state := range colours {
		c := r.File.Colour(uint8(state))
		colours[state] = color.RGBA{c[0], c[1], c[2], 0xff}
	}
	return colours
}

// ByAge reports whether colours show ages at a scale. Blocks of cells always show densities, because nearly
// every block always has a live cell.
func (p Painter) ByAge(scale int) bool { return p.Aged && scale == 0 }

// Palette returns the colours of a frame at a scale, by the numbers that Paint uses. The first one is for dead cells.
func (p Painter) Palette(scale int) color.Palette {
	palette := color.Palette{p.Theme.Dead}
	switch {
	case p.ByAge(scale):
		const trail = Newborn - 1
		for age := 1; age <= trail; age++ {
			palette = append(palette, Mix(p.Theme.Dead, p.Theme.Died, float64(age)/trail))
		}
		for age := Newborn; age <= Oldest; age++ {
			// Most of the colour change happens in the first generations.
			share := math.Sqrt(float64(age-Newborn) / (Oldest - Newborn))
			palette = append(palette, Mix(p.Theme.Newborn, p.Theme.Old, share))
		}
	case scale > 0:
		for i := range shades {
			palette = append(palette, Mix(p.Theme.Faint, p.Theme.Live, math.Sqrt(float64(i)/(shades-1))))
		}
	default:
		for state := 1; state < p.States; state++ {
			if state < len(p.Colours) {
				palette = append(palette, p.Colours[state])
				continue
			}
			palette = append(palette, Mix(p.Theme.Live, p.Theme.Dying, float64(state-1)/float64(max(p.States-2, 1))))
		}
	}
	return palette
}

// Paint stores the number of each pixel's colour in dst, row after row. ages are the result of Ages.Update for
// the frame; they are only needed if colours show ages. empty is the background of the universe: see sim.Info.
func (p Painter) Paint(dst []uint8, f *Frame, ages []uint8, empty uint8) {
	switch {
	case p.ByAge(f.Scale):
		copy(dst, ages)
	case f.Scale > 0:
		for i, v := range f.Density {
			if empty != 0 {
				v = ^v
			}
			dst[i] = 0
			if v > 0 {
				dst[i] = 1 + uint8(int(v-1)*(shades-1)/254)
			}
		}
	default:
		for i := range dst[:f.W*f.H] {
			dst[i] = background.Exchange(f.State(i%f.W, i/f.W), empty)
		}
	}
}

// ThemeOf returns a theme of three colours: for dead cells, live cells and new cells.
func ThemeOf(paper, ink, accent color.RGBA) Theme {
	return Theme{
		Dead: paper, Live: ink,
		Faint: Mix(paper, ink, 0.3), Newborn: accent, Old: ink, Died: Mix(paper, accent, 0.16),
		Dying: Mix(paper, accent, 0.2),
	}
}
