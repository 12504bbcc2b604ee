//go:build !unix

package host

import "time"

// CPUTime returns the processor time that all threads of this process have used. It returns false if the system
// does not report it.
func CPUTime() (time.Duration, bool) { return 0, false }
