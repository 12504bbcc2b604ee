//go:build unix

package hosts

import (
	"context"
	"encoding/json"
	"fmt"
	math "math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
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
	if m, err := Peek(r.Dir); err == nil && len(m.Bands) > 0 {
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

// process starts a process with a role.
func process(t *testing.T, r role) *exec.Cmd {
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
	return cmd
}

// TestProcesses kills and stops workers, coordinators and the server, all of them processes but for the server, at
// random. The universe goes on each time and has the cells of one machine at the end.
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
	works := role{URL: url}
	leads := role{URL: url, Dir: dir, Rule: "B3/S23~flip=0.01,seed=3", Seed: 5}
	var workers []*exec.Cmd
	for range 3 {
		workers = append(workers, process(t, works))
	}
	coordinator := process(t, leads)
	defer func() {
		for _, p := range append(workers, coordinator) {
			p.Process.Kill() // it may have ended
			p.Wait()
		}
	}()
	generation := func() uint64 {
		m, err := Peek(dir)
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
	kill := func(p *exec.Cmd) {
		p.Process.Kill()
		p.Wait()
	}
	random := math.New(math.NewPCG(math.Uint64(), 0))
	counts := map[string]int{}
	beyond(0)
	for range kills {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		i := random.IntN(len(workers))
		before, what := generation(), ""
		switch random.IntN(5) {
		case 0, 1:
			what = "workers killed"
			kill(workers[i])
			workers[i] = process(t, works)
		case 2:
			what = "workers stopped for a while"
			workers[i].Process.Signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(random.IntN(4)) * shortPatience)
			workers[i].Process.Signal(syscall.SIGCONT)
		case 3:
			what = "coordinators killed"
			kill(coordinator)
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
		}
		counts[what]++
		beyond(before)
		if coordinator.ProcessState != nil {
			t.Fatalf("the coordinator has ended after: %s", what)
		}
	}
	coordinator.Process.Signal(syscall.SIGINT)
	if err := coordinator.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, %d generations", counts, generation())

	m, err := Peek(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := m.Universe.config()
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
