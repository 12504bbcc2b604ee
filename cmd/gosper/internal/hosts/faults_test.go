package hosts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/bandfiles"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// TestKills: workers that die or stall at any time do not change the cells, the series or the checkpoint.
func TestKills(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		kills := 6
		if os.Getenv("GOSPER_LONG") != "" {
			kills = 100
		}
		c := newCluster(t, 0)
		type host struct {
			*Worker
			kill func()
		}
		var hosts []host
		start := func() {
			w, kill := c.work()
			hosts = append(hosts, host{w, kill})
		}
		for range 3 {
			start()
		}
		const pause = 50 * time.Millisecond // in the first epoch
		o := Options{
			Config: config(t, "B3/S23:T130,60"), Seed: 5, Density: 0.5, Target: 40, Hosts: 3, Depth: 2, Period: 1, Dir: dir,
			Every: time.Nanosecond, lose: make(chan string, kills),
		}
		var array []byte
		if dir == "" {
			o.Pattern = scattered(t, o.Config, o.Seed)
		} else {
			o.Out = []*atomicfile.File{holdFile(t, filepath.Join(t.TempDir(), "a.npy"))}
			array = arrayOf(t, o)
		}
		want, all := alone(t, o)
		random := rand.New(rand.NewPCG(1, 2))
		left, next, highest := kills, uint64(3), uint64(0)
		o.Sample = func(s Sample) error {
			if s != all[s.Generation] || s.Generation > 0 && s.Generation != highest+1 {
				t.Errorf("after generation %d: %+v, want %+v", highest, s, all[s.Generation])
			}
			if highest = s.Generation; highest == 1 {
				time.Sleep(pause)
			}
			return nil
		}
		o.Progress = func(p Progress) {
			if left == 0 || p.Missing > 0 || p.Generation < next {
				return
			}
			if next++; next > 20 {
				next = 5
			}
			left--
			i := random.IntN(len(hosts))
			o.lose <- hosts[i].name
			if left%3 == 0 { // it stalls, and goes on after it has lost its band
				return
			}
			hosts[i].kill()
			hosts = append(hosts[:i], hosts[i+1:]...)
			start()
		}
		got, err := c.run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		if got.Generations != o.Target || got.Stepping < pause {
			t.Errorf("%d generations in %v, want %d in more than %v", got.Generations, got.Stepping, o.Target, pause)
		}
		if left > 0 || got.Restarts < kills {
			t.Errorf("%d restarts, and %d of %d kills have not been done", got.Restarts, left, kills)
		}
		if dir == "" {
			continue
		}
		if err := o.Out[0].Commit(); err != nil {
			t.Fatal(err)
		}
		if file, err := os.ReadFile(o.Out[0].Name()); err != nil || !bytes.Equal(file, array) {
			t.Errorf("an array of %d bytes, %v, want %d others", len(file), err, len(array))
		}
		m, err := bandfiles.Read(dir)
		if err != nil || m.Generation != o.Target || len(m.Bands) != 3 {
			t.Fatalf("manifest %+v, %v", m, err)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 4 {
			t.Errorf("files in the folder: %v", files)
		}
	}
}

// TestContinue: an interrupted run ends with a checkpoint, and another number of hosts goes on from there.
func TestContinue(t *testing.T) {
	c := newCluster(t, 3)
	dir := t.TempDir()
	o := Options{
		Config: config(t, "345/2/7:T70,64"), Seed: 3, Density: 0.5, Target: 30, Hosts: 3, Depth: 3, Dir: dir,
		Every: time.Hour,
	}
	want, _ := alone(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	o.Target = 1 << 40
	o.Progress = func(p Progress) {
		if p.Generation >= 6 {
			cancel()
		}
	}
	o.Facts = func() (map[string]string, error) { return map[string]string{"a": "b"}, nil }
	got, err := c.run(ctx, o)
	if err != nil || got.Reason != run.ReasonInterrupted || got.Generation < 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	m, err := bandfiles.Read(dir)
	if err != nil || m.Generation != got.Generation || m.Target != 1<<40 || m.Facts["a"] != "b" {
		t.Fatalf("%+v, %v", m, err)
	}
	// The end may be beyond the target of the comparison: then the cells are compared there.
	o.Target = max(30, m.Generation+5)
	if o.Target > 30 {
		want, _ = alone(t, o)
	}
	o.Progress, o.From, o.FromDir, o.Hosts = nil, m, dir, 2
	if got, err = c.run(t.Context(), o); err != nil || got.Generations != o.Target-m.Generation {
		t.Fatalf("%+v, %v", got, err)
	}
	same(t, got, want)
	// into another folder
	if m, err = bandfiles.Read(dir); err != nil {
		t.Fatal(err)
	}
	o.From, o.FromDir, o.Dir, o.Hosts, o.Target = m, dir, filepath.Join(t.TempDir(), "other"), 1, o.Target+4
	want, _ = alone(t, o)
	if got, err = c.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	// A damaged file is found.
	m.Bands[0].Sum = m.Bands[1].Sum
	o.From = m
	if _, err = c.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "its checksum does not match") {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestCoordinatorDies: the workers become free when their coordinator is silent.
func TestCoordinatorDies(t *testing.T) {
	c := newCluster(t, 0)
	c.patience = time.Second // how long this takes
	for range 2 {
		c.work()
	}
	o := Options{Config: config(t, "B3/S23:T64,40"), Seed: 1, Density: 0.5, Target: 1 << 40, Hosts: 2, Depth: 2}
	conn := c.connect()
	o.Progress = func(p Progress) {
		if p.Generation > 3 {
			conn.Close()
		}
	}
	o.Patience = c.patience
	o.Hold.Owner = queue.ThisProcess("first")
	ended := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), conn, o)
		ended <- err
	}()
	if err := <-ended; err == nil {
		t.Error("a run without a connection does not fail")
	}
	o.Progress, o.Target = nil, 20
	want, _ := alone(t, o)
	got, err := c.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
}

// TestSecondCoordinator: one universe has one coordinator at a time.
func TestSecondCoordinator(t *testing.T) {
	c := newCluster(t, 2)
	o := Options{Config: config(t, "B3/S23:T64,40"), Seed: 1, Density: 0.5, Target: 1 << 40, Hosts: 2, Depth: 2}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	running := make(chan struct{}, 1)
	o.Progress = func(p Progress) {
		if p.Generation > 0 {
			select {
			case running <- struct{}{}:
			default:
			}
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.run(ctx, o)
		ended <- err
	}()
	select {
	case <-running:
	case err := <-ended:
		t.Fatal("the first coordinator has ended:", err)
	}
	second := o
	second.Progress = nil
	var held *queue.Held
	if _, err := c.run(t.Context(), second); !errors.As(err, &held) {
		t.Errorf("the second coordinator: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestWaiting: a run that waits for workers holds none, so that another run can have them.
func TestWaiting(t *testing.T) {
	c := newCluster(t, 0)
	busy, _ := c.workAs("c")
	started, ended := make(chan bool), make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := Options{Config: config(t, "B3/S23:T64,40"), Seed: 1, Density: 0.5, Target: 1 << 40, Hosts: 1, Depth: 2}
	first.Progress = func(Progress) {
		if busy.Busy() && started != nil {
			close(started)
			started = nil
		}
	}
	begun := started
	go func() {
		_, err := c.run(ctx, first)
		ended <- err
	}()
	happens := func(event <-chan bool) {
		t.Helper()
		select {
		case <-event:
		case err := <-ended:
			t.Fatal("a run has ended:", err)
		}
	}
	happens(begun)
	free, _ := c.workAs("a") // its neighbour is free as well, so nothing ends its session but the coordinator
	c.workAs("b")
	conn := c.connect()
	defer conn.Close()
	second := Options{Config: config(t, "B3/S23:P64,40"), Seed: 2, Density: 0.5, Target: 20, Hosts: 3, Depth: 2}
	said, waits := false, make(chan bool, 1)
	second.Progress = func(p Progress) {
		switch {
		case p.Missing == 1 && !said: // it hears that the busy worker is free, which was true a moment ago
			said = true
			m := message{head: head{Kind: kindFree, Worker: busy.name}}
			frame, err := m.encode()
			if err == nil {
				err = conn.Send(freeSubject, frame)
			}
			if err != nil {
				t.Error(err)
			}
		case p.Missing == 1 && p.Restarts > 0:
			select {
			case waits <- true:
			default:
			}
		}
	}
	go func() {
		got, err := c.run(t.Context(), second)
		if err == nil {
			want, _ := alone(t, second)
			same(t, got, want)
		}
		ended <- err
	}()
	happens(waits)
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		free.mu.Lock()
		released := free.session == nil && free.last.Run != ""
		free.mu.Unlock()
		if released {
			break
		}
		if time.Since(begin) > 2*patience {
			t.Error("a run that waits for a worker keeps another one")
			break
		}
	}
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// hanging is an engine that hangs at a generation.
type hanging struct {
	sim.Engine
	begun func()
	end   chan bool
}

func (h *hanging) Step(ctx context.Context, n uint64) (uint64, error) {
	if h.Generation() >= 10 {
		h.begun()
		<-h.end
	}
	return h.Engine.Step(ctx, n)
}

// TestHang: a worker whose engine hangs is lost, although it gives signs of life.
func TestHang(t *testing.T) {
	c := newCluster(t, 1)
	begun, end := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(end) })
	scope := sim.Scope{Engine: fmt.Sprint("hanging", rand.Uint64()), Kinds: []rule.Kind{rule.KindCounting}}
	sim.Register(scope, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		e, err := sim.Open(ctx, "cpu", cfg)
		return &hanging{e, sync.OnceFunc(func() { close(begun) }), end}, err
	})
	conn := c.connect()
	w := &Worker{Engine: scope.Engine, Threads: 1, Patience: patience, name: "a"} // the first one
	ended := make(chan error, 1)
	go func() {
		ended <- w.Serve(t.Context(), conn)
		conn.Close()
	}()
	o := Options{Config: config(t, "B3/S23:T64,40"), Seed: 1, Density: 0.5, Target: 23, Hosts: 2, Depth: 2}
	want, _ := alone(t, o)
	done := make(chan *Finished)
	go func() {
		defer close(done)
		got, err := c.run(t.Context(), o)
		if err != nil {
			t.Error(err)
			return
		}
		done <- got
	}()
	select {
	case <-begun:
	case got := <-done:
		t.Fatalf("the run has ended: %+v", got)
	}
	for hangs := false; !hangs; { // it may have a report on its way, for which it waits
		select {
		case got := <-done:
			t.Fatalf("the run has ended: %+v", got)
		default:
		}
		w.watch()
		w.mu.Lock()
		hangs = w.broken != nil
		w.mu.Unlock()
	}
	w.awake()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), " hangs: ") {
		t.Errorf("the worker ended with %v", err)
	}
	c.work()
	if got := <-done; got != nil {
		if same(t, got, want); got.Restarts != 1 {
			t.Errorf("%d restarts, want 1", got.Restarts)
		}
	}
}

// TestTwoRuns: runs that compete for the same workers all end.
func TestTwoRuns(t *testing.T) {
	c := newCluster(t, 2)
	var runs sync.WaitGroup
	for seed := range uint64(6) {
		o := Options{Config: config(t, "B3/S23:T64,40"), Seed: seed, Density: 0.5, Target: 20, Hosts: 2, Depth: 2}
		want, _ := alone(t, o)
		runs.Go(func() {
			got, err := c.run(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			if *got.Hash != *want.Hash {
				t.Errorf("seed %d: hash %x, want %x", seed, *got.Hash, *want.Hash)
			}
		})
	}
	runs.Wait()
}

// TestCut: a run that ends while it waits for a lost worker says how to continue.
func TestCut(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		c := newCluster(t, 0)
		w, kill := c.work()
		o := Options{
			Config: config(t, "B3/S23:T64,40"), Seed: 1, Density: 0.5, Target: 1 << 40, Hosts: 1, Depth: 2, Dir: dir,
			Every: time.Nanosecond, lose: make(chan string, 1),
		}
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(p Progress) {
			switch {
			case p.Missing > 0 && p.Generation > 0:
				cancel()
			case p.Generation > 20 && p.Missing == 0 && len(o.lose) == 0:
				kill()
				o.lose <- w.name
			}
		}
		_, err := c.run(ctx, o)
		var short *Short
		if !errors.As(err, &short) || short.Missing != 1 {
			t.Fatalf("the error is %v", err)
		}
		want := "there is no checkpoint"
		if dir != "" {
			m, err := bandfiles.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			want = fmt.Sprintf("--resume %s continues at generation %d", dir, m.Generation)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		cancel()
	}
	c := newCluster(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Config: config(t, "B3/S23:T64,40"), Target: 5, Hosts: 2, Progress: func(Progress) { cancel() }}
	if _, err := c.run(ctx, o); err == nil || !strings.Contains(err.Error(), "2 workers: no generation was run") {
		t.Error(err)
	}
}

// TestSmallMessages: a server whose messages are too small for rows is refused.
func TestSmallMessages(t *testing.T) {
	c := newCluster(t, 0)
	defer func(n int) { mostPart = n }(mostPart)
	mostPart = 0
	o := Options{Config: config(t, "B3/S23:T64,40"), Target: 5, Hosts: 1, Depth: 1}
	if _, err := c.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "max_payload") {
		t.Error(err)
	}
}

// TestFailure: what a worker cannot do ends the run with its reason.
func TestFailure(t *testing.T) {
	c := newCluster(t, 1)
	dir := t.TempDir()
	o := Options{Config: config(t, "B3/S23:T64,40"), Target: 5, Hosts: 1, Depth: 1, Dir: dir, Every: time.Hour}
	o.Progress = func(p Progress) {
		if p.Generation == 0 {
			os.Remove(filepath.Join(dir, "checkpoint.json")) // as if the worker did not see the folder
		}
	}
	if _, err := c.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "all hosts must see the folder") {
		t.Error(err)
	}
}

// TestFrames: a damaged message is noticed, and parts come in any order and more than once.
func TestFrames(t *testing.T) {
	m := message{head{Kind: kindRows, Run: "r", Epoch: 2, Generation: 7, Parts: 3}, []byte("abc")}
	frame, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decode(frame); err != nil || got.Generation != 7 || string(got.data) != "abc" {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range 8 * len(frame) {
		bad := bytes.Clone(frame)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := decode(bad); err == nil {
			t.Fatalf("bit %d can be flipped unseen", i)
		}
	}
	for n := range frame {
		if _, err := decode(frame[:n]); err == nil {
			t.Fatalf("the first %d bytes are taken for all", n)
		}
	}
	m.Parts = mostParts + 1
	if frame, err = m.encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := decode(frame); err == nil {
		t.Error("a message may have any number of parts")
	}
	m.Parts = 3
	var a assembly
	var whole *message
	for _, i := range []int{2, 0, 2, 0, 1} {
		part := m
		part.Part, part.data = i, []byte{'a' + byte(i)}
		if whole != nil {
			t.Fatal("a message is whole too early")
		}
		early := part
		early.Epoch, early.data = 1, []byte("old")
		if a.add(&early) != nil && i != 1 {
			t.Fatal("a message of an earlier epoch is whole too early")
		}
		whole = a.add(&part)
	}
	if whole == nil || string(whole.data) != "abc" || len(a.open) != 0 {
		t.Errorf("joined to %v", whole)
	}
}

// TestStale: messages of other runs and earlier epochs are refused.
func TestStale(t *testing.T) {
	w := &Worker{session: &session{run: "r", epoch: 3, items: map[key]*message{}, changed: make(chan struct{})}}
	for _, c := range []struct {
		head
		want []byte
	}{
		{head{Kind: kindRows, Run: "r", Epoch: 2}, answerStale},
		{head{Kind: kindOrder, Run: "r", Epoch: 2}, answerStale},
		{head{Kind: kindAssign, Run: "r", Epoch: 2}, answerStale},
		{head{Kind: kindAssign, Run: "other", Epoch: 9}, answerStale},
		{head{Kind: kindRows, Run: "other", Epoch: 3}, answerStale},
		{head{Kind: kindRows, Run: "r", Epoch: 4}, answerLater},
		{head{Kind: kindRows, Run: "r", Epoch: 3}, answerOK},
	} {
		m := message{head: c.head}
		frame, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if got := w.hear(frame); !bytes.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.head, got, c.want)
		}
		frame[len(frame)-1]++
		if got := w.hear(frame); got != nil {
			t.Errorf("a damaged message is answered with %q", got)
		}
	}
	if len(w.session.items) != 1 {
		t.Errorf("%d messages were taken, want 1", len(w.session.items))
	}
	// Parts that come again after the message was whole are not kept.
	for _, part := range []int{0, 1, 0, 1, 0} {
		w.session.take(&message{head: head{Kind: kindRows, Generation: 4, Part: part, Parts: 2}})
	}
	if n := len(w.session.parts.open); n != 0 {
		t.Errorf("%d messages are incomplete", n)
	}
	r := &coordinator{id: "r", epoch: 3, heard: map[string]time.Time{}, changed: make(chan struct{})}
	for epoch, want := range map[int][]byte{2: answerStale, 3: answerOK} {
		m := message{head: head{Kind: kindReport, Run: "r", Epoch: epoch, Worker: "w"}}
		frame, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if got := r.hear(frame); !bytes.Equal(got, want) {
			t.Errorf("a report of epoch %d: %q, want %q", epoch, got, want)
		}
	}
	if len(r.events) != 1 {
		t.Errorf("%d reports were taken, want 1", len(r.events))
	}
}

// TestDigests: bands hash the pieces of a universe, whole ones and shared ones.
func TestDigests(t *testing.T) {
	cfg := config(t, "/2/3:T70,40")
	_, bands, err := cut(cfg, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, pieceBytes := range []int{1, 7, 9, 64, 100, 359, 360, 720, 1000} {
		all := newDigests(grid.Rect{W: 70, H: 40}, cfg.Rule.Planes(), pieceBytes)
		var stream [2][]byte
		for i := range bands {
			b, err := openBand(t.Context(), "cpu", cfg, bands, i, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.fill(t.Context(), 4, 0.5); err != nil {
				t.Fatal(err)
			}
			if err := b.step(t.Context(), b.main, 1); err != nil { // now both planes have cells
				t.Fatal(err)
			}
			row := make([]uint64, 2)
			for k := range stream {
				for y := range b.Lines {
					if err := b.cells().ReadRow(row, k, 0, y, 70); err != nil {
						t.Fatal(err)
					}
					stream[k] = append(stream[k], appendWords(nil, row)[:9]...)
				}
			}
			fragments, err := b.fragments(t.Context(), pieceBytes)
			if err != nil {
				t.Fatal(err)
			}
			if err := all.add(fragments); err != nil {
				t.Fatal(err)
			}
			other := newDigests(grid.Rect{W: 70, H: 40}, cfg.Rule.Planes(), pieceBytes)
			if err := other.add(fragments[:len(fragments)-1]); err == nil {
				t.Error("fragments that are cut off are taken")
			}
			b.close()
		}
		rest := append(stream[0], stream[1]...)
		for i, sum := range all.pieces {
			n := min(pieceBytes, len(rest))
			if want := sha256.Sum256(rest[:n]); sum == nil || *sum != want {
				t.Fatalf("pieces of %d bytes: piece %d has hash %x, want %x", pieceBytes, i, sum, want)
			}
			rest = rest[n:]
		}
		if len(rest) > 0 {
			t.Errorf("pieces of %d bytes: %d bytes are missing", pieceBytes, len(rest))
		}
	}
}
