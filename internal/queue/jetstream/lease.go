package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gosper-life/gosper/internal/queue"
)

// lease makes this run the only one of its ensemble on the server, until release. Otherwise two runs would take
// each other's results. A run that has died is replaced as described at queue.Lock. If others consider this run
// dead, lost is called.
func (r *coordination) lease(ctx context.Context, lost func(error)) (release func(), err error) {
	me := r.options.Owner
	var seen uint64 // revision of another run's lease
	var since time.Time
	for {
		text, err := json.Marshal(me)
		if err != nil {
			return nil, err
		}
		revision, err := r.leases.Create(ctx, r.ensemble, text)
		if err == nil {
			return r.renew(ctx, me, revision, lost), nil
		}
		entry, err := r.leases.Get(ctx, r.ensemble) // errors of an unreachable server are retried
		if err == nil {
			var owner queue.Owner
			if err := json.Unmarshal(entry.Value(), &owner); err != nil {
				return nil, err
			}
			if since.IsZero() {
				seen, since = entry.Revision(), time.Now()
			}
			switch {
			case entry.Revision() != seen:
				return nil, &queue.Held{What: r.what, Owner: owner}
			case owner.Gone(), time.Since(since) > r.options.Patience:
				if r.leases.Delete(ctx, r.ensemble, jetstream.LastRevision(seen)) == nil {
					continue
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// wrongRevision reports whether another process has changed a key.
func wrongRevision(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// renew gives signs of life until release.
func (r *coordination) renew(ctx context.Context, me queue.Owner, revision uint64, lost func(error)) (release func()) {
	l := &lease{r.leases, r.ensemble, me, revision} // the store is opened again after the server has been away
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	var beats sync.WaitGroup
	beats.Go(func() {
		ticker := time.NewTicker(queue.BeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-ticker.C:
			}
			limited, cancel := context.WithTimeout(beating, queue.BeatEvery)
			mine := l.beat(limited)
			cancel()
			if !mine {
				lost(fmt.Errorf("another run of %s has taken over: this one was silent for too long", r.what))
				return
			}
		}
	})
	return func() {
		stop()
		beats.Wait()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		// if this fails, the missing signs of life show that this run has ended
		l.store.Delete(limited, l.ensemble, jetstream.LastRevision(l.revision))
	}
}

// lease is the lease of a run, as far as the run knows.
type lease struct {
	store    jetstream.KeyValue
	ensemble string
	me       queue.Owner
	revision uint64
}

// beat gives a sign of life. It reports false if the lease belongs to another run by now. If the server is away, the
// next sign of life makes up for it. A busy server may store a sign of life and answer too late, so the revision is
// then another one than the run knows, although nobody else has changed it.
func (l *lease) beat(ctx context.Context) (mine bool) {
	next := l.me
	next.Beat++
	text, err := json.Marshal(next)
	if err != nil {
		return true
	}
	revision, err := l.store.Update(ctx, l.ensemble, text, l.revision)
	if wrongRevision(err) {
		entry, err := l.store.Get(ctx, l.ensemble)
		if err != nil {
			return !errors.Is(err, jetstream.ErrKeyNotFound)
		}
		if !bytes.Equal(entry.Value(), text) {
			return false
		}
		revision = entry.Revision()
	} else if err != nil {
		return true
	}
	l.me, l.revision = next, revision
	return true
}
