package sessions

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurns: engines that are always busy get about equal parts of the threads, an engine with little to do hardly
// waits, and never more threads are in use than the machine has.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const threads, quantum, end = 4, 10 * time.Millisecond, 20 * time.Second
		all := newTurns(threads)
		begin := time.Now()
		var mu sync.Mutex
		running := 0
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			if running += n; running > threads {
				t.Fatalf("%d threads run, of %d", running, threads)
			}
		}
		used := make([]time.Duration, 6) // threads times time
		var group sync.WaitGroup
		for i := range used {
			x := all.place([]int{1, 1, 1, 2, 4, 9}[i]) // nine are four
			group.Go(func() {
				for time.Since(begin) < end {
					<-x.Ask()
					count(x.threads)
					time.Sleep(quantum)
					count(-x.threads)
					used[i] += quantum * time.Duration(x.threads)
					x.End()
				}
			})
		}
		var longest time.Duration
		small := all.place(1)
		group.Go(func() {
			for time.Since(begin) < end {
				time.Sleep(33 * time.Millisecond)
				asked := time.Now()
				<-small.Ask()
				longest = max(longest, time.Since(asked))
				small.End()
			}
		})
		group.Wait()
		fair := end * threads / time.Duration(len(used))
		for i, u := range used {
			if u < fair*7/10 || u > fair*13/10 {
				t.Errorf("engine %d had %v, want about %v", i, u, fair)
			}
		}
		if longest > 3*quantum {
			t.Errorf("the engine with little to do waited %v", longest)
		}
	})
}

// TestTurnsGivenUp: a request that is given up delays nobody, and a late one gets no more than the others.
func TestTurnsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTurns(1)
		a, b, c := all.place(1), all.place(1), all.place(1)
		<-a.Ask()
		time.Sleep(time.Second)
		second, third := b.Ask(), c.Ask()
		if b.Ask() != second {
			t.Error("asking again is another turn")
		}
		b.End()
		a.End()
		<-third
		select {
		case <-second:
			t.Error("a turn that was given up has begun")
		default:
		}
		c.End()
		c.End() // there is nothing to end
		<-a.Ask()
		time.Sleep(10 * time.Second)
		a.End()
		late := all.place(1)
		<-late.Ask() // it has used nothing, but saved nothing up either
		time.Sleep(20 * time.Second)
		again := a.Ask()
		late.End()
		<-again
	})
}
