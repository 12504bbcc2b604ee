package term

import (
	"image/color"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/term/internal/canvas"
	"github.com/gosper-life/gosper/topology"
)

// display holds the frame on the screen, and the way in which it is painted.
type display struct {
	orders  *orders
	mono    bool // the terminal has no colours
	painter scene.Painter
	ages    scene.Ages
	frame   *session.Frame // the frame on the screen; nil at the start
	sliced  scene.Slice    // that of the frame
	status  session.Status // the status that belongs to the frame
	shown   canvas.Picture
}

// coloursOf returns a painter's palette.
func coloursOf(p scene.Painter, scale int) []color.RGBA {
	var all []color.RGBA
	for _, c := range p.Palette(scale) {
		all = append(all, c.(color.RGBA))
	}
	return all
}

// show paints the frame, which is of a plane of this size.
func (d *display) show(zoom int, of topology.Topology) {
	f, st := d.frame, &d.status
	d.painter.States, d.painter.Colours = st.States, scene.ColoursOf(st.Config.Rule)
	painted := d.shown.Painted
	if n := f.W * f.H; cap(painted) < n {
		painted = make([]uint8, n)
	}
	painted = painted[:f.W*f.H]
	d.painter.Paint(painted, &f.Frame, d.ages.Update(&f.Frame, st.Generation, st.Background), st.Background)
	d.shown = canvas.Picture{
		Frame: &f.Frame, Zoom: zoom, Painted: painted, Colours: coloursOf(d.painter, f.Scale),
		Aged:  d.painter.ByAge(f.Scale),
		Width: of.W, Height: of.H,
	}
}

// repaint shows the present frame in other colours.
func (d *display) repaint() {
	if f := d.frame; f != nil {
		d.painter.Paint(d.shown.Painted, &f.Frame, d.ages.Update(&f.Frame, f.Status.Generation, f.Status.Background),
			f.Status.Background)
		d.shown.Colours, d.shown.Aged = coloursOf(d.painter, f.Scale), d.painter.ByAge(f.Scale)
	}
}

func (d *display) toggleAges() {
	d.painter.Aged = !d.painter.Aged
	d.orders.say(onOff("colours by age", d.painter.Aged))
	d.repaint()
}

func (d *display) nextTheme() {
	for i, t := range scene.Themes {
		if t.Name == d.painter.Theme.Name {
			d.painter.Theme = scene.Themes[(i+1)%len(scene.Themes)]
			break
		}
	}
	d.orders.say("theme " + d.painter.Theme.Name)
	d.repaint()
}
