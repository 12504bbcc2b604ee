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
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/pattern"
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

// model is the viewer. Only Update and View use it. Its parts own what they need; the model leads keys, the mouse and
// frames to them, and changes from one mode to another: drawing, selecting, pasting, answering a prompt.
type model struct {
	*orders
	*display
	*view
	*playback
	*drawer
	*selector
	*paster
	*files
	*manual

	ctx        context.Context
	keys       map[string]func(*model)
	selectKeys map[string]func(*model)
	pasteKeys  map[string]func(*model)
	asked      *prompt
	drag       *drag
	quitting   bool
	suspending bool

	cameras  map[uint64]scene.Camera // cameras of universes that were shown, by session.Status.Loaded
	name     string                  // of the first universe, until that is loaded
	loading  time.Time               // when loading of a universe began
	series   []session.Sample
	looked   time.Time // when the series was last fetched
	request  request
	spare    *session.Frame
	received time.Time
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
	o := &orders{session: s, jobs: jobs}
	d := &display{orders: o, painter: scene.Painter{Theme: opts.Theme, Aged: opts.Aged}}
	v := &view{orders: o, display: d, braille: opts.Braille}
	chosen := &selector{orders: o, display: d, view: v, share: func(string) {}}
	pasted := &paster{orders: o, view: v, joins: cells.Or}
	return &model{
		orders: o, display: d, view: v, selector: chosen, paster: pasted,
		playback: &playback{orders: o, display: d},
		drawer:   &drawer{orders: o, display: d, view: v},
		files:    &files{orders: o, open: opts.Open},
		manual:   &manual{orders: o, view: v, selector: chosen, paster: pasted},
		ctx:      ctx, name: console.Plain(opts.Name), spare: new(session.Frame),
		keys: keymap(sections()...), selectKeys: keymap(selecting()), pasteKeys: keymap(pasting()),
		cameras: map[uint64]scene.Camera{},
	}
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

// look asks for the next frame. If a frame of another region is pending, it cancels that request
// first.
//
//	look ──▶ session.Frame, in the background ──▶ frameMsg ──▶ receive ──▶ look
//
// There is at most one request at a time. A frame that shows what the screen shows already is only
// sent when the universe has changed (after), so an idle universe costs nothing. Two frames take
// turns: one is on the screen while the other one is filled.
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
	if m.fitSlice() {
		m.selected, m.floating = nil, nil
	}
	m.show(msg.zoom, m.sheet())
	if loaded {
		m.cameras[before] = m.camera
		m.selected = nil
	}
	m.followBox(loaded)
	if loaded && st.Outside > 0 {
		m.say(number.Grouped(st.Outside) + " cells outside are left out")
	}
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

func (m *model) undo() { m.send(m.session.Undo, "undone") }
func (m *model) redo() { m.send(m.session.Redo, "redone") }

func onOff(what string, on bool) string {
	if on {
		return what
	}
	return "no longer " + what
}
