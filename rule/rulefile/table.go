package rulefile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// inputs is a neighbourhood that tables can name.
type inputs struct {
	letter byte  // of the neighbourhood; '@' has none, and is made of the cells
	cells  []int // in the order of inputs
	// symmetries are by name. They rearrange the neighbours, numbered from 0, and leave the first input, the middle.
	symmetries map[string]symmetry
}

// symmetry consists of the rotations of the neighbours by multiples of step. If reflect is set, each is also
// reflected: reflect has the neighbours' places after a reflection.
type symmetry struct {
	step    int
	reflect []int
}

var neighbourhoods = map[string]inputs{
	"vonNeumann": {'N', []int{local.C, local.N, local.E, local.S, local.W}, map[string]symmetry{
		"none": {step: 4}, "rotate4": {step: 1}, "rotate4reflect": {step: 1, reflect: []int{0, 3, 2, 1}},
		"reflect_horizontal": {step: 4, reflect: []int{0, 3, 2, 1}}, "permute": {},
	}},
	"Moore": {
		'M',
		[]int{local.C, local.N, local.NE, local.E, local.SE, local.S, local.SW, local.W, local.NW},
		map[string]symmetry{
			"none": {step: 8}, "rotate4": {step: 2}, "rotate8": {step: 1},
			"rotate4reflect":     {step: 2, reflect: []int{0, 7, 6, 5, 4, 3, 2, 1}},
			"rotate8reflect":     {step: 1, reflect: []int{0, 7, 6, 5, 4, 3, 2, 1}},
			"reflect_horizontal": {step: 8, reflect: []int{0, 7, 6, 5, 4, 3, 2, 1}}, "permute": {},
		},
	},
	"hexagonal": {'H', []int{local.C, local.N, local.E, local.SE, local.S, local.W, local.NW}, map[string]symmetry{
		"none": {step: 6}, "rotate2": {step: 3}, "rotate3": {step: 2}, "rotate6": {step: 1},
		"rotate6reflect": {step: 1, reflect: []int{5, 4, 3, 2, 1, 0}}, "permute": {},
	}},
	"oneDimensional": {'@', []int{local.C, local.W, local.E}, map[string]symmetry{
		"none": {step: 2}, "reflect": {step: 2, reflect: []int{1, 0}}, "permute": {},
	}},
}

// set returns the neighbourhood.
func (in inputs) set() neighbourhood.Set {
	if in.letter != '@' {
		return neighbourhood.Set{Letter: in.letter, Radius: 1}
	}
	var cells [9]bool
	for _, cell := range in.cells {
		cells[cell] = true
	}
	set, err := neighbourhood.NewCustom(1, cells[:])
	if err != nil {
		panic("rule/rulefile: " + err.Error()) // one for each cell of the block
	}
	return set
}

// turns returns the arrangements of n neighbours and the middle.
func (s symmetry) turns(n int) (turns [][]int) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for _, start := range [][]int{order, s.reflect} {
		for by := 0; start != nil && by < n; by += s.step {
			// The middle is input 0 and stays. Neighbour i is input 1+i.
			turn := []int{0}
			for i := range n {
				turn = append(turn, 1+start[(i+by)%n])
			}
			turns = append(turns, turn)
		}
	}
	return turns
}

// mostLines is the largest number of transitions of a table. A million take about 400 MiB.
const mostLines = 1 << 20

// table reads @TABLE, or a .table file.
func (f *File) table(body text, limits Limits) error {
	t := &tableReader{variables: map[string][]uint8{}}
	for s := range t.single {
		t.single[s] = []uint8{uint8(s)}
	}
	for l := range body.lines() {
		l.text, _, _ = strings.Cut(l.text, "#")
		l.text = strings.TrimSpace(l.text)
		if l.text == "" {
			continue
		}
		if err := t.line(l); err != nil {
			return err
		}
	}
	if missing := t.missing(); missing != "" {
		return fmt.Errorf("the table has no line %q", missing)
	}
	t.Turns = nil
	if t.Permute = t.symmetry == "permute"; !t.Permute {
		t.Turns = t.hood.symmetries[t.symmetry].turns(len(t.Cells) - 1)
	}
	var function *local.Function
	var err error
	if limits.packed != nil {
		function, err = t.Finished(limits.packed)
	} else {
		function, err = t.Within(limits.Context, limits.Edges)
	}
	if err != nil {
		return fmt.Errorf("the table is %w", err)
	}
	f.Neighbourhood, f.Symmetry, f.Function = t.hood.set(), t.symmetry, function
	return nil
}

// tableReader reads the head of a table into its fields, and the lines into local.Lines.
type tableReader struct {
	local.Lines
	hood      inputs
	hoodName  string
	symmetry  string
	variables map[string][]uint8
	single    [256][]uint8 // each state alone
}

// missing returns the first line of the head that has not been read.
func (t *tableReader) missing() string {
	switch {
	case t.States == 0:
		return "n_states:"
	case t.hoodName == "":
		return "neighborhood:"
	case t.symmetry == "":
		return "symmetries:"
	}
	return ""
}

// line reads a line: a head, a variable or a transition. Heads must come first, since all others
// depend on them.
func (t *tableReader) line(l line) error {
	for _, head := range []struct {
		keyword string
		read    func(value string) error
	}{{"n_states:", t.states}, {"neighborhood:", t.neighbourhood}, {"symmetries:", t.symmetries}} {
		value, ok := cutKeyword(l.text, head.keyword)
		if !ok {
			continue
		}
		if len(t.Lines.Lines) > 0 || len(t.variables) > 0 {
			return l.fail("%q comes after variables or transitions", l.text)
		}
		if err := head.read(value); err != nil {
			return l.fail("%w", err)
		}
		return nil
	}
	if missing := t.missing(); missing != "" {
		return l.fail("%q must come before variables and transitions", missing)
	}
	read := t.transition
	if _, ok := cutKeyword(l.text, "var "); ok {
		read = t.variable
	}
	if err := read(l.text); err != nil {
		return l.fail("%w", err)
	}
	return nil
}

// cutKeyword returns the text after a keyword, in upper or lower case.
func cutKeyword(text, keyword string) (value string, ok bool) {
	if len(text) < len(keyword) || !strings.EqualFold(text[:len(keyword)], keyword) {
		return "", false
	}
	return strings.TrimSpace(text[len(keyword):]), true
}

func (t *tableReader) states(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 2 || n > 256 {
		return fmt.Errorf("n_states is %q: 2 to 256 is allowed", value)
	}
	t.States = n
	return nil
}

func (t *tableReader) neighbourhood(value string) error {
	hood, ok := neighbourhoods[value]
	if !ok {
		return fmt.Errorf("neighbourhood %q is not supported: allowed are %s", value, list(neighbourhoods))
	}
	t.hood, t.hoodName, t.Cells = hood, value, hood.cells
	return nil
}

func (t *tableReader) symmetries(value string) error {
	if t.hoodName == "" {
		return errors.New(`"neighborhood:" must come before "symmetries:"`)
	}
	if _, ok := t.hood.symmetries[value]; !ok {
		return fmt.Errorf("symmetry %q is not one of the %s neighbourhood: allowed are %s", value, t.hoodName,
			list(t.hood.symmetries))
	}
	t.symmetry = value
	return nil
}

// list names the keys of a map.
func list[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

// state reads the number of a state.
func (t *tableReader) state(text string) (uint8, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a state nor a variable", text)
	}
	if int(n) >= t.States {
		return 0, fmt.Errorf("state %s: 0 to %d is allowed", text, t.States-1)
	}
	return uint8(n), nil
}

// variable reads "var a={0,1,b}". A variable has each of its states once, at the place where it is named first: a later
// place is never tried.
func (t *tableReader) variable(text string) error {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("= {,}\t", c) })
	if len(words) < 3 {
		return fmt.Errorf(`%q: a variable is "var a={0,1}"`, text)
	}
	var states []uint8
	var has [256]bool
	for _, word := range words[2:] {
		named, ok := t.variables[word]
		if !ok {
			s, err := t.state(word)
			if err != nil {
				return err
			}
			named = []uint8{s}
		}
		for _, s := range named {
			if !has[s] {
				states, has[s] = append(states, s), true
			}
		}
	}
	t.variables[words[1]] = states
	return nil
}

// transition reads "0,a,1,a,2,3". It also reads "010123" if no state has two digits and there are no variables.
// A probability may follow: "~0.25".
func (t *tableReader) transition(text string) error {
	inputs := len(t.Cells)
	p := chance.Certain
	text, odds, left := strings.Cut(text, "~")
	if left {
		var err error
		if p, err = chance.ParseProbability(strings.TrimSpace(odds)); err != nil {
			return err
		}
	}
	var words []string
	if t.States <= 10 && len(t.variables) == 0 && !strings.Contains(text, ",") {
		words = strings.Split(text, "")
	} else {
		words = strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
	}
	if len(words) < inputs+1 {
		return fmt.Errorf("%q has %d entries: a transition of the %s neighbourhood has %d", text, len(words), t.hoodName,
			inputs+1)
	}
	if len(t.Lines.Lines) == mostLines {
		return fmt.Errorf("the table has more than %d transitions", mostLines)
	}
	words = words[:inputs+1]
	l := local.Line{Unless: uint64(chance.Certain - p), In: make([]local.Term, 0, inputs)}
	bound := map[string]int{}
	// In alphabetical order, in which Golly tries the values of variables.
	for _, name := range slices.Compact(slices.Sorted(slices.Values(words))) {
		if states, ok := t.variables[name]; ok && count(words, name) > 1 && count(words[:inputs], name) > 0 {
			bound[name] = len(l.Variables)
			l.Variables = append(l.Variables, states)
		}
	}
	term := func(word string) (local.Term, error) {
		if v, ok := bound[word]; ok {
			return local.Term{Variable: v}, nil
		}
		if states, ok := t.variables[word]; ok {
			return local.Term{Variable: -1, States: states}, nil
		}
		s, err := t.state(word)
		return local.Term{Variable: -1, States: t.single[s]}, err
	}
	for _, word := range words[:inputs] {
		in, err := term(word)
		if err != nil {
			return err
		}
		l.In = append(l.In, in)
	}
	var err error
	if l.Out, err = term(words[inputs]); err != nil {
		return err
	}
	if l.Out.Variable < 0 && len(l.Out.States) > 1 {
		return fmt.Errorf(
			"the last entry %q has %d values: it must be a state, or a variable that is also one of the other entries",
			words[inputs], len(l.Out.States))
	}
	t.Lines.Lines = append(t.Lines.Lines, l)
	return nil
}

func count(words []string, word string) (n int) {
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}
