// Package atomicfile writes files that are either whole or not there: the bytes go to a temporary file in the same
// folder, which takes the final name only when everything has been written and flushed to disk.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists is the cause of an error that refuses to replace a file.
var ErrExists = fs.ErrExist

// File is a file on its way to its final name. Every File must end in Commit or Abort; Abort after Commit does nothing,
// so that "defer f.Abort()" is the usual way to hold one.
type File struct {
	file  *os.File // under a temporary name
	path  string
	force bool
	done  bool
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	return n, named(f.path, err)
}

// named is a system's error about a temporary file as one about the file that it was to become.
func named(path string, err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}

// Create starts a file that will be called path. Without force an existing path is refused, now and again at Commit,
// with an error that wraps ErrExists. Errors name path, never the temporary file.
func Create(path string, force bool) (*File, error) {
	mode := fs.FileMode(0o666)
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		// Renaming over a device or a pipe would replace it by a plain file.
		return nil, fmt.Errorf("%s is not a regular file", path)
	case err == nil && !force:
		return nil, existsError(path)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f, err := createTemp(path, mode)
	if err != nil {
		return nil, named(path, err)
	}
	return &File{file: f, path: path, force: force}, nil
}

// createTemp opens a new file beside path. os.CreateTemp would give it mode 0600 whatever the umask says.
func createTemp(path string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 1000 {
			return f, err
		}
	}
}

// Commit flushes the file and gives it its final name. After an error nothing is left behind.
func (f *File) Commit() error {
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	err := f.file.Sync()
	if e := f.file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = f.publish()
	}
	if err != nil {
		os.Remove(f.file.Name())
	}
	return named(f.path, err)
}

// publish moves the finished file to its name. Without force a hard link does it where the file system has them,
// because a link, unlike a rename, fails when another process has made the name in the meantime.
func (f *File) publish() error {
	if f.force {
		return os.Rename(f.file.Name(), f.path)
	}
	err := os.Link(f.file.Name(), f.path)
	switch {
	case err == nil:
		return os.Remove(f.file.Name())
	case errors.Is(err, fs.ErrExist):
		return existsError(f.path)
	}
	if _, err := os.Lstat(f.path); err == nil {
		return existsError(f.path)
	}
	return os.Rename(f.file.Name(), f.path)
}

// Abort drops the file unless it has been committed.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	os.Remove(f.file.Name())
}

// Write creates path from what write produces, or leaves no trace when write fails.
func Write(path string, force bool, write func(io.Writer) error) error {
	f, err := Create(path, force)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

func existsError(path string) error {
	return fmt.Errorf("%s: %w (use --force to replace it)", path, ErrExists)
}
