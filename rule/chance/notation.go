package chance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// A rule can have at most this number of states if each state has its own probabilities.
const mostStates = 16

// volumePrefix is before the P or Q of a rule of three dimensions.
const volumePrefix = "3D"

// Parse reads a rule that begins with P or Q, or with 3DP or 3DQ. at is the place of an error.
//
// PN/0,0.25,0.5,0.75,1/0.2 is a neighbourhood, for each state the probabilities of going on to the next state
// by the number of neighbours in state 1, and after C another state that is counted.
//
// Q3N/0.6,0.37,0.2,0.1 is how many states, a neighbourhood, and the probabilities of accepting a state that 1,
// 2, … fewer neighbours have than have the old one. The last one holds for all greater numbers.
func Parse(text string) (near neighbourhood.Set, c *Chance, states, counted, at int, err error) {
	first := 1
	of := parseNear
	if n := len(volumePrefix); len(text) > n && strings.EqualFold(text[:n], volumePrefix) {
		first, of = n+1, parseNearVolume
	}
	if len(text) >= first && text[first-1]|' ' == 'q' {
		near, states, c, at, err = parseProposing(text[first:], of)
		return near, c, states, 1, at + first, err
	}
	near, c, counted, at, err = parseAdvancing(text[min(first, len(text)):], of)
	if err == nil {
		states = len(c.Advance)
	}
	return near, c, states, counted, at + first, err
}

// nearParser reads a neighbourhood.
type nearParser func(text string) (neighbourhood.Set, error)

// parseAdvancing reads the probabilities with which cells go on to the next state: a list for each
// state, by the number of neighbours. A list that ends early goes on with its last number. at is where
// an error is.
func parseAdvancing(text string, parseNear nearParser) (near neighbourhood.Set, c *Chance, counted, at int, err error) {
	letters, lists, _ := strings.Cut(text, "/")
	c = &Chance{Update: Certain}
	if near, err = parseNear(letters); err != nil {
		return near, nil, 0, 0, err
	}
	at, counted = len(letters)+1, 1
	most := near.Size()
	parts := strings.Split(lists, "/")
	for i, part := range parts {
		if state, ok := strings.CutPrefix(strings.ToUpper(part), "C"); ok && i == len(parts)-1 {
			if counted, err = strconv.Atoi(state); err != nil || counted < 0 || counted >= i {
				return near, nil, 0, at, fmt.Errorf("%q: want C and the state that is counted, 0 to %d", part, i-1)
			}
			break
		}
		by := make([]Probability, 0, most+1)
		for number := range strings.SplitSeq(part, ",") {
			p, err := ParseProbability(number)
			if err == nil && len(by) > most {
				err = fmt.Errorf("there are 0 to %d neighbours: want no more probabilities than that", most)
			}
			if err != nil {
				return near, nil, 0, at, err
			}
			by, at = append(by, p), at+len(number)+1
		}
		for len(by) <= most {
			by = append(by, by[len(by)-1])
		}
		c.Advance = append(c.Advance, by)
	}
	if n := len(c.Advance); n < 2 || n > mostStates {
		err = fmt.Errorf("probabilities of %d states: want 2 to %d", n, mostStates)
	}
	return near, c, counted, 0, err
}

// parseProposing reads the number of states, and the probabilities with which a proposed state is
// accepted, by how many fewer neighbours have it.
func parseProposing(text string, parseNear nearParser) (near neighbourhood.Set, states int, c *Chance, at int,
	err error,
) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	states, err = strconv.Atoi(text[:digits])
	if err != nil || states < 2 || states > mostStates {
		return near, 0, nil, 0, fmt.Errorf("%q: want Q and the number of states, 2 to %d", text[:digits], mostStates)
	}
	letters, list, _ := strings.Cut(text[digits:], "/")
	if near, err = parseNear(letters); err != nil {
		return near, 0, nil, digits, err
	}
	if near.Size() > mostProposers {
		return near, 0, nil, digits, fmt.Errorf("%d neighbours: want at most %d", near.Size(), mostProposers)
	}
	c, at = &Chance{Update: Certain}, digits+len(letters)+1
	for number := range strings.SplitSeq(list, ",") {
		p, err := ParseProbability(number)
		if err == nil && len(c.Accept) == near.Size() {
			err = fmt.Errorf("there are %d neighbours: want no more probabilities than that", near.Size())
		}
		if err != nil {
			return near, 0, nil, at, err
		}
		c.Accept, at = append(c.Accept, p), at+len(number)+1
	}
	for len(c.Accept) < near.Size() {
		c.Accept = append(c.Accept, c.Accept[len(c.Accept)-1])
	}
	return near, states, c, 0, nil
}

// mostProposers is the number of neighbours that may decide whether a state is accepted.
const mostProposers = 24

// list writes probabilities, with a slash before them. The last one holds for all greater numbers.
func list(by []Probability) string {
	for len(by) > 1 && by[len(by)-1] == by[len(by)-2] {
		by = by[:len(by)-1]
	}
	var b strings.Builder
	for i, p := range by {
		b.WriteByte("/,"[min(i, 1)])
		b.WriteString(p.String())
	}
	return b.String()
}

// nearNotation writes the notation that parseNear and parseNearVolume read.
func nearNotation(near neighbourhood.Set) string {
	switch {
	case near.Letter == '@':
		return near.Notation()
	case near.Radius == 1:
		return string(near.Letter)
	}
	return fmt.Sprintf("%c%d", near.Letter, near.Radius)
}

// parseNear reads a letter of HROT with a radius from 1 to 3, which may be missing, or @ and the cells of the
// 3×3 block as two hexadecimal digits.
func parseNear(text string) (neighbourhood.Set, error) {
	if text == "" {
		return neighbourhood.Set{}, fmt.Errorf("the neighbourhood is missing: want a letter like M or N, or @")
	}
	letter, rest := strings.ToUpper(text[:1])[0], text[1:]
	if letter == '@' {
		cells, err := strconv.ParseUint(rest, 16, 8)
		if err != nil || len(rest) != 2 {
			return neighbourhood.Set{}, fmt.Errorf("%q: want @ and two hexadecimal digits", text)
		}
		var block []bool
		for i := range 9 {
			block = append(block, i != 4 && cells>>(7-i+i/5)&1 == 1) // the middle has no bit
		}
		return neighbourhood.NewCustom(1, block)
	}
	radius := 1
	if rest != "" {
		var err error
		if radius, err = strconv.Atoi(rest); err != nil || radius < 1 || radius > 3 {
			return neighbourhood.Set{}, fmt.Errorf("%q: want a letter like M or N and a radius from 1 to 3", text)
		}
	}
	n, err := neighbourhood.New(letter, radius)
	switch {
	case err != nil:
		return n, err
	case n.Triangles:
		return n, fmt.Errorf("probabilities for triangles are not supported: they differ from cell to cell")
	case letter == 'G':
		return n, fmt.Errorf("the Gaussian neighbourhood has weights: want another one")
	}
	return n, nil
}

// parseNearVolume reads a neighbourhood of three dimensions: M, N or 2 with a radius from 1 to 3, which may be missing,
// or C, E, H; F and V are N.
func parseNearVolume(text string) (neighbourhood.Set, error) {
	n := neighbourhood.Set{Radius: 1, Volume: true}
	if letter, radius := strings.ToUpper(text), ""; letter != "" {
		letter, radius = letter[:1], letter[1:]
		if letter == "F" || letter == "V" {
			letter = "N"
		}
		if n.Letter = letter[0]; radius != "" && strings.Contains("MN2", letter) {
			n.Radius, _ = strconv.Atoi(radius)
			radius = ""
		}
		if strings.Contains("MN2CEH", letter) && radius == "" && n.Radius >= 1 && n.Radius <= 3 {
			return n, nil
		}
	}
	return n, fmt.Errorf(
		"neighbourhood %q of three dimensions: want M, N or 2 with a radius from 1 to 3, or C, E or H", text)
}

// Notation writes the notation that Parse reads.
func (c *Chance) Notation(near neighbourhood.Set, states, counted int) string {
	prefix := ""
	if near.Volume {
		prefix = volumePrefix
	}
	if c.Accept != nil {
		return fmt.Sprintf("%sQ%d%s", prefix, states, nearNotation(near)) + list(c.Accept)
	}
	var b strings.Builder
	b.WriteString(prefix + "P" + nearNotation(near))
	for _, by := range c.Advance {
		b.WriteString(list(by))
	}
	if counted != 1 {
		fmt.Fprintf(&b, "/C%d", counted)
	}
	return b.String()
}
