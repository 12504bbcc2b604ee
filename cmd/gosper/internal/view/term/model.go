package term

import (
	"context"
	"image/color"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/term/internal/canvas"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

const (
	framesPerSecond = 30
	statusRows      = 2
	leastColumns    = 40
	leastRows       = statusRows + 3
	seriesEvery     = 300 * time.Millisecond
	slowest         = -8 // exponent of the speed: one generation in 2^8 frames
	fastest         = 40
)

// model is the viewer's state. Only Update and View use it.
type model struct {
	ctx     context.Context
	session *session.Session
	open    func(name string) (*pattern.Pattern, error)
	keys    map[string]func(*model)
	jobs    chan<- job
	share   func(text string) // offers a text to the terminal's clipboard

	columns, rows int // of the terminal
	camera        scene.Camera
	braille       bool
	mono          bool                    // the terminal has no colours
	slice         scene.Slice             // of a volume; none for other universes
	sliced        scene.Slice             // that of the frame on the screen
	cameras       map[uint64]scene.Camera // cameras of universes that were shown, by session.Status.Loaded
	painter       scene.Painter
	ages          scene.Ages
	autoFit       bool
	speed         int  // exponent of 2: generations per frame, or frames per generation if negative
	full          bool // full rate
	help          bool
	scrolled      int // lines of the help above the screen, if the screen is too small for all of it
	quitting      bool
	suspending    bool
	asked         *prompt
	pen           *pen
	drag          *drag
	selected      *selection // nil: nothing is being selected
	selectKeys    map[string]func(*model)
	clip          *grid.Grid // the copied cells; nil at the start
	floating      *floating  // nil: nothing is being pasted
	pasteKeys     map[string]func(*model)
	joins         cells.Mode // how pasted cells and those below are joined
	ruler         bool       // coordinates stand along the edges
	hover         *pixel     // where the mouse is, with a ruler; nil if that is not known
	message       string
	failed        bool // whether the message is an error

	shown    canvas.Picture
	frame    *session.Frame // the frame on the screen; nil at the start
	name     string         // of the first universe, until that is loaded
	status   session.Status // the status that belongs to the frame
	loading  time.Time      // when loading of a universe began
	series   []session.Sample
	looked   time.Time // when the series was last fetched
	request  request
	spare    *session.Frame
	received time.Time
}

// job is a command for the session. Jobs run one after the other, so they take effect in the order of the keys.
type job struct {
	do    func(ctx context.Context) error
	then  string       // the message on success; empty for none
	after func(*model) // what else is done on success; nil for nothing
}

// jobDone says that a job has been done.
type jobDone struct {
	err error
	job
}

// request is the pending request for a frame.
type request struct {
	region scene.Region
	slice  scene.Slice
	zoom   int
	cancel context.CancelFunc // nil if there is none
}

// frameMsg is a frame that has arrived, or its error.
type frameMsg struct {
	frame  *session.Frame
	zoom   int
	series []session.Sample // nil if it was not fetched
	err    error
}

// newModel returns a paused viewer that sends its jobs to the channel.
func newModel(ctx context.Context, s *session.Session, opts Options, jobs chan<- job) *model {
	m := &model{
		ctx: ctx, session: s, open: opts.Open, keys: keymap(sections()...), jobs: jobs, name: console.Plain(opts.Name),
		spare:   new(session.Frame),
		cameras: map[uint64]scene.Camera{}, selectKeys: keymap(selecting()), pasteKeys: keymap(pasting()), joins: cells.Or,
		share: func(string) {},
	}
	m.painter.Theme = opts.Theme
	m.braille, m.painter.Aged = opts.Braille, opts.Aged
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.columns, m.rows = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.mono = msg.Convert(color.White) == nil
	case tea.KeyPressMsg:
		m.key(msg)
	case tea.PasteMsg:
		if m.asked != nil {
			m.asked.insert(msg.Content)
		} else {
			m.hold(msg.Content)
		}
	case tea.MouseMsg:
		m.mouse(msg)
	case jobDone:
		switch {
		case msg.err != nil:
			m.fail(msg.err)
		case msg.after != nil:
			msg.after(m)
		case msg.then != "":
			m.say(msg.then)
		}
	case frameMsg:
		m.request.cancel()
		m.request.cancel = nil
		m.receive(msg)
	}
	switch {
	case m.quitting:
		if m.request.cancel != nil {
			m.request.cancel()
		}
		return m, tea.Quit
	case m.suspending:
		m.suspending = false
		return m, tea.Suspend
	}
	return m, m.look()
}

func (m *model) say(text string) { m.message, m.failed = console.Plain(text), false }
func (m *model) fail(err error)  { m.message, m.failed = console.OneLine(err.Error()), true }

// size is the pixels of the picture.
func (m *model) size() (w, h int) {
	columns, rows := m.margins()
	return canvas.Size(m.columns-columns, m.rows-statusRows-rows, m.braille)
}

// tooSmall reports whether the terminal, if its size is known, has no room for a picture.
func (m *model) tooSmall() bool { return m.columns < leastColumns || m.rows < leastRows }

// look asks for the next frame. If a frame of another region is pending, it cancels that request first.
func (m *model) look() tea.Cmd {
	if m.tooSmall() {
		return nil
	}
	w, h := m.size()
	region := m.camera.Region(w, h)
	if m.request.cancel != nil {
		if region != m.request.region || m.slice != m.request.slice || m.camera.Zoom != m.request.zoom {
			m.request.cancel() // its message leads here again
		}
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.request = request{region, m.slice, m.camera.Zoom, cancel}
	after := uint64(0)
	if f := m.frame; f != nil && f.Region == region && f.Slice == m.slice && m.shown.Zoom == m.camera.Zoom {
		after = m.status.Version
	}
	frame, zoom, s := m.spare, m.camera.Zoom, m.session
	frame.Slice = m.slice
	pause := time.Until(m.received.Add(time.Second / framesPerSecond))
	fetch := time.Since(m.looked) > seriesEvery
	return func() tea.Msg {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return frameMsg{err: ctx.Err()}
		}
		if err := s.Frame(ctx, region, after, frame); err != nil {
			return frameMsg{err: err}
		}
		msg := frameMsg{frame: frame, zoom: zoom}
		if fetch {
			msg.series, _ = s.Series(ctx)
		}
		return msg
	}
}

// receive shows a frame.
func (m *model) receive(msg frameMsg) {
	if msg.err != nil {
		if m.ctx.Err() == nil && m.status.Failure == "" && msg.err != context.Canceled {
			m.fail(msg.err)
		}
		return
	}
	f := msg.frame
	st := f.Status
	st.Name = console.Plain(st.Name)
	if m.status.Failure != st.Failure && st.Failure != "" {
		m.message, m.failed = console.OneLine(st.Failure), true
	}
	m.received = time.Now()
	if f.Err != nil { // the old picture stays
		m.status = st
		m.fail(f.Err)
		return
	}
	if m.spare = m.frame; m.spare == nil {
		m.spare = new(session.Frame)
	}
	m.frame = f
	if msg.series != nil {
		m.series, m.looked = msg.series, m.received
	}
	if (st.Loading == nil) != m.loading.IsZero() {
		if m.loading = (time.Time{}); st.Loading != nil {
			m.loading = m.received
		}
	}
	before := m.status.Loaded
	loaded := st.Loaded != before
	if loaded || st.Rule != m.status.Rule || f.Slice != m.sliced {
		m.ages.Forget()
	}
	m.sliced = f.Slice
	if !loaded {
		m.shift(st.Topology)
	}
	m.status = st
	m.fitSlice()
	m.painter.States, m.painter.Colours = st.States, scene.ColoursOf(st.Config.Rule)
	painted := m.shown.Painted
	if n := f.W * f.H; cap(painted) < n {
		painted = make([]uint8, n)
	}
	painted = painted[:f.W*f.H]
	ages := m.ages.Update(&f.Frame, st.Generation, st.Background)
	m.painter.Paint(painted, &f.Frame, ages, st.Background)
	m.shown = canvas.Picture{
		Frame: &f.Frame, Zoom: msg.zoom, Painted: painted, Colours: coloursOf(m.painter, f.Scale),
		Aged:  m.painter.ByAge(f.Scale),
		Width: m.sheet().W, Height: m.sheet().H,
	}
	if loaded {
		m.cameras[before] = m.camera
		m.selected = nil
	}
	m.followBox(loaded)
}

// shift follows cells that are counted from another corner, because the rule brought an edge or took it away.
func (m *model) shift(next topology.Topology) {
	x0, y0 := pattern.Corner(m.status.Topology)
	x1, y1 := pattern.Corner(next)
	dx, dy := x0-x1, y0-y1
	m.camera.X, m.camera.Y = m.camera.X+dx, m.camera.Y+dy
	if m.pen != nil {
		m.pen.x, m.pen.y = m.pen.x+dx, m.pen.y+dy
	}
	if m.floating != nil {
		m.floating.x, m.floating.y = m.floating.x+dx, m.floating.y+dy
	}
	if s := m.selected; s != nil {
		for _, r := range []*grid.Rect{&s.at, &s.from, &s.area} {
			r.X, r.Y = r.X+dx, r.Y+dy
		}
	}
}

// coloursOf returns a painter's palette.
func coloursOf(p scene.Painter, scale int) []color.RGBA {
	var all []color.RGBA
	for _, c := range p.Palette(scale) {
		all = append(all, c.(color.RGBA))
	}
	return all
}

// repaint shows the present frame in other colours.
func (m *model) repaint() {
	if f := m.frame; f != nil {
		m.painter.Paint(m.shown.Painted, &f.Frame, m.ages.Update(&f.Frame, f.Status.Generation, f.Status.Background),
			f.Status.Background)
		m.shown.Colours, m.shown.Aged = coloursOf(m.painter, f.Scale), m.painter.ByAge(f.Scale)
	}
}

// followBox fits a universe into view when it is first shown, and always if the user asked for that. A universe
// that comes back is shown where it was left.
func (m *model) followBox(loaded bool) {
	w, h := m.size()
	camera, known := m.cameras[m.status.Loaded]
	switch seen := m.frame.Cells(); {
	case loaded && known:
		m.camera = camera
	case loaded:
		m.fit()
	case m.autoFit && !m.box().Empty() && seen.Union(m.box()) != seen:
		m.camera = scene.Fit(m.box(), w, h, m.camera.Zoom)
	}
}

// send queues a command for the session.
func (m *model) send(do func(ctx context.Context) error, then string) {
	m.queue(job{do: do, then: then})
}

// sendThen queues a command for the session, and what the viewer does when it has succeeded.
func (m *model) sendThen(do func(ctx context.Context) error, after func(*model)) {
	m.queue(job{do: do, after: after})
}

func (m *model) queue(j job) {
	select {
	case m.jobs <- j:
		m.say("")
	default:
		m.fail(errBusy)
	}
}

func (m *model) playOrPause() {
	if m.status.Playing {
		m.status.Playing = false
		m.send(m.session.Pause, "")
		return
	}
	m.status.Playing = true
	m.send(m.session.Play, "")
}

func (m *model) step(n uint64) {
	m.send(func(ctx context.Context) error { return m.session.Step(ctx, n) }, "")
}

// stepSize is the number of generations of a step.
func (m *model) stepSize() uint64 { return 1 << max(m.speed, 0) }

func (m *model) faster(by int) {
	if m.full {
		m.full = false
	} else {
		m.speed = max(slowest, min(fastest, m.speed+by))
	}
	m.setSpeed()
}

func (m *model) fullRate() {
	m.full = !m.full
	m.setSpeed()
}

func (m *model) setSpeed() {
	v := session.Speed{Step: m.stepSize(), PerSecond: framesPerSecond}
	if m.speed < 0 {
		v.PerSecond /= float64(uint64(1) << -m.speed)
	}
	if m.full {
		v = session.Speed{}
	}
	m.send(func(ctx context.Context) error { return m.session.SetSpeed(ctx, v) }, "")
}

func (m *model) reset() { m.send(m.session.Reset, "went back to the start") }
func (m *model) undo()  { m.send(m.session.Undo, "undone") }
func (m *model) redo()  { m.send(m.session.Redo, "redone") }

// pan moves by tenths of the screen.
func (m *model) pan(dx, dy int) {
	w, h := m.size()
	m.autoFit = false
	m.camera = m.camera.Pan(dx*max(w/10, 1), dy*max(h/10, 1))
}

// zoom changes the zoom about the middle.
func (m *model) zoom(by int) {
	w, h := m.size()
	m.camera = m.camera.Magnify(by, w, h, w/2, h/2)
}

func (m *model) zoomTo(zoom int) { m.zoom(zoom - m.camera.Zoom) }

func (m *model) fit() {
	w, h := m.size()
	m.camera = scene.Fit(m.box(), w, h, mostFit)
}

// mostFit is the largest zoom that fitting uses. With more, a few cells would fill the screen.
const mostFit = 0

func (m *model) toggleAutoFit() {
	m.autoFit = !m.autoFit
	m.say(onOff("keeping everything in view", m.autoFit))
}

// middle goes to the middle of a bounded universe, or to the origin of an infinite one.
func (m *model) middle() { m.camera.X, m.camera.Y = m.sheet().W/2, m.sheet().H/2 }

func (m *model) toggleBraille() {
	w, h := m.size()
	x, y := m.camera.At(w, h, w/2, h/2)
	m.braille = !m.braille
	m.camera.X, m.camera.Y = x, y
}

func (m *model) toggleAges() {
	m.painter.Aged = !m.painter.Aged
	m.say(onOff("colours by age", m.painter.Aged))
	m.repaint()
}

func (m *model) nextTheme() {
	for i, t := range scene.Themes {
		if t.Name == m.painter.Theme.Name {
			m.painter.Theme = scene.Themes[(i+1)%len(scene.Themes)]
			break
		}
	}
	m.say("theme " + m.painter.Theme.Name)
	m.repaint()
}

func onOff(what string, on bool) string {
	if on {
		return what
	}
	return "no longer " + what
}

// target returns the generation where playing ends, if a step or a jump is in progress.
func (m *model) target() (generation uint64, ok bool) {
	return m.status.Target, m.status.Playing && m.status.Target != sim.Forever
}
