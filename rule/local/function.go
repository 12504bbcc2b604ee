package local

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/topology"
)

// Block is the states of the 3×3 cells around a cell, row by row from the north-west.
type Block [9]uint8

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

// Offset is where a cell of a block lies: -1 to 1, y down.
func Offset(cell int) (dx, dy int) { return cell%3 - 1, cell/3 - 1 }

// cellAt is the cell of a block at an offset.
func cellAt(dx, dy int) int { return 3*(dy+1) + dx + 1 }

// Function is a local transition function: of a diagram, or one that asks questions.
type Function struct {
	States  int // 2 to 256
	diagram *Diagram
	asking  *Asking
	define  func(*Block) uint8
	digest  func() [sha256.Size]byte
}

// Define is the next state of the middle of a block by the definition, evaluated the obvious way: what everything else is checked against.
func (f *Function) Define(b *Block) uint8 { return f.define(b) }

// Next is the same, looked up in the diagram where there is one.
func (f *Function) Next(b *Block) uint8 {
	if f.asking != nil {
		return f.define(b)
	}
	return f.diagram.Eval(b)
}

// Diagram is the function as a decision diagram; nil where it asks. It is shared: callers do not change it.
func (f *Function) Diagram() *Diagram { return f.diagram }

// Asking are the questions that the function asks; nil where it has a diagram. It is shared: callers do not change it.
func (f *Function) Asking() *Asking { return f.asking }

// Uniform is the next state of a cell among cells of its own state.
func (f *Function) Uniform(state uint8) uint8 {
	var b Block
	for i := range b {
		b[i] = state
	}
	return f.Next(&b)
}

// Equal reports whether both functions say the same of every block. Functions that ask are told apart from those that have a diagram, and from
// those that ask in other words.
func (f *Function) Equal(g *Function) bool {
	switch {
	case f == g:
		return true
	case f.States != g.States || (f.asking == nil) != (g.asking == nil):
		return false
	case f.asking != nil:
		return f.asking.equal(g.asking, f.States)
	}
	return f.diagram.equal(g.diagram)
}

// Invariant reports whether turning a block by the symmetry never changes the next state of its middle. It may say no of a function that
// asks, and makes nothing of the answer.
func (f *Function) Invariant(s topology.Symmetry) bool {
	if f.asking != nil {
		return f.asking.invariant(s)
	}
	return f.diagram.equal(f.diagram.turned(s))
}

// DependsOn reports whether a cell of the block makes a difference, or may make one where the function asks.
func (f *Function) DependsOn(cell int) bool {
	if f.asking != nil {
		return f.asking.dependsOn(cell)
	}
	return f.diagram.support()>>cell&1 == 1
}

// Digest is a hash of what the function says. Functions that are made of the same cells in the same order have one digest where they say the
// same, and different ones where they do not.
func (f *Function) Digest() [sha256.Size]byte { return f.digest() }

// newFunction is a function of a diagram and its definition.
func newFunction(states int, d *Diagram, define func(*Block) uint8) *Function {
	d = d.compacted()
	return &Function{States: states, diagram: d, define: define, digest: sync.OnceValue(d.digest)}
}

// Code is the function that Go code computes, which looks at some cells. A neighbour in states of the same class is the same to it: class
// gives the class of a neighbour's state, and next gets the first state of each class in the place of every other. With so many classes
// c, c⁸ blocks are looked at for each state of the middle where cells are all 8 neighbours.
func Code(states int, cells []int, class func(cell int, state uint8) int, next func(*Block) uint8) (*Function, error) {
	var of [9][]uint8 // by cell and state: the first state of its class
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
	b := newBuilder(states, cells)
	var block Block
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
	define := func(at *Block) uint8 {
		var seen Block
		for _, cell := range cells {
			seen[cell] = of[cell][at[cell]]
		}
		return next(&seen)
	}
	return newFunction(states, b.diagram(root), define), nil
}
