package cuda

import (
	"slices"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/logic"
)

// A flow of a large radius remembers sums of rows until they leave its window, 2·radius+1 rows later, which is more than shared memory
// holds. Such a flow can recall the rows themselves instead: they are still in the universe that the pass reads. What it would have
// remembered it then makes again, from the old row:
//
//	row e               ──▶ sum of row e              ──▶ added
//	row e - 2·radius - 1 ──▶ sum of that row, again    ──▶ taken away

// mostRecalled is how many old rows a kernel reads along with each new one.
const mostRecalled = 3

// recalled is the flow with old rows read again; false where what it remembers depends on more than a few old rows.
func (f *flow) recalled() (*flow, bool) {
	r := *f
	r.nodes = make([]node, len(f.nodes))
	for i, n := range f.nodes {
		n.in = slices.Clone(n.in)
		r.nodes[i] = n
	}
	r.out = slices.Clone(f.out)
	c := &recalling{f: &r, again: map[ref]int{}}
	n := len(r.nodes)
	for i := range n {
		for k := range r.nodes[i].in {
			in := c.replace(r.nodes[i].in[k])
			r.nodes[i].in[k] = in
		}
	}
	for k := range r.out {
		r.out[k] = c.replace(r.out[k])
	}
	r.inOrder()
	r.sweep()
	var old []int
	for _, n := range r.nodes {
		if n.ago > 0 && !slices.Contains(old, n.ago) {
			old = append(old, n.ago)
		}
	}
	return &r, !c.failed && len(old) > 0 && len(old) <= mostRecalled
}

// recalling makes nodes again as they were some rows ago.
type recalling struct {
	f      *flow
	again  map[ref]int // by node and delay
	depth  int
	failed bool
}

// replace is a reference without a long delay.
func (c *recalling) replace(r ref) ref {
	if r.delay > longestInRegisters {
		return ref{c.old(r.node, r.delay), r.dx, 0}
	}
	return r
}

// old is a node that is what another was so many rows ago.
func (c *recalling) old(n, ago int) int {
	key := ref{node: n, delay: ago}
	if id, ok := c.again[key]; ok {
		return id
	}
	if c.depth > len(c.f.nodes) { // it depends on its own past
		c.failed = true
		return n
	}
	c.depth++
	defer func() { c.depth-- }()
	made := c.f.nodes[n]
	made.in = slices.Clone(made.in)
	if made.kind == logic.Load {
		made.ago += ago
	}
	for k, r := range made.in {
		made.in[k] = ref{c.old(r.node, ago+r.delay), r.dx, 0}
		if c.failed {
			return n
		}
	}
	id := len(c.f.nodes)
	c.f.nodes = append(c.f.nodes, made)
	c.again[key] = id
	return id
}

// inOrder moves nodes behind those that they take without delay.
func (f *flow) inOrder() {
	at := make([]int, len(f.nodes))
	var order []int
	var visit func(i int)
	visit = func(i int) {
		if at[i] != 0 {
			return
		}
		at[i] = -1
		for _, r := range f.nodes[i].in {
			if r.delay == 0 {
				visit(r.node)
			}
		}
		order = append(order, i)
		at[i] = len(order)
	}
	for i := range f.nodes {
		visit(i)
	}
	nodes := make([]node, len(order))
	for to, from := range order {
		nodes[to] = f.nodes[from]
		for k := range nodes[to].in {
			nodes[to].in[k].node = at[nodes[to].in[k].node] - 1
		}
	}
	for k := range f.out {
		f.out[k].node = at[f.out[k].node] - 1
	}
	f.nodes = nodes
}

// recall walks down the rows that entered `ago` rows before.
type recall struct {
	ago  int
	wait ptx.B32 // rows until the first that counts
	row  ptx.B32
	next [][]ptx.B32 // rows loaded ahead: by row of the turn, then plane·words + word
}

// recalls makes the walks that the flow needs. They begin with the row that enters first, and stay there until it is theirs.
func (s *streamer) makeRecalls() {
	k := s.k
	for _, n := range s.f.nodes {
		if n.ago == 0 || slices.ContainsFunc(s.recalls, func(r *recall) bool { return r.ago == n.ago }) {
			continue
		}
		r := &recall{ago: n.ago, wait: k.NewB32(), row: k.NewB32()}
		k.Assign(r.wait, n.ago)
		k.Move(r.row, s.in.row)
		s.recalls = append(s.recalls, r)
	}
}

// loadRecalls reads the old rows into the registers of row u of a turn.
func (s *streamer) loadRecalls(u int) {
	k := s.k
	for _, r := range s.recalls {
		if len(r.next) <= u {
			regs := make([]ptx.B32, s.f.planes*s.words)
			for i := range regs {
				regs[i] = k.NewB32()
			}
			r.next = append(r.next, regs)
		}
		for p, base := range s.in.base {
			for j, v := range k.Load(k.MulWide(r.row, s.in.stride, base), 0, s.words) {
				k.Move(r.next[u][p*s.words+j], v)
			}
		}
		for _, base := range s.in.ahead {
			k.Prefetch(k.MulWide(r.row, s.in.stride, base))
		}
		begun := k.CompareN("le", r.wait, 0)
		k.Increase(r.wait, -1)
		k.Move(r.row, k.Add(r.row, k.SelectN(begun, 1, 0)))
		k.Move(r.row, k.Select(k.Compare("eq", r.row, s.in.end), s.in.first, r.row))
	}
}

// enteredBefore is the row that entered so long ago, by plane·words + word: zero before the first.
func (s *streamer) enteredBefore(ago int) []ptx.B32 {
	k := s.k
	i := slices.IndexFunc(s.recalls, func(r *recall) bool { return r.ago == ago })
	counts := k.SelectN(k.CompareN("ge", k.AddN(s.i, s.pos), ago), -1, 0)
	var in []ptx.B32
	for _, r := range s.recalls[i].next[s.pos] {
		in = append(in, k.And(r, counts))
	}
	return in
}
