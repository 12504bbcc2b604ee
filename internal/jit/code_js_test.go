package jit

import (
	"runtime"
	"strings"
	"syscall/js"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit/wasm"
)

func TestAvailable(t *testing.T) {
	if err := Available(); err != nil {
		t.Fatal(err)
	}
}

// arguments are a vector, and how often to double its words.
type arguments struct {
	vector [2]uint64
	times  uint64
}

// doubling has two entries: the first one doubles the words as often as it is told, the second one exchanges them.
func doubling(t *testing.T) *Code {
	var a wasm.Assembler
	a.Begin(2)
	a.Function(1, 1)
	a.LocalGet(0)
	a.I32Load(int(unsafe.Offsetof(arguments{}.times)))
	a.LocalSet(1)
	done := a.NewLabel()
	again := a.Here()
	a.LocalGet(1)
	a.I32Eqz()
	a.BrIf(done)
	a.LocalGet(0)
	a.LocalGet(0)
	a.V128Load(0)
	a.I32Const(1)
	a.I64x2Shl()
	a.V128Store(0)
	a.LocalGet(1)
	a.I32Const(-1)
	a.I32Add()
	a.LocalSet(1)
	a.Br(again)
	a.End()
	a.Bind(done)
	a.End()
	second := a.Offset()
	a.Function(0, 1)
	a.LocalGet(0)
	a.LocalGet(0)
	a.V128Load(0)
	a.LocalTee(1)
	a.LocalGet(1)
	a.I8x16Shuffle([16]byte{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7})
	a.V128Store(0)
	a.End()
	if second != 1 {
		t.Fatalf("the second entry is %d", second)
	}
	module, err := a.Code()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Map(module)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCall runs both entries on memory of Go's, also after that memory has grown.
func TestCall(t *testing.T) {
	c := doubling(t)
	before := memorySize(t)
	var kept [][]byte
	for grown := false; ; {
		args := &arguments{[2]uint64{3, 5}, 4}
		c.Call(0, unsafe.Pointer(args))
		c.Call(1, unsafe.Pointer(args))
		if args.vector != [2]uint64{80, 48} {
			t.Fatalf("3 and 5, doubled 4 times and exchanged, are %d", args.vector)
		}
		if grown {
			break
		}
		kept = append(kept, make([]byte, 16<<20))
		grown = memorySize(t) > before
	}
	runtime.KeepAlive(kept)
}

func memorySize(t *testing.T) int {
	m, err := memory()
	if err != nil {
		t.Fatal(err)
	}
	return m.Get("buffer").Get("byteLength").Int()
}

func TestClosedCodePanics(t *testing.T) {
	c := doubling(t)
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("closed code did not panic")
		}
	}()
	c.Call(0, nil)
}

// TestRefused: bytes that are not a module are an error, and so is a host with a script other than Go's, or with
// another version of it.
func TestRefused(t *testing.T) {
	if _, err := Map([]byte("\x00asm\x01\x00\x00\x00\x01")); err == nil ||
		!strings.Contains(err.Error(), "no WebAssembly can be made") {
		t.Errorf("%v", err)
	}
	class := js.Global().Get("Go")
	defer js.Global().Set("Go", class)
	for name, other := range map[string]js.Value{
		"is not wasm_exec.js": js.Undefined(),
		"is not to be found":  js.Global().Get("Function").New(),
	} {
		js.Global().Set("Go", other)
		if _, err := find(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}
}

// BenchmarkCall is the price of one call: code that returns at once.
func BenchmarkCall(b *testing.B) {
	c, err := Map(ret)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c.Call(0, nil)
	}
}
