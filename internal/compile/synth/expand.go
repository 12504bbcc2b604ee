package synth

// expander turns a function into lookup tables over the signals of its builder. If a table over three of them
// gives the function, it takes that table. Otherwise it splits the function by a signal and expands each half;
// the points of the other half no longer matter. Later halves can use the new signals as well. M. Kwan (1998)
// made his circuits for the S-boxes of DES in this way.
type expander struct {
	b      *builder
	splits []ref // the signals to split by, in this order
	work   int   // candidates tried so far

	query      query
	candidates []candidate
}

// lookahead is a number of points. For functions with at most this number of points, expand tries all splits and
// takes one that leaves the most halves of a single table.
const lookahead = 48

// expand returns a signal that equals target wherever care is 1.
func (e *expander) expand(target, care truth) ref {
	if r, ok := e.table(target, care); ok {
		return r
	}
	points := len(e.query.ones) + len(e.query.zeros)
	first, best := zero, -1
	for _, x := range e.splits {
		x &^= 1 // the order of the two halves does not matter
		v := e.b.values[x>>1]
		low, high := care.without(v), care.and(v)
		if low == (truth{}) || high == (truth{}) {
			continue
		}
		if points > lookahead {
			return e.b.mux(x, e.expand(target, high), e.expand(target, low))
		}
		solved := 0
		for _, half := range []truth{low, high} {
			if e.solvable(target, half) {
				solved++
			}
		}
		if solved > best {
			first, best = x, solved
		}
		if solved == 2 {
			break
		}
	}
	v := e.b.values[first>>1]
	low := e.expand(target, care.without(v))
	return e.b.mux(first, e.expand(target, care.and(v)), low)
}

// table returns a constant or one table over known signals that equals target wherever care is 1.
func (e *expander) table(target, care truth) (ref, bool) {
	q := &e.query
	q.reset(target, care)
	switch {
	case len(q.ones) == 0:
		return zero, true
	case len(q.zeros) == 0:
		return one, true
	}
	imm, operands, ok := e.find()
	if !ok {
		return zero, false
	}
	return e.b.lut(imm, ref(operands[0]<<1), ref(operands[1]<<1), ref(operands[2]<<1)), true
}

// solvable reports whether one more table makes the target, as far as care looks at it.
func (e *expander) solvable(target, care truth) bool {
	e.query.reset(target, care)
	if len(e.query.ones) == 0 || len(e.query.zeros) == 0 {
		return true
	}
	_, _, ok := e.find()
	return ok
}

func (e *expander) find() (imm uint8, operands [3]int32, ok bool) {
	e.candidates = e.candidates[:0]
	for i := 1; i < len(e.b.signals); i++ {
		e.candidates = append(e.candidates, candidate{signal: int32(i)})
	}
	e.work += len(e.candidates)
	return e.query.find(e.b.values, e.candidates)
}
