package rulefile

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// The states of von Neumann's automaton (Theory of Self-Reproducing Automata, completed by A. W. Burks, 1966),
// and of Nobili's extension of it, which adds the crossings (R. Nobili and U. Pesavento, 1996). Their numbers
// are Golly's. The numbers of arrows are in the order east, north, west, south.
const (
	ground          = 0
	lastSensitised  = 8 // states 1 to 8 are S, S0, S1, S00, S01, S10, S11, S000
	firstArrow      = 9 // ordinary; ordinary and excited; special; special and excited
	lastArrow       = 24
	confluent       = 25 // then: excited next, excited now, both
	confluentNext   = 26
	confluentNow    = 27
	confluentBoth   = 28
	crossHorizontal = 29 // a signal crosses the cell from side to side
	crossVertical   = 30
	crossBoth       = 31
)

// hardened has the state of a sensitised cell after its last signal. The index is twice the cell's state plus
// the signal, minus 9.
var hardened = [...]uint8{11, 12, 17, 18, 19, 20, 25, 9, 10}

// signal is the kind of signal that a neighbour sends to a cell.
type signal int

const (
	silent   signal = iota
	quiet           // an ordinary arrow points here and carries nothing
	ordinary        // an ordinary arrow points here and carries a signal
	special         // a special arrow points here and carries a signal
	charged         // a confluent cell sends a signal here
	away            // an arrow points elsewhere
)

// neighbours are in the order of the direction in which an arrow in them points at the cell: east for the
// neighbour to the west. The rules are asked for a million blocks when they are made, so this is a list and no
// map.
var neighbours = [4]int{local.W, local.S, local.E, local.N}

// directionOf returns the direction in which an arrow in a neighbour points at the cell.
func directionOf(neighbour int) int { return slices.Index(neighbours[:], neighbour) }

// signalOf returns the signal that a neighbour sends to the cell that arrows of the given direction point at.
func signalOf(direction int, state uint8) signal {
	switch {
	case state >= firstArrow && state <= lastArrow:
		kind := (state - firstArrow) / 4
		switch {
		case int(state-firstArrow)%4 != direction:
			return away
		case kind == 0:
			return quiet
		case kind == 1:
			return ordinary
		case kind == 3:
			return special
		}
	case state == confluentNow, state == confluentBoth, state == crossBoth,
		state == crossHorizontal && direction%2 == 0, state == crossVertical && direction%2 == 1:
		return charged
	}
	return silent
}

// classOfVonNeumann returns the class of a cell's state. nextOfVonNeumann distinguishes only these classes.
func classOfVonNeumann(cell int, state uint8) int { return int(signalOf(directionOf(cell), state)) }

// vonNeumann returns the rule of von Neumann, or with crossings that of Nobili.
func vonNeumann(name, description string, crossings bool) (*File, error) {
	states := confluentBoth + 1
	if crossings {
		states = crossBoth + 1
	}
	next := func(b *local.Around) uint8 { return nextOfVonNeumann(b, crossings) }
	f, err := coded(name, states, classOfVonNeumann, next)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{
		Name: name, Description: description, Neighbourhood: neighbourhood.Set{Letter: 'N', Radius: 1},
		Function: f,
	}, nil
}

// crossOrder is the order in which the diagrams of these rules ask the cells of von Neumann's neighbourhood.
var crossOrder = []int{local.C, local.N, local.E, local.S, local.W}

// coded returns the function that next computes: see local.Code. An embedded diagram is not made again.
func coded(name string, states int, class func(cell int, state uint8) int, next func(*local.Around) uint8,
) (*local.Function, error) {
	return local.Code(states, crossOrder, class, next, diagramOf(name))
}

// nextOfVonNeumann is the next state in von Neumann's automaton of 29 states, or with crossings in
// Nobili's of 32.
func nextOfVonNeumann(b *local.Around, crossings bool) uint8 {
	c := b[local.C]
	output := -1 // the direction of the cell, if it is an arrow
	if c >= firstArrow && c <= lastArrow {
		output = int(c-firstArrow) % 4
	}
	var from [away + 1]struct{ horizontal, vertical bool }
	excited := false // by a neighbour that it does not point at
	for direction, cell := range neighbours {
		s := signalOf(direction, b[cell])
		if direction%2 == 0 {
			from[s].horizontal = true
		} else {
			from[s].vertical = true
		}
		pointsThere := output >= 0 && (output+2)%4 == direction
		excited = excited || !pointsThere && (s == ordinary || s == special || s == charged)
	}
	gets := func(s signal) bool { return from[s].horizontal || from[s].vertical }
	switch {
	case c <= lastSensitised:
		code := 2 * c
		if gets(ordinary) || gets(special) {
			code++
		}
		if code > lastSensitised {
			return hardened[code-lastSensitised-1]
		}
		return code
	case output < 0 && gets(special):
		return ground
	case output < 0:
		enters := (from[quiet].horizontal || from[ordinary].horizontal) && (from[quiet].vertical || from[ordinary].vertical)
		if crossings && enters && from[away].horizontal && from[away].vertical {
			return crossing(from[ordinary].horizontal, from[ordinary].vertical)
		}
		return nextConfluent(c, gets(ordinary) && !gets(quiet), gets(away) || !crossings)
	}
	base := c - (c-firstArrow)/4%2*4 // the arrow without its signal
	isSpecial := base >= firstArrow+8
	switch {
	case isSpecial && gets(ordinary), !isSpecial && gets(special):
		return ground
	case excited:
		return base + 4
	}
	return base
}

// crossing returns the state of a confluent cell in which signals cross.
func crossing(horizontal, vertical bool) uint8 {
	switch {
	case horizontal && vertical:
		return crossBoth
	case horizontal:
		return crossHorizontal
	case vertical:
		return crossVertical
	}
	return confluent
}

// nextConfluent passes on the signal of the last step, and takes in a new one. A cell without an output keeps
// its signal.
func nextConfluent(c uint8, signal, output bool) uint8 {
	if c > confluentBoth {
		c = confluent
	}
	now := c == confluentNext || c == confluentBoth
	switch {
	case signal && now:
		return confluentBoth
	case signal:
		return confluentNext
	case !output:
		return c
	case now:
		return confluentNow
	}
	return confluent
}
