package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gosper-life/gosper/queue"
)

// Options are shared by coordinators and workers, which should agree on them.
type Options struct {
	Replicas int           // copies of everything on servers of a cluster; 0: 1
	AckWait  time.Duration // how long a worker may be silent before its job goes to another; 0: 30 seconds
	Tries    int           // of a job before it is parked; 0: queue.DefaultTries
}

func (o Options) filled() Options {
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.AckWait == 0 {
		o.AckWait = 30 * time.Second
	}
	if o.Tries == 0 {
		o.Tries = queue.DefaultTries
	}
	return o
}

// Names on the server.
const (
	jobsStream   = "gosper-jobs"
	doneStream   = "gosper-done"
	bucket       = "gosper-results"
	workers      = "workers" // the consumer of jobs
	jobsSubject  = "gosper.jobs"
	doneSubject  = "gosper.done"
	aliveSubject = "gosper.alive"
)

// objectName is the name of a result on the server.
func objectName(ensemble, key string) string { return ensemble + "." + key }

// Connection is a connection to a server or cluster. It reconnects by itself for as long as it is open.
type Connection struct {
	options Options
	nats    *nats.Conn
	js      jetstream.JetStream
	objects jetstream.ObjectStore
	jobs    jetstream.Consumer
}

// Connect connects to the server at a URL ("nats://host:4222", several with commas between), or to one in this process, and makes the
// queue there if it is not there yet. Where no server answers within the patience given, the error says so.
func Connect(ctx context.Context, at string, in *Server, patience time.Duration, o Options) (*Connection, error) {
	c := &Connection{options: o.filled()}
	options := []nats.Option{nats.Name(queue.Name()), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.Timeout(5 * time.Second)}
	if in != nil {
		options = append(options, nats.InProcessServer(in.server))
	}
	ctx, cancel := context.WithTimeout(ctx, max(patience, 10*time.Second))
	defer cancel()
	begin := time.Now()
	err := retry(ctx, func() (err error) {
		if c.nats == nil {
			if c.nats, err = nats.Connect(at, options...); err != nil {
				c.nats = nil
				if time.Since(begin) > patience || errors.Is(err, nats.ErrAuthorization) {
					return final{err}
				}
				return err
			}
			if c.js, err = jetstream.New(c.nats); err != nil {
				return final{err}
			}
		}
		return c.prepare(ctx)
	})
	if err != nil {
		c.Close()
		if in != nil {
			at = "this process"
		}
		return nil, fmt.Errorf("no queue at %s: %w", at, err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Connection) Close() {
	if c.nats != nil {
		c.nats.Close()
	}
}

// prepare makes what is missing of the queue.
func (c *Connection) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	jobs := jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{jobsSubject + ".>"}, Retention: jetstream.WorkQueuePolicy, Replicas: c.options.Replicas,
		// A job that is queued or being done is not queued again.
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
	}
	done := jetstream.StreamConfig{
		Name: doneStream, Subjects: []string{doneSubject + ".>"}, Retention: jetstream.WorkQueuePolicy, Replicas: c.options.Replicas,
	}
	for _, config := range []jetstream.StreamConfig{jobs, done} {
		if err := c.makeStream(ctx, config); err != nil {
			return err
		}
	}
	var err error
	if c.objects, err = c.js.ObjectStore(ctx, bucket); errors.Is(err, jetstream.ErrBucketNotFound) {
		c.objects, err = c.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Replicas: c.options.Replicas})
	}
	if err != nil {
		return err
	}
	c.jobs, err = c.js.CreateOrUpdateConsumer(ctx, jobsStream, jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.options.AckWait, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// makeStream leaves a stream that is there as it is: whoever came first chose the replicas.
func (c *Connection) makeStream(ctx context.Context, config jetstream.StreamConfig) error {
	_, err := c.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = c.js.CreateStream(ctx, config)
	}
	return err
}

// final is an error that trying again does not mend.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// retry calls do until it succeeds, fails for good, or ctx is done; then it returns what went wrong last.
func retry(ctx context.Context, do func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := do()
		var last final
		if err == nil || errors.As(err, &last) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}
