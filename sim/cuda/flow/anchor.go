package flow

import "slices"

// anchor chooses at which column each node is computed, which is free, so that few of its operands have to be moved: first each
// where most of its users want it, from the output back, then one by one as long as that saves moves.
func (f *Flow) anchor(words int) {
	a := &anchoring{f: f, words: words, at: make([]int, len(f.Nodes)), wishes: make([][]wish, len(f.Nodes))}
	for i, n := range f.Nodes {
		for _, r := range n.In {
			a.wishes[r.Node] = append(a.wishes[r.Node], wish{i, r.DX})
		}
	}
	for _, r := range f.Out {
		a.wishes[r.Node] = append(a.wishes[r.Node], wish{output, r.DX})
	}
	for i := len(f.Nodes) - 1; i >= 0; i-- {
		if len(f.Nodes[i].In) > 0 { // inputs and constants stay where they are
			a.at[i] = a.mostWanted(i)
		}
	}
	a.improve()
	for i := range f.Nodes {
		for k := range f.Nodes[i].In {
			r := &f.Nodes[i].In[k]
			r.DX += a.at[i] - a.at[r.Node]
		}
	}
	for k := range f.Out {
		f.Out[k].DX += f.Lead - a.at[f.Out[k].Node]
	}
}

// anchoring is the choice of columns: the row of node i is computed moved by at[i].
type anchoring struct {
	f      *Flow
	words  int
	at     []int
	wishes [][]wish // by node
}

// wish is one use of a node's row, moved by dx: at column at[user] + dx it need not be moved.
type wish struct{ user, dx int }

// output is the user that wants rows where they are.
const output = -1

func (a *anchoring) column(w wish) int {
	if w.user == output {
		return w.dx + a.f.Lead
	}
	return a.at[w.user] + w.dx
}

func (a *anchoring) mostWanted(i int) int {
	votes := map[int]int{}
	best := 0
	first := true
	for _, w := range a.wishes[i] {
		if w.user != output && w.user <= i { // a recurrence, whose place is not known yet
			continue
		}
		column := a.column(w)
		votes[column]++
		better := votes[column] > votes[best]
		if a.f.Lead > 0 {
			better = column < best // so that no user has to look to the left
		}
		if first || better {
			best, first = column, false
		}
	}
	return best
}

// leftwards is what a move to the left costs where a flow is to look to the right only.
const leftwards = 1 << 20

// cost is what all moves cost.
func (a *anchoring) cost() int {
	m := newMoves(a.words)
	count := func(r Ref, by int) {
		r.DX += by - a.at[r.Node]
		m.add(r)
		if r.DX < 0 && a.f.Lead > 0 {
			m.cost += leftwards
		}
	}
	for i, n := range a.f.Nodes {
		for _, r := range n.In {
			count(r, a.at[i])
		}
	}
	for _, r := range a.f.Out {
		count(r, a.f.Lead)
	}
	return m.cost
}

// improve tries for every node the columns at which one of its operands or one of its users needs no move. Each trial looks at
// the whole flow, so large ones stay as they are.
func (a *anchoring) improve() {
	const largest = 250
	if len(a.f.Nodes) > largest {
		return
	}
	best := a.cost()
	for improved := true; improved; {
		improved = false
		for i, n := range a.f.Nodes {
			if len(n.In) == 0 {
				continue
			}
			var tries []int
			for _, r := range n.In {
				tries = append(tries, a.at[r.Node]-r.DX)
			}
			for _, w := range a.wishes[i] {
				tries = append(tries, a.column(w))
			}
			slices.Sort(tries)
			for _, column := range slices.Compact(tries) {
				was := a.at[i]
				a.at[i] = column
				if cost := a.cost(); cost < best {
					best, improved = cost, true
				} else {
					a.at[i] = was
				}
			}
		}
	}
}

// moves adds up what references cost, in half instructions of the logic pipe, for all words of a lane: a funnel shift counts 2, a
// shuffle, which has a pipe of its own, 1. What several references need is made once.
type moves struct {
	words int
	seen  map[move]bool
	cost  int
}

// move is a word of a node's past, shifted by some bits or fetched from some lanes on.
type move struct {
	node, delay, word, n int
	shift                bool
}

func newMoves(words int) *moves { return &moves{words: words, seen: map[move]bool{}} }

// once reports whether a move is new.
func (m *moves) once(v move) bool {
	if m.seen[v] {
		return false
	}
	m.seen[v] = true
	return true
}

func (m *moves) add(r Ref) {
	if r.DX == 0 {
		return
	}
	for j := range m.words {
		word, q := Split(j+r.DX, m.words)
		v := move{node: r.Node, delay: r.Delay, word: word}
		fetch := func(lanes int) {
			v.n, v.shift = lanes, false
			if lanes != 0 && m.once(v) {
				m.cost++
			}
		}
		first, bits := LanesOf(q)
		fetch(first)
		if bits != 0 {
			fetch(first + 1)
			v.n, v.shift = q, true
			if m.once(v) {
				m.cost += 2
			}
		}
	}
}
