package marked

import "github.com/gosper-life/gosper/rule/local"

const investigatorStates = 21

var investigatorNames = map[uint8]string{
	0: "dead", 1: "live", 2: "always live, kills", 3: "always dead, kills", 4: "always live", 5: "always dead",
	6: "flips, live, kills", 7: "flips, dead, kills", 8: "always live, gives birth", 9: "always dead, gives birth",
	10: "flips, live", 11: "flips, dead", 12: "flips, live, gives birth", 13: "flips, dead, gives birth",
	14: "always dead, kills and gives birth", 15: "live to cells beside a live one",
	16: "live to cells beside a live one, kills",
	17: "live to dead cells", 18: "live to live cells", 19: "flips, live to dead cells", 20: "flips, live to live cells",
}

var investigatorColours = map[uint8][3]uint8{
	0: {0, 0, 0}, 1: {0, 236, 91}, 2: {0, 192, 254}, 3: {254, 0, 0}, 4: {254, 254, 254}, 5: {75, 75, 75},
	6: {239, 41, 254},
	7: {64, 0, 128}, 8: {254, 230, 0}, 9: {150, 128, 0}, 10: {130, 200, 0}, 11: {0, 120, 40}, 12: {254, 140, 0},
	13: {140, 70, 0},
	14: {0, 0, 254}, 15: {192, 192, 192}, 16: {128, 128, 128}, 17: {254, 112, 140}, 18: {174, 0, 168}, 19: {0, 152, 127},
	20: {0, 73, 59},
}

// investigator returns the function of [R]Investigator. Only states 0 and 1 depend on neighbours. All others
// remain, or flip between two states.
func investigator(r Rule) *local.Asking {
	const (
		company = iota // some neighbour is not in state 0
		killed
		givenBirth
		needsLive
		besideLive
		survives
		born
	)
	flips := map[uint8]uint8{6: 7, 7: 6, 10: 11, 11: 10, 12: 13, 13: 12, 19: 20, 20: 19}
	some := func(among ...uint8) local.Question { return local.Some(r.neighbours(), among...) }
	var all []uint8
	for s := uint8(1); s < investigatorStates; s++ {
		all = append(all, s)
	}
	return &local.Asking{
		Questions: []local.Question{
			company:    some(all...),
			killed:     some(2, 3, 6, 7, 14, 16),
			givenBirth: some(8, 9, 12, 13, 14),
			needsLive:  some(15, 16),
			besideLive: some(live),
			survives:   local.NewQuestion([]uint8{1, 2, 4, 6, 8, 10, 12, 15, 16, 18, 20}, r.Lives),
			born:       local.NewQuestion([]uint8{1, 2, 4, 6, 8, 10, 12, 15, 16, 17, 19}, r.Lives),
		},
		Next: func(c uint8, yes func(int) bool) uint8 {
			bit := func(one bool) uint8 {
				if one {
					return 1
				}
				return 0
			}
			switch {
			case c > 1:
				if to, ok := flips[c]; ok {
					return to
				}
				return c
			case c == 1:
				return bit(!yes(killed) && yes(survives))
			case !yes(company):
				return 0
			case yes(givenBirth):
				return 1
			}
			return bit((!yes(needsLive) || yes(besideLive)) && yes(born))
		},
	}
}
