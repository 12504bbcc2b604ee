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
	"github.com/gosper-life/gosper/cmd/gosper/internal/hosts"
	"github.com/gosper-life/gosper/ensemble/worker"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
)

// queueFlags are shared by the commands that give jobs and those that take them.
type queueFlags struct {
	NATS string        `name:"nats" placeholder:"URL" env:"GOSPER_NATS" help:"NATS server or cluster with JetStream that holds the queue (nats://host:4222, nats://TOKEN@host:4222, tls://host:4222)."`
	Wait time.Duration `default:"30s" placeholder:"D" help:"Time to wait for the server at the start. Default: 30s."`
}

// remoteFlags have jobs done by other processes.
type remoteFlags struct {
	queueFlags `embed:""`
	Serve      string `placeholder:"HOST:PORT" help:"Keep the queue in this process, and listen on this address for workers."`
	Token      string `placeholder:"TEXT" help:"Token that workers must give to this server. Default: a random one, or none if --serve is reachable from this machine only."`
	Workers    int    `placeholder:"N" help:"Start N worker processes on this machine, and keep the queue in this process."`

	AckWait  time.Duration `default:"30s" placeholder:"D" help:"Time without a sign of a worker after which another worker gets its job. Default: 30s."`
	Replicas int           `default:"1" placeholder:"N" help:"Copies of the queue on the servers of a cluster. Default: 1."`
}

// check refuses flags that contradict each other before anything is started.
func (f *remoteFlags) check() error {
	switch {
	case f.Wait < 0 || f.AckWait < time.Second:
		return fmt.Errorf("--wait %v, --ack-wait %v: want 0s or more, and 1s or more", f.Wait, f.AckWait)
	case f.Replicas < 1 || f.Replicas > 5:
		return fmt.Errorf("--replicas %d: want 1 to 5", f.Replicas)
	case f.Workers < 0 || f.NATS != "" && f.Serve != "":
		return errors.New("want either --nats or --serve, and at least 1 worker")
	case f.Token != "" && f.Serve == "":
		return errors.New("--token needs --serve; with --nats the token is part of the URL: nats://TOKEN@host:4222")
	case strings.Trim(f.Token, tokenLetters) != "":
		return errors.New("--token: want letters, digits, - and _")
	}
	return nil
}

// tokenLetters need no quotes in URLs or shells.
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
	p, err := c.Run(working, r.study.Hash(), r.tasks, r.results, o, r.report)
	if ctx.Err() == nil && working.Err() != nil {
		err = context.Cause(working)
	}
	stop(ctx.Err() == nil) // when all jobs are done, unfinished work of a worker is of no use
	if err == nil && server != nil {
		c.Close()
		server.Close()
		err = os.RemoveAll(queueFolder(r.results.Dir()))
	}
	return p, err
}

// queueFolder is the place where a server in this process keeps its queue, so that a later run can continue with it.
func queueFolder(dir string) string { return filepath.Join(dir, "queue") }

// serve starts a server in this process if one is wanted. It returns the URL at which workers on this machine
// find the queue.
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
		host, _ = os.Hostname() // without a host name, the line shows the loopback address
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

// keptToken returns the token of the run that this one continues, which its workers know, or a new one.
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

// untilEOF is an environment variable that makes a worker end when its standard input ends. The coordinator checks
// that input, so a killed coordinator leaves no workers behind.
const untilEOF = "GOSPER_WORKER_UNTIL_EOF"

// startWorkers starts worker processes. stop ends them, either at once or after their present jobs. A worker
// that dies is replaced, as often as one job may kill a worker before it is set aside. When no worker is left
// and no other can join, the run gives up.
func (cmd *runCommand) startWorkers(url string, runners *worker.Pool, giveUp func(error)) (stop func(atOnce bool),
	err error,
) {
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
		args := []string{"worker", "--threads", fmt.Sprint(threads), "--quiet"}
		if engine := runners.From(number * threads); engine != "" { // continue where the jobs of earlier workers ended
			args = append(args, "--engine", engine)
		}
		w := exec.CommandContext(living, self, args...)
		// the environment hides the token from lists of processes
		w.Env = append(os.Environ(), untilEOF+"=1", "GOSPER_NATS="+url)
		w.Stderr = os.Stderr
		input, err := w.StdinPipe()
		if err != nil {
			return err
		}
		defer context.AfterFunc(stopping, func() { input.Close() })() // the end of its input tells the worker to end
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
				giveUp(fmt.Errorf("all workers have ended repeatedly, the last with %w", cmp.Or(err, errors.New("nothing wrong"))))
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

// Worked is the report of a worker at its end.
type Worked struct {
	Jobs    int64   `json:"jobs"`
	Seconds float64 `json:"seconds"`
}

// WorkerCommand is gosper worker.
type WorkerCommand struct {
	queueFlags `embed:"" group:"Queue"`

	Engine  string        `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine: auto, or one that gosper engines lists; with cuda:0,1,2,3 each job runs on one of these GPUs, and a band on all of them."`
	Threads int           `placeholder:"N" env:"GOSPER_THREADS" help:"Jobs to do at once, and threads of a band. Default: one for each core; jobs: from 4 to 12 for each GPU."`
	Idle    time.Duration `placeholder:"D" help:"End after this long without a job. Default: never."`
	Quiet   bool          `short:"q" help:"No progress and no summary."`
	JSON    bool          `name:"json" help:"Print the summary as one JSON object."`
}

// Help is shown below the usage.
func (*WorkerCommand) Help() string {
	return `Example:

    gosper worker --nats nats://head:4222

A worker takes jobs of gosper ensemble run from the queue, and bands of gosper run --hosts. Ctrl-C ends it after its current jobs. A second Ctrl-C kills it, and other workers repeat these jobs.`
}

// Run implements the command.
func (cmd *WorkerCommand) Run(ctx context.Context, c *console.Console) error {
	var err error
	switch {
	case cmd.NATS == "":
		err = errors.New("--nats URL is missing: name the server that holds the queue")
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
	bands := &hosts.Worker{Engine: cmd.Engine, Threads: cmd.Threads}
	working, end := context.WithCancel(ctx)
	defer end()
	served := make(chan error, 1)
	go func() {
		defer end()
		served <- bands.Serve(working, connection)
	}()
	total, err := connection.Work(working, func() queue.Do {
		runner := runners.New()
		return func(ctx context.Context, payload []byte) ([]byte, error) {
			data, err := runner.Do(ctx, payload)
			mu.Lock()
			defer mu.Unlock()
			used = runner.Used
			return data, err
		}
	}, jetstream.WorkOptions{
		AtOnce: jobsAtOnce(cmd.Threads, cmd.Engine, runners), Idle: cmd.Idle, Busy: bands.Busy,
		About: func() json.RawMessage {
			mu.Lock()
			defer mu.Unlock()
			return aboutWorker(used)
		},
		Report: func(done int64) {
			line.Show(func() string {
				return fmt.Sprintf("%s done  %s", number.Count(uint64(done), "job"),
					number.Rate(float64(done)/time.Since(begin).Seconds(), "jobs"))
			})
		},
	})
	end()
	if failed := <-served; err == nil {
		err = failed
	}
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
