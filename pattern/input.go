package pattern

import (
	"context"
	"io"
	"os"
)

// input is the file or pipe that a pattern is read from. Its reads fail once ctx is done, even while they wait for a
// pipe.
type input struct {
	ctx      context.Context
	from     io.Reader
	waits    bool // a read may block forever
	bytes    int64
	progress func(read int64)
}

// Read implements io.Reader.
func (i *input) Read(b []byte) (n int, err error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	if i.waits {
		// A read that still runs writes to a buffer that is not used any more.
		n, err = await(i.ctx, func() (int, error) { return i.from.Read(b) })
	} else {
		n, err = i.from.Read(b)
	}
	if i.bytes += int64(n); i.progress != nil {
		i.progress(i.bytes)
	}
	return n, err
}

// read is the number of bytes that have been read.
func (i *input) read() int64 { return i.bytes }

// open opens a file. Opening a pipe blocks until something writes to it.
func open(ctx context.Context, path string) (f *os.File, waits bool, err error) {
	if path == "-" {
		return os.Stdin, true, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if info.Mode().IsRegular() {
		f, err = os.Open(path)
		return f, false, err
	}
	f, err = await(ctx, func() (*os.File, error) { return os.Open(path) })
	return f, true, err
}

// await returns the result of f, or ctx's error as soon as ctx is done. In that case f keeps running.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// cancelled is a writer that fails once ctx is done.
type cancelled struct {
	ctx context.Context
	to  io.Writer
}

// Write implements io.Writer.
func (c cancelled) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.to.Write(b)
}
