package jit

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"syscall/js"
	"unsafe"
)

// Code is a module that runs in the memory of this program.
type Code struct{ entries []js.Value }

// Map compiles a module of package wasm. The error says why the browser or Node.js refused.
func Map(module []byte) (c *Code, err error) {
	memory, err := memory()
	if err != nil {
		return nil, err
	}
	defer refused(&err, "no WebAssembly can be made here")
	text := js.Global().Get("Uint8Array").New(len(module))
	js.CopyBytesToJS(text, module)
	api := js.Global().Get("WebAssembly")
	instance := api.Get("Instance").New(api.Get("Module").New(text),
		map[string]any{"host": map[string]any{"memory": memory}})
	c = &Code{}
	for exports := instance.Get("exports"); ; {
		entry := exports.Get(strconv.Itoa(len(c.entries)))
		if entry.IsUndefined() {
			return c, nil
		}
		c.entries = append(c.entries, entry)
	}
}

// memory is the memory of this program, as JavaScript knows it.
var memory = sync.OnceValues(find)

// find finds the memory of this program. Only the object that runs the program has it: go in "const go = new Go".
// That object has a method that makes functions of Go callable. find replaces the method for a moment and makes such
// a function. The replacement then sees its object.
func find() (memory js.Value, err error) {
	defer refused(&err, "the memory of this program is not to be found")
	class := js.Global().Get("Go")
	if class.IsUndefined() {
		return memory, errors.New("jit: the script that runs Go programs is not wasm_exec.js")
	}
	const wrap = "_makeFuncWrapper"
	prototype, program := class.Get("prototype"), js.Undefined()
	original := prototype.Get(wrap)
	tell := js.FuncOf(func(this js.Value, args []js.Value) any {
		program = this
		return original.Call("call", this, args[0])
	})
	defer tell.Release()
	prototype.Set(wrap, tell)
	defer prototype.Set(wrap, original)
	js.FuncOf(func(js.Value, []js.Value) any { return nil }).Release()
	return program.Get("_inst").Get("exports").Get("mem"), nil
}

// refused turns an exception of JavaScript's, or a value that is not what it should be, into an error.
func refused(err *error, what string) {
	switch problem := recover().(type) {
	case nil:
	case js.Error:
		*err = fmt.Errorf("jit: %s: %w", what, problem)
	case *js.ValueError:
		*err = fmt.Errorf("jit: %s: %w", what, problem)
	default:
		panic(problem)
	}
}

// Call runs entry number n, the assembler's Offset at its beginning, with the address of args, until it
// returns. It panics when there is no such entry, as there never is after Close.
func (c *Code) Call(n uintptr, args unsafe.Pointer) {
	c.entries[n].Invoke(uintptr(args))
}

// Close forgets the module. No call may be running or follow. Closing twice is harmless.
func (c *Code) Close() error {
	c.entries = nil
	return nil
}

// ret is a module that makes a vector and returns.
var ret = []byte("\x00asm\x01\x00\x00\x00" + // magic, version
	"\x01\x05\x01\x60\x01\x7f\x00" + // type: of a number nothing
	"\x02\x10\x01\x04host\x06memory\x02\x00\x00" + // import
	"\x03\x02\x01\x00" + // function
	"\x07\x05\x01\x010\x00\x00" + // export
	"\x0a\x09\x01\x07\x00\x41\x00\xfd\x0f\x1a\x0b") // code: i8x16.splat of 0, dropped
