package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilInterrupted is a context that the first SIGINT or SIGTERM cancels. The second one kills the process as if nobody listened:
// who presses Ctrl-C twice does not want to wait for files.
func untilInterrupted() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// await is what f returns, or the error of ctx if that is done before; f is then left to itself. So work that does not look at ctx
// does not keep a user waiting who wants the program to end.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
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
