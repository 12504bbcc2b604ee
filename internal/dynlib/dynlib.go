// Package dynlib calls functions of shared libraries without cgo. The libraries may be missing. Only this
// package imports purego.
package dynlib

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"
)

// Library is a shared library that was loaded. It is never unloaded, because a driver's threads may outlive
// every caller.
type Library struct {
	name   string
	handle uintptr
}

// Open loads the first library among the names that exists.
func Open(names ...string) (*Library, error) {
	var errs []error
	for _, name := range names {
		handle, err := open(name)
		if err == nil {
			return &Library{name, handle}, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// Symbol returns the address of a function.
func (l *Library) Symbol(name string) (uintptr, error) {
	address, err := symbol(l.handle, name)
	if err != nil || address == 0 {
		return 0, fmt.Errorf("%s has no function %s", l.name, name)
	}
	return address, nil
}

// String copies the C string at an address that a library returned.
func String(address uintptr) string {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&address)) // memory of the library, which never moves
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// Text is the C string in a buffer that a library filled.
func Text(buffer []byte) string {
	text, _, _ := bytes.Cut(buffer, []byte{0})
	return string(text)
}
