//go:build unix

package host

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the processor time that all threads of this process have used. Unlike the time on the clock,
// it leaves out the time that other processes take. It returns false if the system does not report it.
func CPUTime() (time.Duration, bool) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
