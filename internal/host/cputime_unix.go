//go:build unix

package host

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime is the processor time that all threads of this process have taken. Unlike the time on the clock it leaves out what other
// processes take of the machine. It reports false where the system does not tell.
func CPUTime() (time.Duration, bool) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
