//go:build unix

package queue

import (
	"errors"
	"syscall"
)

// processLives reports whether there is a process with the given number.
func processLives(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
