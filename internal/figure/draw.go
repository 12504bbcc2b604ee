package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// margin is the room around a figure.
const margin = 10 * vg.Inch / 72

// colours can be told apart with every kind of colour vision (Okabe and Ito, "Color universal design", 2008).
// The darker ones come first.
var colours = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF},
	{0xD5, 0x5E, 0x00, 0xFF},
	{0x00, 0x9E, 0x73, 0xFF},
	{0xCC, 0x79, 0xA7, 0xFF},
	{0xE6, 0x9F, 0x00, 0xFF},
	{0x56, 0xB4, 0xE9, 0xFF},
	{0x33, 0x33, 0x33, 0xFF},
}

var (
	ink      = color.NRGBA{0x22, 0x22, 0x22, 0xFF}
	faint    = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF}
	grey     = color.NRGBA{0xC8, 0xC8, 0xC8, 0xFF}
	dashes   = [][]vg.Length{nil, {5, 3}, {1.5, 2.5}, {7, 2, 1.5, 2}}
	glyphs   = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}
	typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}
)

func colour(i int) color.NRGBA { return colours[i%len(colours)] }

func pale(c color.NRGBA) color.NRGBA { c.A = 0x38; return c }

// handler measures and draws text. Its two fonts are read when the first figure is drawn.
var handler = sync.OnceValue(func() text.Handler {
	var fonts font.Collection
	for weight, file := range map[stdfont.Weight][]byte{
		stdfont.WeightNormal: liberationsansregular.TTF,
		stdfont.WeightBold:   liberationsansbold.TTF,
	} {
		face, err := opentype.Parse(file)
		if err != nil {
			panic(err) // the file is part of the program
		}
		of := typeface
		of.Weight = weight
		fonts = append(fonts, font.Face{Font: of, Face: face})
	}
	return text.Plain{Fonts: font.NewCache(fonts)}
})

func lettering(size font.Length) text.Style {
	return text.Style{Color: ink, Font: font.From(typeface, size), Handler: handler()}
}

// CheckPath refuses a path whose extension is not a format of figures.
func CheckPath(path string) error {
	switch filepath.Ext(path) {
	case ".png", ".svg", ".pdf":
		return nil
	}
	return fmt.Errorf("%s: unknown extension, want .png, .svg or .pdf", path)
}

// Save is SaveAs with the usual style.
func (f Figure) Save(path string) error { return f.SaveAs(path, Style{}) }

// SaveAs draws the figure into a file, .png, .svg or .pdf by its extension. It replaces an existing file. The file
// appears whole or not at all.
func (f Figure) SaveAs(path string, style Style) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f.Title, f.Note = shown(f.Title, style.Title), shown(f.Note, style.Note)
	return style.save(path, f.draw)
}

// save writes a drawing as SVG, PDF or PNG, by the name of the file.
func (s *Style) save(path string, drawOn func(draw.Canvas)) error {
	if err := errors.Join(CheckPath(path), s.Check()); err != nil {
		return err
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	width, height, factor := s.size()
	switch filepath.Ext(path) {
	case ".svg":
		canvas = vgsvg.New(width, height)
	case ".pdf":
		canvas = newPDF(width, height)
	default:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(s.pixels()))}
	}
	if factor != 1 {
		canvas.Scale(factor, factor)
	}
	c := draw.NewCanvas(painted{canvas, s.swap}, width/vg.Length(factor), height/vg.Length(factor))
	fill(c, c.Rectangle, color.White)
	drawOn(draw.Crop(c, margin, -margin, margin, -margin))
	return atomicfile.Write(path, true, func(w io.Writer) error {
		var b bytes.Buffer
		if _, err := canvas.WriteTo(&b); err != nil {
			return err
		}
		_, err := w.Write(b.Bytes())
		return err
	})
}

func fill(c draw.Canvas, r vg.Rectangle, with color.Color) {
	c.SetColor(with)
	c.Fill(r.Path())
}

// draw draws a figure from the outside in: title, note, legend, axes, and the curves between the axes. Each takes its
// part of the canvas and leaves the rest.
func (f Figure) draw(c draw.Canvas) {
	c = title(c, f.Title)
	c = note(c, f.note())
	entries, more := shorten(f.entries(), c.Max.X-c.Min.X)
	c = legend(c, entries, more)
	x, y := f.spans()
	a := f.axes(x.widened(f.X), y.widened(f.Y))
	for i, b := range f.Bars {
		a.add(&barPlotter{bars: b, axis: f.Y, place: i, of: len(f.Bars)})
	}
	plotters, behind, colours := f.plotters(len(entries), more > 0)
	a.add(behind...)
	a.add(plotters...)
	if colours == nil {
		a.drawWithLabel(c)
		return
	}
	inner := a.drawWithLabel(draw.Crop(c, 0, -barWidth, 0, 0))
	colours.bar(c, inner)
}

// plotters returns the plotters of the series. If the legend is too short, series that are not among its first
// named entries go behind. colours is the scale from which some series take their colour, or nil.
func (f Figure) plotters(named int, short bool) (list, behind []plotter, colours *scale) {
	for _, s := range f.Series {
		if s.Value != nil {
			if colours == nil {
				colours = &scale{f.Scale, empty()}
			}
			colours.add(f.Scale, *s.Value)
		}
	}
	if colours != nil && !(colours.min < colours.max) {
		colours.span = colours.widened(f.Scale)
	}
	for _, b := range f.Bars {
		if b.Name != "" {
			named--
		}
	}
	for i, s := range f.Series {
		p := &seriesPlotter{series: s, x: f.X, y: f.Y, style: f.style(i), colour: colour(f.style(i)), width: lineWidth}
		switch {
		case s.Value != nil:
			p.colour = colours.colour(*s.Value)
		case s.Name != "":
			if named--; named < 0 && short {
				p.style, p.colour, p.width, p.series.Err = 0, grey, behindWidth, nil
				behind = append(behind, p)
				continue
			}
		}
		list = append(list, p)
	}
	return list, behind, colours
}

// note returns the note and automatic additions.
func (f Figure) note() string {
	text := f.Note
	for _, s := range f.Series {
		if f.X.Log && slices.ContainsFunc(s.X, func(x float64) bool { return x <= 0 }) {
			return strings.TrimPrefix(text+" Points with X up to 0 cannot be shown on the logarithmic axis.", " ")
		}
	}
	return text
}

// note draws a text along the bottom, in as many lines as it needs, and returns the canvas above it.
func note(c draw.Canvas, text string) draw.Canvas {
	if text == "" {
		return c
	}
	style := lettering(8.5)
	style.Color = color.NRGBA{0x55, 0x55, 0x55, 0xFF}
	lines := broken(text, func(line string) bool { return style.Width(line) <= c.Max.X-c.Min.X })
	spacing := style.Height(text) + 2
	for i, line := range lines {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Min.Y + spacing*vg.Length(len(lines)-1-i)}, line)
	}
	return draw.Crop(c, 0, 0, spacing*vg.Length(len(lines))+4, 0)
}

// broken breaks a text between words into lines that fit, as long as single words do.
func broken(text string, fits func(line string) bool) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && !fits(longer) {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}

// title draws a text along the top, in as many lines as it needs, and returns the canvas below it.
func title(c draw.Canvas, t string) draw.Canvas {
	if t == "" {
		return c
	}
	style := lettering(12)
	style.Font.Weight = stdfont.WeightBold
	style.YAlign = text.YTop
	for _, line := range broken(t, func(line string) bool { return style.Width(line) <= c.Max.X-c.Min.X }) {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
		c = draw.Crop(c, 0, 0, 0, -style.Height(line)-2)
	}
	return draw.Crop(c, 0, 0, 0, -6)
}

// entry is one entry of a legend.
type entry struct {
	name      string
	thumbnail func(c draw.Canvas)
}

// entries are the lines of the legend: named bars, then named series. Series that are coloured by
// values have a scale instead.
func (f Figure) entries() []entry {
	var list []entry
	for i, b := range f.Bars {
		if b.Name != "" {
			list = append(list, entry{b.Name, func(c draw.Canvas) { fill(c, c.Rectangle, colour(i)) }})
		}
	}
	for i, s := range f.Series {
		if s.Name != "" && s.Value == nil {
			p := &seriesPlotter{series: s, style: f.style(i), colour: colour(f.style(i)), width: lineWidth}
			list = append(list, entry{s.Name, p.thumbnail})
		}
	}
	return list
}

// A legend's entries stand in rows. Each is a symbol, a name, and room before the next one.
const (
	symbolWidth, symbolGap, entryGap = 18, 5, 16

	mostEntries, mostRows = 16, 6 // in a legend
)

func legendLettering() text.Style {
	style := lettering(10)
	style.YAlign = text.YCenter
	return style
}

// flow places items of the given widths in rows. It returns where each item begins and in which row.
func flow(widths []vg.Length, width vg.Length) (x []vg.Length, row []int) {
	at, line := vg.Length(0), 0
	for i, w := range widths {
		if i > 0 && at+w > width {
			at, line = 0, line+1
		}
		x, row = append(x, at), append(row, line)
		at += w + entryGap
	}
	return x, row
}

func widthOf(name string) vg.Length { return symbolWidth + symbolGap + legendLettering().Width(name) }

// others is the text of a legend about entries that do not fit.
func others(n int) string { return fmt.Sprintf("%d more", n) }

// shorten returns the entries that fit in a legend, and how many more there are.
func shorten(entries []entry, width vg.Length) (shown []entry, more int) {
	fits := func(n int) bool {
		var widths []vg.Length
		for _, e := range entries[:n] {
			widths = append(widths, widthOf(e.name))
		}
		if n < len(entries) {
			widths = append(widths, widthOf(others(len(entries)-n)))
		}
		_, row := flow(widths, width)
		return n <= mostEntries && (len(row) == 0 || row[len(row)-1] < mostRows)
	}
	n := len(entries)
	if n > mostEntries && !fits(n) {
		n = mostEntries
	}
	for n > 1 && !fits(n) {
		n--
	}
	return entries[:n], len(entries) - n
}

// legend draws the entries in rows along the top, and the number of others. It returns the canvas below them,
// so that the legend never hides data.
func legend(c draw.Canvas, entries []entry, more int) draw.Canvas {
	if len(entries) == 0 {
		return c
	}
	if more > 0 {
		rest := &seriesPlotter{series: Series{Line: true}, colour: grey, width: lineWidth}
		entries = append(slices.Clip(entries), entry{others(more), rest.thumbnail})
	}
	style := legendLettering()
	line := style.Height("Xg") + 4
	widths := make([]vg.Length, len(entries))
	for i, e := range entries {
		widths[i] = widthOf(e.name)
	}
	left, row := flow(widths, c.Max.X-c.Min.X)
	y := c.Max.Y
	for i, e := range entries {
		x := c.Min.X + left[i]
		y = c.Max.Y - line/2 - vg.Length(row[i])*line
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + symbolWidth, Y: y + 4}}
		e.thumbnail(draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		c.FillText(style, vg.Point{X: x + symbolWidth + symbolGap, Y: y}, e.name)
	}
	return draw.Crop(c, 0, 0, 0, y-line/2-6-c.Max.Y)
}

// axes returns axes of the given ranges.
func (f Figure) axes(x, y span) *axes {
	a := newAxes(f.X, f.Y, x, y)
	if len(f.Categories) > 0 {
		a.x.ticks, a.x.bare = categoryTicks(f.Categories), true
		long := 0
		for _, name := range f.Categories {
			long = max(long, len([]rune(name)))
		}
		if long*len(f.Categories) > 80 {
			a.x.labels.Rotation = math.Pi / 4
			a.x.labels.XAlign, a.x.labels.YAlign = text.XRight, text.YCenter
		}
	}
	a.add(gridPlotter{vertical: len(f.Categories) == 0})
	return a
}
