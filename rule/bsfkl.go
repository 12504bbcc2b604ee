package rule

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// The states of a rule in BSFKL that are not dead, and the number of all states.
const (
	bsfklLive        = 1
	bsfklDestructive = 2

	bsfklStates = 3
)

// bsfklLetters head the counts of a rule, in the order in which they are written.
const bsfklLetters = "BSFKL"

// bsfklRule has a set of counts for each of the letters: bit n says that n neighbours are among them. B, S and L
// count live neighbours, F and K destructive ones.
type bsfklRule [len(bsfklLetters)]uint16

// isBSFKL reports whether text is written with these letters: B, S, F and K with digits behind them, slashes before
// them or not. BSFK rules without L have another meaning; parseBSFKL refuses them.
func isBSFKL(text string) bool {
	_, _, ok := cutBSFKL(text)
	return ok
}

// cutBSFKL returns the digits behind each letter, and whether there is an L.
func cutBSFKL(text string) (counts [len(bsfklLetters)]string, l, ok bool) {
	rest := strings.ToUpper(text)
	for i := range counts {
		after, found := strings.CutPrefix(strings.TrimPrefix(rest, "/"), bsfklLetters[i:i+1])
		if !found {
			return counts, false, rest == "" && i == len(bsfklLetters)-1
		}
		rest = strings.TrimLeft(after, "0123456789")
		counts[i] = after[:len(after)-len(rest)]
	}
	return counts, true, rest == ""
}

// parseBSFKL reads "B2/S23/F0/K1/L2" or "b2s23f0k1l2", a text for which Is is true.
func parseBSFKL(text string) (bsfklRule, error) {
	var r bsfklRule
	counts, l, _ := cutBSFKL(text)
	if !l {
		return r, fmt.Errorf(
			"BSFK rules are written with L here: F lists the counts below f, K those from k on, and L is L12345678")
	}
	for i, digits := range counts {
		for _, d := range digits {
			if d == '9' {
				return r, fmt.Errorf("count 9 behind %c is above 8, the size of the neighbourhood", bsfklLetters[i])
			}
			r[i] |= 1 << (d - '0')
		}
	}
	return r, nil
}

// String returns the notation.
func (r bsfklRule) String() string {
	var b strings.Builder
	for i, set := range r {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteByte(bsfklLetters[i])
		for n := range 9 {
			if set>>n&1 == 1 {
				b.WriteByte(byte('0' + n))
			}
		}
	}
	return b.String()
}

// File returns the rule as one of states: 0 dead, 1 live, 2 destructive.
func (r bsfklRule) File() *rulefile.File {
	among := func(state uint8, set int) local.Question {
		const middle = 1 << (8 - local.C)
		return local.NewQuestion([]uint8{state}, func(marks int) bool {
			return r[set]>>bits.OnesCount(uint(marks&^middle))&1 == 1
		})
	}
	asking := &local.Asking{
		Questions: []local.Question{
			among(bsfklLive, 0), among(bsfklLive, 1), among(bsfklDestructive, 2), among(bsfklDestructive, 3),
			among(bsfklLive, 4),
		},
		Next: func(state uint8, yes func(int) bool) uint8 {
			const (
				born = iota
				survives
				free
				killed
				disarmed
			)
			switch state {
			case bsfklLive:
				switch survives := yes(survives); {
				case yes(killed):
					return 0
				case survives:
					return bsfklLive
				}
				return bsfklDestructive
			case bsfklDestructive:
				if yes(disarmed) {
					return 0
				}
				return bsfklDestructive
			}
			if yes(born) && yes(free) {
				return bsfklLive
			}
			return 0
		},
	}
	f, err := asking.Function(bsfklStates)
	if err != nil {
		panic("rule: " + err.Error()) // the questions are valid for every rule
	}
	return &rulefile.File{
		Name: r.String(), Kind: "BSFKL", Neighbourhood: neighbourhood.Set{Letter: 'M', Radius: 1}, Function: f,
		Names: map[uint8]string{0: "dead", bsfklLive: "live", bsfklDestructive: "destructive"},
	}
}
