//go:build amd64 && windows

package jit

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

func mapWritable(size int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The pages are outside the Go heap, so the number may become a pointer; vet knows this form only.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

func makeExecutable(memory []byte) error {
	var before uint32
	return windows.VirtualProtect(address(memory), uintptr(len(memory)), windows.PAGE_EXECUTE_READ, &before)
}

func unmap(memory []byte) error { return windows.VirtualFree(address(memory), 0, windows.MEM_RELEASE) }

func address(memory []byte) uintptr { return uintptr(unsafe.Pointer(&memory[0])) }
