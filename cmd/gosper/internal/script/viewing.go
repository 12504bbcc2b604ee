package script

import (
	"math"
	"math/big"
	"runtime"
	"slices"
	"time"
)

// system is the operating system in Golly's words.
func system() string {
	switch runtime.GOOS {
	case "windows":
		return "Windows"
	case "darwin":
		return "Mac"
	}
	return "Linux"
}

// The size of the view in pixels, which nobody sees.
const viewWidth, viewHeight = 800, 600

// optionValues are Golly's options with their usual values.
func optionValues() map[string]int64 {
	return map[string]int64{
		"autofit": 0, "boldspacing": 10, "drawingstate": 1, "fullscreen": 0, "hyperspeed": 0, "maxdelay": 2000,
		"mindelay": 250, "opacity": 50, "restoreview": 1, "savexrle": 1, "showallstates": 0, "showboldlines": 1,
		"showbuttons": 1, "showeditbar": 1, "showexact": 0, "showfiles": 0, "showgrid": 1, "showhashinfo": 0, "showicons": 0,
		"showlayerbar": 0, "showoverlay": 0, "showpatterns": 0, "showpopulation": 1, "showprogress": 1, "showscripts": 0,
		"showscrollbars": 1, "showstatusbar": 1, "showtimeline": 0, "showtoolbar": 1, "smartscale": 0, "stacklayers": 0,
		"swapcolors": 0, "switchlayers": 0, "synccursors": 1, "syncviews": 0, "tilelayers": 0,
	}
}

// colorValues are Golly's colours with their usual values.
func colorValues() map[string][3]int64 {
	return map[string][3]int64{
		"border": {128, 128, 128}, "paste": {255, 0, 0}, "select": {75, 175, 0},
		quickLife: {255, 255, 206}, hashLife: {226, 250, 248}, generations: {255, 233, 233}, larger: {255, 227, 178},
		jvn: {225, 255, 225}, ruleLoader: {243, 225, 255},
	}
}

// refused are the functions that need a window, with the reason.
func refused() map[string]string {
	return map[string]string{
		"overlay": "there is no window to draw on", "ov": "there is no window to draw on",
		"ovtable": "there is no window to draw on", "sound": "there is no sound",
	}
}

// ints are three results.
func ints(list [3]int64) []any { return result(int(list[0]), int(list[1]), int(list[2])) }

// color is one of a name.
func (s *Stage) color(name string) [3]int64 {
	if c, ok := s.colors[name]; ok {
		return c
	}
	c, ok := colorValues()[name]
	if !ok {
		refuse("%q is not a colour of Golly", name)
	}
	return c
}

func (s *Stage) option(name string) int {
	if v, ok := s.options[name]; ok {
		return int(v)
	}
	v, ok := optionValues()[name]
	if !ok {
		refuse("%q is not an option of Golly", name)
	}
	return int(v)
}

// stateColor is the colour of a state: that which a script has set, or a shade from red to yellow.
func (u *universe) stateColor(state int64) [3]int64 {
	if c, ok := u.colors[state]; ok {
		return c
	}
	live := int64(u.config.Rule.States - 1)
	switch {
	case state == 0:
		return [3]int64{48, 48, 48}
	case live == 1:
		return [3]int64{255, 255, 255}
	}
	return [3]int64{255, 255 * (state - 1) / max(live-1, 1), 0}
}

func (u *universe) setColors(list []int) {
	live := u.config.Rule.States - 1
	if u.colors == nil {
		u.colors = map[int64][3]int64{}
	}
	byte := func(v int) int64 {
		if v < 0 || v > 255 {
			refuse("colour %d: want 0 to 255", v)
		}
		return int64(v)
	}
	switch {
	case len(list) == 0:
		u.colors = nil
	case len(list) == 6:
		for state := 1; state <= live; state++ {
			var c [3]int64
			for i := range c {
				from, to := byte(list[i]), byte(list[i+3])
				c[i] = from
				if live > 1 {
					c[i] = int64(math.Round(float64(from) + float64(to-from)*float64(state-1)/float64(live-1)))
				}
			}
			u.colors[int64(state)] = c
		}
	case len(list)%4 == 0:
		for part := range slices.Chunk(list, 4) {
			c := [3]int64{byte(part[1]), byte(part[2]), byte(part[3])}
			from, to := part[0], part[0]
			if part[0] == -1 {
				from, to = 1, live
			}
			for state := from; state <= to; state++ {
				u.checkState(state)
				u.colors[int64(state)] = c
			}
		}
	default:
		refuse("%d numbers: want 6, or 4 for each state", len(list))
	}
}

func (u *universe) getColors(state int) []int {
	from, to := state, state
	if state == -1 {
		from, to = 0, u.config.Rule.States-1
	} else {
		u.checkState(state)
	}
	var list []int
	for ; from <= to; from++ {
		c := u.stateColor(int64(from))
		list = append(list, from, int(c[0]), int(c[1]), int(c[2]))
	}
	return list
}

// fit puts an area into the middle of the view.
func (l *layer) fit(x, y, w, h int) {
	l.mag = 5
	for l.mag > -60 && (shifted(w, l.mag) > viewWidth || shifted(h, l.mag) > viewHeight) {
		l.mag--
	}
	l.x, l.y = big.NewInt(int64(x+w/2)).String(), big.NewInt(int64(y+h/2)).String()
}

// shifted is a number of cells in pixels.
func shifted(cells int, mag int64) int {
	if mag >= 0 {
		return min(cells, 1<<40) << mag
	}
	return cells >> -mag
}

// viewing returns the functions that set the view. Their settings are kept.
func viewing() map[string]func(s *Stage, a arguments) []any {
	return map[string]func(s *Stage, a arguments) []any{
		"setpos": func(s *Stage, a arguments) []any {
			x, y := bigInt(a.text(0)).String(), bigInt(a.text(1)).String()
			s.layer().x, s.layer().y = x, y
			return nil
		},
		"getpos": func(s *Stage, a arguments) []any {
			return result(a.grouped(0, s.layer().x), a.grouped(0, s.layer().y))
		},
		"setmag": func(s *Stage, a arguments) []any {
			s.layer().mag = int64(min(a.int(0), 5))
			return nil
		},
		"getmag": func(s *Stage, _ arguments) []any { return result(int(s.layer().mag)) },
		"fit": func(s *Stage, _ arguments) []any {
			if r := s.layer().box(); r.Empty() {
				s.layer().x, s.layer().y, s.layer().mag = "0", "0", 5
			} else {
				s.layer().fit(r.X, r.Y, r.W, r.H)
			}
			return nil
		},
		"fitsel": func(s *Stage, _ arguments) []any {
			r := s.selected()
			s.layer().fit(r.X, r.Y, r.W, r.H)
			return nil
		},
		"visrect": func(s *Stage, a arguments) []any {
			r, l := a.rect(0), s.layer()
			x, y := bigInt(l.x), bigInt(l.y)
			if r.Empty() || !x.IsInt64() || !y.IsInt64() {
				return result(false)
			}
			w, h := viewWidth, viewHeight
			if l.mag >= 0 {
				w, h = w>>l.mag, h>>l.mag
			} else {
				w, h = w<<min(-l.mag, 40), h<<min(-l.mag, 40)
			}
			left, top := int(x.Int64())-w/2, int(y.Int64())-h/2
			return result(r.X >= left && r.Y >= top && r.X+r.W <= left+w && r.Y+r.H <= top+h)
		},
		"setview":    func(*Stage, arguments) []any { return nil },
		"getview":    func(*Stage, arguments) []any { return result(viewWidth, viewHeight) },
		"autoupdate": func(*Stage, arguments) []any { return nil },
		"update":     func(*Stage, arguments) []any { return nil },
		"check":      func(*Stage, arguments) []any { return nil },
		"settitle":   func(*Stage, arguments) []any { return nil },
		"doevent":    func(*Stage, arguments) []any { return nil },
		"dokey":      func(*Stage, arguments) []any { return nil },
		"sleep": func(s *Stage, a arguments) []any {
			select {
			case <-time.After(time.Duration(a.int(0)) * time.Millisecond):
			case <-s.ctx.Done():
			}
			return nil
		},
		"setcolors": func(s *Stage, a arguments) []any {
			s.layer().setColors(a.ints(0))
			return nil
		},
		"getcolors": func(s *Stage, a arguments) []any { return result(s.layer().getColors(a.intOr(0, -1))) },
		"setoption": func(s *Stage, a arguments) []any {
			name := a.text(0)
			old := s.option(name)
			s.options[name] = int64(a.int(1))
			return result(old)
		},
		"getoption": func(s *Stage, a arguments) []any { return result(s.option(a.text(0))) },
		"setcolor": func(s *Stage, a arguments) []any {
			name := a.text(0)
			old := s.color(name)
			s.colors[name] = [3]int64{int64(a.int(1)), int64(a.int(2)), int64(a.int(3))}
			return ints(old)
		},
		"getcolor": func(s *Stage, a arguments) []any { return ints(s.color(a.text(0))) },
	}
}
