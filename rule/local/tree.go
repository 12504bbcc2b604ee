package local

import (
	"context"
	"fmt"
)

// Tree is a function as a rule tree of Golly: a list of nodes with children first and the root last. A node of
// depth 1 has a next state for each state of the last of Cells. A node of depth d has the number of a node of
// depth d-1 for each state of the d-th last cell.
type Tree struct {
	States int
	Cells  []int // in the order in which the tree asks them, from the root; the root has depth len(Cells)
	Nodes  []TreeNode
}

// TreeNode is a node of a Tree.
type TreeNode struct {
	Depth int
	To    []int // by state
}

// Function returns the function that the tree defines.
func (t *Tree) Function() (*Function, error) { return t.Within(context.Background(), 0) }

// Within is Function that also fails when ctx is done, or if making the diagram takes more edges, of about 40 bytes.
func (t *Tree) Within(ctx context.Context, edges int) (*Function, error) {
	b := newBuilderWithin(ctx, t.States, t.Cells, edges)
	at := make([]ref, len(t.Nodes))
	for i, n := range t.Nodes {
		if err := t.check(i); err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		if err := b.goOn(); err != nil {
			return nil, err
		}
		to := make([]ref, t.States)
		for s, child := range n.To {
			if n.Depth == 1 {
				to[s] = terminal(child)
			} else {
				to[s] = at[child]
			}
		}
		var err error
		if at[i], err = b.dense(len(t.Cells)-n.Depth, to); err != nil {
			return nil, err
		}
	}
	if len(t.Nodes) == 0 || t.Nodes[len(t.Nodes)-1].Depth != len(t.Cells) {
		return nil, fmt.Errorf("the last node is not of depth %d: it must be the root", len(t.Cells))
	}
	return newFunction(t.States, b.diagram(at[len(at)-1]), t.define), nil
}

// check refuses a node that does not fit those before it.
func (t *Tree) check(i int) error {
	n := &t.Nodes[i]
	if n.Depth < 1 || n.Depth > len(t.Cells) {
		return fmt.Errorf("depth %d: 1 to %d is allowed", n.Depth, len(t.Cells))
	}
	if len(n.To) != t.States {
		return fmt.Errorf("%d children: a node has one for each of the %d states", len(n.To), t.States)
	}
	for _, to := range n.To {
		switch {
		case n.Depth == 1 && (to < 0 || to >= t.States):
			return fmt.Errorf("state %d: 0 to %d is allowed", to, t.States-1)
		case n.Depth > 1 && (to < 0 || to >= i):
			return fmt.Errorf("node %d is not defined before it", to)
		case n.Depth > 1 && t.Nodes[to].Depth != n.Depth-1:
			return fmt.Errorf("node %d has depth %d, a child of depth %d must have %d", to, t.Nodes[to].Depth, n.Depth,
				n.Depth-1)
		}
	}
	return nil
}

// define looks up a block, from the root down.
func (t *Tree) define(b *Around) uint8 {
	at := len(t.Nodes) - 1
	for _, cell := range t.Cells {
		at = t.Nodes[at].To[b[cell]]
	}
	return uint8(at)
}
