// Package output is where commands write their results: files that appear whole or not at all, and streams.
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
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern"
)

// toStandardOutput is the name of an output that goes to standard output.
const toStandardOutput = "-"

// Destination is a file or a stream (standard output, a pipe, a device) to which an output is written. A file's name
// is reserved when the command starts, and the file appears whole or not at all.
type Destination struct {
	Path  string
	files []*atomicfile.File // none for a stream, and one for each layer of a stack (pattern.IsStack)
	made  string             // a stack's folder, if it is new
}

// isStandardOutput reports whether this name means standard output.
func isStandardOutput(path string) bool {
	return slices.Contains([]string{toStandardOutput, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, path)
}

// IsStream reports whether data written to a path leaves the program at once, as into a pipe or a device.
func IsStream(path string) bool {
	if isStandardOutput(path) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// IsStream reports whether the destination is a stream.
func (d *Destination) IsStream() bool { return len(d.files) == 0 }

// Holds reports whether the output has reserved a file, also under another name.
func (d *Destination) Holds(path string) bool {
	return d != nil && slices.ContainsFunc(d.files, func(f *atomicfile.File) bool { return f.Holds(path) })
}

// Open reserves the name of a file, or prepares a stream. A file with one of the sums may be replaced without force.
func Open(path string, force bool, own ...atomicfile.Sum) (*Destination, error) {
	if IsStream(path) {
		return &Destination{Path: path}, nil
	}
	file, err := atomicfile.Create(path, force, own...)
	if err != nil {
		return nil, CannotWrite(path, err)
	}
	return &Destination{Path: path, files: []*atomicfile.File{file}}, nil
}

// OpenPattern is Open for a pattern of some layers, 0 in two dimensions. It reserves all names of a stack, and makes
// its folder. own returns the sums of a file.
func OpenPattern(path string, layers int, force bool, own func(path string) []atomicfile.Sum) (*Destination, error) {
	if layers == 0 || !pattern.IsStack(path) {
		return Open(path, force, own(path)...)
	}
	d := &Destination{Path: path}
	if dir := filepath.Dir(path); os.Mkdir(dir, 0o777) == nil {
		d.made = dir
	}
	for z := range layers {
		name := pattern.LayerName(path, z)
		file, err := atomicfile.Create(name, force, own(name)...)
		if err != nil {
			d.Abort()
			return nil, CannotWrite(name, err)
		}
		d.files = append(d.files, file)
	}
	return d, nil
}

// CannotWrite says in the user's words that a file cannot be made.
func CannotWrite(path string, err error) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("%s cannot be written: %w", path, system.Err)
	}
	return err
}

// Writable tests whether a file can be made at path. It leaves nothing behind.
func Writable(path string, force bool) error {
	d, err := Open(path, force)
	if err == nil {
		d.Abort()
	}
	return err
}

// Folder makes a folder, and tests whether files can be made in it. It leaves no other file.
func Folder(path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return CannotWrite(path, err)
	}
	file, err := atomicfile.Create(filepath.Join(path, "file"), true)
	if err != nil {
		return CannotWrite(path, err)
	}
	file.Abort()
	return nil
}

// Write fills the output by calling write. It waits for a pipe's reader until ctx is done.
func (d *Destination) Write(ctx context.Context, c *console.Console, write func(io.Writer) error) error {
	if d.IsStream() {
		out, err := Stream(ctx, c, d.Path)
		if err != nil {
			return err
		}
		return errors.Join(write(out), out.Close())
	}
	defer d.Abort()
	if err := write(d.files[0]); err != nil {
		return err
	}
	return d.Publish()
}

// WritePattern fills the output with a pattern, in the format of a name.
func (d *Destination) WritePattern(ctx context.Context, c *console.Console, name string, src grid.Source,
	meta pattern.Meta,
) error {
	if len(d.files) <= 1 {
		return d.Write(ctx, c, func(w io.Writer) error { return pattern.WriteAs(ctx, w, name, src, meta) })
	}
	defer d.Abort()
	if err := d.writeLayers(ctx, src, meta); err != nil {
		return err
	}
	return d.Publish()
}

func (d *Destination) writeLayers(ctx context.Context, src grid.Source, meta pattern.Meta) error {
	return pattern.WriteLayers(ctx, d.Path, src, meta, func(z int) io.Writer { return d.files[z] })
}

// PreparePattern is Prepare for a pattern, in the format of a name. It tells add the hash of each file.
func (d *Destination) PreparePattern(ctx context.Context, name string, src grid.Source, meta pattern.Meta,
	add func(path string, sum atomicfile.Sum),
) error {
	if len(d.files) == 1 {
		sum, err := d.Prepare(func(w io.Writer) error { return pattern.WriteAs(ctx, w, name, src, meta) })
		if err == nil {
			add(d.Path, sum)
		}
		return err
	}
	err := d.writeLayers(ctx, src, meta)
	for _, file := range d.files {
		var sum atomicfile.Sum
		if err == nil {
			if sum, err = file.Prepare(); err == nil {
				add(file.Name(), sum)
			}
		}
	}
	if err != nil {
		d.Abort()
	}
	return err
}

// Prepare fills a file by calling write, and returns its hash. Publish then gives it its name. After an error
// the output is given up.
func (d *Destination) Prepare(write func(io.Writer) error) (atomicfile.Sum, error) {
	err := write(d.files[0])
	if err == nil {
		var sum atomicfile.Sum
		if sum, err = d.files[0].Prepare(); err == nil {
			return sum, nil
		}
	}
	d.Abort()
	return atomicfile.Sum{}, err
}

// Unfinished is the file while it is written; nil for a stream.
func (d *Destination) Unfinished() *atomicfile.File {
	if d.IsStream() {
		return nil
	}
	return d.files[0]
}

// Publish gives a prepared file its name, or all files of a stack theirs.
func (d *Destination) Publish() error {
	defer d.Abort()
	return atomicfile.CommitAll(d.files)
}

// Stream opens a stream. It waits for a pipe's reader until ctx is done.
func Stream(ctx context.Context, c *console.Console, path string) (io.WriteCloser, error) {
	if isStandardOutput(path) {
		return standardOutput{c.Out}, nil
	}
	for {
		// Without O_NONBLOCK, opening a pipe that has no reader would block, and Ctrl-C could not end it.
		pipe, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return pipe, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: no program reads this pipe", path)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type standardOutput struct{ io.Writer }

// Close implements io.Closer.
func (standardOutput) Close() error { return nil }

// Abort gives up an output that has not been written.
func (d *Destination) Abort() {
	if d != nil {
		for _, file := range d.files {
			file.Abort()
		}
		if d.made != "" {
			_ = os.Remove(d.made) // unless there are files in it
		}
	}
}

// Reports returns the stream for a command's summary: standard error if one of its outputs uses standard output.
func Reports(c *console.Console, paths ...string) *console.Console {
	if !slices.ContainsFunc(paths, isStandardOutput) {
		return c
	}
	aside := *c
	aside.Out = c.Err
	return &aside
}

// Distinct refuses outputs that are the same file under any names. An empty name means no output. Names that
// only the file system knows to be the same are found when they are reserved.
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

// SameName is the error for two outputs that are one file.
func SameName(path, other string) error {
	if path == other {
		return fmt.Errorf("%s: two outputs have the same name", path)
	}
	return fmt.Errorf("%s and %s: two outputs are the same file", other, path)
}

// SameFile reports whether both names belong to one existing file.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// Exists reports whether there is a file at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// NoteLostRule tells the user if a pattern file that was written cannot state its rule.
func NoteLostRule(c *console.Console, path string, format pattern.Format, rule string) {
	if format.LosesRule(rule) {
		fmt.Fprintf(c.Err, "gosper: %s: %s files cannot state the rule, which is %s\n", path, format, rule)
	}
}
