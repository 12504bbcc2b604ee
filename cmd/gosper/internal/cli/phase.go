package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
)

// phase shows how far reading a file is, on a terminal, once it has taken a while. A nil phase shows nothing.
type phase struct {
	out     io.Writer
	what    string
	total   int64 // bytes; 0: not known
	begin   time.Time
	painted time.Time // zero: never
}

// reading is the phase of reading a file.
func (c *console) reading(path string, quiet bool) *phase {
	if !c.terminal || quiet || path == "" {
		return nil
	}
	p := &phase{out: c.err, what: "reading " + path, begin: time.Now()}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		p.total = info.Size()
	}
	return p
}

// open reads the pattern that an argument of a command names.
func (c *console) open(ctx context.Context, name string) (*pattern.Pattern, error) {
	reading := c.reading(name, false)
	defer reading.erase()
	p, err := origin.OpenPattern(ctx, name, pattern.Options{Progress: reading.show})
	return p, inputUnlessCancelled(err)
}

// show says that so many bytes are done.
func (p *phase) show(done int64) {
	const patience = time.Second
	now := time.Now()
	if p == nil || now.Sub(p.begin) < patience || now.Sub(p.painted) < progressEvery {
		return
	}
	elapsed := now.Sub(p.begin).Seconds()
	line := fmt.Sprintf("%s  %s", p.what, rate(float64(done)/elapsed, "B"))
	if p.total > 0 && done > 0 {
		left := time.Duration(elapsed * float64(p.total-done) / float64(done) * float64(time.Second))
		line = fmt.Sprintf("%s  %.0f %%  %v left", line, 100*float64(done)/float64(p.total), left.Round(time.Second))
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	p.painted = now
}

// erase leaves an empty line behind.
func (p *phase) erase() {
	if p != nil && !p.painted.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
