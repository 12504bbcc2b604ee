// Package generations has Extended Generations rules, B2/S345/D1-2-1: live cells that do not survive grow
// older, and are live again at some ages (ConwayLife forums, M. I. Wright, D. Cross and M. Jacquet, 2018;
// LifeWiki's page "Extended Generations").
package generations

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// mostStates is the greatest number of states of a rule.
const mostStates = 256

// Ages has the number of consecutive live states from state 1, then the number of states that are not live, and
// so on in turn. State 0 is dead.
type Ages []int

// ParseAges reads "1-2-1".
func ParseAges(text string) (Ages, error) {
	var ages Ages
	states := 1
	for _, part := range strings.Split(text, "-") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n >= mostStates {
			return nil, fmt.Errorf("%q: numbers of live and other states in turn are expected here, like 1-2-1", text)
		}
		ages = append(ages, n)
		states += n
	}
	if states < 2 || states > mostStates {
		return nil, fmt.Errorf("%s makes %d states: 2 to %d are allowed", text, states, mostStates)
	}
	return ages, nil
}

// String returns the notation.
func (a Ages) String() string {
	words := make([]string, len(a))
	for i, n := range a {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "-")
}

// live returns, by state, whether it is live.
func (a Ages) live() []bool {
	live := []bool{false}
	for i, n := range a {
		for range n {
			live = append(live, i%2 == 0)
		}
	}
	return live
}

// File returns the rule with the births and survivals of a rule of two states, and with ages. The two-state
// rule is given by its name, by the letter of its neighbourhood, and by lives. lives reports whether the middle
// of a block is live in the next generation; bit 8-i of its argument is cell i of the block.
func File(name string, hood neighbourhood.Set, lives func(block int) bool, ages Ages) *rulefile.File {
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
		panic("rule/internal/generations: " + err.Error()) // the questions are valid for every rule
	}
	return &rulefile.File{
		Name: name + "/D" + ages.String(), Kind: "Extended Generations", Neighbourhood: hood, Function: f, Names: names,
	}
}
