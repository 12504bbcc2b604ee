package rulefile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// treeCells has the order in which Golly's trees ask the cells, by the number of neighbours.
var treeCells = map[int][]int{
	4: {local.N, local.W, local.E, local.S, local.C},
	8: {local.NW, local.NE, local.SW, local.SE, local.N, local.W, local.E, local.S, local.C},
}

// tree reads @TREE, or a .tree file.
func (f *File) tree(body text, limits Limits) error {
	parameters := []struct {
		name   string
		lo, hi int
		value  int
	}{{"num_states", 2, 256, 0}, {"num_neighbors", 4, 8, 0}, {"num_nodes", 1, 1 << 24, 0}}
	states, neighbours, nodes := &parameters[0].value, &parameters[1].value, &parameters[2].value
	var t local.Tree
next:
	for l := range body.lines() {
		text := strings.TrimSpace(l.text)
		if text == "" || text[0] == '#' {
			continue
		}
		for i := range parameters {
			p := &parameters[i]
			name, value, ok := strings.Cut(text, "=")
			if !ok || strings.TrimSpace(name) != p.name {
				continue
			}
			var err error
			if p.value, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || p.value < p.lo || p.value > p.hi {
				return l.fail("%s is %q: %d to %d is allowed", p.name, value, p.lo, p.hi)
			}
			continue next
		}
		for _, p := range parameters {
			if p.value == 0 {
				return l.fail("%q must come before the first node", p.name+"=")
			}
		}
		if len(t.Nodes) == *nodes {
			return l.fail("the tree has more nodes than the %d that num_nodes says", *nodes)
		}
		n, err := treeNode(text)
		if err != nil {
			return l.fail("%w", err)
		}
		t.Nodes = append(t.Nodes, n)
	}
	t.States, t.Cells = *states, treeCells[*neighbours]
	switch {
	case *states == 0 || *neighbours == 0 || *nodes == 0:
		return fmt.Errorf("the tree lacks num_states, num_neighbors or num_nodes")
	case t.Cells == nil:
		return fmt.Errorf("num_neighbors is %d: 4 and 8 are allowed", *neighbours)
	case len(t.Nodes) != *nodes:
		return fmt.Errorf("the tree has %d nodes, num_nodes says %d", len(t.Nodes), *nodes)
	}
	function, err := t.Within(limits.Context, limits.Edges)
	if err != nil {
		return fmt.Errorf("the tree: %w", err)
	}
	f.Function, f.Neighbourhood = function, neighbourhood.Set{Letter: 'M', Radius: 1}
	if *neighbours == 4 {
		f.Neighbourhood.Letter = 'N'
	}
	return nil
}

// treeNode reads "2 0 1 2 1": a depth and children.
func treeNode(text string) (local.TreeNode, error) {
	var n local.TreeNode
	for i, word := range strings.Fields(text) {
		v, err := strconv.Atoi(word)
		if err != nil {
			return n, fmt.Errorf("%q is not a number: a node is its depth and a child for each state", word)
		}
		if i == 0 {
			n.Depth = v
		} else {
			n.To = append(n.To, v)
		}
	}
	return n, nil
}
