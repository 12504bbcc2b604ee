//go:build (amd64 && unix) || (arm64 && linux)

package jit

import "golang.org/x/sys/unix"

func mapWritable(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func makeExecutable(memory []byte) error { return unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC) }

func unmap(memory []byte) error { return unix.Munmap(memory) }
