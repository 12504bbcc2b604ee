// Package generations has Extended Generations, B2/S345/D1-2-1: live cells that do not survive grow older, and are live again at some ages
// (ConwayLife forums, M. I. Wright, D. Cross and M. Jacquet, 2018; LifeWiki's page "Extended Generations").
package generations

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// mostStates is how many states a rule may have.
const mostStates = 256

// Ages are how many states in a row are live, then how many are not, and so on, from state 1. State 0 is dead.
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

// String is the notation.
func (a Ages) String() string {
	words := make([]string, len(a))
	for i, n := range a {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "-")
}

// live says of each state whether it is live.
func (a Ages) live() []bool {
	live := []bool{false}
	for i, n := range a {
		for range n {
			live = append(live, i%2 == 0)
		}
	}
	return live
}

// File is the rule of births and survivals of a rule of two states, with the ages: name is that of the former, letter its neighbourhood, and lives
// says whether the middle of a block is live in the next generation, given the block's index: bit 8-i for cell i.
func File(name string, letter byte, lives func(block int) bool, ages Ages) *rulefile.File {
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
	const ( // for a middle that is live, and one that is not: the mark of the middle is not looked at
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
		panic("rule/generations: " + err.Error()) // whatever the rule is, the questions are the same
	}
	return &rulefile.File{Name: name + "/D" + ages.String(), Kind: "Extended Generations", Letter: letter, Function: f, Names: names}
}
