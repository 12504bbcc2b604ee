package topology

import (
	"fmt"
	"strconv"
	"strings"
)

// SyntaxError is an error in a notation and its position.
type SyntaxError struct {
	What   string // the notation: "topology", "rule"
	Input  string // the whole string
	Offset int    // of the mistake, in bytes from the start of Input; len(Input) is its end
	Msg    string // the mistake, and what is allowed
}

// Error is one line that quotes the input. A long input is cut to the part around the error.
func (e *SyntaxError) Error() string {
	const before, after = 40, 40
	from, to := max(0, e.Offset-before), min(len(e.Input), e.Offset+after)
	quoted := e.Input[from:to]
	if from > 0 {
		quoted = "…" + quoted
	}
	if to < len(e.Input) {
		quoted += "…"
	}
	return fmt.Sprintf("%s %q, character %d: %s", e.What, quoted, e.Offset+1, brief(e.Msg))
}

// brief leaves out the middle of a message that is too long for a line, because it quotes a part of the text.
func brief(msg string) string {
	const most, first, last = 500, 250, 200 // bytes
	if len(msg) <= most {
		return msg
	}
	return strings.ToValidUTF8(msg[:first], "") + "…" + strings.ToValidUTF8(msg[len(msg)-last:], "")
}

// Parse reads Golly's bounded-grid suffix, with or without its colon and in any case:
//
//	T30,20   torus           T30+5,20  shifted by 5 on its horizontal edges    T30  30×30    T0  the unbounded plane
//	P30,20   plane           P30,0     a strip of infinite height
//	K30*,20  Klein bottle, twisted on its horizontal edges    K30,20*  on its vertical edges    K30*+1,20  and shifted
//	C30,20   cross-surface   S30       sphere
//	T30,20,10  P30,20,10     the same in three dimensions: 10 layers of 30×20 cells, which Golly does not have
//
// As in Golly, a shift is taken modulo the side. Every shift of a Klein bottle is by 1, or by 0 if the side is
// odd. A second side that is missing equals the first; a first side that is missing is infinite. Errors are
// *SyntaxError.
func Parse(suffix string) (Topology, error) {
	p := suffixParser{input: suffix}
	t, err := p.parse()
	if err != nil {
		return Topology{}, err
	}
	return t.canonical(), nil
}

// String is the canonical suffix without its colon: "T30+5,20", "K30,20*", "S30", "T30,20,10", "T0" for the
// unbounded plane.
func (t Topology) String() string {
	if t.Kind == Unbounded {
		return "T0"
	}
	var b strings.Builder
	b.WriteByte(kinds[t.Kind].letter)
	b.WriteString(t.side(t.W, Horizontal))
	if !kinds[t.Kind].square {
		b.WriteByte(',')
		b.WriteString(t.side(t.LayerRows(), Vertical))
	}
	if t.Volume() {
		b.WriteByte(',')
		b.WriteString(strconv.Itoa(t.D))
	}
	return b.String()
}

// Suffix returns the part of a rule string that gives the topology: ":" and String, or nothing for the unbounded
// plane.
func (t Topology) Suffix() string {
	if t.Kind == Unbounded {
		return ""
	}
	return ":" + t.String()
}

func (t Topology) side(cells int, axis Axis) string {
	s := strconv.Itoa(cells)
	if t.Twist == axis {
		s += "*"
	}
	if t.Axis == axis {
		s += fmt.Sprintf("%+d", t.Shift)
	}
	return s
}

type suffixParser struct {
	input string
	pos   int
}

func (p *suffixParser) fail(offset int, format string, args ...any) error {
	return &SyntaxError{What: "topology", Input: p.input, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// accept skips c if it comes next.
func (p *suffixParser) accept(c byte) bool {
	if p.pos < len(p.input) && p.input[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// parse reads a suffix: a letter and one or two sides.
func (p *suffixParser) parse() (Topology, error) {
	p.accept(':')
	var t Topology
	if p.pos == len(p.input) {
		return t, p.fail(p.pos, "a letter is missing: allowed are T, P, K, C and S")
	}
	letter := upper(p.input[p.pos])
	for k := range kinds {
		if kinds[k].letter == letter && letter != 0 {
			t.Kind = Kind(k)
		}
	}
	if t.Kind == Unbounded {
		return t, p.fail(p.pos, "unknown topology letter: allowed are T, P, K, C and S")
	}
	p.pos++

	var err error
	if t.W, err = p.side(&t, Horizontal); err != nil {
		return t, err
	}
	t.H = t.W
	if p.accept(',') {
		if kinds[t.Kind].square {
			return t, p.fail(p.pos-1, "a sphere is square: give only one side")
		}
		if p.pos < len(p.input) {
			if t.H, err = p.side(&t, Vertical); err != nil {
				return t, err
			}
		}
	}
	if p.pos < len(p.input) && p.input[p.pos] == ',' {
		return p.volume(t)
	}
	if p.pos < len(p.input) {
		return t, p.fail(p.pos, "unexpected text after the grid size")
	}
	if kinds[t.Kind].twist && t.Twist == NoAxis {
		t.Twist = Vertical
		if t.Axis != NoAxis {
			return t, p.fail(p.pos, "the shift of a Klein bottle must be on its twisted edges, marked with *")
		}
	}
	if t.canonical().Kind == Unbounded {
		return Topology{}, nil
	}
	if err := t.Validate(); err != nil {
		return t, p.fail(p.pos, "%v", err)
	}
	return t, nil
}

// volume reads the third side of a volume, whose other sides t has. A comma stands before it.
func (p *suffixParser) volume(t Topology) (Topology, error) {
	at := p.pos
	p.accept(',')
	d, err := p.number()
	switch {
	case err != nil:
		return t, err
	case p.pos < len(p.input):
		return t, p.fail(p.pos, "unexpected text after the layers: a volume has three sides, as in T30,20,10")
	case !kinds[t.Kind].layers:
		return t, p.fail(at, "topology %s has no layers: only a torus (T) and a plane (P) can have three dimensions", t.Kind)
	case t.Axis != NoAxis:
		return t, p.fail(at, "a volume cannot have a shift")
	}
	if t, err = NewVolume(t.Kind, t.W, t.H, d); err != nil {
		return t, p.fail(at, "%v", err)
	}
	return t, nil
}

// side reads a number of cells with the twist and the shift of the edges along it.
func (p *suffixParser) side(t *Topology, axis Axis) (int, error) {
	cells, err := p.number()
	if err != nil {
		return 0, err
	}
	if p.accept('*') {
		switch {
		case !kinds[t.Kind].twist:
			return 0, p.fail(p.pos-1, "only a Klein bottle has a twist")
		case t.Twist != NoAxis:
			return 0, p.fail(p.pos-1, "a Klein bottle is twisted on one pair of edges only")
		}
		t.Twist = axis
	}
	negative := p.pos < len(p.input) && p.input[p.pos] == '-'
	at := p.pos
	if !p.accept('+') && !p.accept('-') {
		return cells, nil
	}
	shift, err := p.number()
	switch {
	case err != nil:
		return 0, err
	case !kinds[t.Kind].shift:
		return 0, p.fail(at, "only a torus or a Klein bottle can have a shift")
	case kinds[t.Kind].twist && t.Twist != axis:
		return 0, p.fail(at, "the shift of a Klein bottle must be on its twisted edges, marked with *")
	case cells == 0:
		return 0, p.fail(at, "an infinite side cannot have a shift")
	case shift == 0:
		return cells, nil
	case t.Shift != 0:
		return 0, p.fail(at, "only one pair of edges can have a shift")
	}
	if negative {
		shift = -shift
	}
	t.Axis, t.Shift = axis, shift
	return cells, nil
}

// number reads decimal digits. No digits mean 0, as in Golly.
func (p *suffixParser) number() (int, error) {
	start, n := p.pos, 0
	for p.pos < len(p.input) && p.input[p.pos] >= '0' && p.input[p.pos] <= '9' {
		n = 10*n + int(p.input[p.pos]-'0')
		if n > MaxSide {
			return 0, p.fail(start, "the number is too large: at most %d is allowed", MaxSide)
		}
		p.pos++
	}
	return n, nil
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
