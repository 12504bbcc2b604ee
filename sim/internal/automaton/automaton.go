// Package automaton looks up next states in the decision diagrams of rules. Start at New. It is not an engine:
// sim/bytewise and sim/hashlife use it.
package automaton

import (
	"cmp"
	"fmt"

	"github.com/gosper-life/gosper/rule/local"
)

// Automaton is a decision diagram in a form for fast lookup in blocks of cells. It is one array of numbers, and
// each step down takes two loads.
//
//	node:  cell, first, n, other, child of state first, … child of state first+n-1
//
// A negative child is a next state s, stored as ^s.
type Automaton struct {
	words   []int32
	root    int32
	offsets [9]int // of the nine cells around a cell
}

// The words of a node.
const (
	wordCell = iota
	wordFirst
	wordCount
	wordOther
	wordChildren
)

// mostBytes bounds the memory of an automaton.
const mostBytes = 1 << 30

// New makes an automaton for blocks whose rows are stride cells apart. It fails if the automaton would take more bytes
// than most, or than 1 GiB if that is less; most may be 0.
func New(d *local.Diagram, stride int, most uint64) (*Automaton, error) {
	most = min(cmp.Or(most, mostBytes), mostBytes)
	a := &Automaton{}
	for i := range a.offsets {
		dx, dy := local.Offset(i)
		a.offsets[i] = dy*stride + dx
	}
	at := map[local.Node]int32{}
	var layOut func(n local.Node) (int32, error)
	layOut = func(n local.Node) (int32, error) {
		if state, ok := d.Final(n); ok {
			return ^int32(state), nil
		}
		if where, ok := at[n]; ok {
			return where, nil
		}
		other, edges := d.Edges(n)
		node := []int32{int32(d.Cells[d.Level(n)]), 0, 0, 0}
		var err error
		if node[wordOther], err = layOut(other); err != nil {
			return 0, err
		}
		if len(edges) > 0 {
			first, last := edges[0].State, edges[len(edges)-1].State
			node[wordFirst], node[wordCount] = int32(first), int32(last)-int32(first)+1
			for range node[wordCount] {
				node = append(node, node[wordOther])
			}
			for _, e := range edges {
				if node[wordChildren+int(e.State-first)], err = layOut(e.To); err != nil {
					return 0, err
				}
			}
		}
		if uint64(4*(len(a.words)+len(node))) > most {
			return 0, fmt.Errorf("its decision diagram would take more than %d bytes", most)
		}
		at[n] = int32(len(a.words))
		a.words = append(a.words, node...)
		return at[n], nil
	}
	var err error
	a.root, err = layOut(d.Root())
	return a, err
}

// Bytes returns the memory that the automaton takes.
func (a *Automaton) Bytes() uint64 { return uint64(4 * len(a.words)) }

// Next returns the next state of the cell at an index of a block. The cells around it must be in the block, too.
func (a *Automaton) Next(block []uint8, at int) uint8 {
	node := a.root
	for node >= 0 {
		w := a.words[node:]
		state := int32(block[at+a.offsets[w[wordCell]]]) - w[wordFirst]
		if uint32(state) < uint32(w[wordCount]) {
			node = w[wordChildren+state]
		} else {
			node = w[wordOther]
		}
	}
	return uint8(^node)
}
