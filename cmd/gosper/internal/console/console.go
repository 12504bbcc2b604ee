// Package console is what every command shares: where it writes, how it says what went wrong, and lines of progress.
package console

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Console is where a command writes.
type Console struct {
	Out, Err io.Writer
	Terminal bool // Err is a terminal that shows progress
}

// IsTerminal reports whether somebody may be looking at f.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// Printf writes to standard output.
func (c *Console) Printf(format string, args ...any) { fmt.Fprintf(c.Out, format, args...) }

// PrintJSON writes v as one indented object or array.
func (c *Console) PrintJSON(v any) error {
	encoder := json.NewEncoder(c.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// Known is a value for JSON, null where it is that of its type for nothing: "" or 0.
func Known[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// Text is what a string of JSON says; empty where it is null.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Await is what f returns, or the error of ctx if that is done before; f is then left to itself. So work that does not look at ctx
// does not keep a user waiting who wants the program to end.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
