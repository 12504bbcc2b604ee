package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg/draw"
)

// scale maps a range of values to colours.
type scale struct {
	axis Axis
	span
}

// viridis is samples of the colour map of that name (Smith and van der Walt 2015, public domain), whose
// lightness grows evenly.
var viridis = []color.NRGBA{
	{0x44, 0x01, 0x54, 0xFF},
	{0x47, 0x2D, 0x7B, 0xFF},
	{0x3B, 0x52, 0x8B, 0xFF},
	{0x2C, 0x72, 0x8E, 0xFF},
	{0x21, 0x91, 0x8C, 0xFF},
	{0x28, 0xAE, 0x80, 0xFF},
	{0x5E, 0xC9, 0x62, 0xFF},
	{0xAD, 0xDC, 0x30, 0xFF},
	{0xFD, 0xE7, 0x25, 0xFF},
}

// colour mixes the two colours of the palette between which a value lies.
func (s *scale) colour(v float64) color.NRGBA {
	if !s.axis.shown(v) {
		return faint
	}
	share := (v - s.min) / (s.max - s.min)
	if s.axis.Log {
		share = math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	at := math.Min(math.Max(share, 0), 1) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (at-float64(i))*(float64(b)-float64(a)))) }
	a, b := viridis[i], viridis[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// at is the value at the given share of the way along the scale.
func (s *scale) at(share float64) float64 {
	if s.axis.Log {
		return s.min * math.Pow(s.max/s.min, share)
	}
	return s.min + share*(s.max-s.min)
}

// barWidth is the width of a colour bar beside a plot, with its labels.
const barWidth = 74

// bar draws the scale along the right end of a canvas, beside the data: a heat map of one column.
func (s *scale) bar(c, data draw.Canvas) {
	const steps = 128
	ramp := cellPlotter{colours: s, x: []float64{0, 1}, y: make([]float64, steps+1)}
	for i := range ramp.y {
		ramp.y[i] = s.at(float64(i) / steps)
		if i < steps {
			ramp.values = append(ramp.values, []float64{s.at((float64(i) + 0.5) / steps)})
		}
	}
	a := newAxes(Axis{}, s.axis, span{0, 1}, s.span)
	a.x.hidden = true
	a.add(ramp)
	right := draw.Crop(c, c.Max.X-c.Min.X-barWidth+10, 0, 0, 0)
	right.Min.Y, right.Max.Y = data.Min.Y, data.Max.Y
	a.drawWithLabel(right)
}
