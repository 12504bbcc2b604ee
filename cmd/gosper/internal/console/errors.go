package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Exit codes.
const (
	Failure     Status = 1   // something went wrong, a check failed, two patterns differ
	InputError  Status = 2   // a flag, a file or a rule is not right; nothing was written
	Interrupted Status = 130 // as shells report a program that SIGINT ended
)

// Status is an error that only sets the exit code: what there was to say has been said.
type Status int

func (s Status) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// BadInput marks an error as the user's to mend.
type BadInput struct{ error }

// Unwrap is the error itself.
func (b BadInput) Unwrap() error { return b.error }

// Bad marks an error as the user's to mend, unless there is none or Ctrl-C caused it.
func Bad(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return BadInput{err}
}

// Badf is a new error that is the user's to mend.
func Badf(format string, args ...any) error { return BadInput{fmt.Errorf(format, args...)} }

// OneLine keeps an error to a single line whatever was quoted in it.
func OneLine(s string) string { return strings.Join(strings.FieldsFunc(s, isLineBreak), "; ") }

func isLineBreak(r rune) bool { return r == '\n' || r == '\r' }
