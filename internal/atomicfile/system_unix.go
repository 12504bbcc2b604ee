//go:build unix

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renamesOpenFiles says that open files can be renamed and removed.
const renamesOpenFiles = true

// lock locks a file until it is closed or its process dies. It returns false if another process has locked it.
// On file systems without locks it does nothing.
func lock(file *os.File) bool {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return !errors.Is(err, unix.EWOULDBLOCK)
		}
	}
}

// syncFolder makes the names in a folder survive a loss of power.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if errors.Is(err, os.ErrPermission) {
		return nil // the folder may be written but not read
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err // these two mean that the file system does not support it
	}
	return nil
}
