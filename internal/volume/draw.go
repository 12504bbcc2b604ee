package volume

import (
	"context"
	"image"
	"image/color"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// View says from where a volume is seen, and how it is coloured.
type View struct {
	// Yaw turns the viewer around the vertical axis, Pitch lifts the viewer; both in degrees. The viewer always
	// looks at the middle of Clip.
	Yaw, Pitch float64
	// Zoom is 1 if all of Clip fits into the picture. Larger numbers come closer.
	Zoom float64
	// Clip is the box of cells that are drawn.
	Clip Box
	// Colour returns the colour of a live cell. Several goroutines call it at once.
	Colour func(x, y, z int, state byte) color.RGBA
	// Background is the colour around the cells. Frame is the colour of the edges of Clip; it may be transparent.
	Background, Frame color.RGBA
}

const (
	fieldOfView = 30 * math.Pi / 180
	samples     = 2 // of a pixel, each way

	// Parts of a face's brightness. Together, ambient and diffuse light are 1.
	ambient  = 0.42
	occluded = 0.45 // of the brightness is left in the darkest corner
	hazy     = 0.35 // of the colour is lost at the far end
	edge     = 0.05 // of a cell's side is drawn darker around a face, so that cells can be told apart
	edgeDark = 0.72
)

// camera is a View made ready for rays.
type camera struct {
	at                   vector
	forward, right, down vector
	light                vector  // towards it
	slope                float64 // of the ray through the middle of an upper edge
	near, far            float64 // distances of Clip
}

// camera places the viewer so that, at a zoom of 1, the sphere around the shown part just fits into
// the field of view. Yaw turns around the vertical axis, and pitch looks down.
func (view *View) camera() camera {
	sinYaw, cosYaw := math.Sincos(view.Yaw * math.Pi / 180)
	sinPitch, cosPitch := math.Sincos(view.Pitch * math.Pi / 180)
	c := camera{
		forward: vector{-sinYaw * cosPitch, sinPitch, cosYaw * cosPitch},
		right:   vector{cosYaw, 0, sinYaw},
		slope:   math.Tan(fieldOfView / 2),
	}
	c.down = c.forward.cross(c.right)
	var middle vector
	radius := 0.0
	for axis := range 3 {
		low, high := float64(view.Clip.Min[axis]), float64(view.Clip.Max[axis])
		middle[axis] = (low + high) / 2
		radius += product(high-low, high-low) / 4
	}
	radius = math.Sqrt(radius)
	distance := radius / math.Sin(fieldOfView/2) / view.Zoom
	c.at = middle.add(c.forward, -distance)
	c.near, c.far = distance-radius, distance+radius
	// The light stands behind the viewer, to the left and above.
	c.light = vector{}.add(c.forward, -1).add(c.right, -0.45).add(c.down, -0.8).unit()
	return c
}

// Draw returns a picture of the given size in pixels. It uses all cores. It stops when ctx is done.
func (v *Volume) Draw(ctx context.Context, view View, width, height int) (*image.RGBA, error) {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	c := view.camera()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), height) {
		workers.Go(func() {
			for ctx.Err() == nil {
				y := int(next.Add(1)) - 1
				if y >= height {
					return
				}
				for x := range width {
					picture.SetRGBA(x, y, v.pixel(&view, &c, x, y, width, height))
				}
			}
		})
	}
	workers.Wait()
	return picture, ctx.Err()
}

// pixel is the mean of the samples of a pixel.
func (v *Volume) pixel(view *View, c *camera, x, y, width, height int) color.RGBA {
	half := float64(min(width, height)) / 2
	var sum vector
	for sy := range samples {
		for sx := range samples {
			right := (float64(x) + (float64(sx)+0.5)/samples - float64(width)/2) / half * c.slope
			down := (float64(y) + (float64(sy)+0.5)/samples - float64(height)/2) / half * c.slope
			along := c.forward.add(c.right, right).add(c.down, down)
			sum = sum.add(v.sample(view, c, along, c.slope/half), 1.0/(samples*samples))
		}
	}
	return color.RGBA{uint8(sum[0] + 0.5), uint8(sum[1] + 0.5), uint8(sum[2] + 0.5), 0xff}
}

// sample is the colour that a ray from the viewer meets, red, green and blue from 0 to 255. wide is the width of a
// pixel at distance 1.
func (v *Volume) sample(view *View, c *camera, along vector, wide float64) vector {
	seen := rgb(view.Background)
	in, out, outAxis, ok := view.Clip.enter(c.at, along)
	if !ok {
		return seen
	}
	seen = mix(seen, rgb(view.Frame), view.nearEdge(c.at.add(along, out), outAxis, 0.75*wide*out)*alpha(view.Frame)/2)
	if h, ok := v.cast(&view.Clip, c.at, along); ok {
		seen = v.shade(view, c, along, h, wide)
	}
	if in.axis < 0 {
		return seen
	}
	return mix(seen, rgb(view.Frame), view.nearEdge(c.at.add(along, in.at), in.axis, 0.75*wide*in.at)*alpha(view.Frame))
}

// nearEdge is 1 if a point on a face of Clip is closer than width to an edge of it, else 0.
func (view *View) nearEdge(p vector, face int, width float64) float64 {
	for axis := range 3 {
		if axis != face && (p[axis] < float64(view.Clip.Min[axis])+width || p[axis] > float64(view.Clip.Max[axis])-width) {
			return 1
		}
	}
	return 0
}

// shade is the colour of the face that a ray has met.
func (v *Volume) shade(view *View, c *camera, along vector, h hit, wide float64) vector {
	x, y, z := h.cell[0], h.cell[1], h.cell[2]
	p := c.at.add(along, h.at)
	var normal vector
	normal[h.axis] = float64(h.sign)
	bright := ambient
	if diffuse := normal.dot(c.light); diffuse > 0 {
		if _, dark := v.cast(&view.Clip, p.add(normal, 1e-4), c.light); !dark {
			bright += product(1-ambient, diffuse)
		}
	}
	// Where the ray meets the face, from 0 to 1 along its sides.
	a, b := (h.axis+1)%3, (h.axis+2)%3
	fa := min(max(p[a]-float64(h.cell[a]), 0), 1)
	fb := min(max(p[b]-float64(h.cell[b]), 0), 1)
	bright *= occluded + product(1-occluded, v.openness(&view.Clip, h, a, b, fa, fb))
	// Edges fade where a pixel is wider than they are.
	if min(fa, fb, 1-fa, 1-fb) < edge {
		bright *= 1 - product(1-edgeDark, min(1, edge/(wide*h.at)/2))
	}
	colour := vector{}.add(rgb(view.Colour(x, y, z, v.At(x, y, z))), bright)
	haze := hazy * min(max((h.at-c.near)/(c.far-c.near), 0), 1)
	return mix(colour, rgb(view.Background), haze)
}

// openness returns the share of the light from all around that reaches a point of a face, 0 to 1. At a corner
// of the face it follows from the three cells in front of the face that meet there; between corners it is
// interpolated.
func (v *Volume) openness(clip *Box, h hit, a, b int, fa, fb float64) float64 {
	front := h.cell
	front[h.axis] += h.sign
	solid := func(da, db int) int {
		at := front
		at[a] += da
		at[b] += db
		for axis := range 3 {
			if at[axis] < clip.Min[axis] || at[axis] >= clip.Max[axis] {
				return 0
			}
		}
		if v.At(at[0], at[1], at[2]) != 0 {
			return 1
		}
		return 0
	}
	corner := func(da, db int) float64 {
		one, other := solid(da, 0), solid(0, db)
		if one+other == 2 {
			return 0
		}
		return float64(3-one-other-solid(da, db)) / 3
	}
	between := func(a, b, share float64) float64 { return product(1-share, a) + product(share, b) }
	return between(between(corner(-1, -1), corner(-1, 1), fb), between(corner(1, -1), corner(1, 1), fb), fa)
}

func rgb(c color.RGBA) vector { return vector{float64(c.R), float64(c.G), float64(c.B)} }

func alpha(c color.RGBA) float64 { return float64(c.A) / 0xff }

func mix(a, b vector, share float64) vector { return vector{}.add(a, 1-share).add(b, share) }
