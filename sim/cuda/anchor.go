package cuda

import "slices"

// anchor chooses at which column each node is computed, which is free, so that few of its operands have to be moved: first each
// where most of its users want it, from the output back, then one by one as long as that saves moves.
func (f *flow) anchor(words int) {
	a := &anchoring{f: f, words: words, at: make([]int, len(f.nodes)), wishes: make([][]wish, len(f.nodes))}
	for i, n := range f.nodes {
		for _, r := range n.in {
			a.wishes[r.node] = append(a.wishes[r.node], wish{i, r.dx})
		}
	}
	for _, r := range f.out {
		a.wishes[r.node] = append(a.wishes[r.node], wish{output, r.dx})
	}
	for i := len(f.nodes) - 1; i >= 0; i-- {
		if len(f.nodes[i].in) > 0 { // inputs and constants stay where they are
			a.at[i] = a.mostWanted(i)
		}
	}
	a.improve()
	for i := range f.nodes {
		for k := range f.nodes[i].in {
			r := &f.nodes[i].in[k]
			r.dx += a.at[i] - a.at[r.node]
		}
	}
	for k := range f.out {
		f.out[k].dx += f.lead - a.at[f.out[k].node]
	}
}

// anchoring is the choice of columns: the row of node i is computed moved by at[i].
type anchoring struct {
	f      *flow
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
		return w.dx + a.f.lead
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
		if a.f.lead > 0 {
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
	count := func(r ref, by int) {
		r.dx += by - a.at[r.node]
		m.add(r)
		if r.dx < 0 && a.f.lead > 0 {
			m.cost += leftwards
		}
	}
	for i, n := range a.f.nodes {
		for _, r := range n.in {
			count(r, a.at[i])
		}
	}
	for _, r := range a.f.out {
		count(r, a.f.lead)
	}
	return m.cost
}

// improve tries for every node the columns at which one of its operands or one of its users needs no move. Each trial looks at
// the whole flow, so large ones stay as they are.
func (a *anchoring) improve() {
	const largest = 250
	if len(a.f.nodes) > largest {
		return
	}
	best := a.cost()
	for improved := true; improved; {
		improved = false
		for i, n := range a.f.nodes {
			if len(n.in) == 0 {
				continue
			}
			var tries []int
			for _, r := range n.in {
				tries = append(tries, a.at[r.node]-r.dx)
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

func (m *moves) add(r ref) {
	if r.dx == 0 {
		return
	}
	for j := range m.words {
		word, q := split(j+r.dx, m.words)
		v := move{node: r.node, delay: r.delay, word: word}
		fetch := func(lanes int) {
			v.n, v.shift = lanes, false
			if lanes != 0 && m.once(v) {
				m.cost++
			}
		}
		first, bits := lanesOf(q)
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
