//go:build !linux

package tree

import "unsafe"

// huge does nothing where the system cannot be asked.
func huge(unsafe.Pointer, uintptr) {}
