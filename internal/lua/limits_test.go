package lua

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// memoryFiles are files for a program.
type memoryFiles map[string]*bytes.Buffer

type memoryFile struct{ b *bytes.Buffer }

func (f memoryFile) Write(b []byte) (int, error) { return f.b.Write(b) }
func (f memoryFile) Contents() []byte            { return f.b.Bytes() }
func (f memoryFile) Close() error                { return nil }

func (m memoryFiles) open(name, mode string) (File, error) {
	b := m[name]
	if b == nil && mode[0] == 'r' {
		return nil, fs.ErrNotExist
	}
	if b == nil || mode[0] == 'w' {
		b = &bytes.Buffer{}
		m[name] = b
	}
	return memoryFile{b}, nil
}

// output runs a program and returns what it prints.
func output(t *testing.T, o Options, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	o.Out = &out
	err := New(o).Run(t.Context(), "test.lua", source)
	return out.String(), err
}

func TestFiles(t *testing.T) {
	files := memoryFiles{"in": bytes.NewBufferString("one\ntwo 2.5\n\nrest")}
	got, err := output(t, Options{Open: files.open}, `
		local f = io.open("in")
		print(f:read()) print(f:read("L")) print(f:read(2)) print(f:read("a")) print(f:read("a")) print(f:read())
		print(f:seek("set", 4), f:read("n"), f:seek("cur", 4), f:read("n"))
		f:close() print(pcall(f.read, f)) print(io.type(f), io.type(1))
		for line in io.lines("in") do io.write("<", line, ">") end print()
		print(io.open("none"))
		f = io.open("out", "w") f:write(1, " ", 2.0, " ", "x"):write("\n") f:close()
		f = io.open("left open", "w") f:write("kept")
		print(pcall(io.open, "in", "z"))`)
	want := `one
two 2.5


r
est

nil
4	nil	8	2.5
false	attempt to use a closed file
closed file	nil
<one><two 2.5><><rest>
nil	file does not exist	1
false	bad argument #2 to 'open' (invalid mode)
`
	if err != nil || got != want {
		t.Errorf("%v, got %q\nwant %q", err, got, want)
	}
	if files["out"].String() != "1 2 x\n" || files["left open"].String() != "kept" {
		t.Errorf("written %q, %q", files["out"], files["left open"])
	}
}

func TestNoFilesWithoutAHost(t *testing.T) {
	got, err := output(t, Options{}, `
		print(io.open("x")) print(pcall(io.lines, "x")) print(pcall(dofile, "x")) print(loadfile("x")) print(pcall(require, "x"))
		print(os.execute, os.remove, os.rename, os.tmpname, io.popen, io.tmpfile, package.loadlib, package.cpath, os.getenv("HOME"))`)
	want := `nil	x: a script may not open files	1
false	x: a script may not open files
false	cannot open x: no files may be read
nil	cannot open x: no files may be read
false	module 'x' not found
nil	nil	nil	nil	nil	nil	nil	nil	nil
`
	if err != nil || got != want {
		t.Errorf("%v, got %q", err, got)
	}
}

func TestModules(t *testing.T) {
	modules := map[string]string{
		"m":    `local name, file = ... print("loading", name, file) return {x = 1}`,
		"none": "y = 2", "bad": "x =",
	}
	find := func(name string) (string, []byte, error) {
		if source, ok := modules[name]; ok {
			return "/dir/" + name + ".lua", []byte(source), nil
		}
		return "", nil, fs.ErrNotExist
	}
	got, err := output(t, Options{Find: find}, `
		print(require("m").x, require "m" == package.loaded.m) print(require("none"), y)
		print(pcall(require, "bad")) print(pcall(require, "absent"))`)
	want := `loading	m	/dir/m.lua
1	true
true	2
false	bad.lua:1: unexpected symbol near <eof>
false	module 'absent' not found: file does not exist
`
	if err != nil || got != want {
		t.Errorf("%v, got %q", err, got)
	}
}

// A program cannot catch the end that its context or its memory sets.
func TestLimits(t *testing.T) {
	for name, source := range map[string]string{
		"loop":      "while true do end",
		"numeric":   "for i = 1, math.huge do end",
		"goto":      "::top:: goto top",
		"repeat":    "repeat until false",
		"calls":     "local function f() return f() end while true do pcall(f) end",
		"caught":    "while true do pcall(function() while true do end end) end",
		"handler":   "while true do xpcall(error, function() while true do end end) end",
		"coroutine": "coroutine.wrap(function() while true do end end)()",
		"match":     `while true do (("a"):rep(30)):match(("a?"):rep(30) .. ("a"):rep(30)) end`,
		"sort":      `local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t) end`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			state := New(Options{Out: writerFunc(func([]byte) (int, error) { cancel(); return 0, nil })})
			err := state.Run(ctx, "test.lua", `print("begun") `+source)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
	for name, source := range map[string]string{
		"table":  "local t = {} while true do t[#t + 1] = {} end",
		"text":   `local s = "x" while true do s = s .. s end`,
		"repeat": `local s = ("x"):rep(1 << 30)`,
		"gsub":   `local s = ("x"):rep(1 << 18) while true do s = s:gsub("x", "xx") end`,
		"caught": "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end",
	} {
		t.Run("memory "+name, func(t *testing.T) {
			var over *OutOfMemory
			if _, err := output(t, Options{Memory: 64 << 20}, source); !errors.As(err, &over) {
				t.Errorf("error %v", err)
			}
		})
	}
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Deep recursion, in a program and in the library, is an error that a program can catch.
func TestDepth(t *testing.T) {
	got, err := output(t, Options{}, `
		local function f() return f() + 1 end
		local ok, e = pcall(f) print(ok, e)
		local function g() return pcall(g) end
		print(select("#", g()) > 100)
		local function h(s) return s:gsub(".", h) end
		print((select(2, pcall(h, "x"))))
		local co co = function() return coroutine.wrap(co)() end
		print(pcall(co))
		local t = setmetatable({}, {}) getmetatable(t).__index = t print(pcall(function() return t.x end))`)
	if err != nil || strings.Count(got, "overflow") < 2 || strings.Count(got, "\n") != 5 ||
		!strings.Contains(got, "too many coroutines") || !strings.Contains(got, "possible loop") {
		t.Errorf("%v, got %q", err, got)
	}
	nested := "local function f() return " + strings.Repeat("(1 + ", 90) + "f()" + strings.Repeat(")", 90) +
		" end print(pcall(f))"
	if got, err := output(t, Options{}, nested); err != nil || !strings.Contains(got, "stack overflow") {
		t.Errorf("%v, got %q", err, got)
	}
	for _, source := range []string{
		strings.Repeat("(", 1000), strings.Repeat("{", 1000), strings.Repeat("do ", 1000),
		"x = " + strings.Repeat("-", 1000) + "1",
		"return " + strings.Repeat("function() return ", 300), strings.Repeat("a.", 10) + "x",
		"x = " + strings.Repeat("1 .. ", 1000) + "1",
	} {
		if _, err := output(t, Options{}, source); err == nil {
			t.Errorf("no error for %.20q…", source)
		}
	}
}

func TestHost(t *testing.T) {
	var out bytes.Buffer
	state := New(Options{Out: &out})
	failing := errors.New("failing")
	state.Global("twice", state.Function("twice", func(args []Value) ([]Value, error) {
		n, ok := args[0].Integer()
		if !ok {
			return nil, failing
		}
		return []Value{Int(2 * n), String("two")}, nil
	}))
	state.Global("stop", state.Function("stop", func([]Value) ([]Value, error) { return nil, Halt(failing) }))
	err := state.Run(t.Context(), "test.lua",
		`print(twice(21)) print(pcall(twice, "x")) print(select(2, pcall(function() twice({}) end))) twice({})`)
	var thrown *Error
	if !errors.Is(err, failing) || !errors.As(err, &thrown) || err.Error() != "test.lua:1: failing" {
		t.Errorf("error %v", err)
	}
	if want := "42\ttwo\nfalse\tfailing\ntest.lua:1: failing\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := state.Run(t.Context(), "test.lua", `pcall(stop) print("goes on")`); !errors.Is(err, failing) ||
		strings.Contains(out.String(), "goes on") {
		t.Errorf("error %v", err)
	}
	if err := state.Run(t.Context(), "test.lua", `pcall(os.exit)`); !errors.Is(err, ErrExit) {
		t.Errorf("error %v", err)
	}
	if err := state.Run(t.Context(), "test.lua", `function f(a, b) return b, a end`); err != nil {
		t.Fatal(err)
	}
	list, err := state.Call(state.globals.Get("f"), Int(1), Bool(true))
	if err != nil || fmt.Sprint(len(list), list[0].Truth(), list[1].Kind()) != "2 true 2" {
		t.Errorf("%v, %v", list, err)
	}
}

// Random numbers follow from the seed.
func TestSeed(t *testing.T) {
	const source = `print(math.random(1000000), math.random())`
	a, _ := output(t, Options{Seed: 7}, source)
	b, _ := output(t, Options{Seed: 7}, source)
	c, _ := output(t, Options{Seed: 8}, source)
	if a != b || a == c {
		t.Errorf("%q, %q, %q", a, b, c)
	}
}

// FuzzRun runs any program. It may fail, but must not crash.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"return 1", "local x <const> = 1 print(x)", "for i = 1, 3 do goto c ::c:: end", "a.b:c{1, [2] = 3, x = ...}",
		"print(('x'):rep(3):gsub('x*', '%0y'))", "x = 0x.8p1 // 3 ~ ~4 << 2 .. '\\x41\\z  \\u{48}'",
		"local t = setmetatable({}, {__index = table}) t:insert(1)",
		"return string.format('%5.1f %q %d', 1, 'a', 3)", "coroutine.wrap(function(...) coroutine.yield(...) end)(1)",
		"[==[ x ]==]", "--[[ x ]] y = {}; z = #y",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		ctx, cancel := context.WithTimeout(t.Context(), 100e6)
		defer cancel()
		New(Options{Memory: 1 << 30}).Run(ctx, "fuzz", source)
	})
}

// Garbage does not count as memory.
func TestGarbage(t *testing.T) {
	if _, err := output(t, Options{Memory: 64 << 20},
		`for i = 1, 300 do local s = ("x"):rep(1 << 20) .. i end`); err != nil {
		t.Error(err)
	}
}
