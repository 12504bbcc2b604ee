package lua

import (
	"math"
	"slices"
	"strings"
)

// operator is an arithmetic or bitwise operator.
type operator uint8

const (
	opAdd operator = iota
	opSub
	opMul
	opDiv
	opMod
	opPow
	opFloorDiv
	opNegate
	opAnd
	opOr
	opXor
	opLeft
	opRight
	opComplement
)

// signsOf are the signs of the operators, in their order; the empty ones have one operand.
var signsOf = [...]string{"+", "-", "*", "/", "%", "^", "//", "", "&", "|", "~", "<<", ">>", ""}

func operatorOf(sign string) operator { return operator(slices.Index(signsOf[:], sign)) }

var events = [...]string{
	"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__idiv", "__unm", "__band", "__bor", "__bxor", "__shl",
	"__shr", "__bnot",
}

// number converts an operand, which may be a string.
func number(v Value) Value {
	switch v.Kind() {
	case KindInt, KindFloat:
		return v
	case KindString:
		return parseNumber(v.str())
	}
	return Value{}
}

// arithmetic does an operation. The names of the operands are for messages.
func (t *thread) arithmetic(op operator, a, b Value, nameA, nameB string) Value {
	x, y := number(a), number(b)
	if op >= opAnd {
		return t.bitwise(op, a, b, nameA, nameB)
	}
	if x.IsNil() || y.IsNil() {
		return t.arithmeticEvent(op, a, b, nameA, nameB)
	}
	if x.ref == isInt && y.ref == isInt {
		m, n := x.asInt(), y.asInt()
		switch op {
		case opAdd:
			return Int(m + n)
		case opSub:
			return Int(m - n)
		case opMul:
			return Int(m * n)
		case opNegate:
			return Int(-m)
		case opFloorDiv, opMod:
			if n == 0 && op == opMod {
				t.fail("attempt to perform 'n%%%%0'")
			} else if n == 0 {
				t.fail("attempt to perform 'n//0'")
			}
			if n == -1 { // the quotient of the least integer has no room
				if op == opMod {
					return Int(0)
				}
				return Int(-m)
			}
			quotient, rest := m/n, m%n
			if rest != 0 && rest^n < 0 {
				quotient, rest = quotient-1, rest+n
			}
			if op == opMod {
				return Int(rest)
			}
			return Int(quotient)
		}
	}
	f, _ := x.Number()
	g, _ := y.Number()
	switch op {
	case opAdd:
		return Float(f + g)
	case opSub:
		return Float(f - g)
	case opMul:
		return Float(f * g)
	case opDiv:
		return Float(f / g)
	case opPow:
		return Float(math.Pow(f, g))
	case opFloorDiv:
		return Float(math.Floor(f / g))
	case opNegate:
		return Float(-f)
	}
	return Float(floatMod(f, g))
}

func floatMod(f, g float64) float64 {
	rest := math.Mod(f, g)
	if rest != 0 && (rest < 0) != (g < 0) {
		rest += g
	}
	return rest
}

func (t *thread) bitwise(op operator, a, b Value, nameA, nameB string) Value {
	x, okX := number(a).Integer()
	y, okY := number(b).Integer()
	if !okX || !okY {
		return t.arithmeticEvent(op, a, b, nameA, nameB)
	}
	switch op {
	case opAnd:
		return Int(x & y)
	case opOr:
		return Int(x | y)
	case opXor:
		return Int(x ^ y)
	case opLeft:
		return Int(shiftLeft(x, y))
	case opRight:
		if y == math.MinInt64 {
			return Int(0)
		}
		return Int(shiftLeft(x, -y))
	}
	return Int(^x)
}

// shiftLeft shifts by a number of bits, to the right if it is negative. All bits beyond 64 are lost.
func shiftLeft(x, by int64) int64 {
	switch {
	case by <= -64 || by >= 64:
		return 0
	case by < 0:
		return int64(uint64(x) >> uint(-by))
	}
	return x << uint(by)
}

// arithmeticEvent calls the metamethod of an operation, or throws its error.
func (t *thread) arithmeticEvent(op operator, a, b Value, nameA, nameB string) Value {
	event := events[op]
	f := t.metamethod(a, event)
	if f.IsNil() {
		f = t.metamethod(b, event)
	}
	if !f.IsNil() {
		return t.first(t.call(f, []Value{a, b}, "metamethod '"+event[2:]+"'"))
	}
	if op >= opAnd {
		if !number(a).IsNil() && !number(b).IsNil() {
			t.fail("number has no integer representation")
		}
		if !number(a).IsNil() {
			a, nameA = b, nameB
		}
		t.failOn("perform bitwise operation on", a, nameA)
	}
	if !number(a).IsNil() {
		a, nameA = b, nameB
	}
	t.failOn("perform arithmetic on", a, nameA)
	return Value{}
}

func (t *thread) first(list []Value) Value {
	if len(list) > 0 {
		return list[0]
	}
	return Value{}
}

// metatable returns the metatable of a value, or nil.
func (t *thread) metatable(v Value) *Table {
	switch v.Kind() {
	case KindTable:
		return v.Table().meta
	case KindString:
		return t.state.strings
	case KindUserdata:
		return v.userdata().meta
	}
	return nil
}

func (t *thread) metamethod(v Value, event string) Value {
	if meta := t.metatable(v); meta != nil {
		return meta.Get(event)
	}
	return Value{}
}

// maxMeta is the longest chain of metatables.
const maxMeta = 2000

// index reads a field of any value.
func (t *thread) index(o, key Value, name string) Value {
	for range maxMeta {
		var handler Value
		if table := o.Table(); table != nil {
			v := table.get(key)
			if !v.IsNil() || table.meta == nil {
				return v
			}
			if handler = table.meta.Get("__index"); handler.IsNil() {
				return v
			}
		} else if handler = t.metamethod(o, "__index"); handler.IsNil() {
			t.failIndex(o, key, name)
		}
		if handler.Kind() == KindFunction {
			return t.first(t.call(handler, []Value{o, key}, "metamethod 'index'"))
		}
		o = handler
	}
	t.fail("'__index' chain too long; possible loop")
	return Value{}
}

func (t *thread) failIndex(o, key Value, name string) {
	if name == "" && key.isString() {
		name = "field '" + key.str() + "'"
	}
	t.failOn("index", o, name)
}

func (t *thread) checkKey(key Value) {
	switch {
	case key.IsNil():
		t.fail("table index is nil")
	case key.ref == isFloat && math.IsNaN(key.asFloat()):
		t.fail("table index is NaN")
	}
}

// setIndex sets a field of any value.
func (t *thread) setIndex(o, key, v Value, name string) {
	for range maxMeta {
		var handler Value
		if table := o.Table(); table != nil {
			if table.meta == nil || !table.get(key).IsNil() {
				t.checkKey(key)
				table.set(key, v)
				return
			}
			if handler = table.meta.Get("__newindex"); handler.IsNil() {
				t.checkKey(key)
				table.set(key, v)
				return
			}
		} else if handler = t.metamethod(o, "__newindex"); handler.IsNil() {
			t.failIndex(o, key, name)
		}
		if handler.Kind() == KindFunction {
			t.call(handler, []Value{o, key, v}, "metamethod 'newindex'")
			return
		}
		o = handler
	}
	t.fail("'__newindex' chain too long; possible loop")
}

func (t *thread) length(v Value, name string) Value {
	if v.isString() {
		return Int(int64(len(v.str())))
	}
	if f := t.metamethod(v, "__len"); !f.IsNil() {
		return t.first(t.call(f, []Value{v}, "metamethod 'len'"))
	}
	if table := v.Table(); table != nil {
		return Int(int64(table.Len()))
	}
	t.failOn("get length of", v, name)
	return Value{}
}

// concat joins values, from the right.
func (t *thread) concat(values []Value, names []string) Value {
	texts := make([]string, len(values))
	size := 0
	for i, v := range values {
		s, ok := v.Text()
		if !ok {
			return t.concatPairs(values, names)
		}
		texts[i] = s
		size += len(s)
	}
	t.afford(uint64(size))
	return String(strings.Join(texts, ""))
}

func (t *thread) concatPairs(values []Value, names []string) Value {
	right := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		left := values[i]
		a, okA := left.Text()
		b, okB := right.Text()
		if okA && okB {
			right = String(a + b)
			continue
		}
		f := t.metamethod(left, "__concat")
		if f.IsNil() {
			f = t.metamethod(right, "__concat")
		}
		if f.IsNil() {
			if okA {
				left, names = right, names[1:]
			}
			t.failOn("concatenate", left, names[i])
		}
		right = t.first(t.call(f, []Value{left, right}, "metamethod 'concat'"))
	}
	return right
}

func (t *thread) equal(a, b Value) bool {
	if rawEqual(a, b) {
		return true
	}
	kind := a.Kind()
	if kind != b.Kind() || kind != KindTable && kind != KindUserdata {
		return false
	}
	f := t.metamethod(a, "__eq")
	if f.IsNil() {
		f = t.metamethod(b, "__eq")
	}
	return !f.IsNil() && t.first(t.call(f, []Value{a, b}, "metamethod 'eq'")).Truth()
}

func (t *thread) less(a, b Value) bool {
	switch {
	case a.ref == isFloat && b.ref == isFloat:
		return a.asFloat() < b.asFloat()
	case a.ref == isInt && b.ref == isInt:
		return a.asInt() < b.asInt()
	case a.ref == isInt && b.ref == isFloat:
		return intLessFloat(a.asInt(), b.asFloat())
	case a.ref == isFloat && b.ref == isInt:
		return !math.IsNaN(a.asFloat()) && !intLessEqualFloat(b.asInt(), a.asFloat())
	case a.isString() && b.isString():
		return a.str() < b.str()
	}
	return t.order("__lt", a, b)
}

func (t *thread) lessEqual(a, b Value) bool {
	switch {
	case a.ref == isFloat && b.ref == isFloat:
		return a.asFloat() <= b.asFloat()
	case a.ref == isInt && b.ref == isInt:
		return a.asInt() <= b.asInt()
	case a.ref == isInt && b.ref == isFloat:
		return intLessEqualFloat(a.asInt(), b.asFloat())
	case a.ref == isFloat && b.ref == isInt:
		return !math.IsNaN(a.asFloat()) && !intLessFloat(b.asInt(), a.asFloat())
	case a.isString() && b.isString():
		return a.str() <= b.str()
	}
	return t.order("__le", a, b)
}

// intLessFloat compares exactly, also where floats have no units.
func intLessFloat(n int64, f float64) bool {
	switch {
	case math.IsNaN(f):
		return false
	case f >= 0x1p63:
		return true
	case f < -0x1p63:
		return false
	}
	return n < int64(math.Ceil(f))
}

func intLessEqualFloat(n int64, f float64) bool {
	switch {
	case math.IsNaN(f):
		return false
	case f >= 0x1p63:
		return true
	case f < -0x1p63:
		return false
	}
	return n <= int64(math.Floor(f))
}

func (t *thread) order(event string, a, b Value) bool {
	f := t.metamethod(a, event)
	if f.IsNil() {
		f = t.metamethod(b, event)
	}
	if f.IsNil() {
		x, y := a.noun(), b.noun()
		if x == y {
			t.fail("attempt to compare two %s values", x)
		}
		t.fail("attempt to compare %s with %s", x, y)
	}
	return t.first(t.call(f, []Value{a, b}, "metamethod '"+event[2:]+"'")).Truth()
}

// intBounds is the end of a loop over integers.
type intBounds struct {
	end  int64
	none bool // the loop has no rounds
}

// intLimit cuts the limit of a loop over integers to their range.
func (t *thread) intLimit(v Value, step int64) intBounds {
	if step == 0 {
		t.fail("'for' step is zero")
	}
	if v.ref == isInt {
		return intBounds{end: v.asInt()}
	}
	f := t.forNumber(v, "limit")
	switch {
	case math.IsNaN(f):
		return intBounds{none: true}
	case f >= 0x1p63:
		return intBounds{end: math.MaxInt64, none: step < 0}
	case f < -0x1p63:
		return intBounds{end: math.MinInt64, none: step > 0}
	case step > 0:
		return intBounds{end: int64(math.Floor(f))}
	}
	return intBounds{end: int64(math.Ceil(f))}
}

// forNumber is a number of a loop. Strings are not numbers there.
func (t *thread) forNumber(v Value, what string) float64 {
	if v.ref != isInt && v.ref != isFloat {
		t.fail("bad 'for' %s (number expected, got %s)", what, v.noun())
	}
	f, _ := v.Number()
	return f
}
