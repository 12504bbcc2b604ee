package term

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/topology"
)

var update = flag.Bool("update", false, "write the screens into testdata")

// screen is a viewer without a terminal.
type screen struct {
	t       *testing.T
	m       *model
	session *session.Session
	jobs    chan job
	pending tea.Cmd // the request for a frame
	shared  string  // what was offered to the terminal's clipboard last
}

func openNamed(name string) (*pattern.Pattern, error) {
	famous, ok := builtin.Lookup(name)
	if !ok {
		return nil, os.ErrNotExist
	}
	return pattern.Read(strings.NewReader(famous.RLE), name+".rle")
}

func patternOrigin(t *testing.T, name string) session.Origin {
	t.Helper()
	p, err := openNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return from
}

func soupOrigin(t *testing.T, ruleText string, w, h int) session.Origin {
	t.Helper()
	r, err := rule.Parse(ruleText)
	if err != nil {
		t.Fatal(err)
	}
	tp, err := topology.New(topology.Torus, w, h)
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromSoup(sim.Config{Rule: r, Topology: tp}, 0, 0, 7, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	return from
}

func newScreen(t *testing.T, from session.Origin) *screen {
	t.Helper()
	open := func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, "cpu", cfg) }
	s, err := session.New(t.Context(), open, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	jobs := make(chan job, 64)
	sc := &screen{t: t, session: s, jobs: jobs}
	sc.m = newModel(t.Context(), s, Options{Theme: scene.Themes[0], Open: openNamed}, jobs)
	sc.m.share = func(text string) { sc.shared = text }
	sc.send(tea.WindowSizeMsg{Width: 64, Height: 18})
	return sc
}

// send gives the viewer a message, executes its commands, and waits until the screen is up to date.
func (s *screen) send(msg tea.Msg) {
	s.t.Helper()
	s.update(msg)
	for len(s.jobs) > 0 {
		j := <-s.jobs
		s.update(jobDone{j.do(s.t.Context()), j})
	}
	if s.m.underWay() {
		if err := s.session.Idle(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
	for s.pending != nil && !s.m.quitting && !s.m.tooSmall() {
		w, h := s.m.size()
		f := s.m.frame
		if f != nil && f.Region == s.m.camera.Region(w, h) && f.Slice == s.m.slice && s.m.shown.Zoom == s.m.camera.Zoom &&
			(f.Status.Version == s.session.Status().Version || s.session.Status().Playing) {
			return
		}
		msg := s.pending()
		s.pending = nil
		s.update(msg)
	}
}

// underWay reports whether the session is on its way to a generation.
func (m *model) underWay() bool {
	st := m.session.Status()
	return st.Playing && st.Target != sim.Forever
}

func (s *screen) update(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	if cmd != nil {
		s.pending = cmd
	}
}

// press types keys: names of keys, or text to be typed after a '.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	codes := map[string]rune{
		"enter": tea.KeyEnter, "space": tea.KeySpace, "tab": tea.KeyTab, "esc": tea.KeyEscape, "left": tea.KeyLeft,
		"right": tea.KeyRight,
		"up":    tea.KeyUp, "down": tea.KeyDown, "backspace": tea.KeyBackspace,
		"delete": tea.KeyDelete,
	}
	for _, name := range keys {
		text, isText := strings.CutPrefix(name, "'")
		code, special := codes[name]
		switch {
		case isText:
			for _, r := range text {
				s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		case special && name == "space":
			s.send(tea.KeyPressMsg{Code: code, Text: " "})
		case special:
			s.send(tea.KeyPressMsg{Code: code})
		case strings.HasPrefix(name, "shift+"):
			s.send(tea.KeyPressMsg{Code: codes[name[6:]], Mod: tea.ModShift})
		case strings.HasPrefix(name, "ctrl+"):
			s.send(tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl})
		default:
			s.send(tea.KeyPressMsg{Code: []rune(name)[0], Text: name})
		}
	}
}

var escape = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// text is the screen without colours.
func (s *screen) text() string {
	s.t.Helper()
	lines := strings.Split(escape.ReplaceAllString(s.m.screen(), ""), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// history is the graph of populations, which depends on when the session counted.
var history = regexp.MustCompile("(pop [0-9,]+) +[▁▂▃▄▅▆▇█]* *")

// golden compares the screen with a file.
func (s *screen) golden(name string) {
	s.t.Helper()
	path := filepath.Join("testdata", name+".txt")
	got := history.ReplaceAllString(s.text(), "$1  (graph)  ")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("%s: the screen is\n%s\nwant\n%s", name, got, want)
	}
}

func (s *screen) has(want string) {
	s.t.Helper()
	if !strings.Contains(s.text(), want) {
		s.t.Errorf("%q is not on the screen\n%s", want, s.text())
	}
}
