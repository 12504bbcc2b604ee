package local

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/topology"
)

// A Question about a block has the answer yes or no. It marks the cells whose state is in Among, and looks up
// the marks in a table.
type Question struct {
	Among []uint8 // states
	// Yes has the answer of each block of marks, at bit index&63 of word index>>6; the index has bit 8-i for cell i.
	Yes [8]uint64
}

// says returns the answer for a block of marks.
func (q *Question) says(marks int) bool { return q.Yes[marks>>6]>>(marks&63)&1 == 1 }

// answer returns the answer for a block of states.
func (q *Question) answer(b *Around) bool {
	marks := 0
	for _, state := range b {
		marks <<= 1
		if slices.Contains(q.Among, state) {
			marks |= 1
		}
	}
	return q.says(marks)
}

// NewQuestion returns the question whose answer for a block of marks is yes(marks).
func NewQuestion(among []uint8, yes func(marks int) bool) Question {
	q := Question{Among: among}
	for marks := range 512 {
		if yes(marks) {
			q.Yes[marks>>6] |= 1 << (marks & 63)
		}
	}
	return q
}

// Some asks whether any of the given cells has one of the given states.
func Some(cells []int, among ...uint8) Question {
	mask := 0
	for _, cell := range cells {
		mask |= 1 << (8 - cell)
	}
	return NewQuestion(among, func(marks int) bool { return marks&mask != 0 })
}

// Asking is a function of the state of the middle and of the answers to some questions. It is for functions of
// many states whose diagram would be far too large, but that only need to know to which of a few kinds a
// neighbour's state belongs.
type Asking struct {
	Questions []Question // at most 64
	// Next returns the next state of a cell. It must depend only on the state and the answers, and must ask
	// questions in rising order.
	Next func(state uint8, yes func(question int) bool) uint8
	// Outcomes are the results of Next from the number of states on.
	Outcomes []Outcome
}

// Function returns the function, or an error if Next breaks its conditions.
func (a *Asking) Function(states int) (*Function, error) {
	f := &Function{States: states, Outcomes: a.Outcomes, asking: a}
	f.define = func(b *Around) uint8 {
		return a.Next(b[C], func(q int) bool { return a.Questions[q].answer(b) })
	}
	for s := range states {
		if err := a.check(uint8(s), states, 0, 0); err != nil {
			return nil, err
		}
	}
	f.digest = sync.OnceValue(func() [sha256.Size]byte { return a.digest(states) })
	return f, nil
}

// digest returns a hash of the questions, of the conclusions from the answers, and of the outcomes.
func (a *Asking) digest(states int) [sha256.Size]byte {
	sum := sha256.New()
	fmt.Fprintln(sum, states, a.Questions, a.Outcomes)
	var visit func(state uint8, known, yes uint64)
	visit = func(state uint8, known, yes uint64) {
		next, asks := a.Decide(state, known, yes)
		if asks < 0 {
			sum.Write([]byte{next})
			return
		}
		sum.Write([]byte{uint8(asks)})
		visit(state, known|1<<asks, yes)
		visit(state, known|1<<asks, yes|1<<asks)
	}
	for s := range states {
		visit(uint8(s), 0, 0)
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// check calls Next for all combinations of answers.
func (a *Asking) check(state uint8, states int, known, yes uint64) error {
	next, asks := a.Decide(state, known, yes)
	switch {
	case asks < 0 && int(next) >= states+len(a.Outcomes):
		return fmt.Errorf("state %d becomes %d, of %d states", state, next, states)
	case asks < 0:
		return nil
	case asks >= len(a.Questions) || asks < bits.Len64(known):
		return fmt.Errorf("state %d asks question %d of %d after question %d", state, asks, len(a.Questions),
			bits.Len64(known)-1)
	}
	known |= 1 << asks
	if err := a.check(state, states, known, yes); err != nil {
		return err
	}
	return a.check(state, states, known, yes|1<<asks)
}

// Decide returns the next state, given some answers: bits of known for the questions that have been answered,
// and bits of yes for those answered with yes. asks is the next question if more answers are needed, and
// otherwise -1.
func (a *Asking) Decide(state uint8, known, yes uint64) (next uint8, asks int) {
	asks = -1
	next = a.Next(state, func(q int) bool {
		if known>>q&1 == 0 && asks < 0 {
			asks = q
		}
		return yes>>q&1 == 1
	})
	return next, asks
}

// equal reports whether both have the same questions and the same next states.
func (a *Asking) equal(b *Asking, states int) bool {
	same := func(p, q Question) bool { return p.Yes == q.Yes && slices.Equal(p.Among, q.Among) }
	if !slices.EqualFunc(a.Questions, b.Questions, same) {
		return false
	}
	var compare func(state uint8, known, yes uint64) bool
	compare = func(state uint8, known, yes uint64) bool {
		x, p := a.Decide(state, known, yes)
		y, q := b.Decide(state, known, yes)
		if p < 0 && q < 0 {
			return x == y
		}
		asks := max(p, q)
		known |= 1 << asks
		return compare(state, known, yes) && compare(state, known, yes|1<<asks)
	}
	for s := range states {
		if !compare(uint8(s), 0, 0) {
			return false
		}
	}
	return true
}

// invariant reports whether no turned block changes an answer.
func (a *Asking) invariant(s topology.Symmetry) bool {
	for i := range a.Questions {
		for marks := range 512 {
			turned := 0
			for cell := range 9 {
				turned |= marks >> (8 - cell) & 1 << (8 - cellAt(s.Apply(Offset(cell))))
			}
			if q := &a.Questions[i]; q.says(marks) != q.says(turned) {
				return false
			}
		}
	}
	return true
}

// dependsOn reports whether an answer depends on a cell, or the cell is the middle.
func (a *Asking) dependsOn(cell int) bool {
	if cell == C {
		return true
	}
	for i := range a.Questions {
		for marks := range 512 {
			if q := &a.Questions[i]; q.says(marks) != q.says(marks^1<<(8-cell)) {
				return true
			}
		}
	}
	return false
}
