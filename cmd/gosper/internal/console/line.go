package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Moment is the time between two looks of a line of progress, for those who choose when to show it. What is shown much more often is not
// seen.
const Moment = 200 * time.Millisecond

// Line is a line of progress on a terminal that is written over again and again, by several goroutines if need be. A nil Line shows nothing.
type Line struct {
	out io.Writer

	mu      sync.Mutex
	shown   bool
	painted time.Time
}

// Line is a line of progress, nil where nobody looks at one or wants one.
func (c *Console) Line(quiet bool) *Line {
	if !c.Terminal || quiet {
		return nil
	}
	return &Line{out: c.Err}
}

// Show shows a text unless one was shown a moment ago.
func (l *Line) Show(text func() string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.painted) >= Moment/2 {
		fmt.Fprintf(l.out, "\r\x1b[K%s", text())
		l.shown, l.painted = true, now
	}
}

// Erase leaves an empty line behind.
func (l *Line) Erase() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[K")
		l.shown = false
	}
}

// Left says, for the end of a line, how much time is left when so much of the work took so long; nothing where that means nothing.
func Left(elapsed time.Duration, done, total float64) string {
	const longest = 100 * 365 * 24 * time.Hour
	left := elapsed.Seconds() * (total - done) / done
	if !(done > 0 && left >= 0 && left < longest.Seconds()) {
		return ""
	}
	return fmt.Sprintf("  %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
}
