package start

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
)

// Reading shows on a line how much of a file has been read, once that takes a while.
func Reading(line *console.Line, path string) (show func(bytes int64)) {
	const patience = time.Second
	begin, total := time.Now(), int64(0) // total is 0 while it is not known
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		total = info.Size()
	}
	return func(done int64) {
		elapsed := time.Since(begin)
		if elapsed < patience {
			return
		}
		line.Show(func() string {
			text := fmt.Sprintf("reading %s  %s", path, number.Rate(float64(done)/elapsed.Seconds(), "B"))
			if total > 0 && done > 0 {
				text += fmt.Sprintf("  %.0f %%", 100*float64(done)/float64(total)) + console.Left(elapsed, float64(done), float64(total))
			}
			return text
		})
	}
}

// OpenPattern reads the pattern that a command's argument names.
func OpenPattern(ctx context.Context, c *console.Console, name string) (*pattern.Pattern, error) {
	return OpenPatternWith(ctx, c, name, pattern.Options{})
}

// OpenPatternWith is OpenPattern with options, except Progress.
func OpenPatternWith(ctx context.Context, c *console.Console, name string, o pattern.Options) (*pattern.Pattern, error) {
	line := c.Line(false)
	defer line.Erase()
	o.Progress = Reading(line, name)
	p, err := origin.OpenPattern(ctx, name, o)
	return p, console.Bad(err)
}
