package jetstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gosper-life/gosper/internal/queue"
)

// The test binary is also the processes of the tests: a server or a worker, as GOSPER_TEST_ROLE says.
func TestMain(m *testing.M) {
	switch os.Getenv("GOSPER_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "server":
		serve()
	case "worker":
		labour()
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is a server until it is killed or its standard input, which the test holds, ends.
func serve() {
	var peers []string
	if p := os.Getenv("PEERS"); p != "" {
		peers = strings.Split(p, ",")
	}
	s, err := Start(ServerOptions{
		Dir: os.Getenv("DIR"), Listen: os.Getenv("LISTEN"), Name: os.Getenv("NAME"), ClusterListen: os.Getenv("CLUSTER"),
		Peers: peers,
	})
	fail(err)
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	s.Close()
}

// labour does jobs: "N" gives "result N"; the first job of a worker with HANG in its environment makes that
// file and never ends; "die" kills the worker.
func labour() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	go func() {
		io.Copy(io.Discard, os.Stdin) // the test has ended
		os.Exit(1)
	}()
	c, err := Connect(ctx, os.Getenv("URL"), nil, patience)
	fail(err)
	fmt.Println("ready")
	_, err = c.Work(ctx, func() queue.Do { return job }, WorkOptions{AtOnce: 1})
	fail(err)
}

func job(_ context.Context, payload []byte) ([]byte, error) {
	if hang := os.Getenv("HANG"); hang != "" {
		fail(os.WriteFile(hang, nil, 0o666))
		select {}
	}
	switch string(payload) {
	case "die":
		os.Exit(1)
	case "bad":
		return nil, errors.New("a bad job")
	case "panic":
		panic("a job's own fault")
	}
	time.Sleep(10 * time.Millisecond)
	return append([]byte("result "), payload...), nil
}

// patience is the longest time that anything may take on a machine that has much else to do.
const patience = 2 * time.Minute

// appears waits until a worker has made its file.
func appears(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the victim got no job")
		}
	}
}

var testOptions = Options{AckWait: 600 * time.Millisecond, Tries: 2}

// process starts this binary in a role and waits until it is ready.
func process(t *testing.T, role string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "GOSPER_TEST_ROLE="+role), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%s said %q, %v", role, line, err)
	}
	return cmd
}

// kill is kill -9.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

// freeAddress is a place on loopback where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func numbered(n int) []queue.Task {
	var list []queue.Task
	for i := range n {
		list = append(list, queue.Task{Key: fmt.Sprintf("key%04d", i), Payload: []byte(strconv.Itoa(i))})
	}
	return list
}

// expect checks that every task has the right result and that nothing else has one.
func expect(t *testing.T, results *queue.Results, tasks []queue.Task) {
	t.Helper()
	if keys := results.Keys(); len(keys) != len(tasks) {
		t.Errorf("%d results of %d tasks", len(keys), len(tasks))
	}
	for _, task := range tasks {
		if data, err := results.Load(task.Key); len(data) != 1 || string(data[0]) != "result "+string(task.Payload) {
			t.Errorf("%s: %q, %v", task.Key, data, err)
		}
	}
}

// open is an empty folder for results.
func open(t *testing.T) *queue.Results {
	t.Helper()
	results, err := queue.OpenResults(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { results.Close() })
	return results
}

func about() json.RawMessage { return json.RawMessage(`{"engine":"none"}`) }

func connect(t *testing.T, url string, in *Server) *Connection {
	t.Helper()
	c, err := Connect(t.Context(), url, in, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestInProcess(t *testing.T) {
	s, err := Start(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if url, err := s.URL(""); err == nil {
		t.Errorf("a server that does not listen is at %s", url)
	}
	c := connect(t, "", s)
	working, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if n, err := c.Work(working, func() queue.Do {
			return job
		}, WorkOptions{AtOnce: 4, About: about}); n != 100 || err != nil {
			t.Errorf("%d jobs done well, want 100; %v", n, err)
		}
	})
	o := testOptions
	o.AckWait = patience // nobody dies here, and a job that is given out again would be counted twice
	results := open(t)
	tasks := append(numbered(100), queue.Task{Key: "wrong", Payload: []byte("bad")},
		queue.Task{Key: "mad", Payload: []byte("panic")})
	p, err := c.Run(t.Context(), "ensemble1", tasks, results, o, nil)
	if err != nil || p.Done != 100 || p.Parked != 2 || p.Workers[queue.Name()] != 100 {
		t.Errorf("%+v, %v", p, err)
	}
	expect(t, results, tasks[:100])
	failures, err := results.Failures()
	if err != nil || len(failures) != 2 || failures[1].Error != "a bad job" ||
		!strings.HasPrefix(failures[0].Error, "the job panicked: a job's own fault (jetstream_test.go:") {
		t.Errorf("%+v, %v", failures, err)
	}
	want := fmt.Sprintf(`{"worker":%q,"about":{"engine":"none"}}`, queue.Name())
	if notes := results.Notes(); len(notes) != 1 || string(notes[0].Data) != want {
		t.Errorf("what the worker says about itself was noted as %s, want %s", notes, want)
	}
	// Those that failed are tried again, and nothing else is.
	p, err = c.Run(t.Context(), "ensemble1", tasks, results, o, nil)
	if err != nil || p.Before != 100 || p.Parked != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	// Nothing is left on the server.
	for _, name := range []string{jobsStream, doneStream} {
		stream, err := c.js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if n := stream.CachedInfo().State.Msgs; n > 0 {
			t.Errorf("%d messages are left in %s", n, name)
		}
	}
	objects, err := c.js.ObjectStore(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := objects.List(t.Context()); len(list) > 0 {
		t.Errorf("objects %v, %v", list, err)
	}
	stop()
	wg.Wait()
	if n, err := c.Work(t.Context(), func() queue.Do {
		return job
	}, WorkOptions{AtOnce: 1, Idle: time.Millisecond}); n != 0 || err != nil {
		t.Errorf("an idle worker ended after %d jobs with %v", n, err)
	}
}

// TestDeaths kills a worker in the middle of a job, the coordinator, and the server.
func TestDeaths(t *testing.T) {
	address, dir := freeAddress(t), t.TempDir()
	url := "URL=nats://" + address
	server := process(t, "server", "DIR="+dir, "LISTEN="+address)
	hang := filepath.Join(t.TempDir(), "hang")
	victim := process(t, "worker", url, "HANG="+hang)
	c := connect(t, "nats://"+address, nil)
	results := open(t)
	tasks := numbered(150)

	// The victim alone takes a job, and is killed at it. The coordinator is cut while others are at work.
	first, cut := context.WithCancel(t.Context())
	progress := make(chan queue.Progress, 10_000)
	ended := make(chan error, 1)
	run := func(ctx context.Context) {
		_, err := c.Run(ctx, "e", tasks, results, testOptions, func(p queue.Progress) { progress <- p })
		ended <- err
	}
	go run(first)
	appears(t, hang)
	kill(t, victim)
	process(t, "worker", url)
	process(t, "worker", url)
	for p := range progress {
		if p.Done >= 20 {
			break
		}
	}
	cut()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// It goes on, and the server dies under it.
	go run(t.Context())
	for p := range progress {
		if p.Done >= 60 {
			break
		}
	}
	kill(t, server)
	process(t, "server", "DIR="+dir, "LISTEN="+address)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	expect(t, results, tasks)
	if failures, err := results.Failures(); failures != nil || err != nil {
		t.Errorf("%v, %v", failures, err)
	}
}

// TestPoison has a job that kills every worker that takes it. There are twice as many workers as must die: a
// machine that stands still for longer than the server waits has the job done by two of them at once.
func TestPoison(t *testing.T) {
	address := freeAddress(t)
	s, err := Start(ServerOptions{Dir: t.TempDir(), Listen: address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url, err := s.URL("")
	if err != nil || url != "nats://"+address {
		t.Fatal(url, err)
	}
	c := connect(t, "", s)
	results := open(t)
	for range 8 {
		process(t, "worker", "URL="+url)
	}
	tasks := numbered(20)
	p, err := c.Run(t.Context(), "e", append([]queue.Task{{Key: "poison", Payload: []byte("die")}}, tasks...), results,
		testOptions, nil)
	if err != nil || p.Done != 20 || p.Parked != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	expect(t, results, tasks)
	failures, err := results.Failures()
	if err != nil || len(failures) != 1 {
		t.Fatalf("%+v, %v", failures, err)
	}
	var deaths, alone int
	const said = "its worker died or lost its connection %d times, the last %d times with no other job at work"
	if _, err := fmt.Sscanf(failures[0].Error, said, &deaths, &alone); err != nil || alone < testOptions.Tries ||
		deaths < testOptions.Tries+alone {
		t.Errorf("given up with %q, want it to have died %d times and as often alone", failures[0].Error, testOptions.Tries)
	}
}

// TestUnrelatedDeaths kills the workers of a job more often than a job is tried, for no fault of the job: it is
// done in the end.
func TestUnrelatedDeaths(t *testing.T) {
	address := freeAddress(t)
	s, err := Start(ServerOptions{Dir: t.TempDir(), Listen: address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := connect(t, "", s)
	results, url, tasks := open(t), "nats://"+address, numbered(1)
	ended := make(chan error, 1)
	go func() {
		p, err := c.Run(t.Context(), "e", tasks, results, testOptions, nil)
		if p.Done != 1 || p.Parked != 0 {
			err = fmt.Errorf("%+v, %v", p, err)
		}
		ended <- err
	}()
	for range testOptions.Tries + 1 {
		hang := filepath.Join(t.TempDir(), "at work")
		victim := process(t, "worker", "URL="+url, "HANG="+hang)
		appears(t, hang)
		kill(t, victim)
	}
	process(t, "worker", "URL="+url)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	expect(t, results, tasks)
	keys, err := c.js.KeyValue(t.Context(), strikes)
	if err == nil {
		_, err = keys.Get(t.Context(), "e."+tasks[0].Key)
	}
	if !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("the deaths of the workers of a job that is done are still counted: %v", err)
	}
}

// TestOneCoordinator: a second run of an ensemble on the same server is refused with the owner of the first,
// which takes no harm; a run whose coordinator has died is taken over.
func TestOneCoordinator(t *testing.T) {
	s, err := Start(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, second := connect(t, "", s), connect(t, "", s)
	tasks, results := numbered(5), open(t)
	living, die := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	o := testOptions
	o.Owner, o.Patience = queue.Owner{Host: "elsewhere", Process: 7}, time.Hour
	started := make(chan struct{})
	start := sync.OnceFunc(func() { close(started) })
	go func() {
		_, err := first.Run(living, "e", tasks, results, o, func(queue.Progress) { start() })
		ended <- err
	}()
	select {
	case <-started:
	case err := <-ended:
		t.Fatal("the first run has ended:", err)
	}
	var held *queue.Held
	if _, err := second.Run(t.Context(), "e", tasks, open(t), o, nil); !errors.As(err, &held) || held.Owner.Process != 7 {
		t.Errorf("a second run of the same ensemble: %v", err)
	}
	// The first one dies without a word.
	die()
	<-ended
	store, err := first.js.KeyValue(t.Context(), leases)
	if err == nil {
		_, err = store.Create(t.Context(), "e", []byte(`{"host":"elsewhere","process":7}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	working, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { second.Work(working, func() queue.Do { return job }, WorkOptions{AtOnce: 2}) })
	o.Patience = 50 * time.Millisecond
	if p, err := second.Run(t.Context(), "e", tasks, results, o, nil); err != nil || p.Done != 5 {
		t.Errorf("%+v, %v", p, err)
	}
	expect(t, results, tasks)
	stop()
	wg.Wait()
}

// lateAnswer is a store that carries out a change, but whose answer comes too late.
type lateAnswer struct{ jetstream.KeyValue }

func (l lateAnswer) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if _, err := l.KeyValue.Update(ctx, key, value, revision); err != nil {
		return 0, err
	}
	return 0, context.DeadlineExceeded
}

// TestLateAnswers: a run keeps its lease if it does not hear that its sign of life was stored. It loses the lease if
// another run has taken it, or if somebody has deleted it.
func TestLateAnswers(t *testing.T) {
	s, err := Start(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := connect(t, "", s)
	store, err := c.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: leases})
	if err != nil {
		t.Fatal(err)
	}
	for name, taken := range map[string]func(key string) error{
		"kept": nil,
		"taken": func(key string) error {
			_, err := store.Put(t.Context(), key, []byte(`{"host":"elsewhere"}`))
			return err
		},
		"deleted": func(key string) error { return store.Delete(t.Context(), key) },
	} {
		revision, err := store.Create(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		l := &lease{store, name, queue.ThisProcess("me"), revision}
		for i := range 6 {
			if l.store = store; i%3 < 2 {
				l.store = lateAnswer{store}
			}
			if !l.beat(t.Context()) {
				t.Fatalf("%s: the lease is lost after %d signs of life", name, i)
			}
		}
		if l.me.Beat < 2 {
			t.Errorf("%s: %d signs of life were counted", name, l.me.Beat)
		}
		if taken == nil {
			continue
		}
		if err := taken(name); err != nil {
			t.Fatal(err)
		}
		if l.beat(t.Context()) {
			t.Errorf("%s: the run keeps the lease", name)
		}
	}
}

// TestWorkerEndsWithoutServer: a worker that is told to end while the server is gone does not wait to be rid of
// its results.
func TestWorkerEndsWithoutServer(t *testing.T) {
	s, err := Start(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := connect(t, "", s)
	running, cut := context.WithCancel(t.Context())
	defer cut()
	go c.Run(running, "e", numbered(1), open(t), testOptions, nil)
	at := make(chan struct{})
	endless := func(ctx context.Context, _ []byte) ([]byte, error) {
		close(at)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	worker := connect(t, "", s)
	working, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := worker.Work(working, func() queue.Do { return endless }, WorkOptions{AtOnce: 1})
		ended <- err
	}()
	<-at
	stop()
	s.Close()
	select {
	case <-ended:
	case <-time.After(lastJobs / 2):
		t.Error("the worker goes on without a server")
	}
}

// TestCluster loses one of three servers while jobs are done.
func TestCluster(t *testing.T) {
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("a cluster takes its time to agree; GOSPER_LONG=1 runs this")
	}
	var clients, routes []string
	for range 3 {
		clients, routes = append(clients, freeAddress(t)), append(routes, freeAddress(t))
	}
	var servers []*exec.Cmd
	for i := range 3 {
		servers = append(servers, process(t, "server", "DIR="+t.TempDir(), "NAME=node"+strconv.Itoa(i), "LISTEN="+clients[i],
			"CLUSTER="+routes[i], "PEERS="+strings.Join(routes, ",")))
	}
	url := "nats://" + strings.Join(clients, ",nats://")
	o := testOptions
	o.Replicas, o.AckWait = 3, 2*time.Second
	c, err := Connect(t.Context(), url, nil, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for range 2 {
		process(t, "worker", "URL="+url)
	}
	results, tasks := open(t), numbered(120)
	killed := false
	p, err := c.Run(t.Context(), "e", tasks, results, o, func(p queue.Progress) {
		if p.Done >= 30 && !killed {
			killed = true
			kill(t, servers[0])
		}
	})
	if err != nil || !killed || p.Done != 120 {
		t.Fatalf("%+v, %v", p, err)
	}
	expect(t, results, tasks)
}

func TestRefusals(t *testing.T) {
	address := freeAddress(t)
	if _, err := Connect(t.Context(), "nats://"+address, nil, 0); err == nil ||
		!strings.HasPrefix(err.Error(), "cannot reach a queue at nats://"+address+": nats: no servers available") {
		t.Errorf("got %v", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Start(ServerOptions{Dir: t.TempDir(), Listen: address}); err == nil ||
		!strings.HasPrefix(err.Error(), "the embedded NATS server cannot listen at "+address) {
		t.Errorf("got %v", err)
	}
	if _, err := Start(ServerOptions{Dir: t.TempDir(), Listen: "nowhere"}); err == nil ||
		!strings.Contains(err.Error(), `address "nowhere": want HOST:PORT`) {
		t.Errorf("got %v", err)
	}
}
