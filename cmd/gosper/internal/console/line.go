package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Moment is the shortest time between two updates of a line of progress. Nobody can read faster ones.
const Moment = 200 * time.Millisecond

// eraseLine moves to the beginning of a terminal's line and erases it.
const eraseLine = "\r\x1b[K"

// Line is a line of progress on a terminal that is overwritten again and again. Several goroutines may use it.
// A nil Line shows nothing.
type Line struct {
	out io.Writer

	mu      sync.Mutex
	shown   bool
	painted time.Time
}

// Line returns a line of progress. It is nil if quiet is set or if there is no terminal.
func (c *Console) Line(quiet bool) *Line {
	if !c.Terminal || quiet {
		return nil
	}
	return &Line{out: c.Err}
}

// Show shows a text, unless it has shown one a moment ago.
func (l *Line) Show(text func() string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.painted) >= Moment/2 {
		fmt.Fprint(l.out, eraseLine+Plain(text()))
		l.shown, l.painted = true, now
	}
}

// Erase clears the line.
func (l *Line) Erase() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprint(l.out, eraseLine)
		l.shown = false
	}
}

// Clock shows a task and the seconds that it has taken, until stop is called. It is for work without known progress.
func (l *Line) Clock(what string) (stop func()) {
	if l == nil {
		return func() {}
	}
	start, seconds, done, ended := time.Now(), time.NewTicker(time.Second), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case now := <-seconds.C:
				l.Show(func() string { return what + ": " + now.Sub(start).Round(time.Second).String() })
			case <-done:
				return
			}
		}
	}()
	return func() {
		seconds.Stop()
		close(done)
		<-ended
		l.Erase()
	}
}

// Left estimates the remaining time, for the end of a line of progress. It is empty if there is nothing to
// estimate from.
func Left(elapsed time.Duration, done, total float64) string {
	const longest = 100 * 365 * 24 * time.Hour
	left := elapsed.Seconds() * (total - done) / done
	if !(done > 0 && left >= 0 && left < longest.Seconds()) {
		return ""
	}
	return fmt.Sprintf("  %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
}
