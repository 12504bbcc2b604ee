package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/term/internal/canvas"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/pattern"
)

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	if m.ruler || m.floating != nil {
		v.MouseMode = tea.MouseModeAllMotion // also while no button is down
	}
	v.WindowTitle = "gosper"
	if name := m.status.Title(); name != "" {
		v.WindowTitle = name + " – gosper"
	}
	return v
}

// screen is all of the terminal's lines.
func (m *model) screen() string {
	switch {
	case m.columns == 0:
		return ""
	case m.tooSmall():
		return fmt.Sprintf("needs %d×%d", leastColumns, leastRows)
	}
	lines := m.picture()
	if m.status.Loaded == 0 {
		lines[len(lines)/2] = strings.Repeat(" ", max(0, (m.columns-lipgloss.Width(m.progress()))/2)) + m.progress()
	}
	if m.help {
		box := m.helpBox()
		bw, bh := lipgloss.Size(box)
		if bw <= m.columns && bh <= len(lines) {
			under := lipgloss.NewLayer(strings.Join(lines, "\n"))
			over := lipgloss.NewLayer(box).X((m.columns - bw) / 2).Y((len(lines) - bh) / 2).Z(1)
			lines = strings.Split(lipgloss.NewCompositor(under, over).Render(), "\n")
		} else {
			lines = m.helpPage(len(lines))
		}
	}
	cut := lipgloss.NewStyle().MaxWidth(m.columns)
	return strings.Join(append(lines, cut.Render(m.firstLine()), cut.Render(m.secondLine())), "\n")
}

// picture draws the universe.
func (m *model) picture() []string {
	columns, rows := m.margins()
	if m.frame == nil {
		return make([]string, m.rows-statusRows)
	}
	p := &m.shown
	c := canvas.New(m.columns-columns, m.rows-statusRows-rows, m.braille, m.mono)
	c.Draw(p)
	if pen := m.pen; pen != nil && m.frame.Scale == 0 {
		c.Mark(p.Pixels(grid.Rect{X: pen.x, Y: pen.y, W: 1, H: 1}), m.painter.Theme.Newborn, m.painter.Theme.Died)
	}
	if s := m.selected; s != nil {
		c.Tint(p.Pixels(s.area), selectedTint)
		c.Mark(p.Pixels(s.at), m.painter.Theme.Newborn, selectedTint)
	}
	if m.floating != nil {
		c.Tint(p.Pixels(m.floats()), floatingTint)
		plain := m.painter
		plain.Aged = false
		c.Stamp(p, m.clip, m.floating.x, m.floating.y, coloursOf(plain, 0))
	}
	return m.framed(c.Lines())
}

var (
	dim    = lipgloss.NewStyle().Faint(true)
	bold   = lipgloss.NewStyle().Bold(true)
	red    = lipgloss.NewStyle().Foreground(lipgloss.BrightRed)
	yellow = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// firstLine describes the universe: playing or not, generation, population and its history, rule and name.
func (m *model) firstLine() string {
	st := &m.status
	sign := "■"
	if st.Playing {
		sign = "▶"
	}
	left := fmt.Sprintf("%s %s %s  %s %s", yellow.Render(sign), dim.Render("gen"),
		bold.Render(pad(number.Grouped(st.Generation), 7)),
		dim.Render("pop"), bold.Render(pad(number.Grouped(st.Population), 6)))
	const graph = 16
	left += " " + yellow.Render(pad(sparkline(m.series, graph), graph)) + " "
	right := st.Rule
	switch {
	case st.Name != "":
		right += "  " + st.Title()
	case st.Soup != nil:
		right += fmt.Sprintf("  seed %d", st.Soup.Seed)
		if st.Edited {
			right += ", edited"
		}
	}
	return left + fitted(right, m.columns-lipgloss.Width(left))
}

// secondLine describes the viewer, or shows a prompt or a message.
func (m *model) secondLine() string {
	if p := m.asked; p != nil {
		line := bold.Render(p.label+": ") + last(p.text, m.columns/2) + "▏"
		if p.text == "" {
			line += dim.Render(fitted(" "+p.hint, m.columns-lipgloss.Width(line)))
		}
		return line
	}
	left := fmt.Sprintf("%s  %s", pad(m.pace(), 20), m.place())
	room := m.columns - lipgloss.Width(left) - 2
	help := "? for help"
	if room < len(help) {
		help = "?"
	}
	note := dim.Render(fitted(help, room))
	switch {
	case m.failed:
		note = red.Render(fitted(m.message, room))
		if lipgloss.Width(m.message) > room { // an error may take the whole line
			return red.Render(fitted(m.message, m.columns))
		}
	case m.message != "":
		note = fitted(m.message, room)
	case m.status.Loaded > 0 && m.progress() != "":
		note = fitted(m.progress(), room)
	case m.floating != nil:
		note = fitted("pasting ("+m.joinsBy()+"): enter, mouse; esc ends", room)
	case m.selected != nil:
		note = fitted("selecting: space, mouse; esc ends", room)
	case m.pen != nil:
		note = fitted("drawing: space, mouse; esc ends", room)
	}
	return left + "  " + note
}

// progress says how much of a universe has been loaded. It is empty if none is being loaded, or not for long.
func (m *model) progress() string {
	p := m.status.Loading
	what := "loading"
	switch first := m.status.Loaded == 0; {
	case first && m.name != "":
		what += " " + m.name
	case !first && (p == nil || m.received.Sub(m.loading) < patience):
		return ""
	}
	if p != nil && p.Total > 0 {
		return fmt.Sprintf("%s: %.0f %%", what, 100*float64(p.Done)/float64(p.Total))
	}
	return what + "…"
}

// patience is the longest time that loading may take before the line shows it.
const patience = 300 * time.Millisecond

// place says where the camera, the mouse, the pen or the cursor is, in the coordinates of pattern files, and in
// which state the cell there is, or how large the selection.
func (m *model) place() string {
	x, y := m.pointed()
	cx, cy := pattern.Corner(m.sheet())
	scale := fmt.Sprintf("%d:1", 1<<max(m.camera.Zoom, 0))
	if m.camera.Zoom < 0 {
		scale = fmt.Sprintf("1:%s", quantity(math.Exp2(float64(-m.camera.Zoom))))
	}
	place := fmt.Sprintf("%s at %d,%d", scale, x+cx, y+cy)
	if s := m.slice; s.Axis != 0 {
		cx, cy, cz := s.Cell(x, y)
		place = fmt.Sprintf("%c %d/%d  %s at %d,%d,%d", s.Axis, s.At, s.Number(m.status.Topology), scale, cx, cy, cz)
	}
	if m.ruler || m.pen != nil {
		place = strings.TrimSpace(place + " " + m.stateName(x, y))
	}
	area := m.floats()
	if s := m.selected; s != nil && m.floating == nil {
		area = s.area
	}
	if !area.Empty() {
		place += fmt.Sprintf("  %d×%d", area.W, area.H)
	}
	return place
}

// sparkline draws the populations of a series in width characters, from none to the most.
func sparkline(series []session.Sample, width int) string {
	if len(series) < 2 {
		return ""
	}
	var most uint64
	for _, p := range series {
		most = max(most, p.Population)
	}
	first, last := series[0].Generation, series[len(series)-1].Generation
	var b strings.Builder
	i := 0
	for column := range width {
		// Take the last sample at or before the generation of the column.
		g := first + uint64(float64(last-first)*float64(column)/float64(width-1))
		for i+1 < len(series) && series[i+1].Generation <= g {
			i++
		}
		level := 0
		if most > 0 {
			level = int(math.Round(7 * float64(series[i].Population) / float64(most)))
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[level])
	}
	return b.String()
}

// fitted cuts a text to a width, with an ellipsis at the cut.
func fitted(s string, width int) string {
	r := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s))
	switch {
	case width <= 0:
		return ""
	case len(r) > width:
		return string(r[:width-1]) + "…"
	}
	return string(r)
}

// last returns the end of a text that is too long.
func last(s string, width int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-width):])
}

// quantity writes a number in about three digits: 12.5, 3.4k, 1.1M.
func quantity(v float64) string {
	prefix := 0
	for v >= 10_000 && prefix < 5 {
		v, prefix = v/1000, prefix+1
	}
	if v < 10 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(math.Round(v), 'f', -1, 64) + []string{"", "k", "M", "G", "T", "P"}[prefix]
}
