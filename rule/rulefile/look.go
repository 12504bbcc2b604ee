package rulefile

import (
	"strconv"
	"strings"
)

// names reads lines like "2 electron head". It ignores all other lines, as Golly does.
func (f *File) names(body text) {
	f.Names = map[uint8]string{}
	for l := range body.lines() {
		number, name, _ := strings.Cut(strings.TrimSpace(l.text), " ")
		state, err := strconv.ParseUint(number, 10, 8)
		if name = strings.TrimSpace(name); err == nil && name != "" {
			f.Names[uint8(state)] = name
		}
	}
}

// colours reads lines of two forms. "1 0 128 255" is a state and its colour. "0 0 255 255 0 0" is the first and
// the last colour of all states but 0. Text may follow the numbers. It ignores all other lines, as Golly does.
func (f *File) colours(body text) {
	f.Colours = map[uint8][3]uint8{}
	for l := range body.lines() {
		var numbers []uint8
		for _, word := range strings.FieldsFunc(l.text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' }) {
			n, err := strconv.ParseUint(word, 10, 8)
			if err != nil {
				break
			}
			numbers = append(numbers, uint8(n))
		}
		switch {
		case len(numbers) >= 6:
			f.gradient([3]uint8(numbers), [3]uint8(numbers[3:]))
		case len(numbers) >= 4:
			f.Colours[numbers[0]] = [3]uint8(numbers[1:])
		}
	}
}

// Colour returns the colour in which viewers show a state. If the file has none for it, it is Golly's: dark
// grey for state 0, and red to yellow for the others.
func (f *File) Colour(state uint8) [3]uint8 {
	if c, ok := f.Colours[state]; ok {
		return c
	}
	if state == 0 {
		return [3]uint8{48, 48, 48}
	}
	return between([3]uint8{255, 0, 0}, [3]uint8{255, 255, 0}, int(state), f.Function.States)
}

// gradient gives all states but 0 the colours between two.
func (f *File) gradient(from, to [3]uint8) {
	if f.Function == nil {
		return // no table or tree before the colours: the number of states is unknown
	}
	for s := 1; s < f.Function.States; s++ {
		f.Colours[uint8(s)] = between(from, to, s, f.Function.States)
	}
}

// between returns the colour of a state, given those of state 1 and of the last state.
func between(from, to [3]uint8, state, states int) (colour [3]uint8) {
	for k := range colour {
		a, b := int(from[k]), int(to[k])
		colour[k] = uint8(a + (b-a)*(state-1)/max(states-2, 1))
	}
	return colour
}
