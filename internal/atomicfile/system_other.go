//go:build !unix && !windows

package atomicfile

import "os"

// renamesOpenFiles says that open files can be renamed and removed.
const renamesOpenFiles = true

// lock does nothing: such a system has no locks.
func lock(*os.File) bool { return true }

// syncFolder does nothing: such a system has no folders that could be synced.
func syncFolder(string) error { return nil }
