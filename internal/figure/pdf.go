package figure

import (
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas is a page of a PDF, for gonum's drawing functions. Its text is text of embedded fonts. gonum's own canvas
// for PDF knows only the characters of Western Europe, and figures have Greek letters and superscripts.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	pen
	pens []pen
}

// pen is the state that Push keeps and Pop restores.
type pen struct {
	// The point x, y lies at a·x + c·y + e, b·x + d·y + f, in points from the lower left corner of the page.
	a, b, c, d, e, f float64
	line             vg.Length
	dashes           []vg.Length
	offset           vg.Length
	colour           color.NRGBA
}

// The names of the fonts in the file.
const (
	regularName = "regular"
	boldName    = "bold"
)

// newPDF makes an empty page.
func newPDF(width, height vg.Length) *pdfCanvas {
	size := fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true) // equal figures are equal files
	doc.SetCreationDate(time.Unix(0, 0))
	doc.SetModificationDate(time.Unix(0, 0))
	doc.SetProducer("Gosper", true)
	doc.AddUTF8FontFromBytes(regularName, "", liberationsansregular.TTF)
	doc.AddUTF8FontFromBytes(boldName, "", liberationsansbold.TTF)
	doc.AddPageFormat("", size)
	c := &pdfCanvas{doc: doc, width: width, height: height, pen: pen{a: 1, d: 1}}
	vg.Initialize(c)
	return c
}

// Size implements vg.CanvasSizer.
func (c *pdfCanvas) Size() (x, y vg.Length) { return c.width, c.height }

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.line = w }

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.dashes, c.offset = pattern, offset
}

// SetColor implements vg.Canvas.
func (c *pdfCanvas) SetColor(of color.Color) {
	c.colour, _ = color.NRGBAModel.Convert(of).(color.NRGBA) // always one
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.a, c.b, c.c, c.d = c.a*cos+c.c*sin, c.b*cos+c.d*sin, c.c*cos-c.a*sin, c.d*cos-c.b*sin
}

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(p vg.Point) { c.e, c.f = c.at(p) }

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) { c.a, c.b, c.c, c.d = c.a*x, c.b*x, c.c*y, c.d*y }

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() { c.pens = append(c.pens, c.pen) }

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	last := len(c.pens) - 1
	c.pen, c.pens = c.pens[last], c.pens[:last]
}

// at returns where a point lies, from the lower left corner.
func (c *pdfCanvas) at(p vg.Point) (x, y float64) {
	px, py := p.X.Points(), p.Y.Points()
	return c.a*px + c.c*py + c.e, c.b*px + c.d*py + c.f
}

// onPage returns where a point lies, from the upper left corner, as the file has it.
func (c *pdfCanvas) onPage(p vg.Point) (x, y float64) {
	x, y = c.at(p)
	return x, c.height.Points() - y
}

// enlarged returns a length as it is on the page.
func (c *pdfCanvas) enlarged(l vg.Length) float64 {
	return l.Points() * math.Sqrt(math.Abs(c.a*c.d-c.b*c.c))
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.line <= 0 {
		return
	}
	c.doc.SetLineWidth(c.enlarged(c.line))
	var dashes []float64
	for _, d := range c.dashes {
		dashes = append(dashes, c.enlarged(d))
	}
	c.doc.SetDashPattern(dashes, c.enlarged(c.offset))
	c.doc.SetDrawColor(int(c.colour.R), int(c.colour.G), int(c.colour.B))
	c.path(p, "D")
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(p vg.Path) {
	c.doc.SetFillColor(int(c.colour.R), int(c.colour.G), int(c.colour.B))
	c.path(p, "F")
}

// path draws a path with the alpha of the colour.
func (c *pdfCanvas) path(p vg.Path, how string) {
	c.doc.SetAlpha(float64(c.colour.A)/255, "Normal")
	for _, part := range p {
		x, y := c.onPage(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			c.arc(part)
		case vg.CurveComp:
			panic("figure: a curve in a path") // figures have none
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(how)
}

// arc draws an arc as a polygon, whose sides are too short to be seen.
func (c *pdfCanvas) arc(part vg.PathComp) {
	const sides = 24
	for i := range sides + 1 {
		sin, cos := math.Sincos(part.Start + part.Angle*float64(i)/sides)
		x, y := c.onPage(vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y + part.Radius*vg.Length(sin)})
		if i == 0 {
			c.doc.MoveTo(x, y)
		} else {
			c.doc.LineTo(x, y)
		}
	}
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(f font.Face, p vg.Point, text string) {
	name := regularName
	if f.Font.Weight == stdfont.WeightBold {
		name = boldName
	}
	c.doc.SetFont(name, "", c.enlarged(f.Font.Size))
	c.doc.SetTextColor(int(c.colour.R), int(c.colour.G), int(c.colour.B))
	c.doc.SetAlpha(float64(c.colour.A)/255, "Normal")
	x, y := c.onPage(p)
	c.doc.TransformBegin()
	c.doc.TransformRotate(math.Atan2(c.b, c.a)*180/math.Pi, x, y)
	c.doc.Text(x, y, text)
	c.doc.TransformEnd()
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: an image in a figure") }

// WriteTo implements io.WriterTo.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{to: w}
	err := c.doc.Output(counted)
	return counted.n, err
}

// counter counts the bytes that it passes on.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
