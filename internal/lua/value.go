package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is the kind of a value: a type of Lua, in which integers and floats are apart.
type Kind uint8

// The kinds of values.
const (
	KindNil Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindTable
	KindFunction
	KindThread
	KindUserdata
)

// head is the beginning of everything that a value refers to.
type head struct{ kind Kind }

var (
	boolHead  = &head{KindBool}
	intHead   = &head{KindInt}
	floatHead = &head{KindFloat}

	isBool  = unsafe.Pointer(boolHead)
	isInt   = unsafe.Pointer(intHead)
	isFloat = unsafe.Pointer(floatHead)
)

// Value is a value of Lua. The zero value is nil. It is two words, so that arrays of integers take little memory:
// ref points to a head, which says the kind, and bits has a boolean or a number. For the other kinds the head is the
// beginning of the object itself.
type Value struct {
	ref  unsafe.Pointer
	bits uint64
}

type text struct {
	head
	s string
}

// userdata is an object of the host.
type userdata struct {
	head
	data any
	meta *Table
}

// Bool returns a boolean.
func Bool(b bool) Value {
	if b {
		return Value{isBool, 1}
	}
	return Value{isBool, 0}
}

// Int returns an integer.
func Int(n int64) Value { return Value{isInt, uint64(n)} }

// Float returns a float.
func Float(f float64) Value { return Value{isFloat, math.Float64bits(f)} }

// String returns a string.
func String(s string) Value {
	return Value{unsafe.Pointer(&text{head{KindString}, s}), 0}
}

func (t *Table) value() Value    { return Value{unsafe.Pointer(t), 0} }
func (f *function) value() Value { return Value{unsafe.Pointer(f), 0} }
func (t *thread) value() Value   { return Value{unsafe.Pointer(t), 0} }
func (u *userdata) value() Value { return Value{unsafe.Pointer(u), 0} }

// Kind returns the kind of the value.
func (v Value) Kind() Kind {
	if v.ref == nil {
		return KindNil
	}
	return (*head)(v.ref).kind
}

// IsNil reports whether the value is nil.
func (v Value) IsNil() bool { return v.ref == nil }

// Truth reports whether a condition with this value holds: it is neither nil nor false.
func (v Value) Truth() bool {
	return v.ref != nil && (v.ref != isBool || v.bits != 0)
}

func (v Value) asInt() int64     { return int64(v.bits) }
func (v Value) asFloat() float64 { return math.Float64frombits(v.bits) }

// Table returns the table that the value is, or nil.
func (v Value) Table() *Table {
	if v.Kind() != KindTable {
		return nil
	}
	return (*Table)(v.ref)
}

func (v Value) function() *function {
	if v.Kind() != KindFunction {
		return nil
	}
	return (*function)(v.ref)
}

func (v Value) thread() *thread {
	if v.Kind() != KindThread {
		return nil
	}
	return (*thread)(v.ref)
}

func (v Value) userdata() *userdata {
	if v.Kind() != KindUserdata {
		return nil
	}
	return (*userdata)(v.ref)
}

func (v Value) isString() bool { return v.Kind() == KindString }

// str is the text of a string.
func (v Value) str() string { return (*text)(v.ref).s }

// Text returns a string, or a number as it is printed.
func (v Value) Text() (string, bool) {
	switch v.Kind() {
	case KindString:
		return v.str(), true
	case KindInt:
		return strconv.FormatInt(v.asInt(), 10), true
	case KindFloat:
		return formatFloat(v.asFloat()), true
	}
	return "", false
}

// Integer returns a number, or a string that is one, if it is a whole number.
func (v Value) Integer() (int64, bool) {
	switch v.Kind() {
	case KindInt:
		return v.asInt(), true
	case KindFloat:
		return wholeOf(v.asFloat())
	case KindString:
		if n := parseNumber(v.str()); !n.IsNil() {
			return n.Integer()
		}
	}
	return 0, false
}

// Number returns a number, or a string that is one, as a float.
func (v Value) Number() (float64, bool) {
	switch v.Kind() {
	case KindInt:
		return float64(v.asInt()), true
	case KindFloat:
		return v.asFloat(), true
	case KindString:
		if n := parseNumber(v.str()); !n.IsNil() {
			return n.Number()
		}
	}
	return 0, false
}

// wholeOf converts a float that is a whole number of 64 bits.
func wholeOf(f float64) (int64, bool) {
	if f >= -0x1p63 && f < 0x1p63 && f == math.Floor(f) {
		return int64(f), true
	}
	return 0, false
}

// Type returns the name of the type, as the function type does.
func (v Value) Type() string {
	return [...]string{"nil", "boolean", "number", "number", "string", "table", "function", "thread", "userdata"}[v.Kind()]
}

// formatFloat prints a float as Lua does: with 14 digits, and never like an integer.
func formatFloat(f float64) string {
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		return notFinite(f)
	}
	s := strconv.FormatFloat(f, 'g', 14, 64)
	if strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	return s
}

// notFinite prints infinities and NaN as C does.
func notFinite(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.Signbit(f):
		return "-nan"
	}
	return "nan"
}

// printed is the text of any value without metamethods.
func (v Value) printed() string {
	if s, ok := v.Text(); ok {
		return s
	}
	switch v.Kind() {
	case KindNil:
		return "nil"
	case KindBool:
		return strconv.FormatBool(v.bits != 0)
	}
	return fmt.Sprintf("%s: %p", v.Type(), v.ref)
}

// rawEqual is equality without metamethods.
func rawEqual(a, b Value) bool {
	if a == b {
		return a.ref != isFloat || a.asFloat() == b.asFloat() // unless it is no number
	}
	switch a.Kind() {
	case KindString:
		return b.isString() && a.str() == b.str()
	case KindInt:
		return b.ref == isFloat && float64(a.asInt()) == b.asFloat() && sameInt(b.asFloat(), a.asInt())
	case KindFloat:
		switch b.ref {
		case isFloat:
			return a.asFloat() == b.asFloat() // 0 and -0
		case isInt:
			return sameInt(a.asFloat(), b.asInt())
		}
	}
	return false
}

func sameInt(f float64, n int64) bool {
	whole, ok := wholeOf(f)
	return ok && whole == n
}

// parseNumber reads a number as it is written in a program or a string. It returns nil if the text is not a number.
func parseNumber(s string) Value {
	s = strings.Trim(s, " \t\n\v\f\r")
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" {
		return Value{}
	}
	negative := s[0] == '-'
	if len(digits) > 1 && (digits[1] == 'x' || digits[1] == 'X') && digits[0] == '0' {
		return parseHex(digits[2:], negative)
	}
	if strings.Trim(digits, "0123456789") == "" {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return Int(n)
		}
	}
	if strings.Trim(digits, "0123456789.eE+-") != "" {
		return Value{} // ParseFloat reads "inf" and underlines, too
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}
	}
	if negative {
		f = -f
	}
	return Float(f)
}

// parseHex reads the digits after 0x. Integers wrap around.
func parseHex(s string, negative bool) Value {
	if s != "" && strings.Trim(s, "0123456789abcdefABCDEF") == "" {
		var n uint64
		for _, c := range []byte(s) {
			n = n<<4 | uint64(hexDigit(c))
		}
		if negative {
			n = -n
		}
		return Int(int64(n))
	}
	if strings.Trim(s, "0123456789abcdefABCDEF.pP+-") != "" {
		return Value{}
	}
	if !strings.ContainsAny(s, "pP") {
		s += "p0"
	}
	f, err := strconv.ParseFloat("0x"+s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}
	}
	if negative {
		f = -f
	}
	return Float(f)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
