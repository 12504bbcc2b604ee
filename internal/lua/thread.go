package lua

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"
)

// Error is an error of a program: the value that it has thrown, in most cases a text.
type Error struct {
	Value Value
	Cause error // of the host's function that failed; nil if none did
}

// Error implements error.
func (e *Error) Error() string { return e.Value.printed() }

// Unwrap returns the host's error.
func (e *Error) Unwrap() error { return e.Cause }

// halt ends a program in a way that it cannot catch.
type halt struct{ err error }

// OutOfMemory ends a program that needs more memory than it may take.
type OutOfMemory struct{ Limit uint64 }

// Error implements error.
func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("the script needs more than the %d MiB of memory that it may take", e.Limit>>20)
}

// ErrExit is the error of a program that has ended itself by os.exit.
var ErrExit = errors.New("the program has ended itself")

// Options is the access of a program to its host.
type Options struct {
	Out io.Writer // of print and io.write
	// Open opens a file for io.open and io.lines, with a mode as C's fopen has them: see File
	Open func(name, mode string) (File, error)
	// Find returns the path and the source of a module for require
	Find func(module string) (path string, source []byte, err error)
	// Read returns the source of a program for dofile and loadfile
	Read   func(name string) ([]byte, error)
	Clock  func() time.Time // the time; nil means the clock of the machine
	Seed   uint64           // of math.random
	Memory uint64           // bytes of this process's heap at which the program ends; 0 means no limit
}

// File is an open file. Its bytes are read when it is opened; what is written is complete when it is closed.
type File interface {
	io.Writer
	// Contents returns the bytes that a program can read.
	Contents() []byte
	Close() error
}

// State is a program with its global variables. It is used by one goroutine at a time.
type State struct {
	options Options
	ctx     context.Context
	globals *Table
	loaded  *Table
	strings *Table // the metatable of strings
	main    *thread
	files   map[*openFile]bool
	began   time.Time
	random  random
	heap    []metrics.Sample
}

// New returns a state with the standard library.
func New(options Options) *State {
	if options.Clock == nil {
		options.Clock = time.Now
	}
	s := &State{
		options: options, ctx: context.Background(), globals: NewTable(0), files: map[*openFile]bool{},
		began: options.Clock(), heap: []metrics.Sample{
			{Name: "/memory/classes/heap/objects:bytes"},
			{Name: "/memory/classes/heap/stacks:bytes"},
		},
	}
	s.main = newThread(s)
	s.openLibraries()
	return s
}

// Run runs a program. Its name is that of a file, for messages. Run returns an *Error if the program throws one, an
// *OutOfMemory, or the error of ctx. Files that the program has left open are closed.
func (s *State) Run(ctx context.Context, name, source string) (err error) {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon() // coroutines that still wait
	s.ctx = ctx
	defer func() {
		for f := range s.files {
			err = errors.Join(err, f.close())
		}
	}()
	return s.main.protect(func() {
		f := s.main.load(name, source, s.globals.value())
		s.main.call(f, nil, name)
	})
}

// Global sets a global variable.
func (s *State) Global(name string, v Value) { s.globals.Set(name, v) }

// Function makes a function of the host. An error becomes one of the program, which it can catch; Halt makes one
// that it cannot.
func (s *State) Function(name string, f func(args []Value) ([]Value, error)) Value {
	return native(name, func(th *thread, args []Value) []Value {
		list, err := f(args)
		if err == nil {
			return th.many(list)
		}
		var h *halt
		if errors.As(err, &h) {
			panic(h)
		}
		panic(&Error{Value: String(th.position(1) + err.Error()), Cause: err})
	})
}

// Call calls a function of the program.
func (s *State) Call(f Value, args ...Value) ([]Value, error) {
	var list []Value
	err := s.main.protect(func() { list = s.main.call(f, args, "?") })
	return list, err
}

// Halt returns an error that ends the program, if a function of the host returns it.
func Halt(err error) error { return &halt{err} }

// Error implements error.
func (h *halt) Error() string { return h.err.Error() }

// Unwrap returns why the program ended.
func (h *halt) Unwrap() error { return h.err }

// function is a function of the program, or one of the host.
type function struct {
	head
	proto  *proto
	up     []*box
	name   string
	native func(th *thread, args []Value) []Value
}

// native makes a function of the library or of the host.
func native(name string, f func(th *thread, args []Value) []Value) Value {
	return (&function{head: head{KindFunction}, name: name, native: f}).value()
}

// frame is a call of a function of the program. Frames are used again by later calls of the same depth.
type frame struct {
	th      *thread
	r       []Value // its variables
	up      []*box
	varargs []Value
	f       *function
	line    int // where it is
	result  []Value
	label   string // of a goto
}

// thread is a coroutine, or the main program. Its stack of values consists of chunks. take gives a part of the present
// one, and release gives back all that was taken since a mark:
//
//	chunk   variables of f   arguments of g = variables of g   free …
//	                                                           top
//
// Chunks never move, because frames have slices of them. If one is full, the next one begins, and the variables of a
// call always lie in one chunk.
type thread struct {
	head
	state  *State
	frames []*frame
	depth  int // calls under way: frames[:depth]
	weight int // the nesting of all of them, by which Go's stack grows
	chunk  []Value
	top    int // of chunk
	spare  []Value
	ret    []Value // the last result of many
	single [1]Value
	budget int
	*coroutine
	natives []int // the depth at each call of a Go function under way
	below   int   // such calls of the thread that resumed this one
}

const (
	chunkSize = 1 << 14
	// maxFrames, maxWeight and maxNatives are the deepest calls. Go's stack has at most 1 GB, of which a level of nesting
	// takes up to a kilobyte.
	maxFrames  = 160_000
	maxWeight  = 600_000
	maxNatives = 190
	// checkEvery is the number of calls and rounds of loops between two looks at the limits
	checkEvery = 1 << 14
)

func newThread(s *State) *thread {
	return &thread{head: head{KindThread}, state: s, chunk: make([]Value, 256), budget: checkEvery}
}

// stackMark is a place of the stack to which release returns.
type stackMark struct {
	chunk []Value
	top   int
}

func (t *thread) mark() stackMark { return stackMark{t.chunk, t.top} }

func (t *thread) release(m stackMark) {
	if len(m.chunk) > 0 && &m.chunk[0] != &t.chunk[0] {
		t.spare = t.chunk // calls that go back and forth over the end of a chunk allocate only once
	}
	t.chunk, t.top = m.chunk, m.top
}

// take returns room for n values until the next release. They may be anything.
func (t *thread) take(n int) []Value {
	if t.top+n > len(t.chunk) {
		if len(t.spare) >= n {
			t.chunk, t.spare = t.spare, nil
		} else {
			t.chunk = make([]Value, max(chunkSize, n))
		}
		t.top = 0
	}
	s := t.chunk[t.top : t.top+n : t.top+n]
	t.top += n
	return s
}

// one returns a list of one value that is valid until the next call.
func (t *thread) one(v Value) []Value {
	t.single[0] = v
	return t.single[:]
}

// many returns a copy of a list that is valid until the next call.
func (t *thread) many(list []Value) []Value {
	if len(list) <= 1 {
		return t.single[:copy(t.single[:], list)]
	}
	t.ret = append(t.ret[:0], list...)
	return t.ret
}

func (t *thread) list(values ...Value) []Value { return t.many(values) }

// tick counts a call or a round of a loop, and looks at the limits now and then.
func (t *thread) tick() {
	if t.budget--; t.budget < 0 {
		t.budget = checkEvery
		t.check()
	}
}

// check ends a program that is interrupted or takes too much memory.
func (t *thread) check() {
	s := t.state
	if err := context.Cause(s.ctx); err != nil {
		panic(&halt{err})
	}
	t.afford(0)
}

// afford ends a program that would take too much memory with the given number of further bytes.
func (t *thread) afford(bytes uint64) {
	s := t.state
	limit := s.options.Memory
	// The heap is not asked for small things: that takes longer than to make them. tick asks soon enough.
	if limit == 0 || bytes > 0 && bytes < 1<<16 || s.used()+bytes <= limit {
		return
	}
	runtime.GC() // a part of it may be garbage
	if s.used()+bytes > limit {
		panic(&halt{&OutOfMemory{limit}})
	}
}

// used is the bytes of the heap and of the stacks.
func (s *State) used() (bytes uint64) {
	metrics.Read(s.heap)
	for _, sample := range s.heap {
		if sample.Value.Kind() == metrics.KindUint64 {
			bytes += sample.Value.Uint64()
		}
	}
	return bytes
}

// call calls any value. name describes it in messages.
func (t *thread) call(v Value, args []Value, name string) []Value {
	f := v.function()
	if f == nil {
		called := t.metamethod(v, "__call")
		if called.IsNil() {
			t.failOn("call", v, name)
		}
		with := make([]Value, 0, len(args)+1)
		return t.call(called, append(append(with, v), args...), name)
	}
	if f.native != nil {
		if len(t.natives)+t.below > maxNatives {
			t.fail("stack overflow")
		}
		t.natives = append(t.natives, t.depth)
		t.tick()
		list := f.native(t, args)
		t.natives = t.natives[:len(t.natives)-1]
		return list
	}
	mark := t.mark()
	p := f.proto
	r := t.take(p.slots)
	n := copy(r[:len(p.params)], args)
	clear(r[n:len(p.params)])
	var varargs []Value
	if p.vararg && len(args) > len(p.params) {
		varargs = append(varargs, args[len(p.params):]...)
	}
	list := t.enter(f, r, varargs)
	t.release(mark)
	return list
}

// enter runs a function of the program. Its parameters are in r.
func (t *thread) enter(f *function, r, varargs []Value) []Value {
	t.tick()
	if t.weight += f.proto.nesting; t.weight > maxWeight || t.depth >= maxFrames {
		t.weight -= f.proto.nesting
		t.fail("stack overflow")
	}
	if t.depth == len(t.frames) {
		t.frames = append(t.frames, &frame{th: t})
	}
	fr := t.frames[t.depth]
	t.depth++
	p := f.proto
	fr.r, fr.up, fr.varargs, fr.f, fr.line = r, f.up, varargs, f, p.line
	for i, v := range p.params {
		if v.captured {
			r[i] = boxed(r[i])
		}
	}
	var list []Value
	if p.run(fr) == returnFrom {
		list = fr.result
	}
	fr.result, fr.varargs = nil, nil
	t.depth--
	t.weight -= p.nesting
	return list
}

// load makes the function of a program.
func (t *thread) load(chunk, source string, env Value) Value {
	p, err := parse(chunk, source)
	if err != nil {
		panic(err)
	}
	p.compile()
	return (&function{head: head{KindFunction}, proto: p, up: []*box{{env}}}).value()
}

// protect runs f and returns the error that it throws.
func (t *thread) protect(f func()) (err error) {
	depth, weight, mark, natives := t.depth, t.weight, t.mark(), len(t.natives)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		t.depth, t.weight, t.natives = depth, weight, t.natives[:natives]
		t.release(mark)
		switch r := r.(type) {
		case *Error:
			err = r
		case *halt:
			err = r.err
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// position is the place of a function that is under way, as messages begin with it: 1 is the innermost one, or the
// one that called the library's function under way. It is empty for functions of the library.
func (t *thread) position(level int) string {
	// natives has the depth at which each call of a Go function began. It tells where these calls are among the frames.
	i, n := t.depth, len(t.natives)-1
	if n >= 0 && t.natives[n] == i {
		n--
	}
	for ; level > 0; level-- {
		switch {
		case n >= 0 && t.natives[n] == i:
			n--
			if level == 1 {
				return ""
			}
		case i == 0:
			return ""
		default:
			i--
			if level == 1 {
				return fmt.Sprintf("%s:%d: ", t.frames[i].f.proto.chunk, t.frames[i].line)
			}
		}
	}
	return ""
}

// fail throws an error at the present line.
func (t *thread) fail(format string, args ...any) {
	panic(&Error{Value: String(t.position(1) + fmt.Sprintf(format, args...))})
}

// noun is the type of a value in messages: its own name, if its metatable has one.
func (v Value) noun() string {
	var meta *Table
	if t := v.Table(); t != nil {
		meta = t.meta
	} else if u := v.userdata(); u != nil {
		meta = u.meta
	}
	if meta != nil {
		if name := meta.Get("__name"); name.isString() {
			return name.str()
		}
	}
	return v.Type()
}

// failOn throws the error of an operation that a value does not have.
func (t *thread) failOn(operation string, v Value, name string) {
	if name != "" {
		name = " (" + name + ")"
	}
	t.fail("attempt to %s a %s value%s", operation, v.noun(), name)
}

// traceback lists the functions under way from a level on.
func (t *thread) traceback(level int) string {
	var b strings.Builder
	b.WriteString("stack traceback:")
	for i := t.depth - max(level, 1); i >= 0; i-- {
		fr := t.frames[i]
		p := fr.f.proto
		what := fmt.Sprintf("in function <%s>", p.describe())
		switch {
		case p.line == 0:
			what = "in main chunk"
		case p.name != "anonymous":
			what = fmt.Sprintf("in function '%s'", p.name)
		}
		fmt.Fprintf(&b, "\n\t%s:%d: %s", p.chunk, fr.line, what)
		if t.depth-i > 20 {
			b.WriteString("\n\t...")
			break
		}
	}
	return b.String()
}
