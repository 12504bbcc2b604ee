package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
// when there has been nothing to do for as long as idle says; 0: never. Report, where not nil, is told the number of jobs
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
		do := queue.Safely(worker())
		jobs.Go(func() {
			for ctx.Err() == nil {
				msg, err := c.next(ctx)
				if err != nil || msg == nil {
					if idle > 0 && busy.Load() == 0 && time.Since(time.Unix(0, last.Load())) > idle {
						stop()
					}
					continue
				}
				busy.Add(1)
				if c.work(working, msg, do) {
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
	return done.Load(), nil
}

// next waits a moment for a job; nil where none came.
func (c *Connection) next(ctx context.Context) (jetstream.Msg, error) {
	batch, err := c.jobs.Fetch(1, jetstream.FetchMaxWait(time.Second))
	if err == nil {
		for msg := range batch.Messages() {
			return msg, nil
		}
		err = batch.Error()
	}
	if err == nil || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil, nil
	}
	// The server is away, or has lost the queue.
	select {
	case <-ctx.Done():
	case <-time.After(250 * time.Millisecond):
		if err := c.prepare(ctx); err != nil {
			return nil, err
		}
	}
	return nil, err
}

// work does one job and reports whether it ended well.
func (c *Connection) work(ctx context.Context, msg jetstream.Msg, do queue.Do) bool {
	beating, stopBeating := context.WithCancel(ctx)
	var beats sync.WaitGroup
	defer beats.Wait()
	defer stopBeating()
	beats.Go(func() {
		ticker := time.NewTicker(c.options.AckWait / 3)
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
	a := announcement{Key: key, Worker: queue.Name(), Tries: c.options.Tries}
	var result []byte
	err := fmt.Errorf("whoever worked at it fell silent, %d times", c.options.Tries)
	if meta, e := msg.Metadata(); e != nil || meta.NumDelivered <= uint64(c.options.Tries) {
		for range c.options.Tries {
			if result, err = do(ctx, msg.Data()); err == nil || ctx.Err() != nil {
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
		_, err := c.objects.PutBytes(ctx, objectName(ensemble, key), result)
		return err
	}); e != nil {
		return false
	}
	text, e := json.Marshal(a)
	if e != nil {
		return false
	}
	if e := retry(ctx, func() error {
		_, err := c.js.Publish(ctx, doneSubject+"."+ensemble, text)
		return err
	}); e != nil {
		return false
	}
	stopBeating()
	// A job not struck off comes again, and is announced again.
	limited, cancel := context.WithTimeout(ctx, c.options.AckWait)
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
