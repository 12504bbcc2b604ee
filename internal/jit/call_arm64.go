//go:build linux

package jit

import "unsafe"

// ret is the code that returns at once.
var ret = []byte{0xc0, 0x03, 0x5f, 0xd6}

// call jumps to code with args in X0. It is an ABI0 function: the compiler expects no register but SP, X18, X28
// (the goroutine) and X29 to be kept. It does not retain args: the goroutine's stack cannot move while
// generated code runs.
//
//go:noescape
func call(code, args unsafe.Pointer)

// synchronise makes code that was stored from low on, up to high, visible to the fetching of instructions on
// all processors.
func synchronise(low, high unsafe.Pointer)

// publish makes code visible to the fetching of instructions, which has caches of its own.
func publish(code []byte) {
	synchronise(unsafe.Pointer(unsafe.SliceData(code)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(code)), len(code)))
}
