package synth

// expander turns a function into lookup tables over the signals its builder has: a table over three of them if there is one,
// else it splits the function by a signal and goes on with each half, where the other half's points no longer matter. Signals
// made on the way serve later halves as well. (The method by which M. Kwan, 1998, made his circuits for the boxes of DES.)
type expander struct {
	b      *builder
	splits []ref // the signals to split by, in this order
	work   int   // candidates looked at so far

	query      query
	candidates []candidate
}

// expand returns a signal that equals target wherever care is 1.
func (e *expander) expand(target, care truth) ref {
	q := &e.query
	q.reset(target, care)
	switch {
	case len(q.ones) == 0:
		return zero
	case len(q.zeros) == 0:
		return one
	}
	e.candidates = e.candidates[:0]
	for i := 1; i < len(e.b.signals); i++ {
		e.candidates = append(e.candidates, candidate{signal: int32(i)})
	}
	e.work += len(e.candidates)
	if imm, operands, ok := q.find(e.b.values, e.candidates); ok {
		return e.b.lut(imm, ref(operands[0]<<1), ref(operands[1]<<1), ref(operands[2]<<1))
	}
	x := e.choose(target, care) &^ 1 // which of the two halves comes first does not matter
	v := e.b.values[x>>1]
	low := e.expand(target, care.without(v))
	high := e.expand(target, care.and(v))
	return e.b.mux(x, high, low)
}

// choose returns the first signal that cuts care.
func (e *expander) choose(_, care truth) ref {
	for _, x := range e.splits {
		v := e.b.values[x>>1]
		if care.and(v) != (truth{}) && care.without(v) != (truth{}) {
			return x
		}
	}
	return e.splits[0]
}
