package pattern

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern/internal/deflate"
)

// ReadFile reads the pattern file at path, or standard input if path is "-". If there is no such file and path is the
// name of a stack (see IsStack), or if path is a folder, the files are layers of a volume. It ends with ctx's error
// soon after ctx is done.
func (o Options) ReadFile(ctx context.Context, path string) (*Pattern, error) {
	info, err := os.Stat(path)
	if folder := err == nil && info.IsDir(); folder || errors.Is(err, fs.ErrNotExist) && IsStack(path) {
		return o.readStack(ctx, path, folder)
	}
	f, waits, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	from := &input{ctx: ctx, from: f, waits: waits, progress: o.Progress}
	if path == "-" {
		return o.read(from, "")
	}
	defer f.Close()
	p, err := o.read(from, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// WriteFile writes src to path in the format of its suffix, gzipped if ".gz" follows. It replaces an existing
// file only if force is set. After any error, including ctx's, path is unchanged. A volume is written as a stack if
// path is the name of one: see IsStack.
func WriteFile(ctx context.Context, path string, src grid.Source, meta Meta, force bool) error {
	if _, _, err := FormatOf(path); err != nil {
		return err
	}
	if n := meta.layers(); n > 0 && IsStack(path) {
		return writeStack(ctx, path, n, src, meta, force)
	}
	return atomicfile.Write(path, force, func(w io.Writer) error {
		return WriteAs(ctx, cancelled{ctx, w}, path, src, meta)
	})
}

// WriteAs writes src to w in the format of name's suffix, gzipped if ".gz" follows. It ends with ctx's error
// also while it writes little, such as empty rows of a picture.
func WriteAs(ctx context.Context, w io.Writer, name string, src grid.Source, meta Meta) error {
	format, gzipped, err := FormatOf(name)
	if err != nil {
		return err
	}
	if !gzipped {
		return write(ctx, w, format, src, meta)
	}
	z := deflate.NewGzip(w)
	err = write(ctx, z, format, src, meta)
	if closed := z.Close(); err == nil {
		err = closed
	}
	return err
}
