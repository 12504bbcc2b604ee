package term

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
)

// binding assigns an action to a key.
type binding struct {
	keys []string // in the form of tea.Key.String
	help string   // the keys and what they do; empty if the help has no line for it
	does string
	do   func(m *model)
}

// section holds the bindings of one column of the help.
type section struct {
	title    string
	bindings []binding
}

// sections lists all keys except those of prompts and of modes. They are Golly's defaults if Golly has one,
// except that h and l pan, as in most terminal programs.
func sections() []section {
	pan := func(dx, dy int) func(m *model) { return func(m *model) { m.pan(dx, dy) } }
	scale := func(zoom int) func(m *model) { return func(m *model) { m.zoomTo(zoom) } }
	return []section{
		{"Run", []binding{
			{[]string{"enter", "p"}, "enter", "play, stop", (*model).playOrPause},
			{[]string{"space", " "}, "space", "next generation", func(m *model) { m.step(1) }},
			{[]string{"tab"}, "tab", "next step", func(m *model) { m.step(m.stepSize()) }},
			{[]string{"backspace", "shift+space"}, "bksp", "generation back", func(m *model) { m.back(1) }},
			{[]string{"shift+tab"}, "sh-tab", "step back", func(m *model) { m.back(m.stepSize()) }},
			{[]string{"+", "="}, "+ =", "faster", func(m *model) { m.faster(1) }},
			{[]string{"-", "_"}, "- _", "slower", func(m *model) { m.faster(-1) }},
			{[]string{"x"}, "x", "full rate", (*model).fullRate},
			{[]string{"g"}, "g", "go to generation", func(m *model) { m.ask(askGeneration) }},
			{[]string{"ctrl+r"}, "ctrl-r", "reset", (*model).reset},
			{[]string{"z", "u"}, "z Z", "undo, redo", (*model).undo},
			{[]string{"Z", "shift+z", "U", "ctrl+y"}, "", "", (*model).redo},
		}},
		{"Look", []binding{
			{[]string{"left", "h"}, "arrows", "pan, as hjkl do", pan(-1, 0)},
			{[]string{"down", "j"}, "shift", "pan half a screen", pan(0, 1)},
			{[]string{"up", "k"}, "mouse", "drag, wheel", pan(0, -1)},
			{[]string{"right", "l"}, "", "", pan(1, 0)},
			{[]string{"shift+left", "H"}, "", "", pan(-5, 0)},
			{[]string{"shift+down", "J"}, "", "", pan(0, 5)},
			{[]string{"shift+up", "K"}, "", "", pan(0, -5)},
			{[]string{"shift+right", "L"}, "", "", pan(5, 0)},
			{[]string{"]"}, "]", "zoom in", func(m *model) { m.zoom(1) }},
			{[]string{"["}, "[", "zoom out", func(m *model) { m.zoom(-1) }},
			{[]string{"1"}, "1", "1:1", scale(0)},
			{[]string{"2"}, "2 4 8", "1:2 1:4 1:8", scale(-1)},
			{[]string{"4"}, "", "", scale(-2)},
			{[]string{"8"}, "", "", scale(-3)},
			{[]string{"6"}, "6 3", "1:16 1:32", scale(-4)},
			{[]string{"3"}, "", "", scale(-5)},
			{[]string{"f"}, "f", "fit everything", (*model).fit},
			{[]string{"t"}, "t", "keep fitting", (*model).toggleAutoFit},
			{[]string{"m"}, "m", "go to the middle", (*model).middle},
			{[]string{"b"}, "b", "braille on, off", (*model).toggleBraille},
			{[]string{"e"}, "e", "coordinates", (*model).toggleRuler},
			{[]string{"c"}, "c", "colours by age", (*model).toggleAges},
			{[]string{"y"}, "y", "next theme", (*model).nextTheme},
			{[]string{","}, ", .", "slice of a volume", func(m *model) { m.moveSlice(-1) }},
			{[]string{"."}, "", "", func(m *model) { m.moveSlice(1) }},
			{[]string{"i"}, "i", "volume: next axis", func(m *model) {
				if m.nextAxis() {
					m.pen = nil // it was on another plane
				}
			}},
		}},
		{"Change", []binding{
			{[]string{"d", "f2"}, "d", "draw", (*model).draw},
			{[]string{"v", "f4"}, "v", "select", (*model).startSelecting},
			{[]string{"a", "ctrl+a"}, "a", "select all", (*model).selectAll},
			{[]string{"ctrl+v"}, "ctrl-v", "paste", (*model).paste},
			{[]string{"n", "ctrl+5"}, "n", "random fill", func(m *model) { m.ask(askFill) }},
			{[]string{"r"}, "r", "rule", func(m *model) { m.ask(askRule) }},
			{[]string{"o", "ctrl+o"}, "o", "open a pattern", func(m *model) { m.ask(askOpen) }},
			{[]string{"s", "ctrl+s"}, "s", "save", func(m *model) { m.ask(askSave) }},
			{[]string{"?", "f1"}, "?", "this help", func(m *model) { m.help, m.scrolled = !m.help, 0 }},
			{[]string{"q", "ctrl+c"}, "q", "quit", func(m *model) { m.quitting = true }},
			{[]string{"ctrl+z"}, "", "", func(m *model) { m.suspending = true }},
		}},
		{"While drawing", []binding{
			{nil, "arrows", "move the cursor", nil},
			{nil, "space", "live or dead", nil},
			{nil, "0 … 9", "give that state", nil},
			{nil, "mouse", "draw", nil},
			{nil, "esc", "stop drawing", nil},
		}},
	}
}

// selecting lists the keys while one selects.
func selecting() section {
	move := func(dx, dy int) func(m *model) { return func(m *model) { m.moveCursor(dx, dy, false) } }
	stretch := func(dx, dy int) func(m *model) { return func(m *model) { m.moveCursor(dx, dy, true) } }
	turn := func(how cells.Turn) func(m *model) { return func(m *model) { m.turnSelection(how) } }
	s := section{"While selecting", []binding{
		{[]string{"left", "h"}, "arrows", "move the cursor", move(-1, 0)},
		{[]string{"down", "j"}, "", "", move(0, 1)},
		{[]string{"up", "k"}, "", "", move(0, -1)},
		{[]string{"right", "l"}, "", "", move(1, 0)},
		{[]string{"space", " "}, "space", "begin an area, end it", (*model).beginArea},
		{[]string{"shift+left", "H"}, "shift", "and arrows: stretch it", stretch(-1, 0)},
		{[]string{"shift+down", "J"}, "", "", stretch(0, 1)},
		{[]string{"shift+up", "K"}, "", "", stretch(0, -1)},
		{[]string{"shift+right", "L"}, "", "", stretch(1, 0)},
		{nil, "mouse", "drag", nil},
		{[]string{"w"}, "w", "whole objects", (*model).selectWhole},
		{[]string{"s"}, "s", "shrink to live cells", (*model).shrinkSelection},
		{[]string{"ctrl+c"}, "ctrl-c", "copy", func(m *model) { m.copySelection(false) }},
		{[]string{"ctrl+x"}, "ctrl-x", "cut", func(m *model) { m.copySelection(true) }},
		{[]string{"delete", "backspace"}, "del", "clear", (*model).clearSelection},
		{nil, "0 … 9", "fill with that state", nil},
		{[]string{"n", "ctrl+5"}, "n", "fill at random", func(m *model) {
			m.onSelection(func(grid.Rect) { m.ask(askFill) })
		}},
		{[]string{"<"}, "< >", "turn left, right", turn(cells.Left)},
		{[]string{">"}, "", "", turn(cells.Right)},
		{[]string{"x"}, "x", "exchange left, right", turn(cells.Across)},
		{[]string{"y"}, "y", "exchange top, bottom", turn(cells.Over)},
		{[]string{"esc", "v", "f4"}, "esc", "stop selecting", (*model).stopSelecting},
	}}
	for state := range uint8(10) {
		s.bindings = append(s.bindings, binding{[]string{string('0' + rune(state))}, "", "", func(m *model) {
			m.fillSelection(state)
		}})
	}
	return s
}

// pasting lists the keys while copied cells float.
func pasting() section {
	move := func(dx, dy int) func(m *model) { return func(m *model) { m.moveFloating(dx, dy) } }
	turn := func(how cells.Turn) func(m *model) { return func(m *model) { m.turnFloating(how) } }
	return section{"While pasting", []binding{
		{[]string{"left", "h"}, "arrows", "move it", move(-1, 0)},
		{[]string{"down", "j"}, "", "", move(0, 1)},
		{[]string{"up", "k"}, "", "", move(0, -1)},
		{[]string{"right", "l"}, "", "", move(1, 0)},
		{[]string{"shift+left", "H"}, "shift", "ten at a time", move(-10, 0)},
		{[]string{"shift+down", "J"}, "", "", move(0, 10)},
		{[]string{"shift+up", "K"}, "", "", move(0, -10)},
		{[]string{"shift+right", "L"}, "", "", move(10, 0)},
		{nil, "mouse", "move it, click", nil},
		{[]string{"enter", "space", " "}, "enter", "put it down", (*model).putDown},
		{[]string{"o"}, "o", "or, xor, replace", (*model).nextMode},
		{[]string{"<"}, "< >", "turn left, right", turn(cells.Left)},
		{[]string{">"}, "", "", turn(cells.Right)},
		{[]string{"x"}, "x y", "exchange sides", turn(cells.Across)},
		{[]string{"y"}, "", "", turn(cells.Over)},
		{[]string{"esc", "ctrl+c"}, "esc", "do not paste", (*model).dropFloating},
	}}
}

// keymap finds the bindings of sections by key.
func keymap(of ...section) map[string]func(*model) {
	all := map[string]func(*model){}
	for _, s := range of {
		for _, b := range s.bindings {
			for _, key := range b.keys {
				all[key] = b.do
			}
		}
	}
	return all
}

// lines lists the bindings that have a line in the help.
func (s section) lines() []string {
	lines := []string{bold.Render(s.title)}
	for _, b := range s.bindings {
		if b.help != "" {
			lines = append(lines, yellow.Render(pad(b.help, 7))+b.does)
		}
	}
	return lines
}

// pad fills a text up to a width.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-lipgloss.Width(s)))
}

// typed returns the text that a key types; it is empty for other keys.
func typed(k tea.Key) string {
	if k.Mod&^tea.ModShift != 0 {
		return ""
	}
	return k.Text
}
