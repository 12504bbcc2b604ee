package grid

import "golang.org/x/sys/unix"

// availableMemory is the physical memory. If more is allocated, the system compresses and swaps instead of refusing.
func availableMemory() (bytes uint64, known bool) {
	n, err := unix.SysctlUint64("hw.memsize")
	return n, err == nil
}
