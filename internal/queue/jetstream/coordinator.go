package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gosper-life/gosper/internal/queue"
)

// submitAgain is the time without any event before jobs are queued again, because the server may have lost them.
const submitAgain = time.Minute

// Run lets workers do all tasks of an ensemble that have no result yet, and keeps their results. It continues where an
// earlier run stopped. It ends with an error if results cannot be stored or ctx is done. If the server cannot be
// reached, it waits. On one server only one run of an ensemble works at a time; for others the error is a *queue.Held.
// report, if not nil, gets the progress whenever it changes.
func (c *Connection) Run(
	ctx context.Context, ensemble string, tasks []queue.Task, results *queue.Results, o Options,
	report func(queue.Progress),
) (queue.Progress, error) {
	r := &coordination{
		Connection: c, options: o.filled(), ensemble: ensemble, what: ensembleHeld, results: results,
		report: report,
		open:   map[string]queue.Task{}, heard: map[string]time.Time{},
	}
	r.progress = queue.Progress{Tasks: len(tasks), Workers: map[string]int{}, Begun: time.Now()}
	for _, t := range tasks {
		if results.Has(t.Key) {
			r.progress.Done++
		} else {
			r.open[t.Key] = t
			r.order = append(r.order, t.Key)
		}
	}
	r.progress.Before = r.progress.Done
	listening, err := c.nats.Subscribe(aliveSubject, func(m *nats.Msg) { r.hear(string(m.Data)) })
	if err != nil {
		return r.progress, err
	}
	defer listening.Unsubscribe()
	if err := r.listen(ctx); err != nil {
		return r.progress, err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	release, err := r.lease(ctx, giveUp)
	if err != nil {
		return r.progress, err
	}
	defer release()
	if err = r.run(ctx); ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r.progress, err
}

// coordination is a run in progress.
type coordination struct {
	*Connection
	options  Options
	objects  jetstream.ObjectStore
	leases   jetstream.KeyValue
	strikes  jetstream.KeyValue
	ensemble string
	what     string // the ensemble, in words
	results  *queue.Results
	report   func(queue.Progress)
	progress queue.Progress
	open     map[string]queue.Task // neither done nor parked
	order    []string              // keys of open, in the order of the jobs
	done     jetstream.Consumer

	mu    sync.Mutex
	heard map[string]time.Time // when a worker last gave a sign of life
}

func (r *coordination) hear(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard[worker] = time.Now()
}

// tell reports how far the jobs are. A worker counts as alive if it has been heard lately.
func (r *coordination) tell() {
	if r.report == nil {
		return
	}
	r.mu.Lock()
	r.progress.Alive = 0
	for _, at := range r.heard {
		if time.Since(at) < 3*aliveEvery {
			r.progress.Alive++
		}
	}
	r.mu.Unlock()
	r.report(r.progress)
}

// run collects results until none is missing. It submits jobs only after it has collected the results
// that are there already. If nothing changes for a while, it submits the missing jobs again.
func (r *coordination) run(ctx context.Context) error {
	r.tell()
	submitted, changed := false, time.Now()
	for len(r.open) > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.in.failed(); err != nil {
			return err
		}
		n, err := r.collect(ctx, submitted)
		var lost final
		switch {
		case errors.As(err, &lost):
			return lost.error
		case err != nil:
			// The server cannot be reached. When it is back, everything may have to be made again.
			if err := r.listen(ctx); err != nil {
				return err
			}
			submitted = false
			continue
		case n > 0:
			changed = time.Now()
		case !submitted, time.Since(changed) > submitAgain:
			// Announcements made while nobody listened have been collected. Now the remaining jobs are queued.
			if err := r.submit(ctx); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				var refused final
				if errors.As(err, &refused) {
					return refused.error
				}
				continue
			}
			submitted, changed = true, time.Now()
		}
		r.tell()
	}
	return nil
}

// listen makes the consumer of this ensemble's announcements. It waits if the server cannot be reached.
func (r *coordination) listen(ctx context.Context) error {
	err := retry(ctx, func() (err error) {
		if err := r.in.failed(); err != nil {
			return final{err}
		}
		if err = r.prepare(ctx); err != nil {
			return err
		}
		r.done, err = r.js.CreateOrUpdateConsumer(ctx, doneStream, jetstream.ConsumerConfig{
			Durable: "run-" + r.ensemble, FilterSubject: doneSubject + "." + r.ensemble,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.options.AckWait, MaxDeliver: -1,
		})
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// submit queues every open job that is not queued.
func (r *coordination) submit(ctx context.Context) error {
	const window = 256
	var pending []jetstream.PubAckFuture
	settle := func() error {
		for _, p := range pending {
			select {
			case <-p.Ok():
			case err := <-p.Err():
				var api *jetstream.APIError
				if errors.As(err, &api) && api.ErrorCode == alreadyQueued {
					continue
				}
				return err
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Second):
				return nats.ErrTimeout
			}
		}
		pending = pending[:0]
		return nil
	}
	for _, key := range r.order {
		t, open := r.open[key]
		if !open {
			continue
		}
		p, err := r.js.PublishMsgAsync(&nats.Msg{
			Subject: fmt.Sprintf("%s.%s.%s", jobsSubject, r.ensemble, key), Data: t.Payload,
			Header: nats.Header{triesHeader: {strconv.Itoa(r.options.Tries)}},
		})
		if errors.Is(err, nats.ErrMaxPayload) {
			return final{fmt.Errorf(
				"the job is too large for the queue (%d bytes): sample at regular times instead of listing them", len(t.Payload))}
		}
		if err != nil {
			return err
		}
		if pending = append(pending, p); len(pending) == window {
			if err := settle(); err != nil {
				return err
			}
		}
	}
	return settle()
}

// alreadyQueued is the server's error code for a subject that already has as many messages as allowed.
const alreadyQueued = 10077

// collect takes the waiting announcements, or waits a moment for one. It returns how many there were.
func (r *coordination) collect(ctx context.Context, wait bool) (int, error) {
	patience := 50 * time.Millisecond
	if wait {
		patience = 500 * time.Millisecond
	}
	batch, err := r.done.Fetch(64, jetstream.FetchMaxWait(patience))
	if err != nil {
		return 0, err
	}
	n := 0
	for msg := range batch.Messages() {
		n++
		if err := r.take(ctx, msg); err != nil {
			return n, err
		}
		r.tell()
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
		return n, err
	}
	return n, nil
}

// introduce records a worker's description of itself, from its first message.
func (r *coordination) introduce(a announcement) error {
	if a.About == nil || r.progress.Workers[a.Worker] > 0 {
		return nil
	}
	return r.results.Note(queue.About{Worker: a.Worker, About: a.About})
}

// take stores the result of an announcement and removes the announcement.
func (r *coordination) take(ctx context.Context, msg jetstream.Msg) error {
	var a announcement
	if err := json.Unmarshal(msg.Data(), &a); err != nil {
		return msg.Term()
	}
	_, open := r.open[a.Key]
	switch {
	case !open: // announced twice, or part of another shard
	case a.Error != "":
		if err := r.results.Park(queue.Failure{Key: a.Key, Error: a.Error, Tries: a.Tries, Worker: a.Worker}); err != nil {
			return final{err}
		}
		r.progress.Parked++
		delete(r.open, a.Key)
	default:
		data, err := r.objects.GetBytes(ctx, objectName(r.ensemble, a.Key))
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			break // an interrupted run removed it before it stored the result: the job is queued again later
		}
		if err != nil {
			return err
		}
		if err := r.introduce(a); err != nil {
			return final{err}
		}
		if err := r.results.Save(a.Key, a.Worker, data); err != nil {
			return final{err}
		}
		r.progress.Done++
		r.progress.Workers[a.Worker]++
		delete(r.open, a.Key)
	}
	if err := msg.DoubleAck(ctx); err != nil {
		return err
	}
	if err := r.objects.Delete(ctx, objectName(r.ensemble, a.Key)); err != nil &&
		!errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	return nil
}
