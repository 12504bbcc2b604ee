package term

import (
	"context"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
)

// orders queues commands for the session, and holds the line that tells how they went.
type orders struct {
	session *session.Session
	jobs    chan<- job
	message string
	failed  bool // whether the message is an error
}

// job is a command for the session. Jobs run one after the other, so they take effect in the order of the keys.
type job struct {
	do    func(ctx context.Context) error
	then  string       // the message on success; empty for none
	after func(*model) // what else is done on success; nil for nothing
}

// jobDone says that a job has been done.
type jobDone struct {
	err error
	job
}

func (o *orders) say(text string) { o.message, o.failed = console.Plain(text), false }

func (o *orders) fail(err error) { o.message, o.failed = console.OneLine(err.Error()), true }

// send queues a command for the session.
func (o *orders) send(do func(ctx context.Context) error, then string) {
	o.queue(job{do: do, then: then})
}

// sendThen queues a command for the session, and what the viewer does when it has succeeded.
func (o *orders) sendThen(do func(ctx context.Context) error, after func(*model)) {
	o.queue(job{do: do, after: after})
}

// queue hands a job on without waiting, so that the screen stays alive. If the queue is full, the user
// tries again.
func (o *orders) queue(j job) {
	select {
	case o.jobs <- j:
		o.say("")
	default:
		o.fail(errBusy)
	}
}
