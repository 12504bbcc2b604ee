package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
)

// PathFirst rewrites a system error about a file so that it begins with the path and omits the system call.
func PathFirst(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
