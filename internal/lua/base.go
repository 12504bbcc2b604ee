package lua

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
)

// arguments are those of a function of the library, with its name for messages.
type arguments struct {
	th     *thread
	values []Value
	name   string
}

// define puts functions into a table of the library.
func define(table *Table, functions map[string]func(a arguments) []Value) {
	for name, f := range functions {
		table.Set(name, native(name, func(th *thread, values []Value) []Value {
			return f(arguments{th, values, name})
		}))
	}
}

func (a arguments) len() int { return len(a.values) }

// at returns an argument, nil if there is none.
func (a arguments) at(i int) Value {
	if i < len(a.values) {
		return a.values[i]
	}
	return Value{}
}

func (a arguments) bad(i int, format string, args ...any) {
	a.th.fail("bad argument #%d to '%s' (%s)", i+1, a.name, fmt.Sprintf(format, args...))
}

func (a arguments) wrong(i int, want string) {
	got := "no value"
	if i < len(a.values) {
		got = a.values[i].noun()
	}
	a.bad(i, "%s expected, got %s", want, got)
}

func (a arguments) any(i int) Value {
	if i >= len(a.values) {
		a.bad(i, "value expected")
	}
	return a.values[i]
}

func (a arguments) table(i int) *Table {
	t := a.at(i).Table()
	if t == nil {
		a.wrong(i, "table")
	}
	return t
}

func (a arguments) text(i int) string {
	s, ok := a.at(i).Text()
	if !ok {
		a.wrong(i, "string")
	}
	return s
}

func (a arguments) integer(i int) int64 {
	n, ok := a.at(i).Integer()
	if !ok {
		if !number(a.at(i)).IsNil() {
			a.bad(i, "number has no integer representation")
		}
		a.wrong(i, "number")
	}
	return n
}

func (a arguments) integerOr(i int, otherwise int64) int64 {
	if a.at(i).IsNil() {
		return otherwise
	}
	return a.integer(i)
}

func (a arguments) number(i int) float64 {
	f, ok := a.at(i).Number()
	if !ok {
		a.wrong(i, "number")
	}
	return f
}

func (a arguments) textOr(i int, otherwise string) string {
	if a.at(i).IsNil() {
		return otherwise
	}
	return a.text(i)
}

// nextFunction is next, which loops know.
var nextFunction = native("next", func(th *thread, values []Value) []Value {
	a := arguments{th, values, "next"}
	k, v, ok := a.table(0).next(a.at(1))
	switch {
	case !ok:
		th.fail("invalid key to 'next'")
	case k.IsNil():
		return th.one(Value{})
	}
	return th.list(k, v)
}).function()

var nextPair = native("ipairs iterator", func(th *thread, values []Value) []Value {
	i := values[1].asInt() + 1
	var v Value
	if t := values[0].Table(); t != nil && t.meta == nil {
		v = t.getInt(i)
	} else {
		v = th.index(values[0], Int(i), "")
	}
	if v.IsNil() {
		return th.one(Value{})
	}
	return th.list(Int(i), v)
})

func (s *State) openLibraries() {
	g := s.globals
	g.Set("_G", g.value())
	g.Set("_VERSION", String("Lua 5.3"))
	g.Set("next", nextFunction.value())
	define(g, baseFunctions())
	s.loaded = NewTable(0)
	s.loaded.Set("_G", g.value())
	for name, functions := range map[string]map[string]func(arguments) []Value{
		"string": stringFunctions(), "table": tableFunctions(), "math": mathFunctions(), "coroutine": coroutineFunctions(),
		"os": osFunctions(), "io": ioFunctions(), "debug": debugFunctions(), "package": {},
	} {
		t := NewTable(0)
		define(t, functions)
		g.Set(name, t.value())
		s.loaded.Set(name, t.value())
	}
	m := g.Get("math").Table()
	m.Set("pi", Float(math.Pi))
	m.Set("huge", Float(math.Inf(1)))
	m.Set("maxinteger", Int(math.MaxInt64))
	m.Set("mininteger", Int(math.MinInt64))
	s.random.seed(s.options.Seed, 0)
	s.strings = NewTable(0)
	s.strings.Set("__index", g.Get("string"))
	g.Get("package").Table().Set("loaded", s.loaded.value())
	g.Get("package").Table().Set("path", String("?.lua;?/init.lua"))
	s.openFiles(g.Get("io").Table())
}

func baseFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"assert": func(a arguments) []Value {
			if a.any(0).Truth() {
				return a.th.many(a.values)
			}
			if a.len() < 2 {
				panic(&Error{Value: String("assertion failed!")})
			}
			panic(&Error{Value: a.at(1)})
		},
		"collectgarbage": func(a arguments) []Value {
			switch a.textOr(0, "collect") {
			case "isrunning":
				return a.th.one(Bool(true))
			case "count":
				return a.th.list(Float(0), Int(0))
			}
			return a.th.one(Int(0)) // Go collects when it is due
		},
		"error": func(a arguments) []Value {
			v := a.at(0)
			if v.isString() {
				v = String(a.th.position(int(a.integerOr(1, 1))) + v.str())
			}
			panic(&Error{Value: v})
		},
		"getmetatable": func(a arguments) []Value {
			meta := a.th.metatable(a.any(0))
			if meta == nil {
				return a.th.one(Value{})
			}
			if hidden := meta.Get("__metatable"); !hidden.IsNil() {
				return a.th.one(hidden)
			}
			return a.th.one(meta.value())
		},
		"setmetatable": func(a arguments) []Value {
			t := a.table(0)
			if t.meta != nil && !t.meta.Get("__metatable").IsNil() {
				a.th.fail("cannot change a protected metatable")
			}
			switch a.at(1).Kind() {
			case KindNil:
				if a.len() < 2 {
					a.wrong(1, "nil or table")
				}
				t.meta = nil
			case KindTable:
				t.meta = a.at(1).Table()
			default:
				a.wrong(1, "nil or table")
			}
			return a.th.one(t.value())
		},
		"ipairs": func(a arguments) []Value { return a.th.list(nextPair, a.any(0), Int(0)) },
		"pairs": func(a arguments) []Value {
			if f := a.th.metamethod(a.any(0), "__pairs"); !f.IsNil() {
				list := a.th.call(f, a.values[:1], "metamethod 'pairs'")
				three := [3]Value{}
				copy(three[:], list)
				return a.th.many(three[:])
			}
			return a.th.list(nextFunction.value(), a.table(0).value(), Value{})
		},
		"load": func(a arguments) []Value {
			source := ""
			if f := a.at(0); f.Kind() == KindFunction {
				for {
					part := a.th.first(a.th.call(f, nil, "?"))
					s, _ := part.Text()
					if s == "" {
						break
					}
					source += s
				}
			} else {
				source = a.text(0)
			}
			name := a.textOr(1, source)
			return a.th.loaded(strings.TrimLeft(shortName(name), "@="), source, a, 3)
		},
		"loadfile": func(a arguments) []Value {
			source, err := a.th.source(a.text(0))
			if err != nil {
				return a.th.list(Value{}, String("cannot open "+err.Error()))
			}
			return a.th.loaded(path.Base(a.text(0)), source, a, 2)
		},
		"dofile": func(a arguments) []Value {
			source, err := a.th.source(a.text(0))
			if err != nil {
				a.th.fail("cannot open %v", err)
			}
			f := a.th.load(path.Base(a.text(0)), source, a.th.state.globals.value())
			return a.th.call(f, nil, "?")
		},
		"pcall": func(a arguments) []Value {
			f, args := a.any(0), a.values[1:]
			var list []Value
			if err := a.th.protect(func() { list = a.th.call(f, args, "?") }); err != nil {
				return a.th.list(Bool(false), caught(err))
			}
			return a.th.many(append([]Value{Bool(true)}, list...))
		},
		"xpcall": func(a arguments) []Value {
			f, handler := a.any(0), a.at(1)
			args := a.values[min(2, a.len()):]
			var list []Value
			err := a.th.protect(func() {
				defer a.th.handle(handler)
				list = a.th.call(f, args, "?")
			})
			if err != nil {
				return a.th.list(Bool(false), caught(err))
			}
			return a.th.many(append([]Value{Bool(true)}, list...))
		},
		"print": func(a arguments) []Value {
			parts := make([]string, a.len())
			for i, v := range a.values {
				parts[i] = a.th.display(v)
			}
			a.th.write(strings.Join(parts, "\t") + "\n")
			return nil
		},
		"rawequal": func(a arguments) []Value { return a.th.one(Bool(rawEqual(a.any(0), a.any(1)))) },
		"rawget":   func(a arguments) []Value { return a.th.one(a.table(0).get(a.any(1))) },
		"rawlen": func(a arguments) []Value {
			if a.at(0).isString() {
				return a.th.one(Int(int64(len(a.at(0).str()))))
			}
			return a.th.one(Int(int64(a.table(0).Len())))
		},
		"rawset": func(a arguments) []Value {
			a.th.checkKey(a.any(1))
			a.table(0).set(a.at(1), a.any(2))
			return a.th.one(a.at(0))
		},
		"require": func(a arguments) []Value { return a.th.require(a.text(0)) },
		"select": func(a arguments) []Value {
			if v := a.at(0); v.isString() && v.str() == "#" {
				return a.th.one(Int(int64(a.len() - 1)))
			}
			n := a.integer(0)
			switch {
			case n < 0:
				n += int64(a.len())
				if n < 1 {
					a.bad(0, "index out of range")
				}
			case n == 0:
				a.bad(0, "index out of range")
			case n >= int64(a.len()):
				return nil
			}
			return a.th.many(a.values[n:])
		},
		"tonumber": func(a arguments) []Value { return a.th.one(toNumber(a)) },
		"tostring": func(a arguments) []Value { return a.th.one(String(a.th.display(a.any(0)))) },
		"type":     func(a arguments) []Value { return a.th.one(String(a.any(0).Type())) },
	}
}

// shortName is the name of a program that is given as a text.
func shortName(name string) string {
	line, _, more := strings.Cut(name, "\n")
	if strings.HasPrefix(name, "@") || strings.HasPrefix(name, "=") {
		return line
	}
	if more || len(line) > 40 {
		line = line[:min(len(line), 40)] + "..."
	}
	return `[string "` + line + `"]`
}

// loaded returns the results of load: a function, or nil and a message. The environment may be an argument.
func (t *thread) loaded(name, source string, a arguments, env int) []Value {
	var f Value
	e := t.state.globals.value()
	if a.len() > env {
		e = a.at(env)
	}
	if err := t.protect(func() { f = t.load(name, source, e) }); err != nil {
		return t.list(Value{}, caught(err))
	}
	return t.one(f)
}

// caught is the value of an error that a program catches. The error of a program that ends at once goes on.
func caught(err error) Value {
	var e *Error
	if errors.As(err, &e) {
		return e.Value
	}
	panic(&halt{err})
}

// handle calls the handler of xpcall where the error has been thrown.
func (t *thread) handle(handler Value) {
	r := recover()
	if r == nil {
		return
	}
	if e, ok := r.(*Error); ok {
		panic(&Error{Value: t.first(t.call(handler, []Value{e.Value}, "?")), Cause: e.Cause})
	}
	panic(r)
}

func (t *thread) write(s string) {
	if out := t.state.options.Out; out != nil {
		if _, err := io.WriteString(out, s); err != nil {
			panic(&halt{err})
		}
	}
}

// display is the text of any value, as tostring gives it.
func (t *thread) display(v Value) string {
	if f := t.metamethod(v, "__tostring"); !f.IsNil() {
		s, ok := t.first(t.call(f, []Value{v}, "metamethod 'tostring'")).Text()
		if !ok {
			t.fail("'__tostring' must return a string")
		}
		return s
	}
	if noun := v.noun(); noun != v.Type() {
		return fmt.Sprintf("%s: %p", noun, v.ref)
	}
	return v.printed()
}

func (t *thread) source(name string) (string, error) {
	if t.state.options.Read == nil {
		return "", fmt.Errorf("%s: no files may be read", name)
	}
	source, err := t.state.options.Read(name)
	return string(source), err
}

// require loads a module, once.
func (t *thread) require(name string) []Value {
	s := t.state
	if v := s.loaded.Get(name); !v.IsNil() {
		return t.one(v)
	}
	if s.options.Find == nil {
		t.fail("module '%s' not found", name)
	}
	file, source, err := s.options.Find(name)
	if err != nil {
		t.fail("module '%s' not found: %v", name, err)
	}
	f := t.load(path.Base(file), string(source), s.globals.value())
	v := t.first(t.call(f, []Value{String(name), String(file)}, "?"))
	if v.IsNil() {
		if v = s.loaded.Get(name); v.IsNil() {
			v = Bool(true)
		}
	}
	s.loaded.Set(name, v)
	return t.one(v)
}

func toNumber(a arguments) Value {
	if a.at(1).IsNil() {
		return number(a.any(0))
	}
	base := a.integer(1)
	if !a.at(0).isString() {
		a.wrong(0, "string")
	}
	if base < 2 || base > 36 {
		a.bad(1, "base out of range")
	}
	s := strings.ToLower(strings.Trim(a.at(0).str(), " \t\n\v\f\r"))
	digits := strings.TrimPrefix(s, "-")
	n := int64(0)
	for _, c := range []byte(digits) {
		digit := int64(99)
		switch {
		case isDigit(c):
			digit = int64(c - '0')
		case c >= 'a' && c <= 'z':
			digit = int64(c-'a') + 10
		}
		if digit >= base {
			return Value{}
		}
		n = n*base + digit
	}
	if digits == "" {
		return Value{}
	}
	if len(s) > len(digits) {
		n = -n
	}
	return Int(n)
}

func debugFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"traceback": func(a arguments) []Value {
			v := a.at(0)
			if !v.IsNil() && !v.isString() && v.ref != isInt {
				return a.th.one(v)
			}
			s := a.th.traceback(int(a.integerOr(1, 1)))
			if message, ok := v.Text(); ok {
				s = message + "\n" + s
			}
			return a.th.one(String(s))
		},
		"getinfo": func(a arguments) []Value {
			t := NewTable(0)
			p := (*proto)(nil)
			if f := a.at(0).function(); f != nil {
				p = f.proto
			} else if i := a.th.depth - int(a.integer(0)); i >= 0 && i < a.th.depth {
				p = a.th.frames[i].f.proto
				t.Set("currentline", Int(int64(a.th.frames[i].line)))
			} else if i != a.th.depth { // level 0 is getinfo itself
				return a.th.one(Value{})
			}
			t.Set("what", String("C"))
			t.Set("source", String("=[C]"))
			t.Set("short_src", String("[C]"))
			if p != nil {
				what := "Lua"
				if p.line == 0 {
					what = "main"
				}
				t.Set("what", String(what))
				t.Set("source", String("@"+p.chunk))
				t.Set("short_src", String(p.chunk))
				t.Set("linedefined", Int(int64(p.line)))
			}
			return a.th.one(t.value())
		},
	}
}
