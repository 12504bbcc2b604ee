//go:build unix || windows

package jit

import "unsafe"

// call jumps to code with args in RDI. It is an ABI0 function: after it returns the compiler reloads R14 (the
// goroutine) from thread storage and zeroes X15. It does not retain args: the goroutine's stack cannot move while
// generated code runs.
//
//go:noescape
func call(code, args unsafe.Pointer)
