package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Size of a figure, and the resolution of those made of pixels: 1536×960.
const (
	width   = 7.68 * vg.Inch
	height  = 4.8 * vg.Inch
	perInch = 200
	margin  = 10 * vg.Inch / 72
)

// colours are told apart by all eyes (Okabe and Ito, "Color universal design", 2008), the darker ones first.
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
	dashes   = [][]vg.Length{nil, {5, 3}, {1.5, 2.5}, {7, 2, 1.5, 2}}
	glyphs   = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}
	typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}
)

func colour(i int) color.NRGBA { return colours[i%len(colours)] }

func pale(c color.NRGBA) color.NRGBA { c.A = 0x38; return c }

func lettering(size font.Length) text.Style {
	return text.Style{Color: ink, Font: font.From(typeface, size), Handler: plot.DefaultTextHandler}
}

// CheckPath refuses a path whose extension names no format of figures.
func CheckPath(path string) error {
	switch filepath.Ext(path) {
	case ".png", ".svg":
		return nil
	}
	return fmt.Errorf("%s: the extension names no format of figures; known are .png, .svg", path)
}

// Save draws the figure into a file, .png or .svg by its extension, and replaces the file if it is there. The file is whole or not
// there.
func (f Figure) Save(path string) error {
	if err := f.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return save(path, f.draw)
}

func save(path string, drawOn func(draw.Canvas)) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	if filepath.Ext(path) == ".svg" {
		canvas = vgsvg.New(width, height)
	} else {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(perInch))}
	}
	c := draw.New(canvas)
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

func (f Figure) draw(c draw.Canvas) {
	c = title(c, f.Title)
	c = legend(c, f.entries())
	x, y := f.spans()
	p := f.axes(x.widened(f.X), y.widened(f.Y))
	for i, b := range f.Bars {
		p.Add(&barPlotter{bars: b, axis: f.Y, place: i, of: len(f.Bars)})
	}
	for i, s := range f.Series {
		p.Add(&seriesPlotter{series: s, x: f.X, y: f.Y, style: f.style(i)})
	}
	plotWithLabel(p, c, f.Y.Label)
}

// plotWithLabel draws a plot and the label of its Y axis, for which the library would leave room above a logarithmic axis. It returns the
// part where the data are.
func plotWithLabel(p *plot.Plot, c draw.Canvas, label string) draw.Canvas {
	style := lettering(10.5)
	style.Rotation = math.Pi / 2
	style.XAlign, style.YAlign = text.XCenter, text.YTop
	rest := c
	if label != "" {
		rest = draw.Crop(c, style.Height(label)+6, 0, 0, 0)
	}
	p.Draw(rest)
	inner := p.DataCanvas(rest)
	c.FillText(style, vg.Point{X: c.Min.X, Y: (inner.Min.Y + inner.Max.Y) / 2}, label)
	return inner
}

// title draws a text along the top and returns the canvas below it.
func title(c draw.Canvas, t string) draw.Canvas {
	if t == "" {
		return c
	}
	style := lettering(12)
	style.Font.Weight = 3 // bold
	style.YAlign = text.YTop
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, t)
	return draw.Crop(c, 0, 0, 0, -style.Height(t)-8)
}

// entry is one of a legend.
type entry struct {
	name      string
	thumbnail func(c draw.Canvas)
}

func (f Figure) entries() []entry {
	var list []entry
	for i, b := range f.Bars {
		if b.Name != "" {
			list = append(list, entry{b.Name, func(c draw.Canvas) { fill(c, c.Rectangle, colour(i)) }})
		}
	}
	for i, s := range f.Series {
		if s.Name != "" {
			p := &seriesPlotter{series: s, style: f.style(i)}
			list = append(list, entry{s.Name, p.thumbnail})
		}
	}
	return list
}

// legend draws the entries in rows along the top and returns the canvas below them: nothing it says can hide data.
func legend(c draw.Canvas, entries []entry) draw.Canvas {
	const symbol, gap, after = 18, 5, 16
	style := lettering(10)
	style.YAlign = text.YCenter
	line := style.Height("Xg") + 4
	x, y := c.Min.X, c.Max.Y-line/2
	for i, e := range entries {
		w := symbol + gap + style.Width(e.name)
		if i > 0 && x+w > c.Max.X {
			x, y = c.Min.X, y-line
		}
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + symbol, Y: y + 4}}
		e.thumbnail(draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		c.FillText(style, vg.Point{X: x + symbol + gap, Y: y}, e.name)
		x += w + after
	}
	if len(entries) == 0 {
		return c
	}
	return draw.Crop(c, 0, 0, 0, y-line/2-6-c.Max.Y)
}

// axes is a plot that shows the given ranges.
func (f Figure) axes(x, y span) *plot.Plot {
	p := newPlot(f.X, f.Y, x, y)
	if len(f.Categories) > 0 {
		p.X.Tick.Marker = categoryTicks(f.Categories)
		p.X.Tick.LineStyle.Color = color.Transparent // ticks unseen keep the labels off the axis
		long := 0
		for _, name := range f.Categories {
			long = max(long, len([]rune(name)))
		}
		if long*len(f.Categories) > 80 {
			p.X.Tick.Label.Rotation = math.Pi / 4
			p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
		}
	}
	p.Add(gridPlotter{vertical: len(f.Categories) == 0})
	return p
}

func newPlot(xAxis, yAxis Axis, x, y span) *plot.Plot {
	p := plot.New()
	p.X.Label.Text = xAxis.Label
	p.X.Label.TextStyle.Font = font.From(typeface, 10.5)
	p.X.Label.TextStyle.Color = ink
	p.X.Label.Padding = 4
	for _, a := range []struct {
		to   *plot.Axis
		axis Axis
		span
	}{{&p.X, xAxis, x}, {&p.Y, yAxis, y}} {
		a.to.Min, a.to.Max = a.min, a.max
		a.to.Tick.Label.Font = font.From(typeface, 9.5)
		a.to.Tick.Label.Color = ink
		a.to.LineStyle = draw.LineStyle{Color: ink, Width: 0.7}
		a.to.Tick.LineStyle = a.to.LineStyle
		a.to.Tick.Length = 5
		a.to.Padding = 0
		a.to.Tick.Marker = plot.TickerFunc(linearTicks)
		if a.axis.Log {
			a.to.Scale = plot.LogScale{}
			a.to.Tick.Marker = plot.TickerFunc(logTicks)
		}
	}
	return p
}
