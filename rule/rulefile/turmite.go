package rulefile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// turmite is a Turing machine on the plane. Its state and the colour of the cell below it decide what it does:
// it paints the cell, turns, takes a new state and moves one cell. Ed Pegg wrote turmites as lists of {colour,
// turn, state} (2D Turing Machines, 2004). Greg Turk's ants (1986, after Christopher Langton's) have one state.
// Each colour has a turn, and the ant changes it to the next colour.
//
// The state of a cell is its colour. With a turmite on the cell it is colours + 4·(states·colour + state) + way.
type turmite struct {
	colours int
	actions [][]action // by state and colour
}

type action struct {
	colour int
	turn   int // quarter turns, clockwise
	state  int
}

// turns has Pegg's numbers for turns.
var turns = map[string]int{"1": 0, "2": 1, "4": 2, "8": 3}

// ways lists the cells from which a turmite comes, in the order of its states: south means that it moves north.
// A quarter turn clockwise leads to the next entry.
var (
	ways      = [4]int{local.S, local.W, local.N, local.E}
	clockwise = map[int]int{local.S: local.W, local.W: local.N, local.N: local.E, local.E: local.S}
	opposite  = map[int]int{local.S: local.N, local.W: local.E, local.N: local.S, local.E: local.W}
)

// antPrefix comes before the turns in the name of one of Turk's ants. Golly's generator uses the same names.
const antPrefix = "LangtonsAnt_"

// turmitesMade has the rules of turmites made so far, by name.
var turmitesMade names.Made[*File]

// turmiteNamed makes the rule of a turmite from its notation: {{{1,2,0},{0,8,0}}} for Langton's ant. It returns
// nil if the name is not such a notation.
func turmiteNamed(name string) (*File, error) {
	if f, ok := turmitesMade.Get(name); ok {
		return f, nil
	}
	var t *turmite
	var err error
	switch {
	case strings.HasPrefix(name, "{"):
		t, err = parseTurmite(name)
	case strings.HasPrefix(name, antPrefix):
		t, err = parseAnt(name[len(antPrefix):])
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("turmite %s: %w", name, err)
	}
	f, err := t.file(strings.Join(strings.Fields(name), ""))
	if err != nil {
		return nil, err
	}
	return turmitesMade.Put(name, f), nil
}

// parseAnt reads the turns of an ant, colour by colour.
func parseAnt(letters string) (*turmite, error) {
	t := &turmite{colours: len(letters), actions: [][]action{nil}}
	for colour, letter := range letters {
		turn := strings.IndexRune("NRUL", letter)
		if turn < 0 {
			return nil, fmt.Errorf("%q is not a turn: L, R, N (none) and U (back) are allowed", letter)
		}
		t.actions[0] = append(t.actions[0], action{colour: (colour + 1) % t.colours, turn: turn})
	}
	return t, t.check()
}

// parseTurmite reads Pegg's notation.
func parseTurmite(text string) (*turmite, error) {
	text = strings.Join(strings.Fields(text), "")
	body, ok := strings.CutPrefix(text, "{{{")
	if ok {
		body, ok = strings.CutSuffix(body, "}}}")
	}
	if !ok {
		return nil, fmt.Errorf(
			"a turmite is a list of states, each a list of colours, each {colour, turn, state}: {{{1,2,0},{0,8,0}}}")
	}
	t := &turmite{}
	for state, ofState := range strings.Split(body, "}},{{") {
		t.actions = append(t.actions, nil)
		for _, triple := range strings.Split(ofState, "},{") {
			numbers := strings.Split(triple, ",")
			if len(numbers) != 3 {
				return nil, fmt.Errorf("{%s} is not {colour, turn, state}", triple)
			}
			turn, ok := turns[numbers[1]]
			colour, notColour := strconv.ParseUint(numbers[0], 10, 8)
			next, notState := strconv.ParseUint(numbers[2], 10, 8)
			switch {
			case !ok:
				return nil, fmt.Errorf("turn %s: 1 (none), 2 (right), 4 (back) and 8 (left) are allowed", numbers[1])
			case notColour != nil || notState != nil:
				return nil, fmt.Errorf("{%s}: colour and state must be numbers", triple)
			}
			t.actions[state] = append(t.actions[state], action{int(colour), turn, int(next)})
		}
		if len(t.actions[state]) != len(t.actions[0]) {
			return nil, fmt.Errorf("state %d has %d colours, state 0 has %d", state, len(t.actions[state]), len(t.actions[0]))
		}
	}
	t.colours = len(t.actions[0])
	return t, t.check()
}

// check refuses actions that lead to colours or states that do not exist.
func (t *turmite) check() error {
	if n := t.states(); t.colours < 2 || n > 256 {
		return fmt.Errorf("%d colours and %d states: 2 colours or more, and %d cell states instead of at most 256", t.colours,
			len(t.actions), n)
	}
	for _, ofState := range t.actions {
		for _, a := range ofState {
			if a.colour >= t.colours || a.state >= len(t.actions) {
				return fmt.Errorf("colour %d or state %d: there are %d colours and %d states", a.colour, a.state, t.colours,
					len(t.actions))
			}
		}
	}
	return nil
}

// states returns the number of states of a cell.
func (t *turmite) states() int { return t.colours * (1 + len(ways)*len(t.actions)) }

// leaving returns the action of the turmite on a cell, and the direction in which it leaves. ok is false if the cell
// has no turmite.
func (t *turmite) leaving(cell uint8) (a action, to int, ok bool) {
	n := int(cell) - t.colours
	if n < 0 {
		return action{}, 0, false
	}
	// n is 4·(states·colour + state) + way. The last number is taken off first.
	way, n := n%len(ways), n/len(ways)
	a = t.actions[n%len(t.actions)][n/len(t.actions)]
	to = opposite[ways[way]]
	for range a.turn {
		to = clockwise[to]
	}
	return a, to, true
}

// file returns the rule as a rule file.
func (t *turmite) file(name string) (*File, error) {
	table := local.Lines{
		States: t.states(), Cells: []int{local.C, local.N, local.E, local.S, local.W}, Turns: [][]int{{0, 1, 2, 3, 4}},
	}
	type arrival struct{ from, state int }
	becomes := make([][]uint8, t.colours)               // by colour: the states of a cell that turn into it
	comes, stays := map[arrival][]uint8{}, [9][]uint8{} // a neighbour's: a turmite comes, or none
	for s := range table.States {
		cell, colour := uint8(s), s
		a, to, ok := t.leaving(cell)
		if ok {
			colour = a.colour
		}
		becomes[colour] = append(becomes[colour], cell)
		for _, from := range ways {
			if ok && to == opposite[from] {
				comes[arrival{from, a.state}] = append(comes[arrival{from, a.state}], cell)
			} else {
				stays[from] = append(stays[from], cell)
			}
		}
	}
	any, all := local.Term{Variable: -1}, make([]uint8, table.States)
	for s := range all {
		all[s] = uint8(s)
	}
	any.States = all
	line := func(colour int, next int) local.Line {
		l := local.Line{Out: local.Term{Variable: -1, States: []uint8{uint8(next)}}}
		l.In = append(l.In, local.Term{Variable: -1, States: becomes[colour]})
		return l
	}
	for colour := range t.colours {
		for way, from := range ways {
			for state := range t.actions {
				l := line(colour, t.colours+len(ways)*(len(t.actions)*colour+state)+way)
				for _, cell := range table.Cells[1:] {
					states := stays[cell]
					// A turmite comes from one neighbour, and none comes from the other three.
					if cell == from {
						states = comes[arrival{from, state}]
					}
					l.In = append(l.In, local.Term{Variable: -1, States: states})
				}
				if len(comes[arrival{from, state}]) > 0 {
					table.Lines = append(table.Lines, l)
				}
			}
		}
	}
	for colour := range t.colours { // no turmite comes, or several come and vanish
		l := line(colour, colour)
		l.In = append(l.In, any, any, any, any)
		table.Lines = append(table.Lines, l)
	}
	f, err := table.Function()
	if err != nil {
		return nil, err
	}
	return &File{
		Name: name, Neighbourhood: neighbourhood.Set{Letter: 'N', Radius: 1}, Function: f,
		Description: "A turmite: a Turing machine that walks on the plane and paints its cells. Christopher Langton 1986, Greg Turk 1986, Ed Pegg 2004.",
	}, nil
}
