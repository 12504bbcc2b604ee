package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gosper-life/gosper/internal/queue"
)

// Options of a coordinator. Workers get them from the queue.
type Options struct {
	Replicas int           // copies of everything on the servers of a cluster; 0 means 1
	AckWait  time.Duration // how long a worker may be silent before another gets its job; 0 means 30 seconds
	Tries    int           // how often a job is tried before it is parked; 0 means queue.DefaultTries
	Owner    queue.Owner   // this process, as others see it while the ensemble is running
	// how long another run of the ensemble may be silent before it counts as dead; 0 means queue.LockPatience
	Patience time.Duration
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
	if o.Patience == 0 {
		o.Patience = queue.LockPatience
	}
	return o
}

// Names on the server.
const (
	jobsStream   = "gosper-jobs"
	doneStream   = "gosper-done"
	bucket       = "gosper-results"
	leases       = "gosper-runs"    // which run owns an ensemble
	strikes      = "gosper-strikes" // how often a worker died at a job that it did alone
	workers      = "workers"        // the consumer of jobs
	jobsSubject  = "gosper.jobs"
	doneSubject  = "gosper.done"
	aliveSubject = "gosper.alive"
	triesHeader  = "Gosper-Tries" // of a job
)

// objectName is the name of a result on the server.
func objectName(ensemble, key string) string { return ensemble + "." + key }

// Connection is a connection to a server or cluster. It reconnects automatically while it is open.
type Connection struct {
	nats *nats.Conn
	js   jetstream.JetStream
	in   *Server // a server in this process, or nil
}

// Connect connects to the server at a URL, or to a server in this process. The URL is nats://TOKEN@host:4222,
// without a token if the server has none, with tls: if it uses TLS; several are separated by commas. If no
// server with JetStream answers within the given patience, the error says so.
func Connect(ctx context.Context, at string, in *Server, patience time.Duration) (*Connection, error) {
	c := &Connection{in: in}
	options := []nats.Option{
		nats.Name(queue.Name()), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(5 * time.Second),
	}
	if in != nil {
		at, options = "", append(options, nats.InProcessServer(in.server), nats.Token(in.token))
	}
	begin := time.Now()
	err := retry(ctx, func() error {
		err := c.connect(ctx, at, options)
		var distrust *tls.CertificateVerificationError
		if err != nil && (time.Since(begin) > patience || errors.Is(err, nats.ErrAuthorization) ||
			errors.As(err, &distrust)) {
			return final{err}
		}
		return err
	})
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return nil, refusal(at, err)
	}
	return c, nil
}

// refusal returns the error of a failed connection, without the token.
func refusal(at string, err error) error {
	servers := strings.Split(at, ",")
	for i, s := range servers {
		if u, e := url.Parse(s); e == nil && u.User != nil {
			u.User = nil
			servers[i] = u.String()
		}
	}
	shown := strings.Join(servers, ",")
	switch {
	case at == "":
		shown = "this process"
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("the queue at %s refuses the connection: the token of nats://TOKEN@host:port is wrong or missing",
			shown)
	}
	return fmt.Errorf("cannot reach a queue at %s: %w", shown, err)
}

// connect tries once, and keeps the parts that have succeeded for the next try. An error that no
// further try can mend is final.
func (c *Connection) connect(ctx context.Context, at string, options []nats.Option) (err error) {
	if c.nats == nil {
		if c.nats, err = nats.Connect(at, options...); err != nil {
			c.nats = nil
			return err
		}
		if c.js, err = jetstream.New(c.nats); err != nil {
			return final{err}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = c.js.AccountInfo(ctx) // a cluster needs some time to be ready
	return err
}

// Close ends the connection.
func (c *Connection) Close() {
	if c.nats != nil {
		c.nats.Close()
	}
}

// prepare makes the missing parts of the queue.
func (r *coordination) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	jobs := jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{jobsSubject + ".>"}, Retention: jetstream.WorkQueuePolicy,
		Replicas: r.options.Replicas,
		// A job that is queued or in progress is not queued again.
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
	}
	done := jetstream.StreamConfig{
		Name: doneStream, Subjects: []string{doneSubject + ".>"}, Retention: jetstream.WorkQueuePolicy,
		Replicas: r.options.Replicas,
	}
	for _, config := range []jetstream.StreamConfig{jobs, done} {
		if err := r.makeStream(ctx, config); err != nil {
			return err
		}
	}
	var err error
	if r.objects, err = r.js.ObjectStore(ctx, bucket); errors.Is(err, jetstream.ErrBucketNotFound) {
		r.objects, err = r.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket:   bucket,
			Replicas: r.options.Replicas,
		})
	}
	if err != nil {
		return err
	}
	if err := r.openStore(ctx, &r.leases, leases); err != nil {
		return err
	}
	if err := r.openStore(ctx, &r.strikes, strikes); err != nil {
		return err
	}
	_, err = r.js.CreateOrUpdateConsumer(ctx, jobsStream, jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.options.AckWait, MaxDeliver: -1,
		MaxAckPending: -1,
	})
	return err
}

// makeStream leaves an existing stream unchanged: the first process chose the replicas.
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

// retry calls do until it succeeds, fails for good, or ctx is done. Then it returns the last error.
func retry(ctx context.Context, do func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := do()
		var last final
		if err == nil || errors.As(err, &last) || errors.Is(err, nats.ErrConnectionClosed) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}
