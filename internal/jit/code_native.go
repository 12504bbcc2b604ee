//go:build !js

package jit

import (
	"errors"
	"fmt"
	"os"
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

// Call runs the code from offset, the assembler's Offset at an entry, with args in a register, until it
// returns. It panics when offset is outside the code, as it always is after Close.
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
