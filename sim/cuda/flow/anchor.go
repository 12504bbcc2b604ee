package flow

import (
	"math"
	"slices"
)

// anchor chooses at which column each node is computed, so that few of its operands have to be moved: first each where most of its users
// want it, from the output back, then one by one as long as that saves moves. The choice is free but that no row may be needed farther
// to a side than the radius: there a strip ends.
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
	if f.Drifting { // wherever users want it: nothing else goes together with the zeros beyond the sides
		a.least, a.most = slices.Repeat([]int{math.MinInt}, len(a.at)), slices.Repeat([]int{math.MaxInt}, len(a.at))
	} else {
		a.reach()
	}
	for i := len(f.Nodes) - 1; i >= 0; i-- {
		if len(f.Nodes[i].In) > 0 { // inputs and constants stay where they are
			a.at[i] = a.mostWanted(i)
		}
	}
	if !f.Drifting {
		a.improve()
	}
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
	// least and most are, by node, the columns at which it may be computed.
	least, most []int
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

// reach finds at which columns nodes may be computed. A node that users need at columns from lo to hi, seen from the cell that is made, is
// needed at bits lo-at to hi-at, which must not be more than the radius away.
func (a *anchoring) reach() {
	lo, hi := slices.Repeat([]int{math.MaxInt}, len(a.at)), slices.Repeat([]int{math.MinInt}, len(a.at))
	for changed := true; changed; {
		changed = false
		for i := len(a.at) - 1; i >= 0; i-- {
			for _, w := range a.wishes[i] {
				from, to := 0, 0
				if w.user != output {
					from, to = lo[w.user], hi[w.user]
				}
				if from > to { // nobody is known to need the user
					continue
				}
				if l, h := min(lo[i], from+w.dx), max(hi[i], to+w.dx); l != lo[i] || h != hi[i] {
					lo[i], hi[i], changed = l, h, true
				}
			}
		}
	}
	for i := range lo {
		if lo[i] > hi[i] {
			lo[i], hi[i] = 0, 0
		}
		a.least, a.most = append(a.least, hi[i]-a.f.Radius), append(a.most, lo[i]+a.f.Radius)
	}
}

// mostWanted is the column, of those at which a node may be computed, at which most of its users need no move.
func (a *anchoring) mostWanted(i int) int {
	votes := map[int]int{}
	best := 0
	first := true
	for _, w := range a.wishes[i] {
		if w.user != output && w.user <= i { // a recurrence, whose place is not known yet
			continue
		}
		column := min(max(a.column(w), a.least[i]), a.most[i])
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
				if column < a.least[i] || column > a.most[i] {
					continue
				}
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
