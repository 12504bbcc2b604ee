//go:build unix

package hosts

import (
	"context"
	"encoding/json"
	"fmt"
	math "math/rand/v2"
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

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/bandfiles"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// roleVariable makes a process of this test a worker or a coordinator. Its value is the JSON of a role.
const roleVariable = "GOSPER_HOSTS_ROLE"

// role says what a process does.
type role struct {
	URL  string
	Dir  string // of the checkpoint, for a coordinator; empty for a worker
	Rule string
	Seed uint64
}

// shortPatience is the patience of these processes.
const shortPatience = time.Second

func init() {
	if text := os.Getenv(roleVariable); text != "" {
		if err := play(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// play does what the role of this process says.
func play(text string) error {
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer stop()
	c, err := jetstream.Connect(ctx, r.URL, nil, time.Minute)
	if err != nil {
		return err
	}
	defer c.Close()
	if r.Dir == "" {
		return (&Worker{Engine: "cpu", Threads: 1, Patience: shortPatience}).Serve(ctx, c)
	}
	o := Options{
		Seed: r.Seed, Density: 0.5, Target: 1 << 40, Hosts: 3, Depth: 2, Dir: r.Dir, FromDir: r.Dir, Every: time.Millisecond,
		Patience: shortPatience,
		Hold:     jetstream.Options{Owner: queue.ThisProcess("a test"), Patience: 2 * shortPatience},
	}
	if m, err := bandfiles.Read(r.Dir); err == nil && len(m.Bands) > 0 {
		o.From = m
	}
	u := universe{Rule: r.Rule, Topology: "T130,60"}
	if o.Config, err = u.config(); err != nil {
		return err
	}
	f, err := Run(ctx, c, o)
	if err == nil {
		fmt.Println(f.Generation)
	}
	return err
}

// child is a process of this test.
type child struct {
	*exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // of Wait
}

// kill kills the process and waits for its end.
func (c *child) kill() {
	c.Process.Kill() // it may have ended
	<-c.ended
}

// process starts a process with a role.
func process(t *testing.T, r role) *child {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.err = cmd.Wait()
	}()
	return c
}

// link is a path through a network to a server, which a test can cut.
type link struct {
	url string // by which the server is reached through the link
	to  string // address of the server

	listener net.Listener
	ended    chan struct{} // closed when nothing is accepted any more

	mu      sync.Mutex
	open    *sync.Cond // tells that the link has been mended
	cut     bool
	refuses bool
	ends    map[net.Conn]bool
}

// newLink makes a link to the server at url.
func newLink(t *testing.T, url string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexAny(url, "/@") + 1
	l := &link{
		url: url[:at] + listener.Addr().String(), to: url[at:], listener: listener,
		ended: make(chan struct{}), ends: map[net.Conn]bool{},
	}
	l.open = sync.NewCond(&l.mu)
	go func() {
		defer close(l.ended)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(c)
		}
	}()
	return l
}

// close ends the link.
func (l *link) close() {
	l.listener.Close()
	<-l.ended
	l.mend()
	l.drop()
}

// carry carries the bytes of one connection in both directions.
func (l *link) carry(c net.Conn) {
	defer c.Close()
	l.mu.Lock()
	refuses := l.refuses
	l.mu.Unlock()
	if refuses {
		return
	}
	d, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer d.Close()
	l.mu.Lock()
	l.ends[c], l.ends[d] = true, true
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.ends, c)
		delete(l.ends, d)
	}()
	go l.copy(d, c)
	l.copy(c, d)
}

// copy carries bytes while the link is open. Then it closes both ends.
func (l *link) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	data := make([]byte, 1<<16)
	for {
		n, err := from.Read(data)
		if err != nil {
			return
		}
		l.mu.Lock()
		for l.cut {
			l.open.Wait()
		}
		l.mu.Unlock()
		if _, err := to.Write(data[:n]); err != nil {
			return
		}
	}
}

// partition cuts the link. Its connections stay open, but nothing passes until mend; TCP then sends again what
// was lost.
func (l *link) partition() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
}

// refuse closes all connections, and all new ones until mend.
func (l *link) refuse() {
	l.mu.Lock()
	l.refuses = true
	l.mu.Unlock()
	l.drop()
}

func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.ends {
		c.Close()
	}
}

func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.refuses = false, false
	l.open.Broadcast()
}

// TestProcesses kills and stops workers, coordinators and the server at random, and cuts the network between one worker
// and the server. The workers and coordinators are processes. The universe goes on each time and has the cells of one
// machine at the end.
func TestProcesses(t *testing.T) {
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("a long test: GOSPER_LONG=1, and GOSPER_KILLS for another number of kills than 30")
	}
	kills := 30
	if text := os.Getenv("GOSPER_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir, store := filepath.Join(t.TempDir(), "saved"), t.TempDir()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	server, err := jetstream.Start(jetstream.ServerOptions{Dir: store, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { server.Close() }()
	url, err := server.URL("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	links := make([]*link, 3) // of the workers
	leads := role{URL: url, Dir: dir, Rule: "B3/S23~flip=0.01,seed=3", Seed: 5}
	workers := make([]*child, len(links))
	for i := range links {
		links[i] = newLink(t, url)
		defer links[i].close()
		workers[i] = process(t, role{URL: links[i].url})
	}
	coordinator := process(t, leads)
	defer func() {
		for _, p := range append(workers, coordinator) {
			p.kill()
		}
	}()
	generation := func() uint64 {
		m, err := bandfiles.Read(dir)
		if err != nil || len(m.Bands) == 0 {
			return 0
		}
		return m.Generation
	}
	beyond := func(g uint64) {
		t.Helper()
		for begin := time.Now(); generation() <= g; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 2*time.Minute {
				t.Fatalf("the universe does not go on after generation %d", g)
			}
		}
	}
	random := math.New(math.NewPCG(math.Uint64(), 0))
	counts := map[string]int{}
	beyond(0)
	for range kills {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		i := random.IntN(len(workers))
		what := ""
		switch random.IntN(7) {
		case 0, 1:
			what = "workers killed"
			workers[i].kill()
			workers[i] = process(t, role{URL: links[i].url})
		case 2:
			what = "workers stopped for a while"
			workers[i].Process.Signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(random.IntN(4)) * shortPatience)
			workers[i].Process.Signal(syscall.SIGCONT)
		case 3:
			what = "coordinators killed"
			coordinator.kill()
			coordinator = process(t, leads)
		case 4:
			what = "servers restarted"
			server.Close()
			time.Sleep(time.Duration(random.IntN(4)) * shortPatience / 2)
			if server, err = jetstream.Start(jetstream.ServerOptions{
				Dir: store, Listen: url[strings.LastIndexAny(url, "/@")+1:],
			}); err != nil {
				t.Fatal(err)
			}
		case 5:
			what = "workers cut off for a while"
			links[i].partition()
			time.Sleep(time.Duration(random.IntN(4)) * shortPatience)
			links[i].mend()
		case 6:
			what = "connections refused for a while"
			links[i].refuse()
			time.Sleep(time.Duration(random.IntN(4)) * shortPatience)
			links[i].mend()
		}
		counts[what]++
		for range 2 { // a checkpoint may have been on its way
			beyond(generation())
		}
		select {
		case <-coordinator.ended:
			t.Fatalf("the coordinator has ended after: %s: %v", what, coordinator.err)
		default:
		}
	}
	coordinator.Process.Signal(syscall.SIGINT)
	if <-coordinator.ended; coordinator.err != nil {
		t.Fatal(coordinator.err)
	}
	t.Logf("%v, %d generations", counts, generation())

	m, err := bandfiles.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := (*universe)(&m.Universe).config()
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), "cpu", cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soup.Fill(t.Context(), e, 130, 60, leads.Seed, 0.5, 1, nil); err != nil {
		t.Fatal(err)
	}
	for n := m.Generation; n > 0; {
		done, err := e.Step(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		n -= done
	}
	got, err := openBand(t.Context(), "cpu", cfg, []span{{0, 60}}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer got.close()
	if err := got.load(t.Context(), dir, m.Bands); err != nil {
		t.Fatal(err)
	}
	var sums [2]grid.Digest
	for i, src := range []grid.Source{e, got.cells()} {
		if sums[i], err = grid.StateHash(t.Context(), src, 2, false); err != nil {
			t.Fatal(err)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("generation %d has hash %x, want %x", m.Generation, sums[1], sums[0])
	}
}
