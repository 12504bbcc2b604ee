package web

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/view/session"
)

// watch joins, looks at all of a side×side torus in 512×512 samples, and takes frames until it has so many or ctx ends.
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
	hello := fmt.Appendf(nil, `{"do":"view","x":0,"y":0,"scale":%d,"w":%d,"h":%[2]d}`, scale, side>>scale)
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
			return seen, conn.Close(websocket.StatusNormalClosure, "")
		}
	}
}

// settle waits until no viewer is left and returns the goroutines and the heap in use.
func settle(t *testing.T, s *Server) (goroutines int, heap uint64) {
	t.Helper()
	for range 1000 {
		if len(s.stats().Viewers) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := len(s.stats().Viewers); n > 0 {
		t.Fatalf("%d viewers stay", n)
	}
	for range 1000 { // connections that have ended take their goroutines along a little later
		runtime.GC()
		goroutines = runtime.NumGoroutine()
		time.Sleep(5 * time.Millisecond)
		if runtime.NumGoroutine() >= goroutines {
			break
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return goroutines, m.HeapAlloc
}

// TestNothingStays holds that viewers who come and go leave neither goroutines nor memory behind: an hour of three viewers who stay
// for a minute, in frames, with GOSPER_LONG=1.
func TestNothingStays(t *testing.T) {
	rounds, frames, side := 5, 4, 2048
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
	round()
	goroutines, heap := settle(t, s)
	for range rounds {
		round()
	}
	after, heapAfter := settle(t, s)
	if after > goroutines+3 {
		t.Errorf("%d goroutines before, %d after %d viewers", goroutines, after, 3*rounds)
	}
	if heapAfter > heap+4<<20 {
		t.Errorf("%d bytes in use before, %d after %d viewers", heap, heapAfter, 3*rounds)
	}
	t.Logf("%d viewers: %d → %d goroutines, %.1f → %.1f MiB", 3*rounds, goroutines, after, float64(heap)/(1<<20), float64(heapAfter)/(1<<20))
}

// TestWatchedRate measures, with GOSPER_LONG=1 and on a machine that does nothing else, what viewers cost the engine: the rate of a
// soup of 16384² cells alone, and with 1 and 3 viewers that take every frame they can get. It asserts nothing about time.
func TestWatchedRate(t *testing.T) {
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("GOSPER_LONG is not set")
	}
	const side, span, young = 16384, 4 * time.Second, 4000 // generations, after which it settles and runs faster
	from := soupOf(t, side)
	e, err := sim.Open(t.Context(), "cpu", from.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := from.Load(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	rate := func(generation func() uint64, run func()) float64 {
		begin, g := time.Now(), generation()
		run()
		return float64(generation()-g) / time.Since(begin).Seconds()
	}
	step := func() {
		for begin := time.Now(); time.Since(begin) < span && e.Generation() < young; {
			if _, err := e.Step(t.Context(), 480); err != nil {
				t.Fatal(err)
			}
		}
	}
	alone := rate(e.Generation, step)
	e.Close()
	t.Logf("alone: %.0f generations/s, %.3g cells/s", alone, alone*side*side)
	for _, viewers := range []int{0, 1, 3} {
		// Each begins with a fresh soup: later ones settle and run faster.
		t.Run(fmt.Sprint(viewers), func(t *testing.T) {
			s := newServer(t, from, Options{})
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
			frames := make(chan int)
			watched := rate(func() uint64 { return s.session.Status().Generation }, func() {
				ctx, cancel := context.WithTimeout(t.Context(), span)
				defer cancel()
				for range viewers {
					go func() {
						n, _ := watch(ctx, h.URL, side, 0)
						frames <- n
					}()
				}
				<-ctx.Done()
			})
			total := 0
			for range viewers {
				total += <-frames
			}
			t.Logf("%d viewers: %.0f generations/s, %.0f %% of that; %.0f frames/s in all", viewers, watched, 100*watched/alone, float64(total)/span.Seconds())
		})
	}
}
