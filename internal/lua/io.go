package lua

import (
	"fmt"
	"io"
	"strings"
	"time"
)

func osFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"clock": func(a arguments) []Value {
			s := a.th.state
			return a.th.one(Float(s.options.Clock().Sub(s.began).Seconds()))
		},
		"date": func(a arguments) []Value {
			t := a.th.state.options.Clock()
			if !a.at(1).IsNil() {
				t = time.Unix(a.integer(1), 0)
			}
			layout := a.textOr(0, "%c")
			if strings.HasPrefix(layout, "!") {
				layout, t = layout[1:], t.UTC()
			}
			if strings.HasPrefix(layout, "*t") {
				return a.th.one(dateTable(t).value())
			}
			return a.th.one(String(date(layout, t)))
		},
		"difftime": func(a arguments) []Value { return a.th.one(Float(a.number(0) - a.number(1))) },
		"exit":     func(arguments) []Value { panic(&halt{ErrExit}) },
		"getenv":   func(a arguments) []Value { return a.th.one(Value{}) },
		"time": func(a arguments) []Value {
			if a.at(0).IsNil() {
				return a.th.one(Int(a.th.state.options.Clock().Unix()))
			}
			t := a.table(0)
			field := func(name string, otherwise int64) int {
				n, ok := t.Get(name).Integer()
				switch {
				case ok:
					return int(n)
				case otherwise < 0:
					a.th.fail("field '%s' missing in date table", name)
				}
				return int(otherwise)
			}
			return a.th.one(Int(time.Date(field("year", -1), time.Month(field("month", -1)), field("day", -1),
				field("hour", 12), field("min", 0), field("sec", 0), 0, time.Local).Unix()))
		},
	}
}

func dateTable(t time.Time) *Table {
	table := NewTable(0)
	for name, n := range map[string]int{
		"year": t.Year(), "month": int(t.Month()), "day": t.Day(), "hour": t.Hour(), "min": t.Minute(),
		"sec": t.Second(), "wday": int(t.Weekday()) + 1, "yday": t.YearDay(),
	} {
		table.Set(name, Int(int64(n)))
	}
	table.Set("isdst", Bool(t.IsDST()))
	return table
}

// conversions are those of a date, and layouts are the same in the notation of Go.
const conversions = "aAbBcdDFHImMpSTxXyYZzj"

var layouts = [...]string{
	"Mon", "Monday", "Jan", "January", "Mon Jan _2 15:04:05 2006", "02", "01/02/06", "2006-01-02", "15", "03", "01",
	"04", "PM", "05", "15:04:05", "01/02/06", "15:04:05", "06", "2006", "MST", "-0700", "002",
}

func date(layout string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		if at := strings.IndexByte(conversions, layout[i]); at >= 0 {
			b.WriteString(t.Format(layouts[at]))
		} else if layout[i] == '%' {
			b.WriteByte('%')
		}
	}
	return b.String()
}

// openFile is a file that a program has opened.
type openFile struct {
	state  *State
	file   File
	rest   []byte // that has not been read yet
	all    []byte
	closed bool
}

func (f *openFile) close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	delete(f.state.files, f)
	return f.file.Close()
}

// standardOutput is io.stdout.
type standardOutput struct{ s *State }

func (o standardOutput) Write(b []byte) (int, error) {
	o.s.main.write(string(b))
	return len(b), nil
}
func (standardOutput) Contents() []byte { return nil }
func (standardOutput) Close() error     { return nil }

// fileMeta is the name of the metatable of files among the loaded modules, where programs do not look.
const fileMeta = "FILE*"

func (s *State) openFiles(table *Table) {
	meta, methods := NewTable(0), NewTable(0)
	define(methods, fileMethods())
	meta.Set("__index", methods.value())
	meta.Set("__name", String(fileMeta))
	s.loaded.Set(fileMeta, meta.value())
	table.Set("stdout", s.fileValue(&openFile{state: s, file: standardOutput{s}}))
	table.Set("stderr", s.fileValue(&openFile{state: s, file: standardOutput{s}}))
}

func (s *State) fileValue(f *openFile) Value {
	return (&userdata{head{KindUserdata}, f, s.loaded.Get(fileMeta).Table()}).value()
}

func (a arguments) file(i int) *openFile {
	if u := a.at(i).userdata(); u != nil {
		if f, ok := u.data.(*openFile); ok {
			if f.closed {
				a.th.fail("attempt to use a closed file")
			}
			return f
		}
	}
	a.wrong(i, fileMeta)
	return nil
}

// failed returns the results of a function of files that fails.
func (a arguments) failed(err error) []Value {
	return a.th.list(Value{}, String(err.Error()), Int(1))
}

func (a arguments) open(name, mode string) (*openFile, error) {
	s := a.th.state
	if s.options.Open == nil {
		return nil, fmt.Errorf("%s: a script may not open files", name)
	}
	file, err := s.options.Open(name, mode)
	if err != nil {
		return nil, err
	}
	f := &openFile{state: s, file: file, all: file.Contents()}
	f.rest = f.all
	s.files[f] = true
	return f, nil
}

func ioFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"open": func(a arguments) []Value {
			mode := a.textOr(1, "r")
			if rest := strings.TrimRight(mode, "+b"); rest != "r" && rest != "w" && rest != "a" {
				a.bad(1, "invalid mode")
			}
			f, err := a.open(a.text(0), mode)
			if err != nil {
				return a.failed(err)
			}
			return a.th.one(a.th.state.fileValue(f))
		},
		"close": func(a arguments) []Value {
			if a.len() == 0 {
				return a.th.one(Bool(true)) // the standard output
			}
			return closeFile(a)
		},
		"lines": func(a arguments) []Value {
			f, err := a.open(a.text(0), "r")
			if err != nil {
				a.th.fail("%v", err)
			}
			return f.lines(a, true)
		},
		"write": func(a arguments) []Value {
			for i := range a.values {
				a.th.write(a.written(i))
			}
			return a.th.one(a.th.state.globals.Get("io").Table().Get("stdout"))
		},
		"type": func(a arguments) []Value {
			if u := a.any(0).userdata(); u != nil {
				if f, ok := u.data.(*openFile); ok && f.closed {
					return a.th.one(String("closed file"))
				}
				return a.th.one(String("file"))
			}
			return a.th.one(Value{})
		},
	}
}

// written is the text of an argument in a file, in which a float may look like an integer.
func (a arguments) written(i int) string {
	if v := a.at(i); v.ref == isFloat {
		return strings.TrimSuffix(formatFloat(v.asFloat()), ".0")
	}
	return a.text(i)
}

func closeFile(a arguments) []Value {
	if err := a.file(0).close(); err != nil {
		return a.failed(err)
	}
	return a.th.one(Bool(true))
}

func fileMethods() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"close":   closeFile,
		"flush":   func(a arguments) []Value { return a.values[:1] },
		"setvbuf": func(a arguments) []Value { return a.th.one(Bool(true)) },
		"lines":   func(a arguments) []Value { return a.file(0).lines(arguments{a.th, a.values, a.name}, false) },
		"read": func(a arguments) []Value {
			f := a.file(0)
			return a.th.many(f.read(a, a.values[1:]))
		},
		"write": func(a arguments) []Value {
			f := a.file(0)
			for i := 1; i < a.len(); i++ {
				if _, err := io.WriteString(f.file, a.written(i)); err != nil {
					return a.failed(err)
				}
			}
			return a.th.many(a.values[:1])
		},
		"seek": func(a arguments) []Value {
			f := a.file(0)
			at := int64(len(f.all) - len(f.rest))
			switch a.textOr(1, "cur") {
			case "set":
				at = 0
			case "end":
				at = int64(len(f.all))
			}
			at += a.integerOr(2, 0)
			if at < 0 {
				return a.th.list(Value{}, String("Invalid argument"), Int(22))
			}
			f.rest = f.all[min(at, int64(len(f.all))):]
			return a.th.one(Int(at))
		},
	}
}

// lines returns an iterator, which closes the file at its end if the file belongs to it.
func (f *openFile) lines(a arguments, own bool) []Value {
	formats := append([]Value{}, a.values[min(1, len(a.values)):]...)
	return a.th.one(native("lines iterator", func(th *thread, _ []Value) []Value {
		if f.closed {
			th.fail("file is already closed")
		}
		list := f.read(arguments{th, nil, "lines"}, formats)
		if own && list[0].IsNil() {
			if err := f.close(); err != nil {
				th.fail("%v", err)
			}
		}
		return th.many(list)
	}))
}

// read reads by formats as those of file:read. The first one that fails gives nil and ends the list.
func (f *openFile) read(a arguments, formats []Value) []Value {
	if len(formats) == 0 {
		formats = []Value{String("l")}
	}
	var list []Value
	for i, format := range formats {
		v := Value{}
		if n, ok := format.Integer(); ok && !format.isString() {
			v = f.readBytes(n)
		} else {
			s, _ := format.Text()
			switch s = strings.TrimPrefix(s, "*"); {
			case strings.HasPrefix(s, "n"):
				v = f.readNumber()
			case strings.HasPrefix(s, "l"), strings.HasPrefix(s, "L"):
				v = f.readLine(s[0] == 'L')
			case strings.HasPrefix(s, "a"):
				v = String(string(f.rest))
				f.rest = nil
			default:
				a.bad(i, "invalid format")
			}
		}
		list = append(list, v)
		if v.IsNil() {
			break
		}
	}
	return list
}

func (f *openFile) readBytes(n int64) Value {
	if len(f.rest) == 0 {
		return Value{}
	}
	n = min(max(n, 0), int64(len(f.rest)))
	s := string(f.rest[:n])
	f.rest = f.rest[n:]
	return String(s)
}

func (f *openFile) readLine(keep bool) Value {
	if len(f.rest) == 0 {
		return Value{}
	}
	line, rest, found := strings.Cut(string(f.rest[:lineSize(f.rest)]), "\n")
	f.rest = f.rest[lineSize(f.rest):]
	if found && keep {
		line += "\n"
	}
	return String(line + rest)
}

func lineSize(b []byte) int {
	for i, c := range b {
		if c == '\n' {
			return i + 1
		}
	}
	return len(b)
}

func (f *openFile) readNumber() Value {
	s := strings.TrimLeft(string(f.rest[:min(len(f.rest), 1<<10)]), " \t\n\v\f\r")
	f.rest = f.rest[len(f.rest)-len(strings.TrimLeft(string(f.rest), " \t\n\v\f\r")):]
	for n := min(len(s), 200); n > 0; n-- {
		if strings.TrimSpace(s[:n]) != s[:n] {
			continue
		}
		if v := parseNumber(s[:n]); !v.IsNil() {
			f.rest = f.rest[n:]
			return v
		}
	}
	return Value{}
}
