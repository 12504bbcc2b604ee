package lua

import (
	"fmt"
	"unsafe"
)

// The tree of a program becomes Go functions: an expression gives a value, a statement a signal.
type (
	expression func(fr *frame) Value
	several    func(fr *frame) []Value // valid until the next call
	condition  func(fr *frame) bool
	statement  func(fr *frame) signal
)

// signal says where a program continues after a statement.
type signal uint8

const (
	goOn       signal = iota
	breakLoop         // the loop around it ends
	returnFrom        // the function ends with frame.result
	jump              // execution goes on at frame.label
)

// box holds a variable that several functions share. The slot of such a variable has a pointer to the box in place of a
// value. A box has no head, so nothing may ask for the kind of the slot. The compiler knows which variables are
// captured.
type box struct{ v Value }

func boxed(v Value) Value         { return Value{unsafe.Pointer(&box{v}), 0} }
func (v Value) box() *box         { return (*box)(v.ref) }
func (p *proto) describe() string { return fmt.Sprintf("%s:%d", p.chunk, p.line) }

// compiler compiles one function.
type compiler struct{ p *proto }

// compile makes the function of a proto, once.
func (p *proto) compile() {
	if p.run == nil {
		c := compiler{p}
		p.run = c.block(p.body)
	}
}

// block compiles statements. Short lists, which are most of them, run without a loop.
func (c *compiler) block(b *suite) statement {
	stats := make([]statement, len(b.stats))
	for i, s := range b.stats {
		stats[i] = c.statement(s)
	}
	if b.labels != nil {
		return labelled(stats, b.labels)
	}
	switch len(stats) {
	case 0:
		return func(*frame) signal { return goOn }
	case 1:
		return stats[0]
	case 2:
		one, two := stats[0], stats[1]
		return func(fr *frame) signal {
			if s := one(fr); s != goOn {
				return s
			}
			return two(fr)
		}
	}
	return func(fr *frame) signal {
		for _, run := range stats {
			if s := run(fr); s != goOn {
				return s
			}
		}
		return goOn
	}
}

// labelled runs statements with labels among them. A goto returns jump through all blocks around it, until one of them
// has its label.
func labelled(stats []statement, labels map[string]int) statement {
	return func(fr *frame) signal {
		for i := 0; i < len(stats); i++ {
			s := stats[i](fr)
			if s == goOn {
				continue
			}
			to, here := labels[fr.label]
			if s != jump || !here {
				return s
			}
			fr.th.tick() // a loop by goto must end with the context, too
			i = to - 1
		}
		return goOn
	}
}

func (c *compiler) statement(s any) statement {
	switch s := s.(type) {
	case *localStat:
		return c.local(s)
	case *assignStat:
		return c.assign(s)
	case *callStat:
		call := c.call(s.call)
		return func(fr *frame) signal {
			call(fr)
			return goOn
		}
	case *doStat:
		return c.block(s.body)
	case *whileStat:
		cond, body := c.condition(s.cond), c.block(s.body)
		return func(fr *frame) signal {
			for cond(fr) {
				fr.th.tick()
				if sig := body(fr); sig != goOn {
					if sig == breakLoop {
						break
					}
					return sig
				}
			}
			return goOn
		}
	case *repeatStat:
		cond, body := c.condition(s.cond), c.block(s.body)
		return func(fr *frame) signal {
			for {
				fr.th.tick()
				if sig := body(fr); sig != goOn {
					if sig == breakLoop {
						return goOn
					}
					return sig
				}
				if cond(fr) {
					return goOn
				}
			}
		}
	case *ifStat:
		return c.ifThen(s)
	case *numericStat:
		return c.numeric(s)
	case *genericStat:
		return c.generic(s)
	case *localFunctionStat:
		make, slot, captured := c.expression(s.function), s.v.slot, s.v.captured
		return func(fr *frame) signal {
			if captured {
				fr.r[slot] = boxed(Value{}) // first, because the function may refer to itself
				fr.r[slot].box().v = make(fr)
			} else {
				fr.r[slot] = make(fr)
			}
			return goOn
		}
	case *returnStat:
		return c.returns(s)
	case *breakStat:
		return func(*frame) signal { return breakLoop }
	case *gotoStat:
		return func(fr *frame) signal {
			fr.label = s.name
			return jump
		}
	}
	panic(fmt.Sprintf("statement %T", s))
}

// returns compiles a return. A single value needs no list of its own.
func (c *compiler) returns(s *returnStat) statement {
	switch {
	case len(s.values) == 0:
		return func(fr *frame) signal {
			fr.result = nil
			return returnFrom
		}
	case len(s.values) == 1 && !isSeveral(s.values[0]):
		value := c.expression(s.values[0])
		return func(fr *frame) signal {
			fr.result = fr.th.one(value(fr))
			return returnFrom
		}
	}
	values := c.list(s.values)
	return func(fr *frame) signal {
		fr.result = values(fr)
		return returnFrom
	}
}

// ifThen compiles the conditions from the last one to the first. Each gets the rest of the chain as its alternative.
func (c *compiler) ifThen(s *ifStat) statement {
	other := func(*frame) signal { return goOn }
	if s.other != nil {
		other = c.block(s.other)
	}
	for i := len(s.conds) - 1; i >= 0; i-- {
		cond, body, otherwise := c.condition(s.conds[i]), c.block(s.bodies[i]), other
		other = func(fr *frame) signal {
			if cond(fr) {
				return body(fr)
			}
			return otherwise(fr)
		}
	}
	return other
}

// store returns a function that gives a declared variable its first value.
func store(v *variable) func(fr *frame, value Value) {
	slot := v.slot
	if v.captured {
		return func(fr *frame, value Value) { fr.r[slot] = boxed(value) }
	}
	return func(fr *frame, value Value) { fr.r[slot] = value }
}

func (c *compiler) local(s *localStat) statement {
	if len(s.vars) == 1 && len(s.values) <= 1 {
		value := expression(func(*frame) Value { return Value{} })
		if len(s.values) == 1 {
			value = c.expression(s.values[0])
		}
		slot := s.vars[0].slot
		if s.vars[0].captured {
			return func(fr *frame) signal {
				fr.r[slot] = boxed(value(fr))
				return goOn
			}
		}
		return func(fr *frame) signal {
			fr.r[slot] = value(fr)
			return goOn
		}
	}
	values := c.list(s.values)
	stores := make([]func(*frame, Value), len(s.vars))
	for i, v := range s.vars {
		stores[i] = store(v)
	}
	return func(fr *frame) signal {
		list := values(fr)
		for i, store := range stores {
			if i < len(list) {
				store(fr, list[i])
			} else {
				store(fr, Value{})
			}
		}
		return goOn
	}
}

// target returns a function that evaluates the parts of a target of an assignment, and one that assigns. The parts
// are kept in two values of a list.
func (c *compiler) target(x any) (parts func(fr *frame, to []Value), assign func(fr *frame, from []Value, v Value)) {
	switch x := x.(type) {
	case *localExpr:
		slot := x.v.slot
		assign = func(fr *frame, _ []Value, v Value) { fr.r[slot] = v }
		if x.v.captured {
			assign = func(fr *frame, _ []Value, v Value) { fr.r[slot].box().v = v }
		}
		return func(*frame, []Value) {}, assign
	case *upvalueExpr:
		index := x.index
		return func(*frame, []Value) {}, func(fr *frame, _ []Value, v Value) { fr.up[index].v = v }
	case *indexExpr:
		object, key, line, name := c.expression(x.object), c.expression(x.key), x.line, c.naming(x.object)
		parts = func(fr *frame, to []Value) { to[0], to[1] = object(fr), key(fr) }
		return parts, func(fr *frame, from []Value, v Value) {
			fr.line = line
			fr.th.setIndex(from[0], from[1], v, name)
		}
	}
	panic(fmt.Sprintf("target %T", x))
}

// assign compiles an assignment. All parts of the targets and all values are evaluated before anything is assigned, so
// that a, b = b, a exchanges two variables. They are kept on the stack of the thread:
//
//	parts of target 0   parts of target 1   …   value 0   value 1   …
//	object, key         object, key
func (c *compiler) assign(s *assignStat) statement {
	if len(s.targets) == 1 && len(s.values) == 1 {
		return c.assignOne(s.targets[0], c.expression(s.values[0]))
	}
	type place struct {
		parts  func(fr *frame, to []Value)
		assign func(fr *frame, from []Value, v Value)
	}
	places := make([]place, len(s.targets))
	for i, target := range s.targets {
		places[i].parts, places[i].assign = c.target(target)
	}
	values := c.list(s.values)
	return func(fr *frame) signal {
		th := fr.th
		mark := th.mark()
		kept := th.take(3 * len(places))
		parts, list := kept[:2*len(places)], kept[2*len(places):]
		for i := range places {
			places[i].parts(fr, parts[2*i:2*i+2])
		}
		n := copy(list, values(fr))
		clear(list[n:])
		for i := len(places) - 1; i >= 0; i-- { // from the last one, as Lua's own interpreter does
			places[i].assign(fr, parts[2*i:2*i+2], list[i])
		}
		th.release(mark)
		return goOn
	}
}

// assignOne compiles the assignment of one value. An integer key of a table without a metatable is the case that must
// be fast: it calls nothing else.
func (c *compiler) assignOne(target any, value expression) statement {
	switch x := target.(type) {
	case *localExpr:
		slot := x.v.slot
		if x.v.captured {
			return func(fr *frame) signal {
				fr.r[slot].box().v = value(fr)
				return goOn
			}
		}
		return func(fr *frame) signal {
			fr.r[slot] = value(fr)
			return goOn
		}
	case *upvalueExpr:
		index := x.index
		return func(fr *frame) signal {
			fr.up[index].v = value(fr)
			return goOn
		}
	}
	x := target.(*indexExpr)
	object, key, line, name := c.expression(x.object), c.expression(x.key), x.line, c.naming(x.object)
	return func(fr *frame) signal {
		o, k := object(fr), key(fr)
		v := value(fr)
		if t := o.Table(); t != nil && t.meta == nil && k.ref == isInt {
			t.setInt(k.asInt(), v)
			return goOn
		}
		fr.line = line
		fr.th.setIndex(o, k, v, name)
		return goOn
	}
}

// numeric compiles a loop over numbers. It counts in integers if the start and the step are integers, else in floats.
func (c *compiler) numeric(s *numericStat) statement {
	from, limit, body, line := c.expression(s.from), c.expression(s.limit), c.block(s.body), s.line
	add := expression(func(*frame) Value { return Int(1) })
	if s.add != nil {
		add = c.expression(s.add)
	}
	set := store(s.v)
	run := func(fr *frame, v Value) (signal, bool) {
		fr.th.tick()
		set(fr, v)
		sig := body(fr)
		return sig, sig != goOn
	}
	return func(fr *frame) signal {
		start, end, step := from(fr), limit(fr), add(fr)
		fr.line = line
		if start.ref == isInt && step.ref == isInt {
			return countInts(fr, start.asInt(), fr.th.intLimit(end, step.asInt()), step.asInt(), run)
		}
		x, z, y := fr.th.forNumber(start, "initial value"), fr.th.forNumber(end, "limit"), fr.th.forNumber(step, "step")
		if y == 0 {
			fr.th.fail("'for' step is zero")
		}
		for ; y > 0 && x <= z || y < 0 && x >= z; x += y {
			if sig, stop := run(fr, Float(x)); stop {
				if sig == breakLoop {
					break
				}
				return sig
			}
		}
		return goOn
	}
}

// countInts runs the body of a loop over integers. bounds says whether there is a first one.
func countInts(fr *frame, i int64, bounds intBounds, step int64, run func(*frame, Value) (signal, bool)) signal {
	if step > 0 && i > bounds.end || step < 0 && i < bounds.end || bounds.none {
		return goOn
	}
	var rounds uint64 // that follow the first one; counted, so that i never overflows
	if step > 0 {
		rounds = (uint64(bounds.end) - uint64(i)) / uint64(step)
	} else {
		rounds = (uint64(i) - uint64(bounds.end)) / (-uint64(step))
	}
	for {
		if sig, stop := run(fr, Int(i)); stop {
			if sig == breakLoop {
				return goOn
			}
			return sig
		}
		if rounds == 0 {
			return goOn
		}
		rounds--
		i += step
	}
}

// generic compiles a loop over an iterator. Its function, its state and its control variable are in three slots side by
// side, which the program cannot name.
func (c *compiler) generic(s *genericStat) statement {
	values, body, state, line := c.list(s.values), c.block(s.body), s.state, s.line
	stores := make([]func(*frame, Value), len(s.vars))
	for i, v := range s.vars {
		stores[i] = store(v)
	}
	set := func(fr *frame, list []Value) {
		for i, store := range stores {
			if i < len(list) {
				store(fr, list[i])
			} else {
				store(fr, Value{})
			}
		}
	}
	return func(fr *frame) signal {
		r := fr.r[state : state+3]
		n := copy(r, values(fr))
		clear(r[n:])
		for {
			fr.th.tick()
			fr.line = line
			f := r[0].function()
			if f == nextFunction {
				// the traversal of a table without a call
				t := r[1].Table()
				if t == nil {
					fr.th.fail("bad argument #1 to 'for iterator' (table expected, got %s)", r[1].noun())
				}
				k, v, ok := t.next(r[2])
				if !ok {
					fr.th.fail("invalid key to 'next'")
				}
				if k.IsNil() {
					return goOn
				}
				r[2] = k
				set(fr, []Value{k, v})
			} else {
				list := fr.th.call(r[0], r[1:3], "for iterator 'for iterator'")
				if len(list) == 0 || list[0].IsNil() {
					return goOn
				}
				r[2] = list[0]
				set(fr, list)
			}
			if sig := body(fr); sig != goOn {
				if sig == breakLoop {
					return goOn
				}
				return sig
			}
		}
	}
}

// isSeveral reports whether an expression may give any number of values.
func isSeveral(x any) bool {
	switch x.(type) {
	case *callExpr, *varargExpr:
		return true
	}
	return false
}

// several compiles an expression for which isSeveral holds.
func (c *compiler) several(x any) several {
	if x, ok := x.(*callExpr); ok {
		return c.call(x)
	}
	return func(fr *frame) []Value { return fr.varargs }
}

// list compiles a list of expressions, of which the last one may give any number of values.
func (c *compiler) list(xs []any) several {
	if len(xs) == 1 && isSeveral(xs[0]) {
		return c.several(xs[0])
	}
	fill := c.fill(xs)
	return func(fr *frame) []Value {
		th := fr.th
		mark := th.mark()
		values := th.many(fill(fr))
		th.release(mark)
		return values
	}
}

// fill compiles a list of expressions into a function that puts their values on the stack of the thread. The caller
// releases them.
func (c *compiler) fill(xs []any) several {
	last := several(nil)
	if n := len(xs); n > 0 && isSeveral(xs[n-1]) {
		last = c.several(xs[n-1])
		xs = xs[:n-1]
	}
	fixed := make([]expression, len(xs))
	for i, x := range xs {
		fixed[i] = c.expression(x)
	}
	if last == nil {
		return func(fr *frame) []Value {
			to := fr.th.take(len(fixed))
			for i, x := range fixed {
				to[i] = x(fr)
			}
			return to
		}
	}
	return func(fr *frame) []Value {
		first := fr.th.take(len(fixed))
		for i, x := range fixed {
			first[i] = x(fr)
		}
		rest := last(fr)
		if len(first) == 0 {
			to := fr.th.take(len(rest))
			copy(to, rest)
			return to
		}
		to := fr.th.take(len(first) + len(rest))
		copy(to[copy(to, first):], rest)
		return to
	}
}

// call compiles a call. Arguments go to the stack of the thread. If the function is one of the program with a fixed
// number of parameters, they are written where its variables will be, and are not copied.
func (c *compiler) call(x *callExpr) several {
	line, name := x.line, c.naming(x.function)
	if x.method != "" {
		return c.callMethod(x)
	}
	function := c.expression(x.function)
	if len(x.args) > 0 && isSeveral(x.args[len(x.args)-1]) {
		fill := c.fill(x.args)
		return func(fr *frame) []Value {
			f, th := function(fr), fr.th
			mark := th.mark()
			args := fill(fr)
			fr.line = line
			list := th.call(f, args, name)
			th.release(mark)
			return list
		}
	}
	args := make([]expression, len(x.args))
	for i, arg := range x.args {
		args[i] = c.expression(arg)
	}
	return func(fr *frame) []Value {
		v, th := function(fr), fr.th
		mark := th.mark()
		f := v.function()
		// the arguments are put where the parameters of the function are
		size := len(args)
		direct := f != nil && f.proto != nil && !f.proto.vararg
		if direct {
			size = max(size, f.proto.slots)
		}
		to := th.take(size)
		for i, arg := range args {
			to[i] = arg(fr)
		}
		fr.line = line
		var list []Value
		if direct {
			for i := len(args); i < len(f.proto.params); i++ {
				to[i] = Value{}
			}
			list = th.enter(f, to, nil)
		} else {
			list = th.call(v, to, name)
		}
		th.release(mark)
		return list
	}
}

// callMethod compiles object:method(…). The object is evaluated once and is the first argument.
func (c *compiler) callMethod(x *callExpr) several {
	line, method := x.line, String(x.method)
	object, fill, name := c.expression(x.function), c.fill(x.args), c.naming(x.function)
	called := "method '" + x.method + "'"
	return func(fr *frame) []Value {
		o, th := object(fr), fr.th
		fr.line = line
		f := th.index(o, method, name)
		mark := th.mark()
		self := th.take(1)
		self[0] = o
		rest := fill(fr)
		args := th.take(1 + len(rest))
		args[0] = o
		copy(args[1:], rest)
		fr.line = line
		list := th.call(f, args, called)
		th.release(mark)
		return list
	}
}

// naming says in words which variable an expression is, for messages.
func (c *compiler) naming(x any) string {
	switch x := x.(type) {
	case *localExpr:
		return "local '" + x.v.name + "'"
	case *upvalueExpr:
		return "upvalue '" + x.name + "'"
	case *constantExpr:
		if x.value.isString() {
			return "constant '" + x.value.str() + "'"
		}
	case *indexExpr:
		key, ok := x.key.(*constantExpr)
		if !ok || !key.value.isString() {
			return ""
		}
		if env, ok := x.object.(*upvalueExpr); ok && env.name == "_ENV" {
			return "global '" + key.value.str() + "'"
		}
		return "field '" + key.value.str() + "'"
	case *callExpr:
		if x.method != "" {
			return "method '" + x.method + "'"
		}
	}
	return ""
}

func (c *compiler) expression(x any) expression {
	switch x := x.(type) {
	case *constantExpr:
		v := x.value
		return func(*frame) Value { return v }
	case *localExpr:
		slot := x.v.slot
		if x.v.captured {
			return func(fr *frame) Value { return fr.r[slot].box().v }
		}
		return func(fr *frame) Value { return fr.r[slot] }
	case *upvalueExpr:
		index := x.index
		return func(fr *frame) Value { return fr.up[index].v }
	case *indexExpr:
		return c.index(x)
	case *callExpr:
		call := c.call(x)
		return func(fr *frame) Value {
			if list := call(fr); len(list) > 0 {
				return list[0]
			}
			return Value{}
		}
	case *varargExpr:
		return func(fr *frame) Value {
			if len(fr.varargs) > 0 {
				return fr.varargs[0]
			}
			return Value{}
		}
	case *parenExpr:
		return c.expression(x.x)
	case *functionExpr:
		return closure(x.proto)
	case *tableExpr:
		return c.table(x)
	case *unaryExpr:
		return c.unary(x)
	case *binaryExpr:
		return c.binary(x)
	}
	panic(fmt.Sprintf("expression %T", x))
}

// closure makes a function with its upvalues: boxes in the frame that makes it, or upvalues of that frame's function.
func closure(p *proto) expression {
	return func(fr *frame) Value {
		p.compile()
		f := &function{head: head{KindFunction}, proto: p, up: make([]*box, len(p.upvalues))}
		for i, u := range p.upvalues {
			if u.local != nil {
				f.up[i] = fr.r[u.local.slot].box()
			} else {
				f.up[i] = fr.up[u.index]
			}
		}
		return f.value()
	}
}

func (c *compiler) index(x *indexExpr) expression {
	object, line, name := c.expression(x.object), x.line, c.naming(x.object)
	if key, ok := x.key.(*constantExpr); ok && key.value.isString() {
		if x, ok := x.object.(*upvalueExpr); ok && x.name == "_ENV" {
			name = "upvalue '_ENV'"
		}
		k, s := key.value, key.value.str()
		return func(fr *frame) Value {
			o := object(fr)
			if t := o.Table(); t != nil {
				if v := t.Get(s); !v.IsNil() || t.meta == nil {
					return v
				}
			}
			fr.line = line
			return fr.th.index(o, k, name)
		}
	}
	key := c.expression(x.key)
	return func(fr *frame) Value {
		o := object(fr)
		k := key(fr)
		if k.ref == isInt {
			if t := o.Table(); t != nil {
				if v := t.getInt(k.asInt()); !v.IsNil() || t.meta == nil {
					return v
				}
			}
		}
		fr.line = line
		return fr.th.index(o, k, name)
	}
}

func (c *compiler) table(x *tableExpr) expression {
	line, room := x.line, 0
	items, keyed := x.values, false
	var last several
	if n := len(items); n > 0 && x.keys[n-1] == nil && isSeveral(items[n-1]) {
		last, items = c.several(items[n-1]), items[:n-1]
	}
	keys, values := make([]expression, len(items)), make([]expression, len(items))
	for i, item := range items {
		values[i] = c.expression(item)
		if x.keys[i] != nil {
			keys[i], keyed = c.expression(x.keys[i]), true
		} else {
			room++
		}
	}
	return func(fr *frame) Value {
		t := NewTable(0)
		array := make([]Value, 0, room)
		var fields []entry
		for i, value := range values {
			if keyed && keys[i] != nil {
				k := keys[i](fr)
				fr.line = line
				fr.th.checkKey(k)
				fields = append(fields, entry{k, value(fr)})
			} else {
				array = append(array, value(fr))
			}
		}
		if last != nil {
			array = append(array, last(fr)...)
		}
		for _, e := range fields {
			t.set(e.key, e.value)
		}
		if len(t.array) > 0 { // a number that has been written as a key, too
			for i, v := range array {
				t.setInt(int64(i+1), v)
			}
			return t.value()
		}
		t.array = array
		t.trim()
		t.takeOver(int64(len(t.array)))
		return t.value()
	}
}

func (c *compiler) unary(x *unaryExpr) expression {
	operand, line, name := c.expression(x.x), x.line, c.naming(x.x)
	switch x.op {
	case "not":
		return func(fr *frame) Value { return Bool(!operand(fr).Truth()) }
	case "#":
		return func(fr *frame) Value {
			v := operand(fr)
			if t := v.Table(); t != nil && t.meta == nil {
				return Int(int64(t.Len()))
			}
			fr.line = line
			return fr.th.length(v, name)
		}
	case "-":
		return func(fr *frame) Value {
			v := operand(fr)
			switch v.ref {
			case isInt:
				return Int(-v.asInt())
			case isFloat:
				return Float(-v.asFloat())
			}
			fr.line = line
			return fr.th.arithmetic(opNegate, v, v, name, name)
		}
	}
	return func(fr *frame) Value {
		v := operand(fr)
		fr.line = line
		return fr.th.arithmetic(opComplement, v, v, name, name)
	}
}

func (c *compiler) binary(x *binaryExpr) expression {
	switch x.op {
	case "and":
		a, b := c.expression(x.x), c.expression(x.y)
		return func(fr *frame) Value {
			if v := a(fr); !v.Truth() {
				return v
			}
			return b(fr)
		}
	case "or":
		a, b := c.expression(x.x), c.expression(x.y)
		return func(fr *frame) Value {
			if v := a(fr); v.Truth() {
				return v
			}
			return b(fr)
		}
	case "..":
		return c.concat(x)
	case "==", "~=", "<", "<=", ">", ">=":
		cond := c.compare(x)
		return func(fr *frame) Value { return Bool(cond(fr)) }
	}
	return c.arithmetic(x)
}

func (c *compiler) arithmetic(x *binaryExpr) expression {
	a, b, line := c.expression(x.x), c.expression(x.y), x.line
	op := operatorOf(x.op)
	nameA, nameB := c.naming(x.x), c.naming(x.y)
	slow := func(fr *frame, x, y Value) Value {
		fr.line = line
		return fr.th.arithmetic(op, x, y, nameA, nameB)
	}
	switch op {
	case opAdd:
		return func(fr *frame) Value {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return Int(x.asInt() + y.asInt())
			}
			if x.ref == isFloat && y.ref == isFloat {
				return Float(x.asFloat() + y.asFloat())
			}
			return slow(fr, x, y)
		}
	case opSub:
		return func(fr *frame) Value {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return Int(x.asInt() - y.asInt())
			}
			if x.ref == isFloat && y.ref == isFloat {
				return Float(x.asFloat() - y.asFloat())
			}
			return slow(fr, x, y)
		}
	case opMul:
		return func(fr *frame) Value {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return Int(x.asInt() * y.asInt())
			}
			if x.ref == isFloat && y.ref == isFloat {
				return Float(x.asFloat() * y.asFloat())
			}
			return slow(fr, x, y)
		}
	case opAnd:
		return func(fr *frame) Value {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return Int(x.asInt() & y.asInt())
			}
			return slow(fr, x, y)
		}
	}
	return func(fr *frame) Value {
		x := a(fr)
		return slow(fr, x, b(fr))
	}
}

// concat compiles a chain of concatenations, which are done at once.
func (c *compiler) concat(x *binaryExpr) expression {
	var parts []expression
	var names []string
	line := x.line
	for {
		parts, names = append(parts, c.expression(x.x)), append(names, c.naming(x.x))
		next, ok := x.y.(*binaryExpr)
		if !ok || next.op != ".." {
			parts, names = append(parts, c.expression(x.y)), append(names, c.naming(x.y))
			break
		}
		x = next
	}
	return func(fr *frame) Value {
		th := fr.th
		mark := th.mark()
		values := th.take(len(parts))
		for i, part := range parts {
			values[i] = part(fr)
		}
		fr.line = line
		v := th.concat(values, names)
		th.release(mark)
		return v
	}
}

// condition compiles an expression whose value is only asked whether it is true.
func (c *compiler) condition(x any) condition {
	switch x := x.(type) {
	case *unaryExpr:
		if x.op == "not" {
			inner := c.condition(x.x)
			return func(fr *frame) bool { return !inner(fr) }
		}
	case *binaryExpr:
		switch x.op {
		case "and":
			a, b := c.condition(x.x), c.condition(x.y)
			return func(fr *frame) bool { return a(fr) && b(fr) }
		case "or":
			a, b := c.condition(x.x), c.condition(x.y)
			return func(fr *frame) bool { return a(fr) || b(fr) }
		case "==", "~=", "<", "<=", ">", ">=":
			return c.compare(x)
		}
	}
	value := c.expression(x)
	return func(fr *frame) bool { return value(fr).Truth() }
}

func (c *compiler) compare(x *binaryExpr) condition {
	a, b, line := c.expression(x.x), c.expression(x.y), x.line
	switch x.op {
	case "==":
		return func(fr *frame) bool {
			x, y := a(fr), b(fr)
			fr.line = line
			return fr.th.equal(x, y)
		}
	case "~=":
		return func(fr *frame) bool {
			x, y := a(fr), b(fr)
			fr.line = line
			return !fr.th.equal(x, y)
		}
	case "<":
		return func(fr *frame) bool {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return x.asInt() < y.asInt()
			}
			fr.line = line
			return fr.th.less(x, y)
		}
	case ">":
		return func(fr *frame) bool {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return x.asInt() > y.asInt()
			}
			fr.line = line
			return fr.th.less(y, x)
		}
	case "<=":
		return func(fr *frame) bool {
			x, y := a(fr), b(fr)
			if x.ref == isInt && y.ref == isInt {
				return x.asInt() <= y.asInt()
			}
			fr.line = line
			return fr.th.lessEqual(x, y)
		}
	}
	return func(fr *frame) bool {
		x, y := a(fr), b(fr)
		if x.ref == isInt && y.ref == isInt {
			return x.asInt() >= y.asInt()
		}
		fr.line = line
		return fr.th.lessEqual(y, x)
	}
}
