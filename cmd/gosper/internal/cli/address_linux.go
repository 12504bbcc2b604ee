package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// leastAddresses is the address space, in bytes, that threads, the heap and collections of garbage need at least.
const leastAddresses = 144 << 20

// withinAddresses makes the most of a limit on the address space (ulimit -v). It fails if the limit leaves too little:
// the Go runtime would end the program with a list of all goroutines. Below some 850 MB, and around 1.2 and 1.5 GB, the
// runtime ends before the program begins, because it has reserved nearly all addresses.
//
// The C library reserves 64 MiB of addresses for each thread, for heaps that Gosper hardly uses. An environment
// variable makes it use one heap. It is read when a program begins, so this one begins again.
func withinAddresses() error {
	var most unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &most); err != nil || most.Cur == unix.RLIM_INFINITY {
		return nil
	}
	const heaps = "MALLOC_ARENA_MAX"
	if os.Getenv(heaps) == "" {
		if path, err := os.Executable(); err == nil && os.Setenv(heaps, "1") == nil {
			_ = unix.Exec(path, os.Args, os.Environ()) // if it fails, the program goes on as it is
		}
	}
	text, err := os.ReadFile("/proc/self/statm")
	pages, _, _ := strings.Cut(string(text), " ")
	used, unread := strconv.ParseUint(pages, 10, 64)
	if err != nil || unread != nil {
		return nil
	}
	return checkAddresses(most.Cur, used*uint64(os.Getpagesize()))
}

// checkAddresses refuses a limit of bytes that leaves too little beside those used at the start.
func checkAddresses(limit, used uint64) error {
	if used+leastAddresses <= limit {
		return nil
	}
	return fmt.Errorf("addresses are limited to %d kB (ulimit -v): want at least %d, of which the Go runtime reserves %d",
		limit>>10, (used+leastAddresses)>>10, used>>10)
}
