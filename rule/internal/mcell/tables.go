package mcell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

var (
	// in the order of General binary
	moore      = []int{local.N, local.NE, local.E, local.SE, local.S, local.SW, local.W, local.NW}
	vonNeumann = []int{local.N, local.E, local.S, local.W}
)

// rowLength is the length of a row of a rules table: for 0 to 9 firing cells, with the middle if it counts.
const rowLength = 10

// rulesTable reads "N,M,F,S": the neighbourhood (1 Moore, 2 von Neumann), whether the middle counts, whether
// all odd states fire or only state 1, and the next state of each state for each number of firing neighbours,
// row by row. Zeros at the end may be left out.
func rulesTable(text string) (Rule, error) {
	fields := split(text, ",")
	var head [3]int
	for i, most := range []int{2, 1, 1} {
		n, err := fields[i].number("", (i+2)%3/2, most) // the neighbourhood is 1 or 2, the others are 0 or 1
		if err != nil {
			return Rule{}, err
		}
		head[i] = n
	}
	var next []int
	states := 2
	for _, f := range fields[3:] {
		n, err := f.number("", 0, mostStates-1)
		if err != nil {
			return Rule{}, err
		}
		next = append(next, n)
		states = max(states, n+1)
	}
	for len(next) > 0 && next[len(next)-1] == 0 {
		next = next[:len(next)-1]
	}
	states = max(states, (len(next)+rowLength-1)/rowLength)
	if states > mostStates {
		return Rule{}, fail(fields[3].at, "a table of %d rows: at most %d states are allowed", states, mostStates)
	}
	cells, hood := moore, neighbourhood.Set{Letter: 'M', Radius: 1}
	if head[0] == 2 {
		cells, hood.Letter = vonNeumann, 'N'
	}
	if head[1] == 1 {
		cells = append(slices.Clone(cells), local.C)
	}
	firing := []uint8{1}
	if head[2] == 1 {
		for s := 3; s < states; s += 2 {
			firing = append(firing, uint8(s))
		}
	}
	asking := &local.Asking{Next: func(state uint8, yes func(int) bool) uint8 {
		at := rowLength * int(state)
		for bit := range 4 { // the highest first
			if yes(bit) {
				at += 8 >> bit
			}
		}
		if at >= len(next) || at >= rowLength*(int(state)+1) {
			return 0
		}
		return uint8(next[at])
	}}
	for bit := range 4 {
		asking.Questions = append(asking.Questions, local.NewQuestion(firing, func(marks int) bool {
			return neighbours(cells, marks)&(8>>bit) != 0
		}))
	}
	words := make([]string, 0, len(fields))
	for _, n := range slices.Concat(head[:], next) {
		words = append(words, strconv.Itoa(n))
	}
	for len(words) < 6 { // with fewer numbers it would look like Larger than Life
		words = append(words, "0")
	}
	return ofFunction(strings.Join(words, ","), "MCell's rules table", hood, states, asking)
}

func ofFunction(name, kind string, hood neighbourhood.Set, states int, asking *local.Asking) (Rule, error) {
	f, err := asking.Function(states)
	if err != nil {
		return Rule{}, err
	}
	return Rule{File: &rulefile.File{Name: name, Kind: kind, Neighbourhood: hood, Function: f}}, nil
}

// neumannStates returns the number of states if text has the length of a Neumann binary rule, and otherwise 0.
func neumannStates(text string) int {
	for states, length := range map[int]int{2: 32, 3: 243, 4: 1024} {
		if len(text) == length+1 && int(text[0]-'0') == states {
			return states
		}
	}
	return 0
}

// neumannBinary reads a digit for the number of states, and then a next state for each combination of the
// middle, N, E, S and W. The last of them changes fastest.
func neumannBinary(text string) (Rule, error) {
	states := neumannStates(text)
	for i := range text[1:] {
		if int(text[i+1]-'0') >= states {
			return Rule{}, fail(i+1, "%q is not one of the %d states", text[i+1], states)
		}
	}
	cells := []int{local.C, local.N, local.E, local.S, local.W}
	f, err := local.Code(states, cells, func(_ int, s uint8) int { return int(s) }, func(b *local.Around) uint8 {
		at := 0
		for _, cell := range cells {
			at = at*states + int(b[cell])
		}
		return text[1+at] - '0'
	}, nil)
	if err != nil {
		return Rule{}, err
	}
	return Rule{File: &rulefile.File{
		Name: text, Kind: "MCell's Neumann binary",
		Neighbourhood: neighbourhood.Set{Letter: 'N', Radius: 1}, Function: f,
	}}, nil
}

// generalBinary reads "C48,NM,Sb255a,Babb189ab63a": states, neighbourhood, and for each set of live neighbours
// whether a cell survives and whether it is born. The sets are bit masks in the order N, NE, E, SE, S, SW, W,
// NW from the lowest bit. The letter a is no, b is yes, and a number before a letter repeats it.
func generalBinary(text string) (Rule, error) {
	fields := split(text, ",")
	if len(fields) != 4 {
		return Rule{}, fail(len(text), "%d parts: MCell's General binary has four, like C0,NM,S256a,B256a", len(fields))
	}
	states, err := fields[0].states("C")
	if err != nil {
		return Rule{}, err
	}
	cells, ok := map[string][]int{"NM": moore, "NN": vonNeumann}[fields[1].text]
	if !ok {
		return Rule{}, fail(fields[1].at, "%q: NM (Moore) and NN (von Neumann) are allowed", fields[1].text)
	}
	var sets [2][]bool
	for i, letter := range []string{"S", "B"} {
		if sets[i], err = fields[2+i].runs(letter, 1<<len(cells)); err != nil {
			return Rule{}, err
		}
	}
	return Rule{States: states, Lives: func(block int) bool {
		set := 0
		for i, cell := range cells {
			set |= block >> (8 - cell) & 1 << i
		}
		return sets[1-block>>(8-local.C)&1][set]
	}}, nil
}

// runs reads a letter and runs of a and b.
func (f field) runs(letter string, length int) ([]bool, error) {
	if !strings.HasPrefix(f.text, letter) {
		return nil, fail(f.at, "the letter %s is expected here", letter)
	}
	var set []bool
	count := 0
	for i, c := range f.text[1:] {
		switch {
		case c >= '0' && c <= '9':
			if count = 10*count + int(c-'0'); count > length {
				return nil, fail(f.at+1+i, "a run of %d: there are %d blocks", count, length)
			}
			continue
		case c != 'A' && c != 'B':
			return nil, fail(f.at+1+i, "%q: a, b and numbers are expected here", c)
		}
		for range max(count, 1) {
			set = append(set, c == 'B')
		}
		count = 0
	}
	if len(set) != length || count != 0 {
		return nil, fail(f.at, "%d blocks: %d are expected", len(set), length)
	}
	return set, nil
}

// cyclic reads "R1/T3/C14/NM" and perhaps "/GH": a cell in state k becomes k+1 if T or more neighbours are in
// state k+1. State 0 comes after the last state. With GH (Greenberg and Hastings) only state 0 depends on
// neighbours, and all others go on.
func cyclic(text string) (Rule, error) {
	fields := split(text, "/")
	greenberg := len(fields) == 5 && fields[4].text == "GH"
	if len(fields) != 4 && !greenberg {
		return Rule{}, fail(len(text), "MCell's Cyclic CA have four parts, like R1/T3/C14/NM, and /GH may follow")
	}
	radius, err := fields[0].number("R", 1, 10)
	if err != nil {
		return Rule{}, err
	}
	if radius > 1 {
		return Rule{}, fail(fields[0].at, "Cyclic CA of range %d: only range 1 is supported", radius)
	}
	cells, hood := moore, neighbourhood.Set{Letter: 'M', Radius: 1}
	switch fields[3].text {
	case "NM":
	case "NN":
		cells, hood.Letter = vonNeumann, 'N'
	default:
		return Rule{}, fail(fields[3].at, "%q: NM (Moore) and NN (von Neumann) are allowed", fields[3].text)
	}
	threshold, err := fields[1].number("T", 1, len(cells))
	if err != nil {
		return Rule{}, err
	}
	states, err := fields[2].number("C", 2, 64)
	if err != nil {
		return Rule{}, err
	}
	asking := &local.Asking{Next: func(state uint8, yes func(int) bool) uint8 {
		if !(greenberg && state != 0) && !yes(int(state)) {
			return state
		}
		return uint8((int(state) + 1) % states)
	}}
	for s := range states {
		asking.Questions = append(asking.Questions, local.NewQuestion([]uint8{uint8((s + 1) % states)}, func(marks int) bool {
			return neighbours(cells, marks) >= threshold
		}))
	}
	return ofFunction(text, "MCell's Cyclic CA", hood, states, asking)
}
