package jetstream

import (
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
)

// failureLog is the log of an embedded server. It keeps the first line that says that the server cannot
// continue. A full disk, for example, is reported only in the log, while the server's clients wait without an
// answer.
type failureLog struct{ why atomic.Pointer[string] }

var failures = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)critical write error: |will be DISABLED|disabling JetStream`)
})

func (l *failureLog) keep(why string) { l.why.CompareAndSwap(nil, &why) }

// failure returns that line as an error, or nil.
func (l *failureLog) failure() error {
	if why := l.why.Load(); why != nil {
		return fmt.Errorf("the queue cannot be kept: %s", *why)
	}
	return nil
}

// Errorf implements the server's Logger, like the methods below.
func (l *failureLog) Errorf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if at := failures().FindStringIndex(line); at != nil {
		if line[at[1]-1] == ' ' { // the cause follows
			line = line[at[1]:]
		}
		l.keep(line)
	}
}

// Fatalf keeps every line.
func (l *failureLog) Fatalf(format string, args ...any) { l.keep(fmt.Sprintf(format, args...)) }

// Noticef keeps nothing.
func (*failureLog) Noticef(string, ...any) {}

// Warnf keeps nothing.
func (*failureLog) Warnf(string, ...any) {}

// Debugf keeps nothing.
func (*failureLog) Debugf(string, ...any) {}

// Tracef keeps nothing.
func (*failureLog) Tracef(string, ...any) {}
