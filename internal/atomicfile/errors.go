package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
)

// PathFirst makes of a system's error about a file one that begins with the path, and leaves the system call out.
func PathFirst(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
