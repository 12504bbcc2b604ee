package local

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/topology"
)

// Around has the states of the 3×3 cells around a cell, row by row from the north-west.
type Around [9]uint8

// The cells of a block.
const (
	NW = iota
	N
	NE
	W
	C
	E
	SW
	S
	SE
)

// Offset returns the position of a cell relative to the middle: -1 to 1, y down.
func Offset(cell int) (dx, dy int) { return cell%3 - 1, cell/3 - 1 }

// cellAt returns the cell of a block at an offset.
func cellAt(dx, dy int) int { return 3*(dy+1) + dx + 1 }

// Function is a local transition function. It has a diagram, it asks questions, or it has a table over more cells than
// the 3×3 block (Wide). A result below States is the next state. Result States+i is left to chance: Outcomes[i].
type Function struct {
	States   int // 2 to 256, together with the outcomes
	Outcomes []Outcome
	diagram  *Diagram
	asking   *Asking
	wide     *Wide
	define   func(*Around) uint8
	digest   func() [sha256.Size]byte
}

// Define returns the next state of the middle of a block, or the number of an outcome. It evaluates the
// definition in the most obvious way, so tests compare everything else with it.
func (f *Function) Define(b *Around) uint8 { return f.define(b) }

// Forget drops the lines or the tree of a function with a diagram, which take many times its memory: Define then looks
// states up in the diagram.
func (f *Function) Forget() {
	if f.diagram != nil {
		f.define = f.diagram.Eval
	}
}

// Next returns the same state, but looks it up in the diagram if there is one. Define and Next panic if the function is
// Wide.
func (f *Function) Next(b *Around) uint8 {
	if f.asking != nil {
		return f.define(b)
	}
	return f.diagram.Eval(b)
}

// Diagram returns the decision diagram of the function, or nil if the function asks questions. Callers share it
// and must not change it.
func (f *Function) Diagram() *Diagram { return f.diagram }

// Asking returns the function with its questions, or nil if the function has a diagram. Callers share it and
// must not change it.
func (f *Function) Asking() *Asking { return f.asking }

// Uniform returns the next state of a cell among cells of its own state.
func (f *Function) Uniform(state uint8) uint8 {
	if f.wide != nil {
		return f.wide.Define(state, func(Place) uint8 { return state })
	}
	var b Around
	for i := range b {
		b[i] = state
	}
	return f.Next(&b)
}

// Equal reports whether both functions are known to be the same. A function that asks questions equals only
// functions that ask the same questions.
func (f *Function) Equal(g *Function) bool {
	switch {
	case f == g:
		return true
	case f.States != g.States || (f.asking == nil) != (g.asking == nil) ||
		!slices.EqualFunc(f.Outcomes, g.Outcomes, slices.Equal):
		return false
	case f.asking != nil:
		return f.asking.equal(g.asking, f.States)
	case f.wide != nil || g.wide != nil:
		return f.wide != nil && g.wide != nil && f.wide.equal(g.wide)
	}
	return f.diagram.equal(g.diagram)
}

// Invariant reports whether turning a block by the symmetry never changes the next state of its middle. It may
// return false for an invariant function that asks a question without using the answer.
func (f *Function) Invariant(s topology.Symmetry) bool {
	if f.asking != nil {
		return f.asking.invariant(s)
	}
	if f.wide != nil {
		return f.wide.invariant(s)
	}
	return f.diagram.equal(f.diagram.turned(s))
}

// DependsOn reports whether the next state depends on a cell of the block. For a function that asks questions
// it reports whether an answer does. It must not be called if the function is Wide.
func (f *Function) DependsOn(cell int) bool {
	if f.asking != nil {
		return f.asking.dependsOn(cell)
	}
	return f.diagram.support()>>cell&1 == 1
}

// Digest returns a hash of the function. Two functions of the same cells in the same order have equal digests if and
// only if the functions are equal.
func (f *Function) Digest() [sha256.Size]byte { return f.digest() }

// newFunction returns a function with a diagram and a definition.
func newFunction(states int, d *Diagram, define func(*Around) uint8) *Function {
	d = d.compacted()
	return &Function{States: states, diagram: d, define: define, digest: sync.OnceValue(d.digest)}
}

// Code returns the function that next computes. It depends on the given cells only. class returns the class of
// a neighbour's state. States of one class are equivalent, so next gets the first state of a class in place of
// the others. With 8 neighbours of c classes each, Code calls next c⁸ times for each state of the middle.
// packed is the diagram of the same function, as Diagram.Pack has packed it; if it is nil, Code makes one.
func Code(states int, cells []int, class func(cell int, state uint8) int, next func(*Around) uint8, packed []byte,
) (*Function, error) {
	of := firstOfClasses(states, cells, class)
	if packed != nil {
		d, err := unpack(states, cells, packed)
		if err != nil {
			return nil, err
		}
		return newFunction(states, d, defineByClass(cells, of, next)), nil
	}
	b := newBuilder(states, cells)
	var block Around
	var build func(level int) (ref, error)
	build = func(level int) (ref, error) {
		if level == len(cells) {
			n := next(&block)
			if int(n) >= states {
				return none, fmt.Errorf("the next state of %v is %d, of %d states", block, n, states)
			}
			return terminal(int(n)), nil
		}
		to := make([]ref, states)
		for s := range states {
			cell := cells[level]
			if first := of[cell][s]; first != uint8(s) {
				to[s] = to[first]
				continue
			}
			block[cell] = uint8(s)
			var err error
			if to[s], err = build(level + 1); err != nil {
				return none, err
			}
		}
		block[cells[level]] = 0
		return b.dense(level, to)
	}
	root, err := build(0)
	if err != nil {
		return nil, err
	}
	return newFunction(states, b.diagram(root), defineByClass(cells, of, next)), nil
}

// firstOfClasses returns the first state of the class of each state, by cell.
func firstOfClasses(states int, cells []int, class func(cell int, state uint8) int) (of [9][]uint8) {
	for _, cell := range cells {
		first := map[int]uint8{}
		for s := range states {
			k := s
			if cell != C {
				k = class(cell, uint8(s))
			}
			if _, ok := first[k]; !ok {
				first[k] = uint8(s)
			}
			of[cell] = append(of[cell], first[k])
		}
	}
	return of
}

// defineByClass returns next for the first states of the classes of the cells.
func defineByClass(cells []int, of [9][]uint8, next func(*Around) uint8) func(at *Around) uint8 {
	return func(at *Around) uint8 {
		var seen Around
		for _, cell := range cells {
			seen[cell] = of[cell][at[cell]]
		}
		return next(&seen)
	}
}
