// Package console holds what every command shares: where it writes, how it reports errors, and lines of progress.
package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Console holds the streams to which a command writes.
type Console struct {
	Out, Err io.Writer
	Terminal bool // whether Err is a terminal that shows progress
	// RuleFolders are the folders of --rules. A command that is repeated in another folder needs them.
	RuleFolders []string
}

// IsTerminal reports whether f is a terminal that somebody may be looking at. The null device is not one, although it
// is a character device, too.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || os.Getenv("TERM") == "dumb" {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Printf writes text to standard output. It is made plain.
func (c *Console) Printf(format string, args ...any) {
	fmt.Fprint(c.Out, Plain(fmt.Sprintf(format, args...)))
}

// PrintJSON writes v as one indented object or array. Characters that a terminal may take for a command are escaped.
func (c *Console) PrintJSON(v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := c.Out.Write(plainJSON(text.Bytes()))
	return err
}

// Known is a value for JSON; it is null for the zero value, such as "" or 0.
func Known[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// Text returns a string that was read from JSON; it is empty for null.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Await returns the result of f, or the error of ctx if that is done first. In that case f keeps running, so a user
// who wants the program to end does not wait for work that does not look at ctx.
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
