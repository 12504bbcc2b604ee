package rulefile

import (
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// Hutton's automaton has Nobili's states. Arrows write the cell before them and can take themselves back, and a
// cell that is written takes its direction from the arrow that writes it. While a cell is being written, a
// special arrow with a signal marks the one that writes it.
//
// T. J. Hutton, "Codd's self-replicating computer", Artificial Life 16 (2010); his notes on Hutton32, 2008 (LifeWiki,
// Rule:Hutton32); Golly has it in its code. Some written states cannot be explained by any arrow. Such cells get the
// result of Golly's arithmetic.

// huttonArrows describes the signals that a cell of Hutton's rule gets from its four neighbours, by the direction of
// their arrows.
type huttonArrows struct {
	ordinary, special   [4]bool // arrows that point here
	excited             [4]bool // those that carry a signal
	charged             [4]bool // confluent cells that send a signal here
	inputs, outputs     int     // arrows that point here, and that point elsewhere
	quiet, any, writing bool    // some ordinary arrow here is quiet; is there; carries a signal
}

// arrowsTo collects the signals that the four neighbours send to the middle cell.
func arrowsTo(b *local.Around) (a huttonArrows) {
	for direction, cell := range neighbours {
		switch state := b[cell]; signalOf(direction, state) {
		case charged:
			a.charged[direction] = true
		case away:
			a.outputs++
		default:
			if state < firstArrow || state > lastArrow {
				continue
			}
			kind := (state - firstArrow) / 4
			a.inputs++
			a.ordinary[direction], a.special[direction], a.excited[direction] = kind < 2, kind >= 2, kind%2 == 1
			a.quiet = a.quiet || kind == 0
			a.writing = a.writing || kind == 1
		}
	}
	a.any = a.ordinary != [4]bool{}
	return a
}

// gets reports whether a signal arrives by arrows of a kind. An arrow that meets the cell's own arrow head-on does
// not count. output is the direction of the cell's own arrow, or -1 if it has none.
func (a *huttonArrows) gets(kind [4]bool, output int, orCharged bool) bool {
	for direction := range 4 {
		headOn := output >= 0 && (output+2)%4 == direction
		if !headOn && (kind[direction] && a.excited[direction] || orCharged && a.charged[direction]) {
			return true
		}
	}
	return false
}

// writer returns the quiet arrow of the first direction from which a signal arrives, or 0 if no signal arrives.
func (a *huttonArrows) writer() int {
	for direction := range 4 {
		if a.excited[direction] {
			if a.special[direction] {
				return firstArrow + 8 + direction
			}
			return firstArrow + direction
		}
	}
	return 0
}

// nextOfHutton is the next state in Hutton's 32-state automaton.
func nextOfHutton(b *local.Around) uint8 {
	c, a := b[local.C], arrowsTo(b)
	switch {
	case c <= lastSensitised:
		return uint8(a.written(int(c)))
	case c >= confluent:
		return a.confluent(c)
	}
	direction, kind := int(c-firstArrow)%4, (c-firstArrow)/4
	isSpecial, isExcited := kind >= 2, kind%2 == 1
	quiet := c - kind%2*4
	// the cell that it points to
	before := b[neighbours[(direction+2)%4]]
	stays := before == 0 && isExcited || before >= 1 && before <= 3 || before == 4 && isSpecial // sensitised
	if isSpecial {
		signalled := a.gets(a.ordinary, -1, false)
		switch {
		case isExcited && before >= 1 && before <= lastSensitised && a.any: // it marks an ordinary arrow that writes
			switch {
			case stays && signalled:
				return c - 8
			case stays:
				return c
			case signalled:
				return ground
			}
			return quiet - 8
		case isExcited && before == ground:
			if a.gets(a.special, direction, false) {
				return c
			}
			return quiet
		case signalled:
			return ground
		case a.gets(a.special, direction, true):
			return quiet + 4
		}
		return quiet
	}
	becomesArrow := before == 8 || before == 4 && isExcited || before == 5 && !isExcited
	becomesConfluent := before == 7 && isExcited
	switch {
	case a.gets(a.special, -1, false):
		return ground
	case a.gets(a.ordinary, direction, true):
		switch {
		case becomesArrow || before >= firstArrow+8 && before < firstArrow+12:
			return ground
		case becomesConfluent:
			return 1
		}
		return quiet + 4
	case becomesConfluent:
		return ground
	case isExcited && stays:
		return quiet + 12
	}
	return quiet
}

// written is the next state of a sensitised cell, or of the ground. Directions are those of the arrow that
// writes: 0 is ahead, 1 left.
func (a *huttonArrows) written(c int) int {
	from := a.writer()
	turned := func(kind, quarters int) int { return kind + (from-firstArrow+quarters)%4 }
	const ordinary, special = firstArrow, firstArrow + 8
	switch c {
	case ground:
		switch {
		case a.writing:
			return 1
		case a.gets(a.special, -1, false):
			return from - 8
		}
		return ground
	case 1, 2, 3:
		if a.writing {
			return 2*c + 1
		}
		return 2 * c
	}
	if a.writing {
		switch c {
		case 4:
			return turned(ordinary, 2)
		case 5:
			return from + 8
		case 6:
			return turned(special, 2)
		case 7:
			return confluent
		}
		return turned(ordinary, 1)
	}
	switch c {
	case 4:
		return 8
	case 5:
		return turned(ordinary, 3)
	case 6:
		return turned(special, 1)
	case 7:
		return turned(special, 3)
	}
	return turned(ordinary, 0)
}

// confluent is the next state of a confluent cell.
func (a *huttonArrows) confluent(c uint8) uint8 {
	isCrossed := c >= crossHorizontal || c == confluent && a.inputs == 2 && a.outputs == 2
	signal := a.writing && !a.quiet
	switch {
	case a.gets(a.special, -1, false):
		return ground
	case isCrossed:
		sends := func(direction int) bool { return a.ordinary[direction] && a.excited[direction] }
		return crossing(sends(0) || sends(2), sends(1) || sends(3))
	case signal && (c == confluentNext || c == confluentBoth):
		return confluentBoth
	case signal:
		return confluentNext
	case c == confluentNext || c == confluentBoth:
		return confluentNow
	}
	return confluent
}

// hutton is the rule.
func hutton() (*File, error) {
	f, err := coded("Hutton32", crossBoth+1, huttonClass, nextOfHutton)
	if err != nil {
		return nil, err
	}
	return &File{
		Name: "Hutton32", Neighbourhood: neighbourhood.Set{Letter: 'N', Radius: 1}, Function: f,
		Description: "Tim Hutton's variation on JvN29, whose arrows write cells that take their direction from them, and take themselves back (2008).",
	}, nil
}

// huttonClass returns the class of a cell's state. nextOfHutton distinguishes only these classes.
func huttonClass(cell int, state uint8) int {
	const (
		sends = lastSensitised + 1 + iota
		elsewhere
		elsewhereQuietSpecial
		nothing
		here
	)
	switch s := signalOf(directionOf(cell), state); {
	case state >= 1 && state <= 3:
		return 1
	case state <= lastSensitised:
		return int(state)
	case s == charged:
		return sends
	case s == away && state >= firstArrow+8 && state < firstArrow+12:
		return elsewhereQuietSpecial
	case s == away:
		return elsewhere
	case state > lastArrow:
		return nothing
	}
	return here + int(state-firstArrow)/4
}
