package term

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
)

// rle is the present cells of an area, as rows of characters.
func (s *screen) rows(area grid.Rect) string {
	s.t.Helper()
	g, err := s.session.Cells(s.t.Context(), area)
	if err != nil {
		s.t.Fatal(err)
	}
	var rows []string
	for y := range area.H {
		row := ""
		for x := range area.W {
			row += string(".123456789"[g.Get(x, y)])
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "/")
}

// selected compares the selection.
func (s *screen) selected(x, y, w, h int) {
	s.t.Helper()
	if m := s.m.selected; m == nil || m.area != (grid.Rect{X: x, Y: y, W: w, H: h}) {
		s.t.Fatalf("selected is %+v, want %d×%d cells at %d,%d", m, w, h, x, y)
	}
}

// TestSelecting: an area is selected with keys, and everything is done with it that can be done.
func TestSelecting(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider")) // .1./..1/111 at 0,0; the middle is 1,1
	s.press("v", "left", "up", "space", "down", "down", "right", "right", "space")
	s.selected(0, 0, 3, 3)
	s.has("3×3")
	s.press("right", "right") // the cursor alone
	s.selected(0, 0, 3, 3)
	s.golden("selected")
	s.press("?")
	s.has("While selecting\narrows move the cursor") // the beginning of the list
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.golden("help-selecting")
	s.press("?", "ctrl+c")
	if s.m.quitting || !strings.Contains(s.shared, "bo$2bo$3o!") || !strings.Contains(s.shared, "rule = B3/S23") {
		t.Errorf("copied %q", s.shared)
	}
	s.has("copied 3×3")
	all := grid.Rect{X: -1, Y: -1, W: 6, H: 6}
	for _, c := range []struct{ key, want string }{
		{">", "....../.1..../.1.1../.11.../....../......"},
		{"<", "....../..1.../...1../.111../....../......"},
		{"x", "....../..1.../.1..../.111../....../......"},
		{"y", "....../.111../.1..../..1.../....../......"},
		{"z", "....../..1.../.1..../.111../....../......"},
		{"1", "....../.111../.111../.111../....../......"},
		{"0", "....../....../....../....../....../......"},
		{"z", "....../.111../.111../.111../....../......"},
		{"Z", "....../....../....../....../....../......"},
	} {
		s.press(c.key)
		if got := s.rows(all); got != c.want {
			t.Errorf("after %s: %s, want %s", c.key, got, c.want)
		}
		s.selected(0, 0, 3, 3)
	}
	s.press("s")
	s.has("no cell is alive")
	s.press("n", "'1", "enter")
	s.has("seed")
	if got := s.rows(all); got != "....../.111../.111../.111../....../......" {
		t.Errorf("filled with density 1: %s", got)
	}
	s.press("ctrl+x")
	if s.rows(all) != strings.TrimSuffix(strings.Repeat("....../", 6), "/") || !strings.Contains(s.shared, "3o$3o$3o!") {
		t.Errorf("cut %q", s.shared)
	}
	s.press("z", "delete")
	s.has("pop 0")
	s.press("esc")
	if s.m.selected != nil {
		t.Error("escape does not end selecting")
	}
	s.press("v", "ctrl+c")
	s.has("select cells first")
	if s.m.quitting {
		t.Error("ctrl-c without an area quits")
	}
}

// TestStretching: shift and arrows begin an area at the cursor, and go on until arrows move the cursor alone.
func TestStretching(t *testing.T) {
	s := newScreen(t, soupOrigin(t, "B3/S23", 20, 20))
	s.press("v", "shift+right", "shift+right", "shift+down")
	s.selected(10, 10, 3, 2)
	s.press("shift+left", "shift+left", "shift+left")
	s.selected(9, 10, 2, 2)
	s.press("left", "left")
	s.selected(9, 10, 2, 2)
	s.press("shift+up")
	s.selected(7, 10, 1, 2)
	for range 30 {
		s.press("shift+left") // not beyond the edge
	}
	s.selected(0, 10, 8, 2)
	s.press("a")
	s.selected(0, 0, 20, 20)
	s.press("d")
	if s.m.selected != nil || s.m.pen == nil {
		t.Error("d does not draw")
	}
	s.press("v")
	if s.m.selected == nil || s.m.pen != nil {
		t.Error("v does not select")
	}
	s.press("ctrl+a", "o", "'acorn", "enter")
	if s.m.selected != nil {
		t.Error("what was selected is selected in another universe")
	}
	s.press("a")
	s.selected(0, 0, 7, 3)
	s.press("r", "'B3/S23:T30,20", "enter") // an edge comes: cells have other numbers
	s.selected(15, 10, 7, 3)
}

// TestObjectsAreSelected: w selects what hangs together with the cursor's cell, s shrinks.
func TestObjectsAreSelected(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "gosper-gun")) // 36×9, with a block at 0,4
	s.press("v")
	s.m.selected.at = grid.Rect{X: 1, Y: 5, W: 1, H: 1}
	s.press("w")
	s.selected(0, 4, 2, 2)
	s.press("a")
	s.selected(0, 0, 36, 9)
	s.m.choose(grid.Rect{X: -5, Y: 2, W: 9, H: 9})
	s.press("s")
	s.selected(0, 4, 2, 2)
}

// TestMouseSelects: dragging selects while one selects, and with the right button or a modifier at any time.
func TestMouseSelects(t *testing.T) {
	s := newScreen(t, soupOrigin(t, "B3/S23", 64, 32))
	s.press("1", "m")
	w, h := s.m.size()
	at := func(x, y int) (int, int) { return s.m.camera.At(w, h, x, 2*y) }
	drag := func(button tea.MouseButton, mod tea.KeyMod) {
		s.send(tea.MouseClickMsg{X: 5, Y: 3, Button: button, Mod: mod})
		s.send(tea.MouseMotionMsg{X: 20, Y: 7, Button: button, Mod: mod})
		s.send(tea.MouseReleaseMsg{X: 20, Y: 7, Button: button, Mod: mod})
		s.send(tea.MouseMotionMsg{X: 40, Y: 9})
	}
	camera := s.m.camera
	for _, c := range []struct {
		button tea.MouseButton
		mod    tea.KeyMod
		mode   string
	}{
		{tea.MouseLeft, 0, "v"},
		{tea.MouseRight, 0, ""},
		{tea.MouseLeft, tea.ModShift, ""},
		{tea.MouseLeft, tea.ModAlt, ""},
		{tea.MouseRight, 0, "d"},
	} {
		s.press("esc")
		if c.mode != "" {
			s.press(c.mode)
		}
		drag(c.button, c.mod)
		x, y := at(5, 3)
		s.selected(x, y, 16, 9)
		if s.m.camera != camera {
			t.Fatalf("button %v moves the camera", c.button)
		}
	}
	s.press("[", "[", "[") // blocks of 8×8 cells
	drag(tea.MouseRight, 0)
	x, y := s.m.camera.At(w, h, 5, 6)
	want := grid.Rect{X: x, Y: y, W: 16 * 8, H: 9 * 8}.Intersect(grid.Rect{W: 64, H: 32})
	if s.m.selected.area != want {
		t.Errorf("from afar %v is selected, want %v", s.m.selected.area, want)
	}
}

// TestPasting: what was copied floats, is turned, moved with keys and the mouse, and put down in three ways.
func TestPasting(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider"))
	s.press("ctrl+v")
	s.has("nothing has been copied")
	s.press("a", "ctrl+c", "esc", "ctrl+v")
	s.has("pasting (or)")
	s.golden("pasting")
	s.press("?")
	s.has("put it down")
	s.press("?", ">", "right", "right", "right", "shift+right", "enter")
	area := grid.Rect{X: 13, Y: 0, W: 3, H: 3}
	if got := s.rows(area); got != "1../1.1/11." {
		t.Errorf("pasted %s", got)
	}
	s.has("pop 10")
	s.press("z")
	s.has("pop 5 ")
	for _, want := range []string{"1../1.1/11.", ".../.../...", "1../1.1/11."} { // or, xor, replace
		s.press("ctrl+v")
		s.m.floating.x, s.m.floating.y = 13, 0
		s.press("space")
		if got := s.rows(area); got != want {
			t.Errorf("pasted with %s: %s, want %s", s.m.joinsBy(), got, want)
		}
		s.press("ctrl+v", "o", "esc")
	}
	if s.m.joins != cells.Or {
		t.Errorf("after three modes %s", s.m.joinsBy())
	}

	s.press("z", "z", "z", "ctrl+v")
	w, h := s.m.size()
	x, y := s.m.camera.At(w, h, 40, 20)
	s.send(tea.MouseMotionMsg{X: 40, Y: 10}) // no button is down
	if s.m.floats() != (grid.Rect{X: x - 1, Y: y - 1, W: 3, H: 3}) {
		t.Errorf("under the mouse at %d,%d: %v", x, y, s.m.floats())
	}
	if s.m.View().MouseMode != tea.MouseModeAllMotion {
		t.Error("the terminal is not asked where the mouse is")
	}
	s.send(tea.MouseClickMsg{X: 41, Y: 10, Button: tea.MouseLeft})
	s.send(tea.MouseReleaseMsg{X: 41, Y: 10, Button: tea.MouseLeft})
	if got := s.rows(grid.Rect{X: x, Y: y - 1, W: 3, H: 3}); got != "1../1.1/11." || s.m.floating != nil {
		t.Errorf("with a click %s is pasted", got)
	}
	s.press("v", "shift+down", "ctrl+v") // where the selection begins
	if f := s.m.floating; f.x != s.m.selected.area.X || f.y != s.m.selected.area.Y {
		t.Errorf("floats at %v, not in the selection at %v", *f, s.m.selected.area)
	}
	s.press("ctrl+c")
	if s.m.floating != nil || s.m.quitting {
		t.Error("ctrl-c does not end pasting alone")
	}
}

// TestPastedText: text that the terminal pastes is a pattern, or what a prompt asks for.
func TestPastedText(t *testing.T) {
	s := newScreen(t, patternOrigin(t, "glider"))
	for _, text := range []string{
		"x = 3, y = 2, rule = B3/S23\rb2o$\rbo!\r", "bb\r\nb2o\r\n$bo!", ".OO\n.O.",
		"#Life 1.06\r1 0\r2 0\r1 1",
	} {
		s.send(tea.PasteMsg{Content: text})
		if s.m.floating == nil {
			s.has("no pattern")
			if !strings.HasPrefix(text, "bb") {
				t.Errorf("%q does not float: %s", text, s.m.message)
			}
			continue
		}
		if n := s.m.clip.Population(); n != 3 {
			t.Errorf("%q has %d cells", text, n)
		}
		s.press("esc")
	}
	s.press("r")
	s.send(tea.PasteMsg{Content: "HighLife\r"})
	s.press("enter")
	s.has("B36/S23")
	s.send(tea.PasteMsg{Content: "good morning"})
	s.has("no pattern")
	s.send(tea.PasteMsg{Content: "x = 5000, y = 5000\no!"})
	s.has("at most")
	s.send(tea.PasteMsg{Content: "x = 1, y = 1, rule = /2/3\nB!"})
	s.press("enter")
	s.has("the rule has states 0 to 1")
}

// TestSelectingWithoutColours: the selection and the cursor are visible on a terminal without colours.
func TestSelectingWithoutColours(t *testing.T) {
	for _, braille := range []bool{false, true} {
		s := newScreen(t, patternOrigin(t, "glider"))
		s.m.braille = braille
		s.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
		if s.press("v", "left", "left", "left", "left"); !strings.Contains(s.text(), "+") {
			t.Errorf("no cursor:\n%s", s.text())
		}
		seen := s.m.frame.Region
		s.m.choose(grid.Rect{X: seen.X + 8, Y: seen.Y + 8, W: 4, H: 4})
		want := map[bool]int{false: 8, true: 2}[braille]
		if n := strings.Count(s.text(), "·"); n != want {
			t.Errorf("%d dots, want %d:\n%s", n, want, s.text())
		}
	}
}
