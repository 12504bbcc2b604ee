//go:build !unix

package queue

import "os"

// processLives reports whether there is a process with the given number.
func processLives(pid int) bool {
	p, err := os.FindProcess(pid) // on Windows this fails if the process does not exist
	if err == nil {
		p.Release()
	}
	return err == nil
}
