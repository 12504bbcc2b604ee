package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupted returns a context that the first SIGINT or SIGTERM cancels. The second one kills the
// process, because somebody who presses Ctrl-C twice does not want to wait for files.
func untilInterrupted() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
