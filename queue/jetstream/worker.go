package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gosper-life/gosper/queue"
)

// announcement says that a job was done, or given up.
type announcement struct {
	Key    string `json:"key"`
	Worker string `json:"worker"`
	Error  string `json:"error,omitempty"` // of a job given up
	Tries  int    `json:"tries,omitempty"`
}

const (
	aliveEvery = 2 * time.Second
	lastJobs   = time.Minute // for jobs under way when a worker is told to end; what is not done by then goes to another
)

// Work does jobs, as many at once as asked, until ctx is done, and then ends after the jobs it is at, or a minute later. It also ends, without an error,
// when there has been nothing to do for as long as idle says; 0: never; and with one where the server lets this worker in no more. Report, where not nil, is told the number of jobs
// done, from several goroutines. Work returns that number.
func (c *Connection) Work(ctx context.Context, atOnce int, worker func() queue.Do, idle time.Duration, report func(done int64)) (int64, error) {
	working, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastJobs, cut) })()
	var done, last atomic.Int64
	last.Store(time.Now().UnixNano())
	var busy atomic.Int64
	var jobs, beats sync.WaitGroup
	beats.Go(func() { c.sayAlive(ctx) })
	for range atOnce {
		w := &labourer{Connection: c, do: queue.Safely(worker())}
		jobs.Go(func() {
			for ctx.Err() == nil {
				msg, err := w.next(ctx)
				if err != nil || msg == nil {
					if c.nats.IsClosed() {
						stop()
					}
					if idle > 0 && busy.Load() == 0 && time.Since(time.Unix(0, last.Load())) > idle {
						stop()
					}
					continue
				}
				busy.Add(1)
				if w.work(working, msg) {
					n := done.Add(1)
					if report != nil {
						report(n)
					}
				}
				last.Store(time.Now().UnixNano())
				busy.Add(-1)
			}
		})
	}
	jobs.Wait()
	stop()
	beats.Wait()
	if c.nats.IsClosed() {
		return done.Load(), fmt.Errorf("the queue has closed the connection: %w", cmp.Or(c.nats.LastError(), nats.ErrConnectionClosed))
	}
	return done.Load(), nil
}

// labourer is one goroutine of a worker.
type labourer struct {
	*Connection
	do      queue.Do
	jobs    jetstream.Consumer // nil: not found yet
	objects jetstream.ObjectStore
	ackWait time.Duration
}

// find looks for the queue, which a coordinator makes.
func (w *labourer) find(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	jobs, err := w.js.Consumer(ctx, jobsStream, workers)
	if err != nil {
		return err
	}
	if w.objects, err = w.js.ObjectStore(ctx, bucket); err != nil {
		return err
	}
	w.jobs, w.ackWait = jobs, jobs.CachedInfo().Config.AckWait
	return nil
}

// next waits a moment for a job; nil where none came.
func (w *labourer) next(ctx context.Context) (jetstream.Msg, error) {
	err := w.findOnce(ctx)
	if err == nil {
		var batch jetstream.MessageBatch
		if batch, err = w.jobs.Fetch(1, jetstream.FetchMaxWait(time.Second)); err == nil {
			for msg := range batch.Messages() {
				return msg, nil
			}
			err = batch.Error()
		}
	}
	if err == nil || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil, nil
	}
	// The server is away, or has lost the queue, or nobody has made one yet.
	w.jobs = nil
	select {
	case <-ctx.Done():
	case <-time.After(250 * time.Millisecond):
	}
	return nil, err
}

func (w *labourer) findOnce(ctx context.Context) error {
	if w.jobs != nil {
		return nil
	}
	return w.find(ctx)
}

// work does one job and reports whether it ended well.
func (w *labourer) work(ctx context.Context, msg jetstream.Msg) bool {
	beating, stopBeating := context.WithCancel(ctx)
	var beats sync.WaitGroup
	defer beats.Wait()
	defer stopBeating()
	beats.Go(func() {
		ticker := time.NewTicker(w.ackWait / 3)
		defer ticker.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-ticker.C:
				msg.InProgress() // what fails now is made good by the next one
			}
		}
	})
	// gosper.jobs.ENSEMBLE.KEY
	parts := strings.Split(msg.Subject(), ".")
	ensemble, key := parts[len(parts)-2], parts[len(parts)-1]
	tries, e := strconv.Atoi(msg.Headers().Get(triesHeader))
	if e != nil || tries < 1 {
		tries = queue.DefaultTries
	}
	a := announcement{Key: key, Worker: queue.Name(), Tries: tries}
	var result []byte
	err := fmt.Errorf("whoever worked at it fell silent, %d times", tries)
	if meta, e := msg.Metadata(); e != nil || meta.NumDelivered <= uint64(tries) {
		for range tries {
			if result, err = w.do(ctx, msg.Data()); err == nil || ctx.Err() != nil {
				break
			}
		}
	}
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		a.Error = err.Error()
	} else if e := retry(ctx, func() error {
		_, err := w.objects.PutBytes(ctx, objectName(ensemble, key), result)
		return err
	}); e != nil {
		return false
	}
	text, e := json.Marshal(a)
	if e != nil {
		return false
	}
	if e := retry(ctx, func() error {
		_, err := w.js.Publish(ctx, doneSubject+"."+ensemble, text)
		return err
	}); e != nil {
		return false
	}
	stopBeating()
	// A job not struck off comes again, and is announced again.
	limited, cancel := context.WithTimeout(ctx, w.ackWait)
	defer cancel()
	return msg.DoubleAck(limited) == nil && err == nil
}

// sayAlive tells coordinators, who listen or not, that this worker is there.
func (c *Connection) sayAlive(ctx context.Context) {
	ticker := time.NewTicker(aliveEvery)
	defer ticker.Stop()
	for {
		c.nats.Publish(aliveSubject, []byte(queue.Name()))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
