// Package bsfkl has rules like B2/S23/F0/K1/L2, in which live cells that do not survive become destructive:
// these kill live cells and are killed by them (Brian Prentice, ConwayLife forums, 2014; LifeWiki's page
// "BSFKL").
package bsfkl

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

const (
	live        = 1
	destructive = 2

	states = 3
)

// letters head the counts of a rule, in the order in which they are written.
const letters = "BSFKL"

// A Rule has a set of counts for each of the letters: bit n says that n neighbours are among them. B, S and L
// count live neighbours, F and K destructive ones.
type Rule [len(letters)]uint16

// Is reports whether text is written with these letters: B, S, F and K with digits behind them, slashes before
// them or not. BSFK rules without L have another meaning; Parse refuses them.
func Is(text string) bool {
	_, _, ok := cut(text)
	return ok
}

// cut returns the digits behind each letter, and whether there is an L.
func cut(text string) (counts [len(letters)]string, l, ok bool) {
	rest := strings.ToUpper(text)
	for i := range counts {
		after, found := strings.CutPrefix(strings.TrimPrefix(rest, "/"), letters[i:i+1])
		if !found {
			return counts, false, rest == "" && i == len(letters)-1
		}
		rest = strings.TrimLeft(after, "0123456789")
		counts[i] = after[:len(after)-len(rest)]
	}
	return counts, true, rest == ""
}

// Parse reads "B2/S23/F0/K1/L2" or "b2s23f0k1l2", a text for which Is is true.
func Parse(text string) (Rule, error) {
	var r Rule
	counts, l, _ := cut(text)
	if !l {
		return r, fmt.Errorf(
			"BSFK rules are written with L here: F lists the counts below f, K those from k on, and L is L12345678")
	}
	for i, digits := range counts {
		for _, d := range digits {
			if d == '9' {
				return r, fmt.Errorf("count 9 behind %c is above 8, the size of the neighbourhood", letters[i])
			}
			r[i] |= 1 << (d - '0')
		}
	}
	return r, nil
}

// String returns the notation.
func (r Rule) String() string {
	var b strings.Builder
	for i, set := range r {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteByte(letters[i])
		for n := range 9 {
			if set>>n&1 == 1 {
				b.WriteByte(byte('0' + n))
			}
		}
	}
	return b.String()
}

// File returns the rule as one of states: 0 dead, 1 live, 2 destructive.
func (r Rule) File() *rulefile.File {
	among := func(state uint8, set int) local.Question {
		const middle = 1 << (8 - local.C)
		return local.NewQuestion([]uint8{state}, func(marks int) bool {
			return r[set]>>bits.OnesCount(uint(marks&^middle))&1 == 1
		})
	}
	asking := &local.Asking{
		Questions: []local.Question{
			among(live, 0), among(live, 1), among(destructive, 2), among(destructive, 3),
			among(live, 4),
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
			case live:
				switch survives := yes(survives); {
				case yes(killed):
					return 0
				case survives:
					return live
				}
				return destructive
			case destructive:
				if yes(disarmed) {
					return 0
				}
				return destructive
			}
			if yes(born) && yes(free) {
				return live
			}
			return 0
		},
	}
	f, err := asking.Function(states)
	if err != nil {
		panic("rule/internal/bsfkl: " + err.Error()) // the questions are valid for every rule
	}
	return &rulefile.File{
		Name: r.String(), Kind: "BSFKL", Neighbourhood: neighbourhood.Set{Letter: 'M', Radius: 1}, Function: f,
		Names: map[uint8]string{0: "dead", live: "live", destructive: "destructive"},
	}
}
