package logic

import "slices"

// passes shorten a program without changing what it computes. They run in this order until the program stops shrinking.
var passes = []func(*Program){
	hold,  // streams that always hold the same
	fold,  // constants, repeated and ignored inputs, inverters
	share, // equal ops, also when one is the other moved sideways
	merge, // a table whose users can all take it in
	sweep, // ops nobody uses
}

func (p *Program) optimise() {
	for before := -1; before != len(p.Ops); {
		before = len(p.Ops)
		for _, pass := range passes {
			pass(p)
		}
	}
}

// rewriter builds the ops of a program anew; at[i] is where the value of the old op i is now found.
type rewriter struct {
	ops []Op
	at  []Operand
}

func (w *rewriter) operand(o Operand) Operand {
	now := w.at[o.Value]
	return Operand{now.Value, now.DX + o.DX}
}

func (w *rewriter) emit(op Op) Operand {
	w.ops = append(w.ops, op)
	return Operand{Value: len(w.ops) - 1}
}

// rewrite replaces every op by what f makes of it; the operands f sees are the new ones.
func (p *Program) rewrite(f func(w *rewriter, op Op) Operand) {
	w := &rewriter{ops: make([]Op, 0, len(p.Ops)), at: make([]Operand, len(p.Ops))}
	for i, op := range p.Ops {
		if op.Kind == Table {
			for k := range op.N {
				op.In[k] = w.operand(op.In[k])
			}
		}
		if op.Kind == Carry {
			op.In[1] = w.operand(op.In[1])
		}
		w.at[i] = f(w, op)
	}
	for i := range w.ops {
		if op := &w.ops[i]; op.Kind == Carry {
			op.In[0] = w.operand(op.In[0]) // a later op, only now rewritten
		}
	}
	for k := range p.Out {
		p.Out[k] = w.operand(p.Out[k])
	}
	for k := range p.Stores {
		p.Stores[k].Value = w.operand(p.Stores[k].Value)
	}
	p.Ops = w.ops
}

// hold makes loads of streams that hold a constant that constant. A running sum may depend on the zeros there before the stream's
// first row, so programs with one are left alone.
func hold(p *Program) {
	constant := map[int]Op{}
	for _, s := range p.Stores {
		if op := p.Ops[s.Value.Value]; op.Kind == Const {
			constant[s.Stream] = op
		}
	}
	if len(constant) == 0 || p.recurs() {
		return
	}
	p.rewrite(func(w *rewriter, op Op) Operand {
		if c, ok := constant[op.Stream]; ok && op.Kind == Load {
			op = c
		}
		return w.emit(op)
	})
}

// recurs reports whether some stream's rows depend on its own earlier rows.
func (p *Program) recurs() bool {
	for _, s := range p.Stores {
		needed := make([]bool, len(p.Ops))
		needed[s.Value.Value] = true
		for i := len(p.Ops) - 1; i >= 0; i-- {
			if !needed[i] {
				continue
			}
			switch op := &p.Ops[i]; {
			case op.Kind == Load && op.Stream == s.Stream, op.Kind == Carry:
				return true
			case op.Kind == Table:
				for _, in := range op.In[:op.N] {
					needed[in.Value] = true
				}
			}
		}
	}
	return false
}

func fold(p *Program) {
	p.rewrite(func(w *rewriter, op Op) Operand {
		if op.Kind != Table {
			return w.emit(op)
		}
		t := table{imm: op.Imm}
		t.in = append(t.in, op.In[:op.N]...)
		for k := 0; k < len(t.in); k++ {
			source := w.ops[t.in[k].Value]
			switch {
			case source.Kind == Const:
				t.fix(k, source.Imm&1)
				k--
			case source.Kind == Table && source.N == 1: // an inverter
				t.in[k] = Operand{source.In[0].Value, source.In[0].DX + t.in[k].DX}
				t.invert(k)
				k--
			}
		}
		t.reduce()
		switch {
		case len(t.in) == 0:
			return w.emit(Op{Kind: Const, Imm: t.imm})
		case len(t.in) == 1 && t.imm == immA:
			return t.in[0]
		}
		simple := t.op()
		simple.Once = op.Once
		return w.emit(simple)
	})
}

func share(p *Program) {
	seen := map[Op]int{}
	p.rewrite(func(w *rewriter, op Op) Operand {
		dx := 0
		if op.Kind == Table {
			t := table{imm: op.Imm, in: slices.Clone(op.In[:op.N])}
			t.reduce() // inputs that were different values may be one by now
			if len(t.in) == 0 {
				return w.emit(Op{Kind: Const, Imm: t.imm})
			}
			t.sort()
			dx = t.in[0].DX
			for k := range t.in {
				t.in[k].DX -= dx
			}
			once := op.Once
			op = t.op()
			op.Once = once
		}
		value, ok := seen[op]
		if !ok || op.Kind == Carry {
			value = w.emit(op).Value
			seen[op] = value
		}
		return Operand{value, dx}
	})
}

func merge(p *Program) {
	users := make([][]int, len(p.Ops))
	kept := make([]bool, len(p.Ops)) // stored or output: must exist as a row
	for i, op := range p.Ops {
		switch op.Kind {
		case Table:
			for _, in := range op.In[:op.N] {
				users[in.Value] = append(users[in.Value], i)
			}
		case Carry:
			kept[op.In[0].Value], kept[op.In[1].Value] = true, true
		}
	}
	for _, o := range p.Out {
		kept[o.Value] = true
	}
	for _, s := range p.Stores {
		kept[s.Value.Value] = true
	}
	for i := range p.Ops {
		inner := &p.Ops[i]
		if inner.Kind != Table || kept[i] || len(users[i]) == 0 {
			continue
		}
		merged := make([]table, 0, len(users[i]))
		for _, u := range users[i] {
			t, ok := absorb(&p.Ops[u], i, inner)
			if !ok || p.Ops[u].Once != inner.Once {
				break
			}
			merged = append(merged, t)
		}
		if len(merged) < len(users[i]) {
			continue
		}
		for k, u := range users[i] {
			p.Ops[u] = merged[k].op()
			p.Ops[u].Once = inner.Once
			for _, in := range merged[k].in {
				if !slices.Contains(users[in.Value], u) {
					users[in.Value] = append(users[in.Value], u)
				}
			}
		}
		for _, in := range inner.In[:inner.N] {
			users[in.Value] = slices.DeleteFunc(users[in.Value], func(u int) bool { return u == i })
		}
		users[i] = nil
	}
}

// absorb returns outer with its use of value i replaced by the table inner, if three inputs are enough.
func absorb(outer *Op, i int, inner *Op) (table, bool) {
	var inputs []Operand
	add := func(o Operand) {
		if !slices.Contains(inputs, o) {
			inputs = append(inputs, o)
		}
	}
	for _, o := range outer.In[:outer.N] {
		if o.Value != i {
			add(o)
			continue
		}
		for _, n := range inner.In[:inner.N] {
			add(Operand{n.Value, n.DX + o.DX})
		}
	}
	if len(inputs) > 3 {
		return table{}, false
	}
	t := table{in: inputs}
	for row := range 8 {
		bit := func(o Operand) int { return row >> (2 - slices.Index(inputs, o)) & 1 }
		lookup := func(op *Op, bit func(Operand) int) int {
			index := 0
			for k := range op.N {
				index |= bit(op.In[k]) << (2 - k)
			}
			return int(op.Imm) >> index & 1
		}
		out := lookup(outer, func(o Operand) int {
			if o.Value != i {
				return bit(o)
			}
			return lookup(inner, func(n Operand) int { return bit(Operand{n.Value, n.DX + o.DX}) })
		})
		t.imm |= uint8(out << row)
	}
	t.reduce()
	if len(t.in) == 0 { // keep the form of a table; the next fold makes it a constant
		t.in = inputs[:1]
	}
	return t, true
}

func sweep(p *Program) {
	live := make([]bool, len(p.Ops))
	streams := make([]bool, len(p.Streams))
	for _, o := range p.Out {
		live[o.Value] = true
	}
	for changed := true; changed; {
		changed = false
		for _, s := range p.Stores {
			if streams[s.Stream] {
				live[s.Value.Value] = true
			}
		}
		for i := len(p.Ops) - 1; i >= 0; i-- {
			if !live[i] {
				continue
			}
			op := &p.Ops[i]
			if op.Kind == Table {
				for _, in := range op.In[:op.N] {
					live[in.Value] = true
				}
			}
			if op.Kind == Carry {
				live[op.In[1].Value] = true
				if later := op.In[0].Value; !live[later] {
					live[later], changed = true, true
				}
			}
			if op.Kind == Load && op.Stream >= p.Planes && !streams[op.Stream] {
				streams[op.Stream], changed = true, true
			}
		}
	}
	p.Stores = slices.DeleteFunc(p.Stores, func(s Store) bool { return !streams[s.Stream] })
	i := -1
	p.rewrite(func(w *rewriter, op Op) Operand {
		i++
		if !live[i] {
			return Operand{}
		}
		return w.emit(op)
	})
}
