//go:build !page

package rulefile

import (
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
)

// Save writes a rule file. That of a function with a decision diagram and without chance has a tree, which Golly reads,
// too. A file with @FUNCTION is written as it was read. Save returns an error for all others.
func (f *File) Save(w io.Writer) error {
	d := f.Function.Diagram()
	if d == nil || len(f.Function.Outcomes) > 0 {
		if f.Text == "" {
			return fmt.Errorf("rule %s has no tree: only functions without chance, which do not ask too much, have one", f.Name)
		}
		_, body, _ := strings.Cut(f.Text, "\n")
		_, err := fmt.Fprintf(w, "@RULE %s\n%s", f.Name, body)
		return err
	}
	t := treeWriter{number: map[treeKey]int{}}
	neighbours := 4
	for _, cell := range []int{local.NW, local.NE, local.SW, local.SE} {
		if f.Function.DependsOn(cell) {
			neighbours = 8
		}
	}
	var err error
	if t.diagram, err = d.Ordered(treeCells[neighbours]); err != nil {
		return err
	}
	t.node(neighbours+1, t.diagram.Root())
	var b strings.Builder
	fmt.Fprintf(&b, "@RULE %s\n", f.Name)
	if f.Description != "" {
		fmt.Fprintf(&b, "%s\n", f.Description)
	}
	fmt.Fprintf(&b, "\n@TREE\nnum_states=%d\nnum_neighbors=%d\nnum_nodes=%d\n", f.Function.States, neighbours,
		len(t.lines))
	for _, l := range t.lines {
		b.WriteString(l + "\n")
	}
	if len(f.Names) > 0 {
		b.WriteString("\n@NAMES\n")
		for s := range f.Function.States {
			if name, ok := f.Names[uint8(s)]; ok {
				fmt.Fprintf(&b, "%d %s\n", s, name)
			}
		}
	}
	if len(f.Colours) > 0 {
		b.WriteString("\n@COLORS\n")
		for s := range f.Function.States {
			if c, ok := f.Colours[uint8(s)]; ok {
				fmt.Fprintf(&b, "%d %d %d %d\n", s, c[0], c[1], c[2])
			}
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// treeWriter makes the nodes of a tree of Golly's, children first. Every path asks all cells.
type treeWriter struct {
	diagram *local.Diagram
	number  map[treeKey]int
	lines   []string
}

type treeKey struct {
	depth int
	node  local.Node
}

// node returns the number of a node of a depth: the number of cells that are still to be asked.
func (t *treeWriter) node(depth int, n local.Node) int {
	if depth == 0 {
		state, _ := t.diagram.Final(n)
		return state
	}
	key := treeKey{depth, n}
	if number, ok := t.number[key]; ok {
		return number
	}
	_, final := t.diagram.Final(n)
	// The diagram leaves out cells that do not matter. The tree then has a node whose children are all the same.
	asks := !final && t.diagram.Level(n) == len(t.diagram.Cells)-depth
	line := fmt.Appendf(nil, "%d", depth)
	for s := range t.diagram.States {
		child := n
		if asks {
			child = t.diagram.Child(n, s)
		}
		line = fmt.Appendf(line, " %d", t.node(depth-1, child))
	}
	t.lines = append(t.lines, string(line))
	t.number[key] = len(t.lines) - 1
	return t.number[key]
}
