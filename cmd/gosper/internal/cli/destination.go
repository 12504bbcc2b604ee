package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// toStandardOutput is the name of an output that goes there.
const toStandardOutput = "-"

// destination is where an output goes: a file, whose name is held from the start of the command on and which is whole or not there; or
// a stream: standard output, a pipe, a device.
type destination struct {
	path string
	file *atomicfile.File // nil: a stream
}

// isStandardOutput reports whether an output of this name is standard output's.
func isStandardOutput(path string) bool {
	return slices.Contains([]string{toStandardOutput, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, path)
}

// isStream reports whether what is written to a path flows away.
func isStream(path string) bool {
	if isStandardOutput(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// newDestination holds the name of a file, or takes note of a stream.
func newDestination(path string, force bool) (*destination, error) {
	if isStream(path) {
		return &destination{path: path}, nil
	}
	file, err := atomicfile.Create(path, force)
	return &destination{path, file}, cannotWrite(path, err)
}

// cannotWrite says in words of the user that a file cannot be made.
func cannotWrite(path string, err error) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("%s cannot be written: %w", path, system.Err)
	}
	return err
}

// writable tries whether a file can be made at path, and leaves nothing behind.
func writable(path string, force bool) error {
	d, err := newDestination(path, force)
	if err == nil {
		d.abort()
	}
	return err
}

// write makes the output what write produces. A pipe that nobody reads yet is waited for, until ctx is done.
func (d *destination) write(ctx context.Context, c *console, write func(io.Writer) error) error {
	if d.file == nil {
		out, err := d.stream(ctx, c)
		if err != nil {
			return err
		}
		return errors.Join(write(out), out.Close())
	}
	defer d.file.Abort()
	if err := write(d.file); err != nil {
		return err
	}
	return d.file.Commit()
}

// stream opens a stream.
func (d *destination) stream(ctx context.Context, c *console) (io.WriteCloser, error) {
	if isStandardOutput(d.path) {
		return standardOutput{c.out}, nil
	}
	for {
		// Without O_NONBLOCK a pipe without a reader would hang beyond the reach of Ctrl-C.
		pipe, err := os.OpenFile(d.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return pipe, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: nobody reads this pipe", d.path)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type standardOutput struct{ io.Writer }

// Close implements io.Closer.
func (standardOutput) Close() error { return nil }

// abort lets go of what has not been written.
func (d *destination) abort() {
	if d != nil && d.file != nil {
		d.file.Abort()
	}
}

// reports is where a command prints its summary: not on standard output where one of its outputs goes there.
func (c *console) reports(paths ...string) *console {
	if !slices.ContainsFunc(paths, isStandardOutput) {
		return c
	}
	aside := *c
	aside.out = c.err
	return &aside
}

// distinct refuses outputs that are the same file, by whatever names; an empty name is none. Names that only the file system knows to
// be the same are found when they are held.
func distinct(paths ...string) error {
	for i, path := range paths {
		for _, other := range paths[:i] {
			switch {
			case path == "" || other == "":
			case isStandardOutput(path) && isStandardOutput(other):
				return errors.New("two outputs go to standard output")
			case filepath.Clean(path) == filepath.Clean(other), sameFile(path, other):
				if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
					return sameNameError(path, other)
				}
			}
		}
	}
	return nil
}

func sameNameError(path, other string) error {
	if path == other {
		return fmt.Errorf("%s: two outputs have the same name", path)
	}
	return fmt.Errorf("%s and %s: two outputs are the same file", other, path)
}

// sameFile reports whether both names are of one file that is there.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// exists reports whether something is at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
