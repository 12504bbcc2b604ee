package term

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// manual shows the keys.
type manual struct {
	orders   *orders
	view     *view
	selector *selector
	paster   *paster
	help     bool
	scrolled int // lines of the help above the screen, if the screen is too small for all of it
}

// helpBox returns the overlay that lists the keys: while one selects or pastes, those that mean something else then.
func (h *manual) helpBox() string {
	all := sections()
	shown := [][]section{all[:1], all[1:2], all[2:]}
	if h.selector.selected != nil || h.paster.floating != nil {
		shown = [][]section{{selecting()}, {pasting()}}
	}
	var columns []string
	for k, column := range shown {
		var lines []string
		for i, s := range column {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, s.lines()...)
		}
		apart := 2
		if k == len(shown)-1 {
			apart = 0
		}
		columns = append(columns, lipgloss.NewStyle().PaddingRight(apart).Render(strings.Join(lines, "\n")))
	}
	box := lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).Padding(0, 1)
	return box.Render(lipgloss.JoinHorizontal(lipgloss.Top, columns...))
}

// helpList returns all keys in one column, for small screens, those of the present mode first.
func (h *manual) helpList() []string {
	var lines []string
	all := append(sections(), selecting(), pasting())
	switch {
	case h.paster.floating != nil:
		all = append([]section{pasting(), selecting()}, sections()...)
	case h.selector.selected != nil:
		all = append([]section{selecting(), pasting()}, sections()...)
	}
	for _, s := range all {
		if lines != nil {
			lines = append(lines, "")
		}
		lines = append(lines, s.lines()...)
	}
	return lines
}

// helpPage returns the part of the list that fits in the given rows.
func (h *manual) helpPage(rows int) []string {
	all := h.helpList()
	h.scrolled = max(0, min(h.scrolled, len(all)-rows))
	page := append([]string{}, all[h.scrolled:min(h.scrolled+rows, len(all))]...)
	for len(page) < rows {
		page = append(page, "")
	}
	if h.orders.message == "" {
		h.orders.say("↑ ↓ for the rest, ? closes")
	}
	return page
}

// scroll moves through the help on a small screen. It reports whether the key means that.
func (h *manual) scroll(key string) bool {
	rows := h.view.rows - statusRows
	if width, height := lipgloss.Size(h.helpBox()); width <= h.view.columns && height <= rows {
		return false
	}
	by, ok := map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -rows, "pgdown": rows, "space": rows, "home": -len(h.helpList()),
		"end": len(h.helpList()),
	}[key]
	h.scrolled = max(0, min(h.scrolled+by, len(h.helpList())-rows))
	return ok
}
