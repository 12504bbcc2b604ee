package ensemble

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/ensemble/worker"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/queue"
	"github.com/gosper-life/gosper/queue/jetstream"
)

// queueFlags are shared by those who give and those who take jobs.
type queueFlags struct {
	NATS string        `name:"nats" placeholder:"URL" env:"GOSPER_NATS" help:"NATS server or cluster with JetStream that holds the queue (nats://host:4222, nats://TOKEN@host:4222, tls://host:4222)."`
	Wait time.Duration `default:"30s" placeholder:"D" help:"How long to wait for the server at the start. Default: 30s."`
}

// remoteFlags have jobs done by other processes.
type remoteFlags struct {
	queueFlags `embed:""`
	Serve      string `placeholder:"HOST:PORT" help:"Hold the queue in this process, and listen there for workers."`
	Token      string `placeholder:"TEXT" help:"Token that workers must give to whoever serves. Default: a new one, or none where --serve names this machine only."`
	Workers    int    `placeholder:"N" help:"Start N worker processes on this machine, and hold the queue in this one."`

	AckWait  time.Duration `default:"30s" placeholder:"D" help:"How long a worker may be silent before its job goes to another. Default: 30s."`
	Replicas int           `default:"1" placeholder:"N" help:"Copies of the queue on the servers of a cluster. Default: 1."`
}

func (f *remoteFlags) check() error {
	switch {
	case f.Wait < 0 || f.AckWait < time.Second:
		return fmt.Errorf("--wait %v, --ack-wait %v: want 0s or more, and 1s or more", f.Wait, f.AckWait)
	case f.Replicas < 1 || f.Replicas > 5:
		return fmt.Errorf("--replicas %d: want 1 to 5", f.Replicas)
	case f.Workers < 0 || f.NATS != "" && f.Serve != "":
		return errors.New("want --nats or --serve, not both, and 1 worker or more")
	case f.Token != "" && f.Serve == "":
		return errors.New("--token is for --serve; a URL of --nats holds its own: nats://TOKEN@host:4222")
	case strings.Trim(f.Token, tokenLetters) != "":
		return errors.New("--token: want letters, digits, - and _")
	}
	return nil
}

// tokenLetters need no quotes in URLs and shells.
const tokenLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func (f *remoteFlags) remote() bool { return f.NATS != "" || f.Serve != "" || f.Workers != 0 }

// runRemotely has the jobs of a run done by workers that take them from a queue.
func (cmd *runCommand) runRemotely(ctx context.Context, r *running) (queue.Progress, error) {
	server, url, err := cmd.serve(r.console, r.results.Dir())
	if server != nil {
		defer server.Close()
	}
	if err != nil {
		return queue.Progress{}, err
	}
	c, err := jetstream.Connect(ctx, url, server, cmd.Wait)
	if err != nil {
		return queue.Progress{}, err
	}
	defer c.Close()
	working, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	stop, err := cmd.startWorkers(url, r.runners, giveUp)
	if err != nil {
		return queue.Progress{}, err
	}
	if err := r.begin(); err != nil {
		return queue.Progress{}, err
	}
	o := jetstream.Options{Replicas: cmd.Replicas, AckWait: cmd.AckWait, Tries: cmd.Tries, Owner: thisProcess()}
	p, err := c.Run(working, r.plan.Hash(), r.tasks, r.results, o, r.report)
	if ctx.Err() == nil && working.Err() != nil {
		err = context.Cause(working)
	}
	stop(ctx.Err() == nil) // when all is done nothing that a worker is at is of use
	if err == nil && server != nil {
		c.Close()
		server.Close()
		err = os.RemoveAll(queueFolder(r.results.Dir()))
	}
	return p, err
}

// queueFolder is where a server in this process keeps its queue, to go on with it when the run is cut.
func queueFolder(dir string) string { return filepath.Join(dir, "queue") }

// serve starts a server in this process where one is wanted, and says where workers on this machine find the queue.
func (cmd *runCommand) serve(c *console.Console, dir string) (*jetstream.Server, string, error) {
	if cmd.NATS != "" {
		return nil, cmd.NATS, nil
	}
	o := jetstream.ServerOptions{Dir: queueFolder(dir), Listen: cmp.Or(cmd.Serve, "127.0.0.1:0"), Token: cmd.Token}
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, "", console.Badf("--serve %q: want HOST:PORT", cmd.Serve)
	}
	ip := net.ParseIP(host)
	if o.Token == "" && (cmd.Serve == "" || host != "localhost" && !ip.IsLoopback()) {
		if o.Token, err = keptToken(o.Dir); err != nil {
			return nil, "", err
		}
	}
	server, err := jetstream.Start(o)
	if err != nil {
		return nil, "", err
	}
	if host == "" || ip.IsUnspecified() {
		host, _ = os.Hostname() // or nothing: then the line names the loopback
	}
	if cmd.Serve != "" {
		shown, err := server.URL(host)
		if err != nil {
			return server, "", err
		}
		fmt.Fprintf(c.Err, "workers join with: gosper worker --nats %s\n", shown)
	}
	own, err := server.URL("")
	return server, own, err
}

// keptToken is the token of the run that this one goes on with, whose workers know it, or a new one.
func keptToken(dir string) (string, error) {
	path := filepath.Join(dir, "token")
	kept, err := os.ReadFile(path)
	if err == nil && len(kept) > 0 {
		return string(kept), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	token := rand.Text()
	return token, os.WriteFile(path, []byte(token), 0o600)
}

// untilEOF is a variable of the environment that has a worker end with its standard input, which whoever started it holds: a coordinator
// that is killed leaves no workers behind.
const untilEOF = "GOSPER_WORKER_UNTIL_EOF"

// startWorkers starts worker processes, which stop ends: at once, or after the jobs they are at. One that dies is replaced, as often as a
// job may kill one before it is parked; when none is left, and nobody else can join, the run is given up.
func (cmd *runCommand) startWorkers(url string, runners *worker.Pool, giveUp func(error)) (stop func(atOnce bool), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	threads := cmd.Threads
	if threads == 0 {
		threads = max(1, jobsAtOnce(0, cmd.Engine, runners)/max(cmd.Workers, 1))
	}
	stopping, end := context.WithCancel(context.Background())
	living, kill := context.WithCancel(context.Background())
	work := func(number int) error {
		engine := runners.From(number * threads) // where the jobs of the workers before end
		w := exec.CommandContext(living, self, "worker", "--engine", engine, "--threads", fmt.Sprint(threads), "--quiet")
		w.Env = append(os.Environ(), untilEOF+"=1", "GOSPER_NATS="+url) // where no list of processes shows the token
		w.Stderr = os.Stderr
		input, err := w.StdinPipe()
		if err != nil {
			return err
		}
		defer context.AfterFunc(stopping, func() { input.Close() })() // which tells it to end
		return w.Run()
	}
	var workers sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(cmd.Workers))
	for number := range cmd.Workers {
		workers.Go(func() {
			var err error
			for start := 0; start <= 2*cmd.Tries && stopping.Err() == nil; start++ {
				err = work(number)
			}
			if left.Add(-1) == 0 && stopping.Err() == nil && cmd.Serve == "" && cmd.NATS == "" {
				giveUp(fmt.Errorf("all workers have ended, again and again, the last with %w", cmp.Or(err, errors.New("nothing wrong"))))
			}
		})
	}
	return func(atOnce bool) {
		end()
		if atOnce {
			kill()
		}
		workers.Wait()
		kill()
	}, nil
}

// Worked is what a worker reports at its end.
type Worked struct {
	Jobs    int64   `json:"jobs"`
	Seconds float64 `json:"seconds"`
}

// WorkerCommand is gosper worker.
type WorkerCommand struct {
	queueFlags `embed:"" group:"Queue"`

	Engine  string        `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine: auto, or one that gosper engines lists; with cuda:0,1,2,3 each job is on one of these GPUs."`
	Threads int           `placeholder:"N" env:"GOSPER_THREADS" help:"Jobs to do at once. Default: one a core, from 4 to 12 for each GPU."`
	Idle    time.Duration `placeholder:"D" help:"End when there was nothing to do for so long. Default: never."`
	Quiet   bool          `short:"q" help:"No progress and no summary."`
	JSON    bool          `name:"json" help:"Print the summary as one JSON object."`
}

// Help is shown below the usage.
func (*WorkerCommand) Help() string {
	return `Example:

    gosper worker --nats nats://head:4222

A worker does jobs of gosper ensemble run that lie in the queue. Ctrl-C ends it after the jobs it is at; a second one kills it, and
other workers do them again.`
}

// Run implements the command.
func (cmd *WorkerCommand) Run(ctx context.Context, c *console.Console) error {
	var err error
	switch {
	case cmd.NATS == "":
		err = errors.New("--nats URL is missing: where is the queue?")
	case cmd.Threads < 0 || cmd.Idle < 0 || cmd.Wait < 0:
		err = fmt.Errorf("--threads %d, --idle %v, --wait %v: want 0 or more", cmd.Threads, cmd.Idle, cmd.Wait)
	}
	var runners *worker.Pool
	if err == nil {
		runners, err = worker.NewPool(cmd.Engine)
	}
	if err != nil {
		return console.Bad(err)
	}
	defer runners.Close()
	if os.Getenv(untilEOF) != "" {
		var end context.CancelFunc
		ctx, end = context.WithCancel(ctx)
		defer end()
		go func() {
			io.Copy(io.Discard, os.Stdin)
			end()
		}()
	}
	connection, err := jetstream.Connect(ctx, cmd.NATS, nil, cmd.Wait)
	if err != nil {
		return err
	}
	defer connection.Close()
	line := c.Line(cmd.Quiet)
	begin := time.Now()
	var mu sync.Mutex
	used := ""
	total, err := connection.Work(ctx, func() queue.Do {
		runner := runners.New()
		return func(ctx context.Context, payload []byte) ([]byte, error) {
			data, err := runner.Do(ctx, payload)
			mu.Lock()
			defer mu.Unlock()
			used = runner.Used
			return data, err
		}
	}, jetstream.WorkOptions{
		AtOnce: jobsAtOnce(cmd.Threads, cmd.Engine, runners), Idle: cmd.Idle,
		About: func() json.RawMessage {
			mu.Lock()
			defer mu.Unlock()
			return aboutWorker(used)
		},
		Report: func(done int64) {
			line.Show(func() string {
				return fmt.Sprintf("%s done  %s", number.Count(uint64(done), "job"), number.Rate(float64(done)/time.Since(begin).Seconds(), "jobs"))
			})
		},
	})
	line.Erase()
	switch {
	case err != nil:
	case cmd.JSON:
		return c.PrintJSON(Worked{total, time.Since(begin).Seconds()})
	case !cmd.Quiet:
		c.Printf("%s done in %s\n", number.Count(uint64(total), "job"), number.Seconds(time.Since(begin)))
	}
	return err
}
