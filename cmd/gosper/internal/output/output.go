// Package output is where commands write what they make: files that are whole or not there, and streams.
package output

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

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern"
)

// toStandardOutput is the name of an output that goes there.
const toStandardOutput = "-"

// Destination is where an output goes: a file, whose name is held from the start of the command on and which is whole or not there; or
// a stream: standard output, a pipe, a device.
type Destination struct {
	Path string
	file *atomicfile.File // nil: a stream
}

// isStandardOutput reports whether an output of this name is standard output's.
func isStandardOutput(path string) bool {
	return slices.Contains([]string{toStandardOutput, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, path)
}

// IsStream reports whether what is written to a path flows away.
func IsStream(path string) bool {
	if isStandardOutput(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// IsStream reports whether what is written flows away.
func (d *Destination) IsStream() bool { return d.file == nil }

// Holds reports whether the output holds a name, be it under another one.
func (d *Destination) Holds(path string) bool { return d != nil && d.file != nil && d.file.Holds(path) }

// Open holds the name of a file, or takes note of a stream.
func Open(path string, force bool) (*Destination, error) {
	if IsStream(path) {
		return &Destination{Path: path}, nil
	}
	file, err := atomicfile.Create(path, force)
	return &Destination{path, file}, CannotWrite(path, err)
}

// CannotWrite says in words of the user that a file cannot be made.
func CannotWrite(path string, err error) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("%s cannot be written: %w", path, system.Err)
	}
	return err
}

// Writable tries whether a file can be made at path, and leaves nothing behind.
func Writable(path string, force bool) error {
	d, err := Open(path, force)
	if err == nil {
		d.Abort()
	}
	return err
}

// Write makes the output what write produces. A pipe that nobody reads yet is waited for, until ctx is done.
func (d *Destination) Write(ctx context.Context, c *console.Console, write func(io.Writer) error) error {
	if d.file == nil {
		out, err := Stream(ctx, c, d.Path)
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

// Stream opens a stream. A pipe that nobody reads yet is waited for, until ctx is done.
func Stream(ctx context.Context, c *console.Console, path string) (io.WriteCloser, error) {
	if isStandardOutput(path) {
		return standardOutput{c.Out}, nil
	}
	for {
		// Without O_NONBLOCK a pipe without a reader would hang beyond the reach of Ctrl-C.
		pipe, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return pipe, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: nobody reads this pipe", path)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type standardOutput struct{ io.Writer }

// Close implements io.Closer.
func (standardOutput) Close() error { return nil }

// Abort lets go of what has not been written.
func (d *Destination) Abort() {
	if d != nil && d.file != nil {
		d.file.Abort()
	}
}

// Reports is where a command prints its summary: not on standard output where one of its outputs goes there.
func Reports(c *console.Console, paths ...string) *console.Console {
	if !slices.ContainsFunc(paths, isStandardOutput) {
		return c
	}
	aside := *c
	aside.Out = c.Err
	return &aside
}

// Distinct refuses outputs that are the same file, by whatever names; an empty name is none. Names that only the file system knows to
// be the same are found when they are held.
func Distinct(paths ...string) error {
	for i, path := range paths {
		for _, other := range paths[:i] {
			switch {
			case path == "" || other == "":
			case isStandardOutput(path) && isStandardOutput(other):
				return errors.New("two outputs go to standard output")
			case filepath.Clean(path) == filepath.Clean(other), SameFile(path, other):
				if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
					return SameName(path, other)
				}
			}
		}
	}
	return nil
}

// SameName is the error of two outputs that are one file.
func SameName(path, other string) error {
	if path == other {
		return fmt.Errorf("%s: two outputs have the same name", path)
	}
	return fmt.Errorf("%s and %s: two outputs are the same file", other, path)
}

// SameFile reports whether both names are of one file that is there.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// Exists reports whether something is at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// NoteLostRule says that a pattern file that was written does not say its rule, where that is so.
func NoteLostRule(c *console.Console, path string, format pattern.Format, rule string) {
	if format.LosesRule(rule) {
		fmt.Fprintf(c.Err, "gosper: %s: %s files do not say the rule, which is %s\n", path, format, rule)
	}
}
