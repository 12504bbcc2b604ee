package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// renamesOpenFiles says that open files cannot be renamed and removed.
const renamesOpenFiles = false

// lock locks a file until it is closed or its process dies. It returns false if another process has locked it.
// On file systems without locks it does nothing. It locks a byte beyond the end of every file, because locks
// prevent reading on this system.
func lock(file *os.File) bool {
	const far = 1 << 30
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0,
		&windows.Overlapped{OffsetHigh: far})
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// syncFolder does nothing, because the system does it.
func syncFolder(string) error { return nil }
