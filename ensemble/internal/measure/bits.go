package measure

// states has the shares of cells in each state of the rule.
type states struct{}

// Quantities implements Instrument.
func (states) Quantities(s Setting) []string { return numbered("state", 0, s.RuleStates-1) }

// Measure implements Instrument.
func (states) Measure(dst []float64, v View) {
	counts := v.States.Counts()
	for k := range dst {
		dst[k] = float64(counts[k]) / v.cells()
	}
}

// stateBits has the shares of cells whose state has a bit set, for all bits that states can have.
type stateBits struct{}

// mostBits is the number of bits a state has at most.
const mostBits = 8

// Quantities implements Instrument.
func (stateBits) Quantities(Setting) []string { return numbered("bit", 0, mostBits-1) }

// Measure implements Instrument.
func (stateBits) Measure(dst []float64, v View) {
	clear(dst)
	for state, n := range v.States.Counts() {
		for k := range dst {
			if state>>k&1 == 1 {
				dst[k] += float64(n)
			}
		}
	}
	for k := range dst {
		dst[k] /= v.cells()
	}
}
