package term

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/gosper-life/gosper/sim"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

func TestScreens(t *testing.T) {
	gun := newScreen(t, patternOrigin(t, "gosper-gun"))
	gun.golden("gun")
	gun.press("b")
	gun.golden("gun-braille")
	gun.press("b", "space", "space", "+", "+", "+", "tab")
	gun.has("gen 10 ")
	gun.press("g", "'1,000", "enter")
	gun.has("gen 1,000")
	gun.golden("gun-1000")
	gun.press("f")
	gun.golden("gun-1000-fitted")
	gun.press("]", "]", "]", "]", "]", "right")
	gun.golden("gun-near")

	soup := newScreen(t, soupOrigin(t, "B3/S23", 300, 200))
	soup.golden("soup")
	soup.press("b")
	soup.golden("soup-braille")
	brain := newScreen(t, soupOrigin(t, "Brian's Brain", 60, 30))
	brain.press("space")
	brain.golden("brain")
	brain.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	brain.press("?")
	brain.golden("help")
	brain.press("esc")
	if strings.Contains(brain.text(), "next generation") {
		t.Error("escape does not close the help")
	}
}

// TestVolumes goes through the slices of a volume and draws on one.
func TestVolumes(t *testing.T) {
	r, err := rule.Parse("3D4,5/5")
	if err != nil {
		t.Fatal(err)
	}
	size, err := topology.NewVolume(topology.Torus, 30, 20, 10)
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromSoup(sim.Config{Rule: r, Topology: size}, 0, 0, 7, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, from)
	s.has("z 5/10  1:1 at 15,10,5")
	shows := func(axis byte, at int) {
		t.Helper()
		f, st := s.m.frame, s.session.Status()
		want := scene.Slice{Axis: axis, At: at}
		if f.Slice != want {
			t.Fatalf("the slice is %+v, want %+v", f.Slice, want)
		}
		err := s.session.Read(t.Context(), func(cells grid.Source, _ pattern.Meta) error {
			live := 0
			w, h := want.Size(st.Topology)
			for row := range h {
				for column := range w {
					var word [1]uint64
					x, y, _ := want.Stored(st.Topology, column, row)
					if err := cells.ReadRow(word[:], 0, x, y, 1); err != nil {
						return err
					}
					live += int(word[0])
					if got := f.State(column-f.X, row-f.Y); uint64(got) != word[0] {
						t.Errorf("%c %d: column %d, row %d is %d, want %d", axis, at, column, row, got, word[0])
					}
				}
			}
			if live == 0 {
				t.Errorf("%c %d is empty", axis, at)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	shows('z', 5)
	s.press(".", ".", "space")
	shows('z', 7)
	s.press(".", ".", ".", ",")
	shows('z', 9)
	s.press("i")
	shows('x', 15)
	s.has("x 15/30  1:1 at 15,10,5")
	s.press("i", ",")
	shows('y', 9)
	before := s.session.Status().Population
	s.press("d", "space")
	x, y, z := s.m.slice.Cell(s.m.pen.x, s.m.pen.y)
	if x != 15 || y != 9 || z != 5 {
		t.Errorf("the pen is at %d,%d,%d", x, y, z)
	}
	if now := s.session.Status().Population; now != before+1 && now != before-1 {
		t.Errorf("population %d, was %d", now, before)
	}
	shows('y', 9)
	for _, key := range []string{"esc", "v", "a", "ctrl+v"} {
		if s.press(key); key != "esc" {
			s.has("in three dimensions")
		}
	}
	s.press("r", "'4/4/5/M", "enter")
	s.has("4/4/5/M")
	if st := s.session.Status(); st.States != 5 || !st.Topology.Volume() {
		t.Errorf("the new rule: %+v", st)
	}
	s.press("r", "'B3/S23:T40,30", "enter")
	if !s.m.failed || !s.session.Status().Topology.Volume() {
		t.Errorf("a rule has changed the number of dimensions: %s", s.m.message)
	}
	s.press("o", "'glider", "enter", "i")
	s.has("slices are of universes with three dimensions")
}

func TestDrawing(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider"))
	s.press("ctrl+r", "d")
	x, y := s.m.pen.x, s.m.pen.y
	s.press("right", "right", "right", "right", "space", "down", "space", "left", "space", "up", "1")
	s.has("pop 9")
	s.golden("drawn")
	s.press("space") // one of them off again
	s.has("pop 8")
	if s.m.pen.x != x+3 || s.m.pen.y != y {
		t.Errorf("the pen is at %d,%d, want %d,%d", s.m.pen.x, s.m.pen.y, x+3, y)
	}
	s.press("z", "z", "z", "esc")
	s.has("pop 7")
	if s.m.pen != nil {
		t.Error("escape does not end drawing")
	}
	s.press("d")
	s.send(tea.MouseClickMsg{X: 2, Y: 2, Button: tea.MouseLeft})
	s.send(tea.MouseMotionMsg{X: 12, Y: 7, Button: tea.MouseLeft})
	s.send(tea.MouseReleaseMsg{X: 12, Y: 7, Button: tea.MouseLeft})
	s.send(tea.MouseMotionMsg{X: 15, Y: 7})
	s.has("pop 18") // a line of 11
}

func TestCommandsOfTheKeys(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "gosper-gun"))
	s.press("enter")
	if !s.session.Status().Playing {
		t.Error("enter does not play")
	}
	s.press("x")
	if v := s.session.Status().Speed; v != (session.Speed{}) {
		t.Errorf("x sets speed %+v", v)
	}
	s.press("enter", "x", "-", "-")
	if v := s.session.Status(); v.Playing || v.Speed != (session.Speed{Step: 1, PerSecond: 7.5}) {
		t.Errorf("enter, x, -, -: %+v", v)
	}
	s.press("ctrl+r")
	s.has("gen 0 ")
	s.press("r", "'HighLyfe", "enter")
	s.has("HighLyfe")
	if !s.m.failed {
		t.Error("no error with a rule nobody knows")
	}
	s.press("r", "'HighLife:T40,30", "enter")
	s.has("B36/S23:T40,30")
	s.press("n", "'0.3 42", "enter")
	s.has("seed 42")
	if soup := s.session.Status().Soup; soup == nil ||
		!reflect.DeepEqual(*soup, session.Soup{W: 40, H: 30, Seed: 42, Density: 0.3}) {
		t.Errorf("the random fill is %+v", soup)
	}
	s.press("n", "'lots", "enter")
	s.has("want a density")
	s.press("o", "'acornx", "backspace", "enter")
	s.has("pop 7")
	s.press("o", "'nothing of the kind", "enter")
	s.has("file does not exist")
	s.press("g", "'+7", "enter")
	s.has("gen 7 ")
	s.press("g", "'soon", "enter")
	s.has(`generation "soon"`)
	s.press("z")
	s.has("gen 0 ")
	s.press("q")
	if !s.m.quitting {
		t.Error("q does not quit")
	}
}

func TestSaving(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider"))
	t.Chdir(t.TempDir())
	const path = "g.rle"
	s.press("g", "'4", "enter", "s", "'"+path, "enter")
	s.has("saved as")
	p, err := pattern.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if p.Cells.Population() != 5 || p.Generation != 4 {
		t.Errorf("saved %d cells of generation %d", p.Cells.Population(), p.Generation)
	}
	s.press("s", "'"+path, "enter")
	s.has("put ! after the name")
	s.press("space", "s", "'"+path+"!", "enter")
	if p, err = pattern.ReadFile(path); err != nil || p.Generation != 5 {
		t.Errorf("replaced by generation %d, %v", p.Generation, err)
	}
	s.press("s", "'g.doc", "enter")
	s.has("g.doc")
	if _, err := os.Stat("g.doc"); err == nil || !s.m.failed {
		t.Error("a file of no known kind is written")
	}
}

func TestMouseMovesTheCamera(t *testing.T) {
	s := newScreen(t, soupOrigin(t, "B3/S23", 1000, 1000))
	s.press("1")
	w, h := s.m.size()
	x, y := s.m.camera.At(w, h, 10, 8)
	s.send(tea.MouseClickMsg{X: 10, Y: 4, Button: tea.MouseLeft})
	s.send(tea.MouseMotionMsg{X: 30, Y: 9, Button: tea.MouseLeft})
	s.send(tea.MouseReleaseMsg{X: 30, Y: 9, Button: tea.MouseLeft})
	if nx, ny := s.m.camera.At(w, h, 30, 18); nx != x || ny != y {
		t.Errorf("the cell %d,%d was dragged, %d,%d is under the pointer", x, y, nx, ny)
	}
	s.send(tea.MouseWheelMsg{X: 30, Y: 9, Button: tea.MouseWheelDown})
	if s.m.camera.Zoom != -1 {
		t.Errorf("after the wheel the zoom is %d", s.m.camera.Zoom)
	}
	s.press("]", "]", "]", "]") // 8 pixels a cell: no drift while the pointer moves within one
	x, y = s.m.camera.At(w, h, 20, 16)
	s.send(tea.MouseClickMsg{X: 20, Y: 8, Button: tea.MouseLeft})
	for to := 21; to <= 40; to++ {
		s.send(tea.MouseMotionMsg{X: to, Y: 8, Button: tea.MouseLeft})
	}
	s.send(tea.MouseReleaseMsg{X: 40, Y: 8, Button: tea.MouseLeft})
	if nx, ny := s.m.camera.At(w, h, 40, 16); nx != x || ny != y {
		t.Errorf("near by, the cell %d,%d was dragged, %d,%d is under the pointer", x, y, nx, ny)
	}
	s.press("m")
	if s.m.camera.X != 500 || s.m.camera.Y != 500 {
		t.Errorf("the middle is at %d,%d", s.m.camera.X, s.m.camera.Y)
	}
}

// TestOutside: who opens a pattern that is larger than its bounded grid is told.
func TestOutside(t *testing.T) {
	p, err := pattern.Read(strings.NewReader("x = 20, y = 3, rule = B3/S23:T10,10\n20o$20o$20o!"), "wide.rle")
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	newScreen(t, from).has("30 cells outside are left out")
}

// TestBack: the keys that go back show the cells that were there, also after the start is reached.
func TestBack(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "rpentomino"))
	var seen []string
	for range 12 {
		seen = append(seen, s.text()[:strings.LastIndex(s.text(), "■")])
		s.press("space")
	}
	shows := func(g int) {
		t.Helper()
		s.has(fmt.Sprintf("gen %d ", g))
		if got := s.text(); got[:strings.LastIndex(got, "■")] != seen[g] {
			t.Errorf("generation %d is\n%s\nwant\n%s", g, got, seen[g])
		}
	}
	s.press("backspace", "backspace")
	shows(10)
	s.press("+", "+", "shift+tab")
	shows(6)
	s.press("space", "backspace")
	shows(6)
	s.press("shift+tab", "shift+tab")
	shows(0)
	s.press("backspace")
	s.has("no generation comes before the start")
	s.press("g", "'11", "enter", "enter", "backspace") // also while it plays
	if st := s.session.Status(); st.Playing || st.Generation < 10 {
		t.Errorf("backspace while playing: %+v", st)
	}
}

// TestEveryKeyAtEverySize: no key and no size of the terminal makes the viewer fail. Lines never exceed the width,
// and their number is the number of rows.
func TestEveryKeyAtEverySize(t *testing.T) {
	var names []string
	for key := range keymap(append(sections(), selecting(), pasting())...) {
		if key != "q" && key != "ctrl+c" && key != "ctrl+z" && len([]rune(key)) == 1 {
			names = append(names, key)
		}
	}
	names = append(names, "left", "right", "shift+left", "shift+down", "enter", "esc", "tab", "'12", "'acorn", "backspace",
		"shift+tab", "ctrl+v", "ctrl+x")
	s := newScreen(t, soupOrigin(t, "345/2/4", 90, 70))
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 5).Draw(rt, "events") {
			if rapid.IntRange(0, 4).Draw(rt, "kind") == 0 {
				s.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 130).Draw(rt, "w"), Height: rapid.IntRange(1, 40).Draw(rt, "h")})
			} else {
				key := rapid.SampledFrom(names).Draw(rt, "key")
				if s.m.asked != nil && s.m.asked.label == askSave.label {
					key = "esc"
				}
				s.press(key)
			}
			if s.m.tooSmall() {
				continue
			}
			lines := strings.Split(strings.TrimSuffix(s.text(), "\n"), "\n")
			if len(lines) != s.m.rows {
				rt.Fatalf("%d lines on %d rows", len(lines), s.m.rows)
			}
			for i, line := range lines {
				if n := len([]rune(line)); n > s.m.columns {
					rt.Fatalf("line %d has %d of %d columns:\n%s", i, n, s.m.columns, line)
				}
			}
		}
	})
}

func TestSparkline(t *testing.T) {
	sample := func(g, p uint64) session.Sample { return session.Sample{Generation: g, Population: p} }
	for _, c := range []struct {
		series []session.Sample
		want   string
	}{
		{nil, ""},
		{[]session.Sample{sample(0, 5)}, ""},
		{[]session.Sample{sample(0, 0), sample(10, 0)}, "▁▁▁▁▁▁▁▁"},
		{[]session.Sample{sample(0, 7), sample(70, 7)}, "████████"},
		{[]session.Sample{
			sample(0, 0), sample(10, 1), sample(20, 2), sample(30, 3), sample(40, 4), sample(50, 5),
			sample(60, 6), sample(70, 7),
		}, "▁▂▃▄▅▆▇█"},
		{[]session.Sample{sample(1000, 100), sample(1070, 50)}, "███████▅"},
	} {
		if got := sparkline(c.series, 8); got != c.want {
			t.Errorf("%v: %s, want %s", c.series, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0.13: "0.13", 7.5: "7.5", 30: "30", 9999: "9999", 12_345: "12k",
		3.3e7: "33M",
	} {
		if got := quantity(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := fitted("a\x1b[31mlong\nname", 8); got != "a [31ml…" {
		t.Errorf("%q", got)
	}
}

// TestJobsKeepTheirOrder: commands take effect in the order of the keys, and a full queue is said to be so.
func TestJobsKeepTheirOrder(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	jobs := make(chan job, 64)
	var order []int
	for i := range 10 {
		jobs <- job{do: func(context.Context) error { order = append(order, i); return nil }}
	}
	n := 0
	work(ctx, jobs, func(jobDone) {
		if n++; n == 10 {
			cancel()
		}
	})
	for i, v := range order {
		if i != v {
			t.Fatalf("done in the order %v", order)
		}
	}
	m := newModel(t.Context(), nil, Options{Theme: scene.Themes[0]}, make(chan job))
	m.send(func(context.Context) error { return nil }, "")
	if !m.failed {
		t.Error("a command that found no room is lost in silence")
	}
}

// TestNoColours: where a terminal has none, the trails that ages leave are not taken for cells.
func TestNoColours(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider"))
	s.send(tea.ColorProfileMsg{Profile: 2}) // ASCII
	s.press("c", "space", "space", "space", "space")
	picture := strings.Join(strings.Split(s.text(), "\n")[:16], "")
	if n := strings.Count(picture, "▀") + strings.Count(picture, "▄") + 2*strings.Count(picture, "█"); n != 5 {
		t.Errorf("%d cells are seen, want 5:\n%s", n, s.text())
	}
}

// TestHelpScrolls: on a small screen the help is a list to be scrolled through, all of it.
func TestHelpScrolls(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider"))
	s.send(tea.WindowSizeMsg{Width: 50, Height: 12})
	s.press("?")
	s.has("Run\nenter  play, stop")
	seen := map[string]bool{}
	for range len(s.m.helpList()) {
		for line := range strings.Lines(s.text()) {
			seen[strings.TrimSpace(line)] = true
		}
		s.press("down")
	}
	for _, section := range append(sections(), selecting(), pasting()) {
		for _, b := range section.bindings {
			if b.help != "" && !seen[strings.TrimSpace(pad(b.help, 7)+b.does)] {
				t.Errorf("%s is never seen", b.does)
			}
		}
	}
	s.has("esc    do not paste")
	s.press("home")
	s.has("Run\nenter")
	s.press("?")
	s.press("down") // pans again
	if s.m.help || s.m.camera.Y == 0 {
		t.Error("the help stays, or down does not pan")
	}
}

// TestStatesWithoutColours: if there are no colours, cells in different states look different.
func TestStatesWithoutColours(t *testing.T) {
	s := newScreen(t, soupOrigin(t, "345/2/6", 64, 64))
	s.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	s.press("1")
	var cells []session.Cell
	for state := range 6 {
		for x := range 3 {
			for y := range 2 {
				cells = append(cells, session.Cell{X: 16 + 3*state + x, Y: 32 + y, State: uint8(state)})
			}
		}
	}
	if err := s.session.Load(t.Context(), session.Origin{
		Config: s.m.status.Config,
		Load: func(context.Context, sim.Engine, func(done, total uint64)) error {
			return nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.session.Edit(t.Context(), cells); err != nil {
		t.Fatal(err)
	}
	s.send(nil)
	s.press("1", "m")
	line := ""
	for l := range strings.Lines(s.text()) {
		if strings.Contains(l, "█") {
			line = strings.TrimSpace(l)
		}
	}
	if want := "███▓▓▓▓▓▓▒▒▒░░░"; line != want {
		t.Errorf("states 1 to 5 look like %q, want %q\n%s", line, want, s.text())
	}
}

// TestColourless: colours are for terminals that have them and people who want them.
func TestColourless(t *testing.T) {
	for terminal, want := range map[string]bool{
		"vt100": true, "vt102": true, "vt220": true, "xterm-mono": true, "linux-m": true, "vt320-w": true, "xterm": false,
		"xterm-256color": false,
		"screen":         false, "tmux-256color": false, "linux": false, "vte": false, "": false,
	} {
		if got := colourless("", terminal); got != want {
			t.Errorf("TERM=%s: colourless %v, want %v", terminal, got, want)
		}
	}
	for _, word := range []string{"1", "0", "yes", "true"} {
		if !colourless(word, "xterm-256color") {
			t.Errorf("NO_COLOR=%s means nothing", word)
		}
	}
}

// TestUndoKeepsTheView: a universe that comes back is seen as it was left.
func TestUndoKeepsTheView(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "gosper-gun"))
	s.press("]", "]", "right", "down")
	left := s.m.camera
	s.press("o", "'acorn", "enter")
	if s.m.camera == left {
		t.Fatal("another universe is seen from the same place")
	}
	s.press("left")
	acorn := s.m.camera
	s.press("z")
	if s.m.camera != left {
		t.Errorf("after undo the camera is %+v, was %+v", s.m.camera, left)
	}
	s.press("Z")
	if s.m.camera != acorn {
		t.Errorf("after redo the camera is %+v, was %+v", s.m.camera, acorn)
	}
}

// TestEdgesComeAndGo: when the rule brings an edge, cells have other numbers, and are still seen where they were.
func TestEdgesComeAndGo(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "gosper-gun"))
	s.press("e")
	left := s.m.camera
	s.press("r", "'B3/S23:T60,40", "enter")
	want := scene.Camera{X: left.X + 30, Y: left.Y + 20, Zoom: left.Zoom}
	if s.m.camera != want {
		t.Errorf("with an edge the camera is %+v, want %+v", s.m.camera, want)
	}
	s.press("z")
	if s.m.camera != left {
		t.Errorf("without it again the camera is %+v, was %+v", s.m.camera, left)
	}
}

// TestRuler: the coordinates along the edges are those of the cells beside them. The mouse and the pen show their
// position and the state there.
func TestRuler(t *testing.T) {
	gun := newScreen(t, patternOrigin(t, "gosper-gun"))
	before := gun.m.camera
	gun.press("e")
	gun.golden("gun-ruler")
	if gun.m.camera != before {
		t.Errorf("the ruler moves the camera from %+v to %+v", before, gun.m.camera)
	}
	gun.press("]", "]")
	x, y := gun.m.camera.X, gun.m.camera.Y
	gun.has(fmt.Sprintf("4:1 at %d,%d dead", x, y))
	columns, rows := gun.m.margins()
	w, h := gun.m.size()
	for _, c := range []struct{ x, y int }{{columns, rows}, {columns + 20, 6}, {63, 15}} {
		gun.send(tea.MouseMotionMsg{X: c.x, Y: c.y})
		x, y := gun.m.camera.At(w, h, c.x-columns, 2*(c.y-rows))
		gun.has(fmt.Sprintf("at %d,%d ", x, y))
	}
	gun.send(tea.MouseMotionMsg{X: 2, Y: 0}) // on the ruler
	gun.has(fmt.Sprintf("at %d,%d", x, y))
	gun.press("d", "left", "space")
	gun.has(fmt.Sprintf("at %d,%d alive", x-1, y))
	gun.golden("gun-ruler-near")
	gun.press("esc", "[", "[", "[", "b")
	gun.golden("gun-ruler-far")
	gun.press("e")
	if columns, rows := gun.m.margins(); columns+rows != 0 {
		t.Error("e does not take the ruler away")
	}

	wire := newScreen(t, soupOrigin(t, "WireWorld", 40, 20))
	wire.press("e", "d", "3")
	wire.has("at 0,0 " + wire.m.status.Config.Rule.File.Names[3])
	brain := newScreen(t, soupOrigin(t, "Brian's Brain", 60, 30))
	brain.press("d", "2")
	brain.has("at 0,0 state 2")
	flash := newScreen(t, patternOrigin(t, "glider")) // the background blinks
	flash.press("r", "'B0/S23", "enter", "space", "d", "up", "up", "up", "up")
	flash.has("alive")
}

// TestRulerIsRight: every number of the ruler is beside its cell, at any distance and any scale.
func TestRulerIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, pixels := rapid.IntRange(10, 300).Draw(t, "characters"), rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "pixels")
		zoom := rapid.IntRange(-40, scene.MaxZoom).Draw(t, "zoom")
		far := 1 << rapid.IntRange(0, 58).Draw(t, "distance")
		camera := scene.Camera{X: rapid.IntRange(-far, far).Draw(t, "x"), Zoom: zoom}
		corner := rapid.IntRange(-1000, 1000).Draw(t, "corner")
		w := n * pixels
		r := camera.Region(w, 1)
		all := labels(n, pixels, zoom, r.X+corner, 10)
		for i, l := range all {
			first, _ := camera.At(w, 1, l.at*pixels, 0)
			after, _ := camera.At(w, 1, l.at*pixels+pixels, 0)
			if cell := l.value - corner; cell < first || cell >= max(after, first+1) && after != first {
				t.Fatalf("%d stands at character %d, which shows the cells from %d to %d", l.value, l.at, first+corner,
					after+corner)
			}
			if l.at >= n || i > 0 && l.at-all[i-1].at < 9 {
				t.Fatalf("numbers overlap: %v", all)
			}
		}
		if cells := n * pixels << max(-zoom, 0) >> max(zoom, 0); len(all) == 0 && n >= 60 && cells > 60 {
			t.Fatalf("no numbers along %d cells", cells)
		}
	})
}
