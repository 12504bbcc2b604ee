package rule

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// extended reads Extended Generations: births and survivals up to an offset, and at the offset ages a D and how
// long cells are live and not live.
func (s *scanner) extended(end, ages int) (Rule, error) {
	base, err := (&scanner{input: s.input, pos: s.pos, end: end}).lifelike()
	if err != nil {
		return Rule{}, err
	}
	table, ok := base.AsTable()
	if !ok || base.States != 2 {
		return Rule{}, s.fail(ages, "the number of states stands here for the second time: D says it")
	}
	list, err := parseAges(s.input[ages+1 : s.end])
	if err != nil {
		return Rule{}, s.fail(ages+1, "%v", err)
	}
	lives := func(block int) bool { return table.At(block) == 1 }
	r := shared(agedFile(base.String(), base.Neighbourhood, lives, list))
	if r.Kind() == KindTable {
		return base, nil // two states: D1
	}
	return r, nil
}

// mostAges is the greatest number of states of a rule.
const mostAges = 256

// ages has the number of consecutive live states from state 1, then the number of states that are not live, and
// so on in turn. State 0 is dead.
type ages []int

// parseAges reads "1-2-1".
func parseAges(text string) (ages, error) {
	var ages ages
	states := 1
	for _, part := range strings.Split(text, "-") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n >= mostAges {
			return nil, fmt.Errorf("%q: numbers of live and other states in turn are expected here, like 1-2-1", text)
		}
		ages = append(ages, n)
		states += n
	}
	if states < 2 || states > mostAges {
		return nil, fmt.Errorf("%s makes %d states: 2 to %d are allowed", text, states, mostAges)
	}
	return ages, nil
}

// String returns the notation.
func (a ages) String() string {
	words := make([]string, len(a))
	for i, n := range a {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "-")
}

// live returns, by state, whether it is live.
func (a ages) live() []bool {
	live := []bool{false}
	for i, n := range a {
		for range n {
			live = append(live, i%2 == 0)
		}
	}
	return live
}

// agedFile returns the rule with the births and survivals of a rule of two states, and with ages. The two-state
// rule is given by its name, by the letter of its neighbourhood, and by lives. lives reports whether the middle
// of a block is live in the next generation; bit 8-i of its argument is cell i of the block.
func agedFile(name string, hood neighbourhood.Set, lives func(block int) bool, ages ages) *rulefile.File {
	live := ages.live()
	var among []uint8
	names := map[uint8]string{0: "dead"}
	for s := 1; s < len(live); s++ {
		names[uint8(s)] = fmt.Sprintf("age %d", s)
		if live[s] {
			among = append(among, uint8(s))
			names[uint8(s)] += ", live"
		}
	}
	const middle = 1 << (8 - local.C)
	const ( // the questions: for a live middle, and for one that is not; neither reads the middle
		survives = iota
		born
	)
	asking := &local.Asking{
		Questions: []local.Question{
			survives: local.NewQuestion(among, func(marks int) bool { return lives(marks | middle) }),
			born:     local.NewQuestion(among, func(marks int) bool { return lives(marks &^ middle) }),
		},
		Next: func(state uint8, yes func(int) bool) uint8 {
			switch {
			case state == 0 && yes(born):
				return 1
			case state == 0, live[state] && yes(survives):
				return state
			}
			return uint8((int(state) + 1) % len(live))
		},
	}
	f, err := asking.Function(len(live))
	if err != nil {
		panic("rule: " + err.Error()) // the questions are valid for every rule
	}
	return &rulefile.File{
		Name: name + "/D" + ages.String(), Kind: "Extended Generations", Neighbourhood: hood, Function: f, Names: names,
	}
}
