package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/gosper-life/gosper/pattern"
)

// Limits of the viewers' files. Files are read one at a time; the bytes of waiting files are counted.
const (
	// maxUploads is the bytes of all files that wait to be read.
	maxUploads = 4 * maxPattern
	// maxText is the bytes that a gzipped file may expand to.
	maxText = 256 << 20
	// maxPatternBytes is the memory that the cells of a file may take before they are loaded.
	maxPatternBytes = 128 << 20
)

var errUploads = errors.New("other viewers' files are still being read: try again in a moment")

// receiveFile receives the bytes of a pattern file. The file is read and loaded after the viewer's earlier commands. A file that cannot be taken is
// skipped, and the viewer gets an error.
func (v *viewer) receiveFile(ctx context.Context, r io.Reader) error {
	if !v.upload.CompareAndSwap(false, true) {
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
		v.complain(ctx, errors.New("another pattern is still being read"))
		return nil
	}
	file := &upload{server: v.server}
	_, err := io.Copy(file, r)
	switch {
	case errors.Is(err, errUploads):
		_, err = io.Copy(io.Discard, r)
		v.complain(ctx, errUploads)
		fallthrough
	case err != nil:
		file.release()
		v.upload.Store(false)
		return err
	}
	if !v.enqueue(ctx, v.work, func(ctx context.Context) error {
		defer v.upload.Store(false)
		return v.server.loadPattern(ctx, file)
	}) {
		file.release()
		v.upload.Store(false)
	}
	return nil
}

// upload is a file that is being received. Its bytes count towards the limit for all viewers together.
type upload struct {
	server *Server
	bytes  []byte
}

// Write implements io.Writer.
func (u *upload) Write(p []byte) (int, error) {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	if u.server.uploads+len(p) > maxUploads {
		return 0, errUploads
	}
	u.server.uploads += len(p)
	u.bytes = append(u.bytes, p...)
	return len(p), nil
}

// release forgets the file.
func (u *upload) release() {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	u.server.uploads -= len(u.bytes)
	u.bytes = nil
}

// loadPattern replaces the universe by the pattern of a file.
func (s *Server) loadPattern(ctx context.Context, file *upload) error {
	defer file.release()
	turn, err := s.queue(ctx)
	if err != nil {
		return err
	}
	defer turn()
	p, err := readPattern(ctx, file.bytes)
	if err != nil {
		debug.FreeOSMemory() // release what was read before the limit
		return err
	}
	return s.loadRead(ctx, p, "", 0)
}

// readPattern reads a file until ctx is done. A few compressed bytes may expand to any size, so the text and the cells are limited.
func readPattern(ctx context.Context, file []byte) (*pattern.Pattern, error) {
	var text io.Reader = bytes.NewReader(file)
	if bytes.HasPrefix(file, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		text = z
	}
	limited := &limitedText{ctx, text, maxText}
	p, err := pattern.Options{MaxBytes: maxPatternBytes, Squares: true}.Read(ctx, limited, "")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.left < 0:
		return nil, fmt.Errorf("the file expands to more than %d MiB, the most this server reads", maxText>>20)
	}
	return p, err
}

// limitedText is a reader that fails if there is too much to read, or when ctx is done.
type limitedText struct {
	ctx  context.Context
	from io.Reader
	left int
}

// Read implements io.Reader.
func (l *limitedText) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.from.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errors.New("the file is too long")
	}
	return n, err
}
