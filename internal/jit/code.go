// Package jit runs machine code that was made at run time: it puts it into executable memory and calls it from Go.
//
// Packages jit/amd64, jit/arm64 and jit/wasm assemble the code, anywhere. [Map] puts the bytes into executable
// memory, and [Code.Call] jumps to any entry of it. Both exist on amd64 under Linux, macOS, the BSDs and Windows, on
// arm64 under Linux, and as WebAssembly in browsers and Node.js, which compile a module and run it in the memory of
// the Go program. On other systems, or if the system forbids executable memory, [Available] returns an error, and
// callers use the portable executor.
//
// The packages of the assemblers say which registers generated code may use, and which it must keep. On every
// processor:
//
// The goroutine cannot be preempted inside, and a garbage collection waits for it: keep one call under about a
// millisecond. The code must not store Go pointers (there is no write barrier), and memory that is reachable only
// through addresses computed inside, or stored in args as uintptr, must be kept alive by the caller with
// [runtime.KeepAlive]. A fault inside ends the process. The race detector does not see the loads and stores of
// generated code.
package jit

import (
	"runtime"
	"sync"
)

// Known says whether code is generated for any processor of this architecture. It is a constant, and the linker leaves
// the generators out of programs without machine code.
const Known = runtime.GOARCH != "wasm" || runtime.GOOS == "js"

// Available reports why generated code cannot run in this process, nil when it can. It looks once, by running a single
// RET. Which instructions the processor has is a separate question: see [HasAVX2], [HasAVX512] and [HasSHA3].
func Available() error { return available() }

// available tells, with nil, that this process may make machine code. Some systems forbid it, and only an attempt
// shows that: it maps a function that only returns, and calls it.
var available = sync.OnceValue(func() error {
	c, err := Map(ret)
	if err != nil {
		return err
	}
	c.Call(0, nil)
	return c.Close()
})
