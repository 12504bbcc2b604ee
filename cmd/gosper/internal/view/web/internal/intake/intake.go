// Package intake takes pattern files from viewers: few at a time, and none that expand to more than is allowed.
package intake

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
)

const (
	// MaxText is the bytes that a gzipped file may expand to.
	MaxText = 256 << 20
	// MaxBytes is the memory that the cells of a file may take before they are loaded. Golly's largest replicator,
	// of 10^6 columns, takes half of it.
	MaxBytes = 256 << 20
)

// ErrFull refuses a file while too many bytes of others wait.
var ErrFull = errors.New("other viewers' files are still being read: try again in a moment")

// Intake counts the bytes of the files that wait to be read, and has one universe at a time read and loaded,
// because each takes memory. Several servers may share one.
type Intake struct {
	Reading Turn // of who has a universe read and loaded

	most int // bytes of all files that wait

	mu    sync.Mutex
	bytes int
}

// New makes an intake. most is the limit on the bytes of all files together.
func New(most int) *Intake { return &Intake{Reading: NewTurn(), most: most} }

// Turn lets goroutines do a kind of work one at a time. It holds a token meanwhile.
type Turn chan struct{}

// NewTurn makes a turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits until nobody else has the turn. The caller calls done.
func (t Turn) Take(ctx context.Context) (done func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Waiting is the bytes of all files that wait.
func (in *Intake) Waiting() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.bytes
}

// File is a file that is being received. Its bytes count until it is released.
type File struct {
	in    *Intake
	bytes []byte
}

// File makes an empty file.
func (in *Intake) File() *File { return &File{in: in} }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	if f.in.bytes+len(p) > f.in.most {
		return 0, ErrFull
	}
	f.in.bytes += len(p)
	f.bytes = append(f.bytes, p...)
	return len(p), nil
}

// Release forgets the file.
func (f *File) Release() {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	f.in.bytes -= len(f.bytes)
	f.bytes = nil
}

// Safely calls a function that reads what a viewer has sent. A panic becomes an error: it must not end the universes of
// others. Functions that only read leave nothing half done.
func Safely[T any](read func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			const words = "gosper: a fault of the program while it read what a viewer sent: %q\n%s"
			fmt.Fprintf(os.Stderr, words, fmt.Sprint(fault), debug.Stack())
			err = errors.New("this cannot be read, because of a fault of the program: please report it")
		}
	}()
	return read()
}

// Pattern reads the pattern of the file: see Read.
func (f *File) Pattern(ctx context.Context, most uint64) (*pattern.Pattern, error) {
	return Safely(func() (*pattern.Pattern, error) { return Read(ctx, f.bytes, most) })
}

// Read reads a file until ctx is done. Its text may also be the name of a pattern that origin.Known makes: an apgcode,
// a soup. A few compressed bytes may expand to any size, so the text and the memory of the cells are limited.
func Read(ctx context.Context, file []byte, most uint64) (*pattern.Pattern, error) {
	if len(file) <= longestName {
		if p, ok, err := origin.Known(strings.TrimSpace(string(file))); ok {
			return p, err
		}
	}
	var text io.Reader = bytes.NewReader(file)
	if bytes.HasPrefix(file, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		text = z
	}
	limited := &limitedText{ctx, text, MaxText}
	p, err := pattern.Options{MaxBytes: most, Squares: true}.Read(ctx, limited, "")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.left < 0:
		return nil, fmt.Errorf("the file expands to more than %d MiB, the most this server reads", MaxText>>20)
	}
	return p, err
}

// longestName is the length of the longest name of a pattern that is looked up.
const longestName = 4096

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
