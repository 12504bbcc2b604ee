//go:build !unix

package host

import "time"

// CPUTime is the processor time that all threads of this process have taken. It reports false where the system does not tell.
func CPUTime() (time.Duration, bool) { return 0, false }
