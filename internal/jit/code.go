// Package jit assembles machine code for amd64 at run time and calls it from Go.
//
// An [Assembler] collects straight-line vector code and loops, [Map] puts the bytes into executable memory, and
// [Code.Call] jumps to any entry of it. The assembler builds and works everywhere; memory and calls exist on amd64
// under Linux, macOS, the BSDs and Windows. Elsewhere, and where the system forbids executable memory, [Available] says
// so and callers use the portable executor.
//
// # The contract of generated code
//
//	on entry   RDI = args of Call, RSP = return address, direction flag clear; everything else is undefined
//	free       every general register but RSP and RBP, every vector, mask and flag register
//	kept       RSP and RBP (frame pointers: the profiler and the execution tracer walk them), MXCSR, direction flag
//	stack      none; spills go to memory that args points to
//	on return  VZEROUPPER, RET
//
// R14 and X15, which Go's own calling convention reserves for the goroutine and for zero, are free too: the compiler
// restores both after every call from Go to an assembly (ABI0) function.
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
	nameForPerf(memory[:len(code)])
	return &Code{memory: memory, text: memory[:len(code)]}, nil
}

// Call runs the code from offset, an [Assembler.Offset], with args in RDI, until it returns. It panics when offset is
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

// Available reports why generated code cannot run in this process, nil when it can. It looks once, by running a single
// RET. Which instructions the processor has is a separate question: see [HasAVX2] and [HasAVX512].
func Available() error { return available() }

var available = sync.OnceValue(func() error {
	var a Assembler
	a.RET()
	text, err := a.Code()
	if err != nil {
		return err
	}
	c, err := Map(text)
	if err != nil {
		return err
	}
	c.Call(0, nil)
	return c.Close()
})
