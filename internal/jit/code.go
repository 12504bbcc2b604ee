// Package jit runs machine code that was made at run time: it puts it into executable memory and calls it from Go.
//
// Packages jit/amd64 and jit/arm64 assemble the code, anywhere. [Map] puts the bytes into executable memory, and [Code.Call] jumps to any entry of
// it. Both exist on amd64 under Linux, macOS, the BSDs and Windows, and on arm64 under Linux. Elsewhere, and where the system forbids executable
// memory, [Available] says so and callers use the portable executor.
//
// The packages of the assemblers say which registers generated code may use, and which it must keep. On every processor:
//
// The goroutine cannot be preempted inside, and a garbage collection waits for it: keep one call under about a
// millisecond. The code must not store Go pointers (there is no write barrier), and memory that is reachable only
// through addresses computed inside, or stored in args as uintptr, must be kept alive by the caller with
// [runtime.KeepAlive]. A fault inside ends the process. The race detector does not see the loads and stores of
// generated code.
package jit

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Code is machine code in executable memory. It may be called from many goroutines at once.
type Code struct {
	memory []byte // whole pages
	text   []byte // the code at their start
}

// Map copies code into fresh pages and makes them executable. The pages are writable first and executable after, never
// both. The error says why the system or the machine refused; it is that of [Available] where no code can run at all.
func Map(code []byte) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("jit: no code to map")
	}
	page := os.Getpagesize()
	memory, err := mapWritable((len(code) + page - 1) / page * page)
	if err != nil {
		return nil, fmt.Errorf("jit: cannot map %d bytes for machine code: %w", len(code), err)
	}
	copy(memory, code)
	if err := makeExecutable(memory); err != nil {
		return nil, errors.Join(fmt.Errorf("jit: this system forbids executable memory: %w", err), unmap(memory))
	}
	publish(memory[:len(code)])
	nameForPerf(memory[:len(code)])
	return &Code{memory: memory, text: memory[:len(code)]}, nil
}

// Call runs the code from offset, the assembler's Offset at an entry, with args in a register, until it returns. It panics when offset is
// outside the code, as it always is after Close.
func (c *Code) Call(offset uintptr, args unsafe.Pointer) {
	call(unsafe.Pointer(&c.text[offset]), args)
}

// Close frees the memory. No call may be running or follow. Closing twice is harmless.
func (c *Code) Close() error {
	if c.memory == nil {
		return nil
	}
	memory := c.memory
	c.memory, c.text = nil, nil
	if err := unmap(memory); err != nil {
		return fmt.Errorf("jit: cannot free machine code: %w", err)
	}
	return nil
}

// Known says whether code is generated for any processor of this architecture. It is a constant, so that programs without machine code do not have what
// generates it.
const Known = runtime.GOARCH != "wasm"

// Available reports why generated code cannot run in this process, nil when it can. It looks once, by running a single
// RET. Which instructions the processor has is a separate question: see [HasAVX2], [HasAVX512] and [HasSHA3].
func Available() error { return available() }

var available = sync.OnceValue(func() error {
	c, err := Map(ret)
	if err != nil {
		return err
	}
	c.Call(0, nil)
	return c.Close()
})
