package jetstream

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// framing is room for the server's own part of a message.
const framing = 4 << 10

// LargestMessage is the number of bytes that a message may have.
func (c *Connection) LargestMessage() int { return int(c.nats.MaxPayload()) - framing }

// Send sends a message to all that listen at a subject. It may be lost.
func (c *Connection) Send(subject string, message []byte) error {
	return c.nats.Publish(subject, message)
}

// Listen calls hear with each message to a subject, one at a time, until stop. Ask gets the result of hear as its
// answer. If hear returns nil there is no answer, and Ask sends the message again.
func (c *Connection) Listen(subject string, hear func(message []byte) (answer []byte)) (stop func(), err error) {
	s, err := c.nats.Subscribe(subject, func(m *nats.Msg) {
		if answer := hear(m.Data); answer != nil && m.Reply != "" {
			m.Respond(answer) // if it is lost, the message comes again
		}
	})
	if err != nil {
		return nil, err
	}
	if err := s.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	return func() { s.Unsubscribe() }, c.nats.FlushTimeout(listenTime)
}

// listenTime is the longest time that the server may take to begin to listen.
const listenTime = 10 * time.Second

// Ask sends a message until the listener at the subject answers. It sends the message again after the given time, and
// then after twice as long each time. It ends with the error of ctx, or if the connection is closed for good.
func (c *Connection) Ask(ctx context.Context, subject string, message []byte, again time.Duration) ([]byte, error) {
	for ; ; again = min(2*again, 8*time.Second) {
		limited, cancel := context.WithTimeout(ctx, again)
		answer, err := c.nats.RequestWithContext(limited, subject, message)
		cancel()
		switch {
		case err == nil:
			return answer.Data, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrMaxPayload):
			return nil, err
		}
		if !errors.Is(err, context.DeadlineExceeded) { // nobody listens yet, or the server is away
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

// Hold makes this process the only one on the server that holds a name, until release. what is the meaning of the name,
// for errors. If another process holds it, the error is a *queue.Held. If others consider this process dead, lost is
// called.
func (c *Connection) Hold(ctx context.Context, name, what string, o Options, lost func(error)) (release func(),
	err error,
) {
	r := &coordination{Connection: c, options: o.filled(), ensemble: name, what: what}
	err = retry(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return r.openStore(limited, &r.leases, leases)
	})
	if err != nil {
		return nil, err
	}
	return r.lease(ctx, lost)
}

// openStore opens a store of keys and values, and makes it if it is missing.
func (r *coordination) openStore(ctx context.Context, at *jetstream.KeyValue, name string) (err error) {
	*at, err = r.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		*at, err = r.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: r.options.Replicas})
	}
	return err
}

// ensembleHeld names the thing that a lease of Run stands for.
const ensembleHeld = "this ensemble"

// IsClosed reports whether an error says that a connection is closed for good.
func IsClosed(err error) bool { return errors.Is(err, nats.ErrConnectionClosed) }
