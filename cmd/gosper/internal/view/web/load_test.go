package web

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/sim"
)

// watch joins, looks at all of a side×side torus in 512×512 samples, and takes the given number of frames, or until
// ctx ends.
func watch(ctx context.Context, address string, side, frames int) (seen int, err error) {
	conn, _, err := websocket.Dial(ctx, address+"/socket", &websocket.DialOptions{Subprotocols: protocols("")})
	if err != nil {
		return 0, err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 24)
	scale := 0
	for side>>scale > 512 {
		scale++
	}
	hello := fmt.Appendf(nil, `{"do":"view","x":0,"y":0,"scale":%d,"w":%d,"h":%[2]d,"changes":true}`, scale, side>>scale)
	for message := hello; ; {
		if err := conn.Write(ctx, websocket.MessageText, message); err != nil {
			return seen, err
		}
		for {
			kind, frame, err := conn.Read(ctx)
			if err != nil {
				return seen, err
			}
			if kind == websocket.MessageBinary {
				message = fmt.Appendf(message[:0], `{"do":"ack","sequence":%d}`, binary.LittleEndian.Uint32(frame[4:]))
				break
			}
		}
		if seen++; seen == frames {
			// A busy server may take longer to take leave than the library waits.
			if err := conn.Close(websocket.StatusNormalClosure, ""); errors.Is(err, context.DeadlineExceeded) {
				return seen, nil
			} else {
				return seen, err
			}
		}
	}
}

// settle waits until no viewer is left, and none of their goroutines, which end a little later. It returns the
// goroutines and the heap in use.
func settle(t *testing.T, s *Server, most int) (goroutines int, heap uint64) {
	t.Helper()
	until(t, "all viewers have gone", func() bool { return len(s.stats().Viewers) == 0 })
	until(t, fmt.Sprintf("there are no more than %d goroutines", most), func() bool {
		goroutines = runtime.NumGoroutine()
		return goroutines <= most
	})
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return goroutines, m.HeapAlloc
}

// TestNothingStays checks that viewers who come and go leave no goroutines and no memory. With GOSPER_LONG=1 it runs
// the frames of an hour, with three viewers at a time who each stay for a minute.
func TestNothingStays(t *testing.T) {
	rounds, frames, side := 10, 8, 512 // whose copies, which the session keeps, take 2 MiB
	switch {
	case os.Getenv("GOSPER_LONG") != "":
		rounds, frames = 60, 60
	case testing.Short():
		rounds, side = 2, 256
	}
	s := newServer(t, soupOf(t, side), Options{})
	h := listening(t, s)
	if err := s.session.SetSpeed(t.Context(), session.Speed{}); err != nil {
		t.Fatal(err)
	}
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	round := func() {
		done := make(chan error)
		for i := range 3 {
			go func() {
				_, err := watch(t.Context(), h.URL, side, frames+i)
				done <- err
			}()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	most := runtime.NumGoroutine() + 3 // of the engine's threads, more may be at work at one moment than at another
	round()
	goroutines, heap := settle(t, s, most)
	for range rounds {
		round()
	}
	after, heapAfter := settle(t, s, most)
	if heapAfter > heap+4<<20 {
		t.Errorf("%d bytes in use before, %d after %d viewers", heap, heapAfter, 3*rounds)
	}
	t.Logf("%d viewers: %d → %d goroutines, %.1f → %.1f MiB", 3*rounds, goroutines, after, float64(heap)/(1<<20),
		float64(heapAfter)/(1<<20))
}

// TestWatchedRate measures, with GOSPER_LONG=1 and on a machine that does nothing else, what viewers cost the
// engine: the rate of a soup of 16384² cells alone, in a session, and with 1 and 3 viewers that take every
// frame they can get, in turns. It asserts nothing about time.
func TestWatchedRate(t *testing.T) {
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("GOSPER_LONG is not set")
	}
	const turns = 5
	viewers := []int{0, 1, 3}
	shares, frames := make([][]float64, len(viewers)), make([][]float64, len(viewers))
	for range turns {
		alone := rateAlone(t)
		t.Logf("alone: %.0f generations/s, %.3g cells/s", alone, alone*watchedSide*watchedSide)
		for i, n := range viewers {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				rate, perSecond := rateWatched(t, n)
				t.Logf("%d viewers: %.0f generations/s, %.0f %% of that; %.0f frames/s in all", n, rate, 100*rate/alone, perSecond)
				shares[i], frames[i] = append(shares[i], rate/alone), append(frames[i], perSecond)
			})
		}
	}
	for i, n := range viewers {
		slices.Sort(shares[i])
		slices.Sort(frames[i])
		t.Logf("median, %d viewers: %.0f %% of the rate alone, %.0f frames/s in all", n, 100*shares[i][turns/2],
			frames[i][turns/2])
	}
}

const (
	watchedSide = 16384
	watchedFor  = 3 * time.Second // less than it takes the soup to settle, which would make it faster
)

// rateAlone is the generations a second of a fresh soup that nobody looks at.
func rateAlone(t *testing.T) float64 {
	t.Helper()
	from := soupOf(t, watchedSide)
	e, err := sim.Open(t.Context(), "cpu", from.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := from.Load(t.Context(), e, func(_, _ uint64) {}); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for time.Since(begin) < watchedFor {
		if _, err := e.Step(t.Context(), 480); err != nil {
			t.Fatal(err)
		}
	}
	return float64(e.Generation()) / time.Since(begin).Seconds()
}

// rateWatched measures the generations and frames a second of a fresh soup in a session with the given number of
// viewers.
func rateWatched(t *testing.T, viewers int) (generations, frames float64) {
	t.Helper()
	s := newServer(t, soupOf(t, watchedSide), Options{})
	h := listening(t, s)
	if err := s.session.SetSpeed(t.Context(), session.Speed{}); err != nil {
		t.Fatal(err)
	}
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	for s.session.Status().Generation == 0 { // the first step keeps the cells for undo
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), watchedFor)
	defer cancel()
	begin, first := time.Now(), s.session.Status().Generation
	seen := make(chan int)
	for range viewers {
		go func() {
			n, _ := watch(ctx, h.URL, watchedSide, 0)
			seen <- n
		}()
	}
	<-ctx.Done()
	generations = float64(s.session.Status().Generation-first) / time.Since(begin).Seconds()
	total := 0
	for range viewers {
		total += <-seen
	}
	return generations, float64(total) / watchedFor.Seconds()
}

// TestManyViewers measures, with GOSPER_LONG=1, what each of 50 viewers of one universe gets: frames and bytes a
// second. The viewers are in this process and share the processor with the server. It asserts nothing about time.
func TestManyViewers(t *testing.T) {
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("GOSPER_LONG is not set")
	}
	const viewers, seconds = 50, 5
	for _, c := range []struct {
		side, viewers int
		settled       uint64 // generations before the measurement
		speed         session.Speed
	}{
		{1024, viewers, 0, session.Speed{}},
		{2048, viewers, 0, session.Speed{Step: 1, PerSecond: 60}},
		{4096, 1, 0, session.Speed{Step: 1, PerSecond: 30}},
		{4096, 1, 3000, session.Speed{Step: 1, PerSecond: 30}},
	} {
		name := fmt.Sprintf("%d viewers of %d² from generation %d at %v", c.viewers, c.side, c.settled, c.speed)
		t.Run(name, func(t *testing.T) {
			s := newServer(t, soupOf(t, c.side), Options{MaxViewers: viewers})
			h := listening(t, s)
			if err := errors.Join(s.session.Jump(t.Context(), c.settled), s.session.Idle(t.Context()),
				s.session.SetSpeed(t.Context(), c.speed), s.session.Play(t.Context())); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), seconds*time.Second)
			defer cancel()
			seen := make(chan int)
			begin, first := time.Now(), s.session.Status().Generation
			for range c.viewers {
				go func() {
					n, _ := watch(ctx, h.URL, c.side, 0)
					seen <- n
				}()
			}
			time.Sleep((seconds - 1) * time.Second)
			var bytes uint64
			for _, v := range s.stats().Viewers {
				bytes += v.Bytes
			}
			passed := time.Since(begin).Seconds()
			rate := float64(s.session.Status().Generation-first) / passed
			frames := make([]int, c.viewers)
			for i := range frames {
				frames[i] = <-seen
			}
			slices.Sort(frames)
			t.Logf("frames/s: median %.1f, least %.1f; %.2f MB/s each; %.0f generations/s", float64(frames[c.viewers/2])/seconds,
				float64(frames[0])/seconds, float64(bytes)/passed/1e6/float64(c.viewers), rate)
		})
	}
}
