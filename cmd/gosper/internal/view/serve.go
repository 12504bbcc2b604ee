package view

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/dashboard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/sessions"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/static"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
)

// ServeCommand is gosper serve.
type ServeCommand struct {
	origin.Flags      `embed:"" group:"Universe" set:"side=4096, or 1024 if no flag names a universe"`
	start.EngineFlags `embed:""`

	Listen   string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address and port to listen on; port 0 picks a free one. Default: 127.0.0.1:8080, this machine alone."`
	Token    string `env:"GOSPER_TOKEN" placeholder:"T" help:"Secret that viewers must give, at least 8 characters. Required if --listen lets other machines in."`
	Insecure bool   `help:"Let other machines in without a token: everybody who reaches the port can watch and edit."`
	Play     bool   `help:"Start playing."`
	Viewers  int    `default:"32" placeholder:"N" help:"Largest number of viewers at the same time. Default: 32."`
	Static   string `placeholder:"DIR" help:"Do not serve: write a page into DIR that runs universes in the browser, for any web server. Needs Go and a clone of Gosper."`
	Ensemble string `placeholder:"DIR" help:"Also show the ensemble in this folder at /ensemble/, while it runs and afterwards: its progress and figures, and its universes, which open in the viewer."`

	Sessions       int            `default:"16" placeholder:"N" help:"Largest number of universes besides the first one. Opening a new address /u/NAME makes a universe there. 0: only the first one. Default: 16."`
	SessionsEach   int            `default:"4" placeholder:"N" help:"Largest number of these universes for one person. A person is a browser, or an address if the browser does not identify itself. One address gets at most half of --sessions. Default: 4."`
	BehindProxy    bool           `help:"Take the address of a viewer from the header X-Forwarded-For. Use this only if the server is behind a proxy that sets the header, because otherwise a viewer can forge its address."`
	SessionsMemory start.ByteSize `placeholder:"SIZE" help:"Memory for all of these universes, in equal parts (800M, 6G). Default: a third of --memory."`
	SessionsIdle   time.Duration  `default:"1h" placeholder:"D" help:"Time that a universe stays in memory while nobody watches it. Default: 1h."`
	SessionsDir    string         `placeholder:"DIR" help:"Folder to keep universes in, as checkpoints, when nobody watches them and when the server ends. Opening its address brings a universe back. Default: universes are dropped."`
	SessionsKept   int            `default:"256" placeholder:"N" help:"Largest number of universes in the folder, of one person at most --sessions-each. The oldest are deleted first. Default: 256."`
	SessionsDisk   start.ByteSize `default:"1G" placeholder:"SIZE" help:"Disk space for all universes in the folder. One universe may take a quarter of it. Default: 1G."`
	Strangers      bool           `help:"With --token: let people without the token make their own universes and watch the listed ones. The first universe is not visible to them."`

	MaxCells uint64 `default:"4294967296" placeholder:"N" help:"Largest number of cells in a universe that a viewer makes. Default: 4294967296, 65536×65536."`
}

// Help is shown below the usage.
func (*ServeCommand) Help() string {
	return `Examples:

    gosper serve                                          # a soup of 1024×1024 that plays; open http://127.0.0.1:8080/
    gosper serve gosper-gun --listen 127.0.0.1:9000
    gosper serve --size 16384 --density 0.37 --seed 7 --play
    gosper serve --listen 0.0.0.0:8080 --token "a long secret"
    gosper serve --ensemble soups                         # an ensemble, also while it runs; open http://127.0.0.1:8080/ensemble/
    gosper serve --sessions-dir universes                 # universes at /u/NAME come back after a pause and after a restart of the server
    gosper serve --static public                          # a page for any web server; no Gosper server is needed

With a token the address is http://HOST:8080/#token=SECRET, and statistics are at /stats:
curl -H "Authorization: Bearer SECRET" http://HOST:8080/stats

All viewers of an address share its universe. A slow viewer gets fewer frames and does not slow the engine. http://HOST:8080/u/NAME, with any name, makes
a universe of its own with links for those who may edit and those who may watch.`
}

// Run implements the command.
func (cmd *ServeCommand) Run(ctx context.Context, c *console.Console) error {
	if err := cmd.check(); err != nil {
		return console.Bad(err)
	}
	if cmd.Static != "" {
		if (cmd.Flags != origin.Flags{}) {
			return console.Badf(
				"--static: the page chooses its universe by its address (#pattern=acorn, #seed=7&size=256x256, …); leave out what names one here")
		}
		written, err := static.Write(ctx, cmd.Static, static.Best)
		for _, path := range written {
			c.Printf("%s\n", path)
		}
		return err
	}
	if (cmd.Flags == origin.Flags{}) { // without flags, show a universe that is alive
		cmd.Size, cmd.Play = origin.Size{W: 1024, H: 1024}, true
	}
	board, err := cmd.openDashboard(ctx)
	if err != nil {
		return err
	}
	if board != nil {
		defer board.Close()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cmd.Listen)
	if err != nil {
		return console.Badf("--listen %s: %w", cmd.Listen, rootCause(err))
	}
	var base sim.Config // of the universes that viewers ask for
	cmd.Configure(&base)
	options := web.Options{
		Base:  base,
		Token: cmd.Token, AnyHost: cmd.Insecure, MaxViewers: cmd.Viewers, MaxCells: cmd.MaxCells, Common: web.NewCommon(),
		Proxied:  cmd.BehindProxy,
		Sessions: cmd.Sessions > 0,
		Rules:    !cmd.Strangers,
	}
	others, terms, err := cmd.openSessions(c, options)
	if err != nil {
		return errors.Join(console.Bad(err), listener.Close())
	}
	if others != nil {
		defer cmd.endSessions(c, others)
	}
	s, ready, err := startSession(ctx, &cmd.Flags, &cmd.EngineFlags, terms, cmd.Play)
	if err != nil {
		return errors.Join(console.Bad(err), listener.Close())
	}
	defer endSession(s)
	serving, stop := context.WithCancel(ctx)
	defer stop()
	if board != nil {
		options.Ensemble = board
		go board.Follow(serving)
	}
	server := web.New(s, options)
	handler := http.NewServeMux()
	handler.Handle("/", server)
	if others != nil {
		handler.Handle(sessions.Below, others.Handler())
		go others.Follow(serving)
	}
	c.Printf("gosper serve: http://%s/\n", browsable(listener.Addr()))
	if board != nil {
		c.Printf("%s: http://%s/ensemble/\n", cmd.Ensemble, browsable(listener.Addr()))
	}
	served := make(chan error, 1)
	go func() { served <- serveUntil(serving, listener, handler, server) }()
	if err := cmd.await(ctx, c, s, ready); err != nil {
		stop()
		return errors.Join(err, <-served)
	}
	return <-served
}

// openDashboard opens the ensemble to show. It returns nil without --ensemble.
func (cmd *ServeCommand) openDashboard(ctx context.Context) (*dashboard.Dashboard, error) {
	if cmd.Ensemble == "" {
		return nil, nil
	}
	return dashboard.Open(ctx, cmd.Ensemble)
}

// await waits until the universe is loaded, and shows the progress on a terminal.
func (cmd *ServeCommand) await(ctx context.Context, c *console.Console, s *session.Session, ready <-chan error) error {
	line := c.Line(false)
	defer line.Erase()
	for {
		select {
		case err := <-ready:
			if ctx.Err() != nil {
				return nil // interrupted, which is the normal end of serving
			}
			return err
		case <-time.After(console.Moment):
			if of := s.Status().Loading; of != nil {
				line.Show(func() string {
					if of.Total == 0 {
						return "reading the universe"
					}
					return fmt.Sprintf("loading the universe  %.0f %%", 100*float64(of.Done)/float64(of.Total))
				})
			}
		}
	}
}

// openSessions opens the store of the universes besides the first one, and returns the terms of the first one. The
// store is nil if --sessions is 0.
func (cmd *ServeCommand) openSessions(c *console.Console, of web.Options) (*sessions.Sessions, session.Terms, error) {
	most, memory := cmd.Sessions, uint64(cmd.SessionsMemory)
	if memory == 0 {
		if memory = of.Base.Memory / 3; memory == 0 { // the system does not say how much is free
			memory = 1 << 30
		}
		most = int(min(uint64(most), memory/sessions.LeastMemory))
	}
	if most == 0 {
		return nil, session.Terms{}, nil
	}
	all, err := sessions.New(sessions.Options{
		Most: most, Each: cmd.SessionsEach, Memory: memory, Idle: cmd.SessionsIdle, Strangers: cmd.Strangers,
		Web: of, Open: sim.Open, Engine: cmd.Engine,
		Shelf: sessions.Shelf{
			Dir: cmd.SessionsDir, Most: cmd.SessionsKept, Bytes: uint64(cmd.SessionsDisk),
			Warn: func(err error) {
				fmt.Fprintf(c.Err, "gosper: %s\n", console.OneLine(err.Error()))
			},
		},
	})
	if err != nil {
		return nil, session.Terms{}, err
	}
	if cmd.SessionsDir != "" {
		c.Printf("universes kept in %s: %d\n", cmd.SessionsDir, all.Kept())
	}
	return all, all.Terms(), nil
}

// endSessions ends the universes beside the first one, and keeps them if there is a folder for that.
func (cmd *ServeCommand) endSessions(c *console.Console, all *sessions.Sessions) {
	all.Close()
	if cmd.SessionsDir != "" {
		c.Printf("universes kept in %s: %d\n", cmd.SessionsDir, all.Kept())
	}
}

// serveUntil answers requests until ctx is done.
func serveUntil(ctx context.Context, l net.Listener, handler http.Handler, server *web.Server) error {
	h := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 14,
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		server.Close()
		return err
	case <-ctx.Done():
	}
	l.Close()
	server.Close() // h does not close the server's web sockets
	h.Close()
	<-ended
	return nil
}

// check refuses flags that would let strangers in by mistake.
func (cmd *ServeCommand) check() error {
	host, _, err := net.SplitHostPort(cmd.Listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s: want an address and a port, as in 127.0.0.1:8080", cmd.Listen)
	case cmd.Token != "" && cmd.Insecure:
		return errors.New("--token and --insecure contradict each other: leave one out")
	case cmd.Token != "" && len(cmd.Token) < 8:
		return errors.New("--token: want 8 characters or more")
	case cmd.Token == "" && !cmd.Insecure && !staysHere(host):
		return fmt.Errorf("--listen %s lets other machines in: give --token, or --insecure to let everybody in", cmd.Listen)
	case cmd.Viewers < 1:
		return fmt.Errorf("--viewers %d: want 1 or more", cmd.Viewers)
	case cmd.Sessions < 0:
		return fmt.Errorf("--sessions %d: want 0 or more", cmd.Sessions)
	case cmd.SessionsEach < 1:
		return fmt.Errorf("--sessions-each %d: want 1 or more", cmd.SessionsEach)
	case cmd.SessionsIdle < time.Second:
		return fmt.Errorf("--sessions-idle %v: want 1s or more", cmd.SessionsIdle)
	case cmd.SessionsDir != "" && cmd.Sessions == 0:
		return errors.New("--sessions-dir and --sessions 0 contradict each other: leave one out")
	case cmd.SessionsKept < 1:
		return fmt.Errorf("--sessions-kept %d: want 1 or more", cmd.SessionsKept)
	case cmd.Strangers && cmd.Token == "":
		return errors.New("--strangers: without --token everybody who reaches the port may do everything; leave it out")
	case cmd.Strangers && cmd.Sessions == 0:
		return errors.New("--strangers and --sessions 0 contradict each other: leave one out")
	}
	return nil
}

// staysHere reports whether a listening address can be reached from this machine only.
func staysHere(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// browsable is an address in the form that one types into a browser.
func browsable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return a.String()
}

// rootCause removes from an error of package net what the command's message already says.
func rootCause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
