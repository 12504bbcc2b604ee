package sessions

import (
	"sync"
	"time"
)

// turns shares the processor's threads between the engines of sessions. An engine has a turn for each
// of its steps, which take about 10 ms. The universe that has used the least so far comes next, so engines that run
// at full rate get equal parts, and one that has little to do hardly waits for them.
//
// An engine that has not asked for a while has used much less than all others, and would keep them out until it has
// caught up. Ask therefore raises its use to that of the engine that began last.
type turns struct {
	mu      sync.Mutex
	threads int           // of the processor
	free    int           // of them, not used by a turn
	waiting []*turn       // in the order of their asking
	least   time.Duration // the time that the last engine to begin had used before
}

func newTurns(threads int) *turns { return &turns{threads: threads, free: threads} }

// turn is an engine's place. It implements session.Turn.
type turn struct {
	of      *turns
	threads int
	begun   chan struct{} // nil: the turn has not been asked for
	since   time.Time     // when it began; zero before
	used    time.Duration // by all turns so far, times threads
}

// place makes a place for an engine with the given number of threads.
func (t *turns) place(threads int) *turn { return &turn{of: t, threads: min(threads, t.threads)} }

// Ask implements session.Turn.
func (x *turn) Ask() <-chan struct{} {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	if x.begun == nil {
		x.begun = make(chan struct{})
		x.used = max(x.used, x.of.least) // who did not run saves nothing up
		x.of.waiting = append(x.of.waiting, x)
		x.of.next()
	}
	return x.begun
}

// End implements session.Turn.
func (x *turn) End() {
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	switch {
	case x.begun == nil:
		return
	case x.since.IsZero():
		for i, w := range x.of.waiting {
			if w == x {
				x.of.waiting = append(x.of.waiting[:i], x.of.waiting[i+1:]...)
				break
			}
		}
	default:
		x.used += time.Duration(x.threads) * time.Since(x.since)
		x.of.free += x.threads
	}
	x.begun, x.since = nil, time.Time{}
	x.of.next()
}

// next begins the turns for which there are threads. t.mu is held. Nobody overtakes the one that is next, or
// engines of many threads would never run.
func (t *turns) next() {
	for len(t.waiting) > 0 {
		first := 0
		for i, w := range t.waiting {
			if w.used < t.waiting[first].used {
				first = i
			}
		}
		x := t.waiting[first]
		if x.threads > t.free {
			return
		}
		t.waiting = append(t.waiting[:first], t.waiting[first+1:]...)
		t.free -= x.threads
		t.least = max(t.least, x.used)
		x.since = time.Now()
		close(x.begun)
	}
}
