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

	"github.com/gosper-life/gosper/internal/queue"
)

// announcement says that a job was done or given up.
type announcement struct {
	Key    string `json:"key"`
	Worker string `json:"worker"`
	Error  string `json:"error,omitempty"` // of a job that was given up
	Tries  int    `json:"tries,omitempty"`
	// About is the worker's description of itself.
	About json.RawMessage `json:"about,omitempty"`
}

const (
	aliveEvery = 2 * time.Second
	lastJobs   = time.Minute     // for jobs in progress when a worker is told to end; unfinished jobs go to another worker
	noServer   = 2 * time.Second // the same if the server cannot be reached
)

// WorkOptions say how a worker works.
type WorkOptions struct {
	AtOnce int           // jobs
	Idle   time.Duration // end after this long without a job; 0 means never
	// Busy, if not nil, reports whether the process does other work. Then it is not idle.
	Busy func() bool
	// About, if not nil, returns the worker's description of itself, as JSON. It is called after a job.
	About func() json.RawMessage
	// Report, if not nil, gets the number of jobs done, from several goroutines.
	Report func(done int64)
}

// Work does jobs until ctx is done. Then it finishes the jobs in progress, within a minute, or within two
// seconds if the server cannot be reached. It also ends without an error after the idle time in the options,
// and with an error if the server refuses this worker. It returns the number of jobs done.
func (c *Connection) Work(ctx context.Context, worker func() queue.Do, o WorkOptions) (int64, error) {
	working, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { c.cutLast(working, cut) })()
	var done, last atomic.Int64
	last.Store(time.Now().UnixNano())
	var busy atomic.Int64
	var alone sync.RWMutex
	var jobs, beats sync.WaitGroup
	beats.Go(func() { c.sayAlive(ctx) })
	for range o.AtOnce {
		w := &labourer{Connection: c, do: queue.Safely(worker()), about: o.About, alone: &alone}
		jobs.Go(func() {
			for ctx.Err() == nil {
				msg, err := w.next(ctx)
				if err != nil || msg == nil {
					if c.nats.IsClosed() {
						stop()
					}
					if o.Busy != nil && o.Busy() {
						last.Store(time.Now().UnixNano())
					}
					if o.Idle > 0 && busy.Load() == 0 && time.Since(time.Unix(0, last.Load())) > o.Idle {
						stop()
					}
					continue
				}
				busy.Add(1)
				if w.work(working, msg) {
					n := done.Add(1)
					if o.Report != nil {
						o.Report(n)
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
		return done.Load(), fmt.Errorf("the queue has closed the connection: %w",
			cmp.Or(c.nats.LastError(), nats.ErrConnectionClosed))
	}
	return done.Load(), nil
}

// cutLast ends the last jobs of a worker when their time is over.
func (c *Connection) cutLast(working context.Context, cut func()) {
	end, connected := time.Now().Add(lastJobs), time.Now()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-working.Done():
			return
		case now := <-ticker.C:
			if c.nats.IsConnected() {
				connected = now
			}
			if now.After(end) || now.Sub(connected) > noServer {
				cut()
				return
			}
		}
	}
}

// labourer is one goroutine of a worker.
type labourer struct {
	*Connection
	do    queue.Do
	about func() json.RawMessage // may be nil
	// shared by the worker's goroutines: locked for reading by those at work, for writing by one that must be
	// alone
	alone   *sync.RWMutex
	jobs    jetstream.Consumer // nil if not found yet
	objects jetstream.ObjectStore
	strikes jetstream.KeyValue
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
	if w.strikes, err = w.js.KeyValue(ctx, strikes); err != nil {
		return err
	}
	w.jobs, w.ackWait = jobs, jobs.CachedInfo().Config.AckWait
	return nil
}

// next waits a moment for a job. It returns nil if no job came.
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
	// The server cannot be reached, or has lost the queue, or no coordinator has made one yet.
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
				msg.InProgress() // if this fails, the next one makes up for it
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
	result, err := w.attempt(ctx, msg, tries, objectName(ensemble, key))
	if ctx.Err() != nil {
		return false
	}
	if w.about != nil {
		a.About = w.about()
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
	// If the acknowledgement is lost, the job comes again and is announced again.
	limited, cancel := context.WithTimeout(ctx, w.ackWait)
	defer cancel()
	return msg.DoubleAck(limited) == nil && err == nil
}

// attempt does a job until it succeeds, at most tries times. If that many workers have died while they did it, the
// job is suspect. But they may have died from something else, such as another job that they did at the same time, so
// from then on the job is done alone. If as many workers have died while they did it alone, it is given up.
func (w *labourer) attempt(ctx context.Context, msg jetstream.Msg, tries int, name string) (result []byte, err error) {
	if meta, e := msg.Metadata(); e == nil && meta.NumDelivered > uint64(tries) {
		w.alone.Lock()
		defer w.alone.Unlock()
		died, err := w.strike(ctx, name)
		if err != nil {
			return nil, err
		}
		defer w.forgive(ctx, name, died)
		if died >= tries {
			return nil, fmt.Errorf(
				"its worker died or lost its connection %d times, the last %d times with no other job at work", meta.NumDelivered-1,
				died)
		}
	} else {
		w.alone.RLock()
		defer w.alone.RUnlock()
	}
	for range tries {
		if result, err = w.do(ctx, msg.Data()); err == nil || ctx.Err() != nil {
			break
		}
	}
	return result, err
}

// strike records that a job begins alone. It returns how often that was recorded before: each time a worker has died.
func (w *labourer) strike(ctx context.Context, name string) (before int, err error) {
	err = retry(ctx, func() error {
		entry, err := w.strikes.Get(ctx, name)
		switch {
		case err == nil:
			if before, err = strconv.Atoi(string(entry.Value())); err != nil {
				return final{err}
			}
		case !errors.Is(err, jetstream.ErrKeyNotFound):
			return err
		}
		_, err = w.strikes.Put(ctx, name, []byte(strconv.Itoa(before+1)))
		return err
	})
	return before, err
}

// forgive removes the record of strike, because the worker is alive.
func (w *labourer) forgive(ctx context.Context, name string, before int) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), noServer)
	defer cancel()
	if ctx.Err() != nil { // the worker was told to end
		w.strikes.Put(limited, name, []byte(strconv.Itoa(before)))
		return
	}
	w.strikes.Purge(limited, name)
}

// sayAlive tells coordinators that this worker exists, whether they listen or not.
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
