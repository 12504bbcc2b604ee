package local

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Lines is a table of transitions. The first line that matches a block gives the next state of its middle. If
// no line matches, the cell does not change. This is the meaning of Golly's rule tables (see its help page
// "RuleLoader", and gollybase/ruletable_algo.cpp for the order in which it tries the values of variables).
type Lines struct {
	States int
	Cells  []int // of the block, in the order of inputs, the middle first
	// Turns has the arrangements of the inputs of a line: in arrangement t, cell i of Cells must match input
	// Turns[t][i]. With Permute all inputs but the first may be in any order.
	Turns   [][]int
	Permute bool
	Lines   []Line
}

// Line is one transition.
type Line struct {
	// Variables has the values of the line's variables. A variable has the same state wherever it occurs in a
	// line. If several values match a block, in any arrangement, the first ones count. The values of the first
	// variable change fastest.
	Variables [][]uint8
	In        []Term
	Out       Term // a state, or a variable that is among In
	// Unless is the probability, in units of 2^-32, that a matching line is skipped.
	Unless uint64
}

// Term is an input of a line: a variable of the line, or if Variable is -1, any of some states.
type Term struct {
	Variable int
	States   []uint8
}

// has reports whether the term allows a state, given the values of the variables. The value -1 means that a
// variable has none yet.
func (t *Term) has(l *Line, bound []int, state uint8) bool {
	switch {
	case t.Variable < 0:
		return slices.Contains(t.States, state)
	case bound[t.Variable] >= 0:
		return bound[t.Variable] == int(state)
	default:
		return slices.Contains(l.Variables[t.Variable], state)
	}
}

func (t *Term) equal(u *Term) bool {
	return t.Variable == u.Variable && slices.Equal(t.States, u.States)
}

// rank returns the position of the variables' values in the order in which values are tried.
func (l *Line) rank(bound []int) int {
	rank, step := 0, 1
	for v, values := range l.Variables {
		if bound[v] >= 0 {
			rank += step * slices.Index(values, uint8(bound[v]))
		}
		step *= len(values)
	}
	return rank
}

// out returns the next state, given the variables' values.
func (l *Line) out(bound []int) uint8 {
	if l.Out.Variable >= 0 {
		return uint8(bound[l.Out.Variable])
	}
	return l.Out.States[0]
}

// check refuses lines whose values are too many to try.
func (l *Line) check() error {
	ranks := 1
	for _, values := range l.Variables {
		if ranks > math.MaxInt64/256/max(1, len(values)) {
			return fmt.Errorf("the %d variables have too many combinations of values", len(l.Variables))
		}
		ranks *= len(values)
	}
	return nil
}

// Function returns the function that the lines define. It fails if the diagram would be too large.
func (t *Lines) Function() (*Function, error) { return t.Within(context.Background(), 0) }

// Within is Function that also fails when ctx is done, or if making the diagram takes more edges, of about 40 bytes.
func (t *Lines) Within(ctx context.Context, edges int) (*Function, error) {
	b := newBuilderWithin(ctx, t.States, t.Cells, edges)
	if slices.ContainsFunc(t.Lines, func(l Line) bool { return l.Unless > 0 }) {
		return newLottery(t, b).function()
	}
	root, err := b.lines(t, nil)
	if err != nil {
		return nil, err
	}
	return newFunction(t.States, b.diagram(root), t.define), nil
}

// Finished is Function, with its diagram as Pack has packed it. No line may be left to chance.
func (t *Lines) Finished(packed []byte) (*Function, error) {
	d, err := unpack(t.States, t.Cells, packed)
	if err != nil {
		return nil, err
	}
	return newFunction(t.States, d, t.define), nil
}

// define finds the first line that matches a block.
func (t *Lines) define(b *Around) uint8 {
	for i := range t.Lines {
		if state, ok := t.match(i, b); ok {
			return state
		}
	}
	return b[C]
}

// match is the state that line i gives a block; false if it does not match.
func (t *Lines) match(i int, b *Around) (state uint8, ok bool) {
	l := &t.Lines[i]
	if !slices.Contains(l.values(&l.In[0]), b[t.Cells[0]]) {
		return 0, false // most lines fail here: no arrangement moves the middle
	}
	m := matching{table: t, line: l, block: b, least: -1, bound: slices.Repeat([]int{-1}, len(l.Variables))}
	if t.Permute {
		m.permute(0, 0)
	} else {
		for _, turn := range t.Turns {
			m.turn(turn)
		}
	}
	return m.out, m.least >= 0
}

// values returns all states that a term can match.
func (l *Line) values(t *Term) []uint8 {
	if t.Variable >= 0 {
		return l.Variables[t.Variable]
	}
	return t.States
}

// matching is the search for the first values of variables with which an arrangement of a line matches a block.
type matching struct {
	table *Lines
	line  *Line
	block *Around
	bound []int
	least int // rank
	out   uint8
}

// try calls do with a term matched to a cell, if the term allows the cell's state.
func (m *matching) try(t *Term, cell int, do func()) {
	state := m.block[cell]
	if !t.has(m.line, m.bound, state) {
		return
	}
	if t.Variable < 0 || m.bound[t.Variable] >= 0 {
		do()
		return
	}
	m.bound[t.Variable] = int(state)
	do()
	m.bound[t.Variable] = -1
}

func (m *matching) matched() {
	if rank := m.line.rank(m.bound); m.least < 0 || rank < m.least {
		m.least, m.out = rank, m.line.out(m.bound)
	}
}

// turn matches the cells with the terms of one arrangement.
func (m *matching) turn(turn []int) {
	for v := range m.bound {
		m.bound[v] = -1
	}
	for i, k := range turn {
		t, state := &m.line.In[k], m.block[m.table.Cells[i]]
		if !t.has(m.line, m.bound, state) {
			return
		}
		if t.Variable >= 0 {
			m.bound[t.Variable] = int(state)
		}
	}
	m.matched()
}

// permute matches the cells from the i-th on with the terms that are not taken.
func (m *matching) permute(i, taken int) {
	if i == len(m.table.Cells) {
		m.matched()
		return
	}
	for k := range m.line.In {
		if taken>>k&1 == 0 && (k == 0) == (i == 0) {
			m.try(&m.line.In[k], m.table.Cells[i], func() { m.permute(i+1, taken|1<<k) })
		}
	}
}

// lines makes the nodes of a table. It merges lines in pairs, then the results in pairs, and so on, so that most
// merges are small. chance, if it is not nil, combines lines that may be skipped into random outcomes.
func (b *builder) lines(t *Lines, chance *lottery) (ref, error) {
	var meet func(x, y ref) ref
	if chance != nil {
		meet = chance.meet
	}
	type run struct {
		root  ref
		lines int
	}
	var runs []run
	last := func() error { // merges the last two runs
		x, y := runs[len(runs)-2], runs[len(runs)-1]
		root, err := b.merge(x.root, y.root, meet)
		runs = append(runs[:len(runs)-2], run{root, x.lines + y.lines})
		return err
	}
	tidy := b.room / 4 // number of edges at which unused nodes are dropped
	for i := range t.Lines {
		root, err := b.line(t, &t.Lines[i])
		if err == nil && chance != nil {
			root, err = b.mapped(root, func(state int) (int, error) { return chance.follow(i, state), nil })
		}
		if err != nil {
			return none, fmt.Errorf("transition %d: %w", i+1, err)
		}
		// The runs are like the digits of a binary counter: two of the same size become one of twice the size, which may
		// meet the next one.
		runs = append(runs, run{root, 1})
		for len(runs) > 1 && runs[len(runs)-2].lines <= runs[len(runs)-1].lines {
			if err := last(); err != nil {
				return none, err
			}
		}
		if b.edges > tidy {
			roots := make([]ref, len(runs))
			for k := range runs {
				roots[k] = runs[k].root
			}
			b.clean(roots)
			for k := range runs {
				runs[k].root = roots[k]
			}
			tidy = b.edges + b.room/4
		}
	}
	same := make([]ref, t.States)
	for s := range same {
		same[s] = terminal(s)
	}
	root, err := b.dense(0, same)
	runs = append(runs, run{root, 0})
	for err == nil && len(runs) > 1 {
		err = last()
	}
	return runs[0].root, err
}

// line makes the nodes of one line: a partial function.
func (b *builder) line(t *Lines, l *Line) (ref, error) {
	if err := l.check(); err != nil {
		return none, err
	}
	a := &assembly{builder: b, table: t, line: l}
	root, err := a.all()
	if err != nil || !a.conflict {
		return root, err
	}
	// Two arrangements match the same block with different results, so the order of the values counts.
	a.ranked, a.conflict = true, false
	ranks := 1
	for _, values := range l.Variables {
		if ranks *= len(values); ranks > math.MaxInt32 {
			return none, fmt.Errorf("the variables have too many combinations of values, whose order matters")
		}
	}
	if root, err = a.all(); err != nil {
		return none, err
	}
	return a.mapped(root, func(rank int) (int, error) { return a.ofRank(rank), nil })
}

// assembly makes the partial function of a line.
type assembly struct {
	*builder
	table    *Lines
	line     *Line
	ranked   bool // results are ranks, not states
	conflict bool // two arrangements match the same block with different results
	turn     []int
	memo     map[string]ref
	met      map[[2]ref]ref
}

// all merges all arrangements.
func (a *assembly) all() (ref, error) {
	bound := slices.Repeat([]int{-1}, len(a.line.Variables))
	if a.table.Permute {
		a.memo = map[string]ref{}
		return a.build(0, 0, bound)
	}
	root := none
	for _, a.turn = range a.table.Turns {
		a.memo = map[string]ref{}
		one, err := a.build(0, 0, bound)
		if err == nil {
			root, err = a.union(root, one)
		}
		if err != nil {
			return none, err
		}
	}
	return root, nil
}

// union merges two arrangements.
func (a *assembly) union(x, y ref) (ref, error) {
	kept := a.builder.memo
	if a.met == nil {
		a.met = map[[2]ref]ref{}
	}
	a.builder.memo = a.met
	defer func() { a.builder.memo = kept }()
	return a.merge(x, y, func(x, y ref) ref {
		if !a.ranked {
			a.conflict = true
		}
		return max(x, y) // terminals are counted down: the least rank
	})
}

// build makes the nodes of the cells from the i-th on, given the terms that are taken and the variables that
// have values.
func (a *assembly) build(i, taken int, bound []int) (ref, error) {
	if i == len(a.table.Cells) {
		if a.ranked {
			return terminal(a.line.rank(bound)), nil
		}
		return terminal(int(a.line.out(bound))), nil
	}
	if err := a.goOn(); err != nil {
		return none, err
	}
	key := a.key(i, taken, bound)
	if r, ok := a.memo[key]; ok {
		return r, nil
	}
	root := none
	for n, k := range a.candidates(i, taken) {
		one, err := a.term(i, k, taken|1<<k, bound)
		if err == nil && n == 0 {
			root = one
		} else if err == nil {
			root, err = a.union(root, one)
		}
		if err != nil {
			return none, err
		}
	}
	a.edges++
	a.memo[key] = root
	return root, nil
}

// candidates returns the terms that may match cell i, and equal terms only once.
func (a *assembly) candidates(i, taken int) []int {
	switch {
	case !a.table.Permute:
		return []int{a.turn[i]}
	case i == 0:
		return []int{0}
	}
	var found []int
	for k := 1; k < len(a.line.In); k++ {
		same := func(other int) bool { return a.line.In[other].equal(&a.line.In[k]) }
		if taken>>k&1 == 0 && !slices.ContainsFunc(found, same) {
			found = append(found, k)
		}
	}
	return found
}

// key identifies everything that build depends on: the remaining terms, and the values of variables that matter
// to them or to the result.
func (a *assembly) key(i, taken int, bound []int) string {
	key := binary.AppendUvarint(nil, uint64(taken))
	key = append(key, byte(i))
	for v, value := range bound {
		matters := a.ranked || a.line.Out.Variable == v
		for k := range a.line.In {
			matters = matters || taken>>k&1 == 0 && a.line.In[k].Variable == v
		}
		if !matters {
			value = -1
		}
		key = binary.AppendVarint(key, int64(value))
	}
	return string(key)
}

// term makes the node of cell i, matched to term k.
func (a *assembly) term(i, k, taken int, bound []int) (ref, error) {
	t := &a.line.In[k]
	states := slices.Clone(a.line.values(t))
	slices.Sort(states)
	states = slices.Compact(states)
	fresh := t.Variable >= 0 && bound[t.Variable] < 0
	if t.Variable >= 0 && !fresh {
		states = []uint8{uint8(bound[t.Variable])}
	}
	edges := make([]edge, 0, len(states))
	for _, s := range states {
		if fresh {
			bound = slices.Clone(bound)
			bound[t.Variable] = int(s)
		}
		to, err := a.build(i+1, taken, bound)
		if err != nil {
			return none, err
		}
		edges = append(edges, edge{s, to})
	}
	return a.node(i, none, edges)
}

// ofRank is the next state for the values of a rank.
func (a *assembly) ofRank(rank int) int {
	for v, values := range a.line.Variables {
		if v == a.line.Out.Variable {
			return int(values[rank%len(values)])
		}
		rank /= len(values)
	}
	return int(a.line.Out.States[0])
}

// mapped is a partial function with other results.
func (b *builder) mapped(root ref, to func(result int) (int, error)) (ref, error) {
	done := map[ref]ref{none: none}
	var visit func(r ref) (ref, error)
	visit = func(r ref) (ref, error) {
		if r, ok := done[r]; ok {
			return r, nil
		}
		if r.isTerminal() {
			result, err := to(r.result())
			done[r] = terminal(result)
			return done[r], err
		}
		n := b.nodes[r]
		other, err := visit(n.other)
		if err != nil {
			return none, err
		}
		edges := make([]edge, len(n.edges))
		for i, e := range n.edges {
			to, err := visit(e.to)
			if err != nil {
				return none, err
			}
			edges[i] = edge{e.state, to}
		}
		made, err := b.node(int(n.level), other, edges)
		if err == nil {
			done[r] = made
		}
		return made, err
	}
	return visit(root)
}
