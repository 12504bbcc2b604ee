//go:build unix || windows

package jit

import "unsafe"

// ret is the code that returns at once.
var ret = []byte{0xc3}

// call jumps to code with args in RDI. It is an ABI0 function: after it returns the compiler reloads R14 (the
// goroutine) from thread storage and zeroes X15. It does not retain args: the goroutine's stack cannot move while
// generated code runs.
//
//go:noescape
func call(code, args unsafe.Pointer)

// publish has nothing to do: processors for amd64 see code as soon as it is stored.
func publish([]byte) {}
