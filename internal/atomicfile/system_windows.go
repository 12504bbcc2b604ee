package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// renamesOpenFiles says that open files cannot be renamed and removed.
const renamesOpenFiles = false

// lock locks a file until it is closed, or its process dies; false: another has it. File systems without locks lock nothing. What is
// locked is a byte beyond every end, for locks keep readers off here.
func lock(file *os.File) bool {
	const far = 1 << 30
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{OffsetHigh: far})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// syncFolder does nothing: the system does it.
func syncFolder(string) error { return nil }
