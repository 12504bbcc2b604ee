package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/names"
)

// Exit codes.
const (
	Failure     Status = 1   // something went wrong, a check failed, two patterns differ
	InputError  Status = 2   // a flag, a file or a rule is not right; nothing was written
	Interrupted Status = 130 // as shells report a program that SIGINT ended
)

// Status is an error that only sets the exit code, because everything has been reported already.
type Status int

func (s Status) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// BadInput marks an error that the user can mend.
type BadInput struct{ error }

// Unwrap returns the error itself.
func (b BadInput) Unwrap() error { return b.error }

// Bad marks an error as one that the user can mend. It leaves nil and errors caused by Ctrl-C as they are.
func Bad(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return BadInput{err}
}

// Badf returns a new error that the user can mend.
func Badf(format string, args ...any) error { return BadInput{fmt.Errorf(format, args...)} }

// OneLine joins the lines of an error, because texts quoted in it may contain line breaks. It returns plain text, and
// leaves out the middle if a quoted text is very long: the longest messages of our own have some hundred bytes.
func OneLine(s string) string {
	return names.Brief(Plain(strings.Join(strings.FieldsFunc(s, isLineBreak), "; ")), 2000)
}

func isLineBreak(r rune) bool { return r == '\n' || r == '\r' }
