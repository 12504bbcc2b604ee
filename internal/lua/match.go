package lua

import "strings"

// matcher matches a pattern of Lua against a text. It goes down the pattern item by item. Where an item may match in
// several ways, it calls itself for the rest of the pattern, and tries the next way if that fails (backtracking).
type matcher struct {
	a        arguments
	src, pat string
	depth    int
	captures []capture
}

// capture is a part of the text; its length may also be one of these.
type capture struct{ from, size int }

const (
	openCapture     = -1
	positionCapture = -2
	maxCaptures     = 32
	maxMatchDepth   = 200_000
)

func (m *matcher) fail(message string) { m.a.th.fail("%s", message) }

// match returns the end of the match of the pattern from p on with the text from s on, or −1.
func (m *matcher) match(s, p int) int {
	m.a.th.tick()
	if m.depth++; m.depth > maxMatchDepth {
		m.fail("pattern too complex")
	}
	defer func() { m.depth-- }()
	for p < len(m.pat) {
		switch m.pat[p] {
		case '(':
			if p+1 < len(m.pat) && m.pat[p+1] == ')' {
				return m.capture(s, p+2, positionCapture)
			}
			return m.capture(s, p+1, openCapture)
		case ')':
			return m.close(s, p+1)
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 < len(m.pat) {
				switch c := m.pat[p+1]; {
				case c == 'b': // %bxy: a text between x and the y that belongs to it
					if s = m.balance(s, p+2); s < 0 {
						return -1
					}
					p += 4
					continue
				case c == 'f': // %f[set]: a border at which the set begins; both ends of the text count as the byte 0
					end := m.classEnd(p + 2)
					before, here := byte(0), byte(0)
					if s > 0 {
						before = m.src[s-1]
					}
					if s < len(m.src) {
						here = m.src[s]
					}
					if m.pat[p+2] != '[' {
						m.fail("missing '[' after '%f' in pattern")
					}
					if m.inSet(before, p+2, end-1) || !m.inSet(here, p+2, end-1) {
						return -1
					}
					p = end
					continue
				case isDigit(c):
					if s = m.again(s, c); s < 0 {
						return -1
					}
					p += 2
					continue
				}
			}
		}
		end := m.classEnd(p)
		suffix := byte(0)
		if end < len(m.pat) {
			suffix = m.pat[end]
		}
		switch suffix {
		case '?':
			if m.single(s, p, end) {
				if r := m.match(s+1, end+1); r >= 0 {
					return r
				}
			}
			p = end + 1
		case '+':
			if !m.single(s, p, end) {
				return -1
			}
			return m.longest(s+1, p, end)
		case '*':
			return m.longest(s, p, end)
		case '-':
			for {
				m.a.th.tick()
				if r := m.match(s, end+1); r >= 0 {
					return r
				}
				if !m.single(s, p, end) {
					return -1
				}
				s++
			}
		default:
			if !m.single(s, p, end) {
				return -1
			}
			s++
			p = end
		}
	}
	return s
}

// longest matches as many characters of a class as possible, and fewer if the rest of the pattern then fails.
func (m *matcher) longest(s, p, end int) int {
	n := 0
	for m.single(s+n, p, end) {
		n++
	}
	for ; n >= 0; n-- {
		if r := m.match(s+n, end+1); r >= 0 {
			return r
		}
	}
	return -1
}

// capture begins a capture, and forgets it again if the rest of the pattern fails.
func (m *matcher) capture(s, p, size int) int {
	if len(m.captures) >= maxCaptures {
		m.fail("too many captures")
	}
	m.captures = append(m.captures, capture{s, size})
	r := m.match(s, p)
	if r < 0 {
		m.captures = m.captures[:len(m.captures)-1]
	}
	return r
}

// close ends the latest open capture, and opens it again if the rest of the pattern fails.
func (m *matcher) close(s, p int) int {
	for i := len(m.captures) - 1; i >= 0; i-- {
		if m.captures[i].size == openCapture {
			m.captures[i].size = s - m.captures[i].from
			r := m.match(s, p)
			if r < 0 {
				m.captures[i].size = openCapture
			}
			return r
		}
	}
	m.fail("invalid pattern capture")
	return -1
}

// again matches the text of an earlier capture.
func (m *matcher) again(s int, digit byte) int {
	i := int(digit - '1')
	if i < 0 || i >= len(m.captures) || m.captures[i].size == openCapture {
		m.a.th.fail("invalid capture index %%%d in pattern", i+1)
	}
	c := m.captures[i]
	if c.size < 0 || !strings.HasPrefix(m.src[s:], m.src[c.from:c.from+c.size]) {
		return -1
	}
	return s + c.size
}

// balance returns the end of a text that begins with the first of two characters of the pattern and ends with the
// second one that belongs to it.
func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pat) {
		m.fail("malformed pattern (missing arguments to '%b')")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	level := 0
	for ; s < len(m.src); s++ {
		switch m.src[s] {
		case m.pat[p+1]:
			if level--; level == 0 {
				return s + 1
			}
		case m.pat[p]:
			level++
		}
	}
	return -1
}

// classEnd returns the end of the class of characters that begins at p.
func (m *matcher) classEnd(p int) int {
	if p >= len(m.pat) {
		m.fail("missing '[' after '%f' in pattern")
	}
	switch m.pat[p] {
	case '%':
		if p+1 >= len(m.pat) {
			m.fail("malformed pattern (ends with '%')")
		}
		return p + 2
	case '[':
		p++
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
			if p >= len(m.pat) {
				m.fail("malformed pattern (missing ']')")
			}
			if m.pat[p] == '%' {
				p++
			}
			p++
		}
		return p + 1
	}
	return p + 1
}

// single reports whether the character at s belongs to the class from p to end.
func (m *matcher) single(s, p, end int) bool {
	if s >= len(m.src) {
		return false
	}
	c := m.src[s]
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	}
	return m.pat[p] == c
}

// inSet reports whether a character belongs to the set from the bracket at p to that at last.
func (m *matcher) inSet(c byte, p, last int) bool {
	p++
	want := true
	if m.pat[p] == '^' {
		want = false
		p++
	}
	for ; p < last; p++ {
		switch {
		case m.pat[p] == '%':
			p++
			if inClass(c, m.pat[p]) {
				return want
			}
		case p+2 < last && m.pat[p+1] == '-':
			if m.pat[p] <= c && c <= m.pat[p+2] {
				return want
			}
			p += 2
		case m.pat[p] == c:
			return want
		}
	}
	return !want
}

// inClass reports whether a character belongs to the class of a letter; a capital means all others.
func inClass(c, class byte) bool {
	lower := c|0x20 >= 'a' && c|0x20 <= 'z'
	var in bool
	switch class | 0x20 {
	case 'a':
		in = lower
	case 'c':
		in = c < ' ' || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'g':
		in = c > ' ' && c < 0x7f
	case 'l':
		in = c >= 'a' && c <= 'z'
	case 'p':
		in = c > ' ' && c < 0x7f && !lower && !isDigit(c)
	case 's':
		in = c == ' ' || c >= '\t' && c <= '\r'
	case 'u':
		in = c >= 'A' && c <= 'Z'
	case 'w':
		in = lower || isDigit(c)
	case 'x':
		in = hexDigit(c) >= 0
	default:
		return class == c
	}
	if class >= 'A' && class <= 'Z' {
		return !in
	}
	if class < 'a' || class > 'z' {
		return class == c
	}
	return in
}

// get returns a capture, or the whole match if there are none.
func (m *matcher) get(i, from, to int) Value {
	if i >= len(m.captures) {
		if i > 0 {
			m.a.th.fail("invalid capture index %%%d", i+1)
		}
		return String(m.src[from:to])
	}
	switch c := m.captures[i]; c.size {
	case openCapture:
		m.fail("unfinished capture")
		return Value{}
	case positionCapture:
		return Int(int64(c.from + 1))
	default:
		return String(m.src[c.from : c.from+c.size])
	}
}

// all returns the captures, or the whole match if there are none and whole is set.
func (m *matcher) all(from, to int, whole bool) []Value {
	n := len(m.captures)
	if n == 0 && whole {
		n = 1
	}
	list := make([]Value, n)
	for i := range list {
		list[i] = m.get(i, from, to)
	}
	return list
}

// find is string.find and string.match.
func find(a arguments, finding bool) []Value {
	src, pat := a.text(0), a.text(1)
	at := position(a.integerOr(2, 1), len(src)) - 1
	if at > len(src) {
		return a.th.one(Value{})
	}
	at = max(at, 0)
	if finding && (a.at(3).Truth() || !strings.ContainsAny(pat, "^$*+?.([%-")) {
		i := strings.Index(src[at:], pat)
		if i < 0 {
			return a.th.one(Value{})
		}
		return a.th.list(Int(int64(at+i+1)), Int(int64(at+i+len(pat))))
	}
	anchored := strings.HasPrefix(pat, "^")
	m := &matcher{a: a, src: src, pat: strings.TrimPrefix(pat, "^")}
	for ; at <= len(src); at++ {
		m.captures = m.captures[:0]
		if end := m.match(at, 0); end >= 0 {
			if finding {
				return a.th.many(append([]Value{Int(int64(at + 1)), Int(int64(end))}, m.all(at, end, false)...))
			}
			return a.th.many(m.all(at, end, true))
		}
		if anchored {
			break
		}
	}
	return a.th.one(Value{})
}

// gmatch is string.gmatch. An empty match at the end of the one before is skipped, as in Lua's own interpreter.
func gmatch(a arguments) []Value {
	m := &matcher{a: a, src: a.text(0), pat: a.text(1)}
	at, last := 0, -1
	return a.th.one(native("gmatch iterator", func(th *thread, _ []Value) []Value {
		m.a.th = th
		for ; at <= len(m.src); at++ {
			m.captures = m.captures[:0]
			if end := m.match(at, 0); end >= 0 && end != last {
				list := m.all(at, end, true)
				at, last = end, end
				return th.many(list)
			}
		}
		return th.one(Value{})
	}))
}

// gsub is string.gsub. The memory of the result is checked at every MiB, because a short program can make a long text.
func gsub(a arguments) []Value {
	src, pat, with := a.text(0), a.text(1), a.at(2)
	switch with.Kind() {
	case KindString, KindInt, KindFloat, KindTable, KindFunction:
	default:
		a.wrong(2, "string/function/table")
	}
	most := a.integerOr(3, int64(len(src)+1))
	anchored := strings.HasPrefix(pat, "^")
	m := &matcher{a: a, src: src, pat: strings.TrimPrefix(pat, "^")}
	var b strings.Builder
	at, count, last, checked := 0, int64(0), -1, 0
	for count < most {
		m.captures = m.captures[:0]
		end := m.match(at, 0)
		if end >= 0 && end != last {
			count++
			b.WriteString(m.replacement(with, at, end))
			if b.Len() > checked+1<<20 {
				checked = b.Len()
				a.th.afford(uint64(checked))
			}
			at, last = end, end
		} else if at < len(src) {
			b.WriteByte(src[at])
			at++
		} else {
			break
		}
		if anchored {
			break
		}
	}
	if at < len(src) {
		b.WriteString(src[at:])
	}
	return a.th.list(String(b.String()), Int(count))
}

// replacement returns the text in place of a match: from a table, a function or a text with %1 and its like. With false
// or nil the match stays.
func (m *matcher) replacement(with Value, from, to int) string {
	var v Value
	th := m.a.th
	switch with.Kind() {
	case KindTable:
		v = th.index(with, m.get(0, from, to), "")
	case KindFunction:
		captures := m.captures
		m.captures = append([]capture{}, captures...) // the function may match, too
		v = th.first(th.call(with, m.all(from, to, true), "?"))
	default:
		text, _ := with.Text()
		return m.expand(text, from, to)
	}
	if !v.Truth() {
		return m.src[from:to]
	}
	s, ok := v.Text()
	if !ok {
		th.fail("invalid replacement value (a %s)", v.Type())
	}
	return s
}

// expand replaces %1 and its like in a replacement.
func (m *matcher) expand(text string, from, to int) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch {
		case i < len(text) && text[i] == '%':
			b.WriteByte('%')
		case i < len(text) && text[i] == '0':
			b.WriteString(m.src[from:to])
		case i < len(text) && isDigit(text[i]):
			s, _ := m.get(int(text[i]-'1'), from, to).Text()
			b.WriteString(s)
		default:
			m.fail("invalid use of '%' in replacement string")
		}
	}
	return b.String()
}
