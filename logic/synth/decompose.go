package synth

// expander turns a function into lookup tables over the signals its builder has: a table over three of them if there is one,
// else it splits the function by a signal and goes on with each half, where the other half's points no longer matter. Signals
// made on the way serve later halves as well. (The method by which M. Kwan, 1998, made his circuits for the boxes of DES.)
type expander struct {
	b      *builder
	splits []ref // the signals to split by
}

// expand returns a signal that equals target wherever care is 1.
func (e *expander) expand(target, care truth) ref {
	q := newQuery(target, care)
	switch {
	case len(q.ones) == 0:
		return zero
	case len(q.zeros) == 0:
		return one
	}
	candidates := make([]candidate, len(e.b.signals)-1)
	for i := range candidates {
		candidates[i] = candidate{signal: int32(i + 1), value: &e.b.signals[i+1].value}
	}
	if imm, operands, ok := q.find(candidates); ok {
		return e.b.lut(imm, ref(operands[0]<<1), ref(operands[1]<<1), ref(operands[2]<<1))
	}
	x := e.choose(target, care)
	v := e.b.signals[x>>1].value
	low := e.expand(target, care.without(v))
	high := e.expand(target, care.and(v))
	return e.b.mux(x, high, low)
}

// choose returns the first signal that cuts care.
func (e *expander) choose(_, care truth) ref {
	for _, x := range e.splits {
		v := e.b.signals[x>>1].value
		if care.and(v) != (truth{}) && care.without(v) != (truth{}) {
			return x
		}
	}
	return e.splits[0]
}

func (t truth) and(u truth) truth {
	for i := range t {
		t[i] &= u[i]
	}
	return t
}

func (t truth) without(u truth) truth {
	for i := range t {
		t[i] &^= u[i]
	}
	return t
}
