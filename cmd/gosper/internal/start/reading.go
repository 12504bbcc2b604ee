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
				text += fmt.Sprintf("  %.0f %%", 100*float64(done)/float64(total)) +
					console.Left(elapsed, float64(done), float64(total))
			}
			return text
		})
	}
}

// ReadingFlags bound the memory of commands that only read patterns.
type ReadingFlags struct {
	Memory ByteSize `placeholder:"SIZE" env:"GOSPER_MEMORY" help:"Memory limit for all patterns while they are read (800M, 6G). Default: 2G for each, or 64 times its file if there is so much."`
}

// Options are those for one of several patterns, which share the memory in equal parts.
func (f *ReadingFlags) Options(patterns int) pattern.Options {
	return pattern.Options{MaxBytes: uint64(f.Memory) / uint64(patterns)}
}

// OpenPattern reads the pattern that a command's argument names. It sets the option Progress.
func OpenPattern(ctx context.Context, c *console.Console, name string, o pattern.Options) (*pattern.Pattern, error) {
	line := c.Line(false)
	defer line.Erase()
	o.Progress = Reading(line, name)
	p, err := origin.OpenPattern(ctx, name, o)
	return p, console.Bad(err)
}
