package tail

import "math/bits"

// Rule is an outer-totalistic rule: bit n is birth with n neighbours, bit 9+n is survival.
type Rule uint32

// NewRule packs the nine bits of birth and of survival; higher bits are ignored.
func NewRule(birth, survival uint16) Rule { return Rule(birth&0x1FF) | Rule(survival&0x1FF)<<9 }

// Function returns the rule as a function of the five signals.
func (r Rule) Function() Function {
	var f Function
	for point, class := range enumerated().classOf {
		f |= Function(r>>class&1) << point
	}
	return f
}

// Orbits is the number of different rules if a rule, its complement, and both with live and dead exchanged
// count as one.
const Orbits = 65792

// Orbit returns the number of the rule's orbit, and how to get the rule from the orbit's representative:
// whether to complement its output, and whether to complement the cells that it reads.
//
// Let B be the word of birth, and S the word of survival with its bits reversed. Exchanging live and dead cells
// exchanges B and S. Complementing the output complements both. Representatives have S ≤ B and B + S ≤ 511.
func (r Rule) Orbit() (number int, output, cells bool) {
	b, s := int(r&0x1FF), int(bits.Reverse16(uint16(r>>9))>>7)
	if b+s > 511 {
		b, s, output = 511-b, 511-s, true
	}
	if s > b {
		b, s, cells = s, b, true
	}
	// For each B there are min(B, 511-B)+1 values of S, a triangle that grows and shrinks again:
	//
	//	B     0     1       2      …     255     256     …     510     511
	//	S     0   0, 1   0, 1, 2       0 … 255  0 … 255       0, 1      0
	//
	// Numbers go through it row by row. Those of the second half are counted from the end.
	if b <= 256 {
		return b*(b+1)/2 + s, output, cells
	}
	return Orbits - (512-b)*(513-b)/2 + s, output, cells
}

// Representative returns the representative of an orbit.
func Representative(number int) Rule {
	b := 0
	for ; number > min(b, 511-b); b++ {
		number -= min(b, 511-b) + 1
	}
	return NewRule(uint16(b), bits.Reverse16(uint16(number))>>7)
}
