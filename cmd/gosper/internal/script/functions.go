package script

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
)

// arguments are those of a call.
type arguments struct {
	name string
	list []any
}

func (a arguments) at(i int) any {
	if i < len(a.list) {
		return a.list[i]
	}
	return nil
}

func (a arguments) wrong(i int, want string) { refuse("argument %d: want %s", i+1, want) }

func (a arguments) int(i int) int {
	switch v := a.at(i).(type) {
	case int:
		return v
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<62 {
			return int(v)
		}
	case string:
		if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
			return n
		}
	case bool:
		if v {
			return 1
		}
		return 0
	}
	a.wrong(i, "an integer")
	return 0
}

func (a arguments) intOr(i, otherwise int) int {
	if a.at(i) == nil {
		return otherwise
	}
	return a.int(i)
}

func (a arguments) bool(i int, otherwise bool) bool {
	switch v := a.at(i).(type) {
	case nil:
		return otherwise
	case bool:
		return v
	}
	return a.int(i) != 0
}

func (a arguments) text(i int) string {
	switch v := a.at(i).(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 14, 64)
	}
	a.wrong(i, "a text")
	return ""
}

func (a arguments) textOr(i int, otherwise string) string {
	if a.at(i) == nil {
		return otherwise
	}
	return a.text(i)
}

func (a arguments) ints(i int) []int {
	list, ok := a.at(i).([]int)
	if !ok {
		a.wrong(i, "an array of integers")
	}
	return list
}

// rect is a rectangle, empty for an empty array.
func (a arguments) rect(i int) grid.Rect {
	list := a.ints(i)
	switch {
	case len(list) == 0:
		return grid.Rect{}
	case len(list) != 4:
		a.wrong(i, "a rectangle: {} or {x, y, width, height}")
	case list[2] <= 0 || list[3] <= 0:
		a.wrong(i, "a rectangle with a width and a height above 0")
	}
	for _, n := range list {
		if !near(n) {
			a.wrong(i, "a rectangle within 2^60 cells of the origin")
		}
	}
	return grid.Rect{X: list[0], Y: list[1], W: list[2], H: list[3]}
}

// transformation is given by six arguments.
func (a arguments) transformation(i int) transformation {
	return transformation{
		a.intOr(i, 0), a.intOr(i+1, 0), a.intOr(i+2, 1), a.intOr(i+3, 0), a.intOr(i+4, 0),
		a.intOr(i+5, 1),
	}
}

// list is a rectangle as an array.
func rectArray(r grid.Rect) []int {
	if r.Empty() {
		return []int{}
	}
	return []int{r.X, r.Y, r.W, r.H}
}

func result(values ...any) []any { return values }

// selected is the selection of the current layer; there must be one.
func (s *Stage) selected() grid.Rect {
	r := s.layer().selection
	if r.Empty() {
		refuse("there is no selection")
	}
	return r
}

// checkStates refuses states that the rule does not have.
func (u *universe) checkState(state int) {
	if most := u.config.Rule.States - 1; state < 0 || state > most {
		refuse("state %d: %s has states 0 to %d", state, u.text, most)
	}
}

func (u *universe) checkInside(x, y int) {
	if !u.inside(x, y) {
		refuse("cell %d,%d is outside the universe", x, y)
	}
}

// put sets a cell after all checks.
func (u *universe) put(c cell) {
	u.checkInside(c.x, c.y)
	u.checkState(c.state)
	u.set(c.x, c.y, c.state)
}

// paste puts cells over those of the universe.
func (u *universe) paste(cells []cell, multi bool, mode string) {
	most := u.config.Rule.States - 1
	switch mode {
	case "and": // Golly leaves cells that are not listed, and kills listed ones of another state
		for _, c := range cells {
			u.checkInside(c.x, c.y)
			if old := u.get(c.x, c.y); old > 0 && old != c.state {
				u.set(c.x, c.y, 0)
			}
		}
		return
	case "or", "copy", "not", "xor":
	default:
		refuse(`mode %q: want "and", "copy", "not", "or" or "xor"`, mode)
	}
	for _, c := range cells {
		u.checkInside(c.x, c.y)
		switch mode {
		case "or":
			if c.state == 0 {
				continue
			}
		case "not":
			if multi {
				c.state = most - c.state
			} else {
				c.state = 0
			}
		case "xor":
			old := u.get(c.x, c.y)
			switch {
			case c.state == old:
				c.state = 0
			case c.state^old > most:
				continue // Golly leaves such a cell
			default:
				c.state ^= old
			}
		}
		u.put(c)
	}
}

// evolve runs cells in an empty universe of the present rule.
func (s *Stage) evolve(cells []cell, n int) []cell {
	if n < 0 {
		refuse("%d generations: want 0 or more", n)
	}
	text := s.layer().text
	u := s.scratch
	if u == nil || u.text != text {
		if u != nil {
			u.close()
		}
		fresh, err := s.universe(text)
		must(err)
		u = fresh
		s.scratch = u
	}
	for _, c := range cells {
		u.put(c)
	}
	u.setGeneration(0)
	u.advance(uint64(n))
	after := triples(u.cells(everywhere))
	if u.engine != nil && u.engine.Info().Leaps || len(after) > 1<<16 {
		u.close()
	}
	for _, c := range after {
		u.set(c.x, c.y, 0)
	}
	u.setGeneration(0)
	return after
}

// parse reads a pattern that is given as a text: RLE or rows of points and asterisks, where Golly ignores what it does
// not know, or RLE with a header.
func (s *Stage) parse(text string) (cells []cell, multi bool) {
	switch start := strings.TrimSpace(text); {
	case strings.Contains(text, "*"):
		return asterisks(text), false
	case strings.HasPrefix(start, "#"), strings.HasPrefix(start, "x "):
		p, err := pattern.Options{MaxBytes: s.config.Memory}.Read(s.ctx, strings.NewReader(text), "")
		must(err)
		return s.cellsOf(p)
	}
	x, y, n := 0, 0, 0
	high := 0 // of a state above 24
	for _, c := range []byte(text) {
		count := max(n, 1)
		if n > 1<<40 {
			refuse("a run of %d cells is too long", n)
		}
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
			continue
		case c == 'b' || c == '.':
			x += count
		case c == '$':
			x, y = 0, y+count
		case c == '!':
			return cells, multi
		case c >= 'p' && c <= 'y':
			high = 24 * int(c-'p'+1)
			continue
		case c == 'o' || c >= 'A' && c <= 'X':
			state := 1
			if c != 'o' {
				state = high + int(c-'A') + 1
				multi = true
			}
			if len(cells)+count > s.most() {
				s.tooMany()
			}
			for range count {
				cells = append(cells, cell{x, y, state})
				x++
			}
		default:
			continue
		}
		n, high = 0, 0
	}
	return cells, multi
}

// asterisks reads rows as in Life 1.05. Rows without a cell do not count.
func asterisks(text string) (cells []cell) {
	x, y := 0, 0
	for _, c := range []byte(text) {
		switch {
		case c == '.':
			x++
		case c == '*':
			cells = append(cells, cell{x, y, 1})
			x++
		case c == '\n' && x > 0:
			x, y = 0, y+1
		}
	}
	return cells
}

// cellsOf returns the cells of a pattern if its text has them.
func (s *Stage) cellsOf(p *pattern.Pattern) (cells []cell, multi bool) {
	must(p.Draw(s.ctx))
	parts, err := grid.Occupied(p.Cells)
	must(err)
	for _, group := range rowsOf(parts, everywhere) {
		for y := group[0].Y; y < group[0].Y+group[0].H; y++ {
			for _, part := range group {
				for x := part.X; x < part.X+part.W; x++ {
					if state := p.Cells.Get(x, y); state > 0 {
						cells = append(cells, cell{x, y, int(state)})
						multi = multi || state > 1
					}
				}
			}
		}
	}
	return cells, multi
}

// read reads a pattern file that the script may read.
func (s *Stage) read(name string) *pattern.Pattern {
	data, err := s.files.read(name)
	must(err)
	p, err := pattern.Options{MaxBytes: s.config.Memory, Squares: true}.Read(s.ctx, bytes.NewReader(data), name)
	must(err)
	return p
}

// open puts the pattern of a file into the layer.
func (s *Stage) open(name string) {
	p := s.read(name)
	o, err := (&origin.Flags{}).Of(s.ctx, p)
	must(err)
	text := p.Rule
	if text == "" {
		text = o.Config.Rule.String()
	}
	s.load(o, text, name)
	s.layer().path, s.layer().comments = s.files.resolve(name), p.Comments
}

// load puts a pattern into the layer. text is its rule as it is written.
func (s *Stage) load(o *origin.Origin, text, name string) {
	text, _, _ = strings.Cut(text, ":")
	next, err := s.universe(text + o.Config.Topology.Suffix())
	must(err)
	outlook := o.Config.Outlook // a quadtree is opened as one
	outlook.Brief = !outlook.Quadtree
	o.Config = next.config
	o.Config.Outlook = outlook
	if next.engine, err = o.Open(s.ctx, sim.Auto); err == nil && o.Load != nil {
		err = o.Load(s.ctx, next.engine, nil)
	}
	if err != nil {
		next.close()
		must(err)
	}
	next.setGeneration(o.Generation)
	l := s.layer()
	next.algorithm = algorithmOf(l.algorithm, next)
	l.close()
	*l.universe = *next
	l.name = name[strings.LastIndexAny(name, `/\\`)+1:]
}

// save writes the pattern of the layer.
func (s *Stage) save(name, format string) {
	if !slices.Contains([]string{"rle", "rle.gz", "mc", "mc.gz"}, format) {
		refuse(`format %q: want "rle", "rle.gz", "mc" or "mc.gz"`, format)
	}
	must(s.files.write(name, func(w io.Writer) error { return s.layer().write(w, "x."+format) }))
}

// write writes the cells in the format of a name's suffix.
func (u *universe) write(w io.Writer, name string) error {
	x, y := u.corner()
	return pattern.WriteAs(u.s.ctx, w, name, u.open(), pattern.Meta{
		Rule: u.text, Generation: u.generation(), X: x, Y: y, HasPosition: true, States: u.config.Rule.States,
		Comments: u.comments,
	})
}

// store writes a cell array as RLE.
func (s *Stage) store(array []int, name string) {
	u, err := s.universe(s.layer().text)
	must(err)
	defer u.close()
	for _, c := range cellsOf(array) {
		u.put(c)
	}
	must(s.files.write(name, func(w io.Writer) error { return u.write(w, "x.rle") }))
}

// copyTo puts the cells of the selection into the clipboard.
func (s *Stage) copy() {
	r, u := s.selected(), s.layer()
	var b strings.Builder
	fmt.Fprintf(&b, "x = %d, y = %d, rule = %s\n", r.W, r.H, u.text)
	x, y := 0, 0
	blank := byte('b')
	if u.config.Rule.States > 2 {
		blank = '.'
	}
	count := func(n int, sign string) {
		if n > 1 {
			b.WriteString(strconv.Itoa(n))
		}
		if n > 0 {
			b.WriteString(sign)
		}
	}
	u.each(r, func(cx, cy, state int) {
		if dy := cy - r.Y - y; dy > 0 {
			count(dy, "$")
			x, y = 0, cy-r.Y
		}
		count(cx-r.X-x, string(blank))
		x = cx - r.X + 1
		b.WriteString(stateLetters(state, u.config.Rule.States))
	})
	b.WriteString("!\n")
	s.clip = b.String()
}

// stateLetters is a state in RLE.
func stateLetters(state, states int) string {
	if states == 2 {
		return "o"
	}
	low := string(rune('A' + (state-1)%24))
	if state > 24 {
		return string(rune('p'+(state-25)/24)) + low
	}
	return low
}

// clipboard is the size and the cells of the pattern in the clipboard.
func (s *Stage) clipboard() (w, h int, cells []cell, multi bool) {
	if strings.TrimSpace(s.clip) == "" {
		refuse("the clipboard is empty")
	}
	p, err := pattern.Options{MaxBytes: s.config.Memory}.Read(s.ctx, strings.NewReader(s.clip), "")
	must(err)
	cells, multi = s.cellsOf(p)
	b := p.Bounds
	for i := range cells {
		cells[i].x -= b.X
		cells[i].y -= b.Y
	}
	return b.W, b.H, cells, multi
}

// turned moves the cells of the selection.
func (s *Stage) turned(to func(x, y int) (int, int), selection grid.Rect) {
	r, u := s.selected(), s.layer().universe
	cells := triples(u.cells(r))
	for _, c := range cells {
		x, y := to(c.x, c.y)
		u.checkInside(x, y)
	}
	u.clear(r, false)
	u.clear(selection, false)
	for _, c := range cells {
		x, y := to(c.x, c.y)
		u.set(x, y, c.state)
	}
	u.selection = selection
}

func (s *Stage) flip(direction int) {
	r := s.selected()
	switch direction {
	case 0:
		s.turned(func(x, y int) (int, int) { return 2*r.X + r.W - 1 - x, y }, r)
	case 1:
		s.turned(func(x, y int) (int, int) { return x, 2*r.Y + r.H - 1 - y }, r)
	default:
		refuse("direction %d: want 0 or 1", direction)
	}
}

// rotate turns the selection about its middle cell, as Golly rounds it.
func (s *Stage) rotate(direction int) {
	r := s.selected()
	midX, midY := (2*r.X+r.W-1)>>1, (2*r.Y+r.H-1)>>1
	var to func(x, y int) (int, int)
	switch direction {
	case 0:
		to = func(x, y int) (int, int) { return midX - (y - midY), midY + (x - midX) }
	case 1:
		to = func(x, y int) (int, int) { return midX + (y - midY), midY - (x - midX) }
	default:
		refuse("direction %d: want 0 or 1", direction)
	}
	box := bounds{}
	box.add(to(r.X, r.Y))
	box.add(to(r.X+r.W-1, r.Y+r.H-1))
	next := box.rect()
	// Golly puts the selection at the same place for both directions
	x, y := midX+r.Y-midY, midY+r.X-midX
	dx, dy := x-next.X, y-next.Y
	s.turned(func(x, y int) (int, int) {
		x, y = to(x, y)
		return x + dx, y + dy
	}, grid.Rect{X: x, Y: y, W: r.H, H: r.W})
}

// advance runs the cells inside the selection, or those outside it, while the others stay.
func (s *Stage) advance(where, n int) {
	r, u := s.selected(), s.layer().universe
	outside := where != 0
	for range n {
		s.check()
		var moved []cell
		for _, c := range triples(u.cells(everywhere)) {
			if r.Contains(c.x, c.y) != outside {
				moved = append(moved, c)
			}
		}
		after := s.evolve(moved, 1)
		for _, c := range moved {
			u.set(c.x, c.y, 0)
		}
		for _, c := range after {
			if r.Contains(c.x, c.y) != outside {
				u.set(c.x, c.y, c.state)
			}
		}
	}
}

// bigInt reads a whole number of any size with separators.
func bigInt(text string) *big.Int {
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			refuse("%q is not a whole number", text)
		}
		return -1
	}, text)
	n, ok := new(big.Int).SetString(cmp.Or(digits, "0"), 10)
	if !ok {
		refuse("%q is not a whole number", text)
	}
	if strings.HasPrefix(strings.TrimSpace(text), "-") {
		n.Neg(n)
	}
	return n
}

// grouped is a number with a separator between groups of three digits, if the argument names one.
func (a arguments) grouped(i int, digits string) string {
	separator := a.textOr(i, "")
	if separator == "" || separator == "\x00" {
		return digits
	}
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + separator[:1] + digits[at:]
	}
	return sign + digits
}

// functions are those of Golly. They are made when the first script runs, so that other commands start sooner.
var functions = sync.OnceValue(func() map[string]func(s *Stage, a arguments) []any {
	all := map[string]func(s *Stage, a arguments) []any{
		// files
		"open": func(s *Stage, a arguments) []any {
			s.open(a.text(0))
			return nil
		},
		"save": func(s *Stage, a arguments) []any {
			s.save(a.text(0), a.text(1))
			return nil
		},
		"load": func(s *Stage, a arguments) []any {
			p := s.read(a.text(0))
			cells, multi := s.cellsOf(p)
			box := bounds{}
			for _, c := range cells {
				box.add(c.x, c.y)
			}
			for i := range cells {
				cells[i].x -= box.left
				cells[i].y -= box.top
			}
			return result(arrayOf(cells, multi || s.manyStates(p.Rule)))
		},
		"store": func(s *Stage, a arguments) []any {
			s.store(a.ints(0), a.text(1))
			return nil
		},
		"opendialog": func(s *Stage, a arguments) []any {
			return result(s.files.chosen(s.asking, a.textOr(0, "Choose a file"), a.textOr(3, ""), false))
		},
		"savedialog": func(s *Stage, a arguments) []any {
			return result(s.files.chosen(s.asking, a.textOr(0, "Choose a save location and filename"), a.textOr(3, ""), true))
		},
		"getdir": func(s *Stage, a arguments) []any { return result(s.files.folder(a.text(0))) },
		"setdir": func(s *Stage, a arguments) []any {
			s.files.folder(a.text(0)) // the name must be one
			return nil
		},
		"getfiles": func(s *Stage, a arguments) []any {
			list, err := s.files.list(a.text(0))
			must(err)
			return result(list)
		},
		"getinfo": func(s *Stage, _ arguments) []any { return result(strings.Join(s.layer().comments, "\n")) },
		"getpath": func(s *Stage, _ arguments) []any { return result(s.layer().path) },

		// cells
		"new": func(s *Stage, a arguments) []any {
			l := s.layer()
			l.empty()
			l.setGeneration(0)
			l.start, l.selection, l.path, l.comments, l.colors = nil, grid.Rect{}, "", nil, nil
			l.base, l.exp, l.mag, l.x, l.y = 8, 0, 0, "0", "0"
			if title := a.textOr(0, ""); title != "" {
				l.name = title
			}
			return nil
		},
		"cut": func(s *Stage, _ arguments) []any {
			s.copy()
			s.layer().clear(s.selected(), false)
			return nil
		},
		"copy": func(s *Stage, _ arguments) []any {
			s.copy()
			return nil
		},
		"clear": func(s *Stage, a arguments) []any {
			s.layer().clear(s.selected(), a.int(0) != 0)
			return nil
		},
		"paste": func(s *Stage, a arguments) []any {
			x, y, mode := a.int(0), a.int(1), strings.ToLower(a.text(2))
			w, h, cells, multi := s.clipboard()
			u := s.layer()
			for i := range cells {
				cells[i].x += x
				cells[i].y += y
			}
			area := grid.Rect{X: x, Y: y, W: w, H: h}
			switch mode {
			case "copy":
				u.clear(area, false)
			case "and":
				live := map[[2]int]bool{}
				for _, c := range cells {
					live[[2]int{c.x, c.y}] = true
				}
				for _, c := range triples(u.cells(area)) {
					if !live[[2]int{c.x, c.y}] {
						u.set(c.x, c.y, 0)
					}
				}
				return nil
			case "or", "xor":
			default:
				refuse(`mode %q: want "and", "copy", "or" or "xor"`, mode)
			}
			u.paste(cells, multi, mode)
			return nil
		},
		"shrink": func(s *Stage, a arguments) []any {
			r := s.selected()
			box := bounds{}
			s.layer().each(r, func(x, y, _ int) { box.add(x, y) })
			if box.some || a.bool(0, false) {
				s.layer().selection = box.rect()
			}
			return nil
		},
		"randfill": func(s *Stage, a arguments) []any {
			r, percent := s.selected(), a.int(0)
			if percent < 1 || percent > 100 {
				refuse("%d percent: want 1 to 100", percent)
			}
			u := s.layer()
			u.clear(r, false)
			if r.W > s.most() || r.H > s.most() || r.W*r.H > s.most() {
				s.tooMany()
			}
			for y := r.Y; y < r.Y+r.H; y++ {
				s.check()
				for x := r.X; x < r.X+r.W; x++ {
					if s.random.IntN(100) < percent {
						u.put(cell{x, y, 1 + s.random.IntN(u.config.Rule.States-1)})
					}
				}
			}
			return nil
		},
		"flip": func(s *Stage, a arguments) []any {
			s.flip(a.int(0))
			return nil
		},
		"rotate": func(s *Stage, a arguments) []any {
			s.rotate(a.int(0))
			return nil
		},
		"evolve": func(s *Stage, a arguments) []any {
			array := a.ints(0)
			after := s.evolve(cellsOf(array), a.int(1))
			return result(arrayOf(after, isMulti(array) && s.layer().config.Rule.States > 2 ||
				s.layer().config.Rule.States > 2))
		},
		"join": func(_ *Stage, a arguments) []any { return result(join(a.ints(0), a.ints(1))) },
		"transform": func(_ *Stage, a arguments) []any {
			return result(a.transformation(1).array(a.ints(0)))
		},
		"parse": func(s *Stage, a arguments) []any {
			cells, multi := s.parse(a.text(0))
			return result(a.transformation(1).array(arrayOf(cells, multi)))
		},
		"putcells": func(s *Stage, a arguments) []any {
			array := a.ints(0)
			cells := cellsOf(array)
			t := a.transformation(1)
			for i, c := range cells {
				cells[i].x, cells[i].y = t.of(c.x, c.y)
			}
			s.layer().paste(cells, isMulti(array), strings.ToLower(a.textOr(7, "or")))
			return nil
		},
		"getcells": func(s *Stage, a arguments) []any {
			u := s.layer()
			return result(arrayOf(triples(u.cells(a.rect(0))), u.config.Rule.States > 2))
		},
		"getclip": func(s *Stage, _ arguments) []any {
			w, h, cells, multi := s.clipboard()
			return result(w, h, arrayOf(cells, multi))
		},
		"hash": func(s *Stage, a arguments) []any {
			r := a.rect(0)
			h := int32(31415962)
			u := s.layer()
			multi := u.config.Rule.States > 2
			u.each(r, func(x, y, state int) {
				h = h*1000003 ^ int32(y-r.Y)
				h = h*1000003 ^ int32(x-r.X)
				if multi {
					h = h*1000003 ^ int32(state)
				}
			})
			return result(int(h))
		},
		"select": func(s *Stage, a arguments) []any {
			s.layer().selection = a.rect(0)
			return nil
		},
		"getrect":    func(s *Stage, _ arguments) []any { return result(rectArray(s.layer().box())) },
		"getselrect": func(s *Stage, _ arguments) []any { return result(rectArray(s.layer().selection)) },
		"setcell": func(s *Stage, a arguments) []any {
			s.layer().put(cell{a.int(0), a.int(1), a.int(2)})
			return nil
		},
		"getcell": func(s *Stage, a arguments) []any {
			x, y := a.int(0), a.int(1)
			s.layer().checkInside(x, y)
			return result(s.layer().get(x, y))
		},
		"setcursor": func(s *Stage, a arguments) []any {
			name := a.text(0)
			if !slices.Contains([]string{"Draw", "Pick", "Select", "Move", "Zoom In", "Zoom Out"}, name) {
				refuse("%q is not a cursor", name)
			}
			old := s.cursor
			s.cursor = name
			return result(old)
		},
		"getcursor": func(s *Stage, _ arguments) []any { return result(s.cursor) },

		// control
		"run": func(s *Stage, a arguments) []any {
			s.run(a.int(0))
			return nil
		},
		"step": func(s *Stage, _ arguments) []any {
			u := s.layer()
			n := 1
			for range max(u.exp, 0) {
				if n > math.MaxInt/int(u.base) {
					refuse("a step of %d^%d generations is too large", u.base, u.exp)
				}
				n *= int(u.base)
			}
			s.run(n)
			return nil
		},
		"setstep": func(s *Stage, a arguments) []any {
			s.layer().exp = int64(a.int(0))
			return nil
		},
		"getstep": func(s *Stage, _ arguments) []any { return result(int(s.layer().exp)) },
		"setbase": func(s *Stage, a arguments) []any {
			s.layer().base = int64(min(max(a.int(0), 2), 2_000_000_000))
			return nil
		},
		"getbase": func(s *Stage, _ arguments) []any { return result(int(s.layer().base)) },
		"advance": func(s *Stage, a arguments) []any {
			s.advance(a.int(0), a.int(1))
			return nil
		},
		"reset": func(s *Stage, _ arguments) []any {
			s.layer().reset()
			return nil
		},
		"setgen": func(s *Stage, a arguments) []any {
			text := strings.TrimSpace(a.text(0))
			n := bigInt(text)
			if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
				n.Add(n, new(big.Int).SetUint64(s.layer().generation()))
			}
			if n.Sign() < 0 || !n.IsUint64() {
				refuse("generation %v: want 0 to 2^64 - 1", n)
			}
			u := s.layer()
			started := u.start != nil && u.start.generation == u.generation()
			u.setGeneration(n.Uint64())
			if started {
				u.start.generation = n.Uint64()
			}
			return nil
		},
		"getgen": func(s *Stage, a arguments) []any {
			return result(a.grouped(0, strconv.FormatUint(s.layer().generation(), 10)))
		},
		"getpop":    func(s *Stage, a arguments) []any { return result(a.grouped(0, s.layer().population().String())) },
		"empty":     func(s *Stage, _ arguments) []any { return result(s.layer().population().Sign() == 0) },
		"numstates": func(s *Stage, _ arguments) []any { return result(s.layer().config.Rule.States) },
		"numalgos":  func(*Stage, arguments) []any { return result(len(algorithms)) },
		"setalgo": func(s *Stage, a arguments) []any {
			name, u := a.text(0), s.layer()
			if !slices.Contains(algorithms, name) {
				refuse("%q is not an algorithm of Golly", name)
			}
			if !supports(name, u.universe) {
				u.setRule(usual(name))
			}
			u.algorithm = name
			u.exp, u.base = 0, 8
			return nil
		},
		"getalgo": func(s *Stage, a arguments) []any {
			if a.at(0) == nil {
				return result(s.layer().algorithm)
			}
			i := a.int(0)
			if i < 0 || i >= len(algorithms) {
				refuse("algorithm %d: want 0 to %d", i, len(algorithms)-1)
			}
			return result(algorithms[i])
		},
		"setrule": func(s *Stage, a arguments) []any {
			s.layer().setRule(a.text(0))
			return nil
		},
		"getrule":   func(s *Stage, _ arguments) []any { return result(s.layer().text) },
		"getwidth":  func(s *Stage, _ arguments) []any { return result(s.layer().config.Topology.W) },
		"getheight": func(s *Stage, _ arguments) []any { return result(s.layer().config.Topology.H) },

		// layers
		"addlayer": func(s *Stage, _ arguments) []any {
			old := s.layer()
			u, err := s.universe(old.text)
			must(err)
			u.algorithm = old.algorithm
			return result(s.addLayer(&layer{universe: u, name: "untitled", x: old.x, y: old.y, mag: old.mag}))
		},
		"clone": func(s *Stage, _ arguments) []any {
			l := *s.layer()
			return result(s.addLayer(&l))
		},
		"duplicate": func(s *Stage, _ arguments) []any {
			old := s.layer()
			u, err := s.universe(old.text)
			must(err)
			for _, c := range triples(old.cells(everywhere)) {
				u.set(c.x, c.y, c.state)
			}
			engine := u.engine
			*u = *old.universe
			u.engine, u.held = engine, old.generation()
			if engine != nil {
				engine.SetGeneration(u.held)
			}
			return result(s.addLayer(&layer{universe: u, name: old.name, x: old.x, y: old.y, mag: old.mag}))
		},
		"dellayer": func(s *Stage, _ arguments) []any {
			if len(s.layers) == 1 {
				refuse("there is no other layer")
			}
			gone := s.layer()
			s.layers = slices.Delete(s.layers, s.current, s.current+1)
			if !slices.ContainsFunc(s.layers, func(l *layer) bool { return l.universe == gone.universe }) {
				gone.close()
			}
			s.current = max(s.current-1, 0)
			return nil
		},
		"movelayer": func(s *Stage, a arguments) []any {
			from, to := s.index(a, 0), s.index(a, 1)
			l := s.layers[from]
			s.layers = slices.Insert(slices.Delete(s.layers, from, from+1), to, l)
			s.current = to
			return nil
		},
		"setlayer": func(s *Stage, a arguments) []any {
			s.current = s.index(a, 0)
			return nil
		},
		"getlayer":  func(s *Stage, _ arguments) []any { return result(s.current) },
		"numlayers": func(s *Stage, _ arguments) []any { return result(len(s.layers)) },
		"maxlayers": func(*Stage, arguments) []any { return result(maxLayers) },
		"setname": func(s *Stage, a arguments) []any {
			s.layers[s.indexOr(a, 1)].name = a.text(0)
			return nil
		},
		"getname": func(s *Stage, a arguments) []any { return result(s.layers[s.indexOr(a, 0)].name) },

		// languages, time and messages
		"os":        func(*Stage, arguments) []any { return result(system()) },
		"millisecs": func(s *Stage, _ arguments) []any { return result(float64(time.Since(s.began).Nanoseconds()) / 1e6) },
		"getclipstr": func(s *Stage, _ arguments) []any {
			if s.clip == "" {
				refuse("the clipboard is empty")
			}
			return result(s.clip)
		},
		"setclipstr": func(s *Stage, a arguments) []any {
			s.clip = a.text(0)
			return nil
		},
		"getstring": func(s *Stage, a arguments) []any {
			answer, err := s.asking.ask(a.text(0), a.textOr(1, ""))
			must(err)
			return result(answer)
		},
		"savechanges": func(s *Stage, a arguments) []any {
			answer, err := s.asking.ask(a.text(0)+"\n"+a.textOr(1, "")+"\nyes, no or cancel:", "no")
			must(err)
			if !slices.Contains([]string{"yes", "no", "cancel"}, answer) {
				refuse(`answer %q: want "yes", "no" or "cancel"`, answer)
			}
			return result(answer)
		},
		"getevent": func(s *Stage, a arguments) []any { return result(s.event(a.bool(0, true))) },
		"getkey":   func(s *Stage, _ arguments) []any { return result(s.event(true)) },
		"getxy":    func(s *Stage, _ arguments) []any { return result(s.asking.mouse()) },
		"show": func(s *Stage, a arguments) []any {
			s.message = a.text(0)
			return nil
		},
		"error": func(s *Stage, a arguments) []any {
			s.message = a.text(0)
			return nil
		},
		"warn": func(s *Stage, a arguments) []any {
			s.say(a.text(0))
			return nil
		},
		"note": func(s *Stage, a arguments) []any {
			s.say(a.text(0))
			return nil
		},
		"continue": func(s *Stage, a arguments) []any {
			s.aborted = nil
			if text := a.textOr(0, ""); text != "" && !strings.Contains(text, errAborted.Error()) {
				s.message = text
			}
			return nil
		},
		"exit": func(s *Stage, a arguments) []any {
			if text := a.textOr(0, ""); text != "" {
				s.message = text
			}
			s.aborted = errAborted
			must(errAborted)
			return nil
		},
	}
	maps.Copy(all, viewing())
	return all
})

// manyStates reports whether a rule has more than two states.
func (s *Stage) manyStates(text string) bool {
	u, err := s.universe(cmp.Or(text, "B3/S23"))
	return err == nil && u.config.Rule.States > 2
}

// run runs generations and keeps the start before the first one.
func (s *Stage) run(n int) {
	if n < 1 {
		return
	}
	u := s.layer()
	u.save()
	u.advance(uint64(n))
}

// addLayer puts a layer behind the current one and makes it the current one.
func (s *Stage) addLayer(l *layer) int {
	if len(s.layers) == maxLayers {
		l.close()
		refuse("there are %d layers: there is no room for another one", maxLayers)
	}
	s.current++
	s.layers = slices.Insert(s.layers, s.current, l)
	return s.current
}

// index is an argument that numbers a layer.
func (s *Stage) index(a arguments, i int) int {
	n := a.int(i)
	if n < 0 || n >= len(s.layers) {
		refuse("layer %d: there are layers 0 to %d", n, len(s.layers)-1)
	}
	return n
}

func (s *Stage) indexOr(a arguments, i int) int {
	if a.at(i) == nil || a.at(i) == -1 {
		return s.current
	}
	return s.index(a, i)
}

// event returns the next event that the command line gives. After the last one it ends the script, as the escape key
// does.
func (s *Stage) event(get bool) string {
	if !get {
		return ""
	}
	event, more, err := s.asking.event()
	must(err)
	if !more {
		s.aborted = errAborted
		must(errAborted)
	}
	return event
}
