package hosts

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/gosper-life/gosper/internal/queue/jetstream"
)

// ServerFlags say where a coordinator and its workers meet.
type ServerFlags struct {
	NATS  string        `name:"nats" placeholder:"URL" env:"GOSPER_NATS" help:"On hosts: NATS server with JetStream that the workers know (nats://host:4222, nats://TOKEN@host:4222, tls://host:4222). Default: one in this process."`
	Serve string        `placeholder:"HOST:PORT" default:"127.0.0.1:0" help:"On hosts, without --nats: address where the server of this process listens for workers. Default: any free port, for workers of this machine only."`
	Token string        `placeholder:"TEXT" help:"With --serve: token that workers must give, of letters, digits, - and _. Default: a random one."`
	Wait  time.Duration `default:"30s" placeholder:"D" help:"On hosts: time to wait for the server at the start. Default: 30s."`
}

// tokenLetters need no quotes in URLs or shells.
const tokenLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// Check refuses flags that have no meaning.
func (f *ServerFlags) Check() error {
	if strings.Trim(f.Token, tokenLetters) != "" || f.Token != "" && f.NATS != "" {
		return errors.New("--token: want letters, digits, - and _; with --nats the token is part of the URL")
	}
	if _, _, err := net.SplitHostPort(f.Serve); err != nil {
		return fmt.Errorf("--serve %q: want HOST:PORT", f.Serve)
	}
	return nil
}

// Connect connects to the server, or starts one and says on w how workers find it. end closes the connection and ends
// that server.
func (f *ServerFlags) Connect(ctx context.Context, w io.Writer) (c *jetstream.Connection, end func(), err error) {
	var ends []func()
	all := func() {
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	defer func() {
		if err != nil {
			all()
		}
	}()
	var server *jetstream.Server
	if f.NATS == "" {
		dir, err := os.MkdirTemp("", "gosper-hosts-")
		if err != nil {
			return nil, nil, err
		}
		ends = append(ends, func() { os.RemoveAll(dir) })
		server, err = jetstream.Start(jetstream.ServerOptions{Dir: dir, Listen: f.Serve, Token: cmp.Or(f.Token, rand.Text())})
		if err != nil {
			return nil, nil, err
		}
		ends = append(ends, server.Close)
		host, _, err := net.SplitHostPort(f.Serve)
		if err != nil {
			return nil, nil, err
		}
		if host == "" || net.ParseIP(host).IsUnspecified() {
			host, _ = os.Hostname() // without a host name, the line shows the loopback address
		}
		url, err := server.URL(host)
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(w, "workers join with: gosper worker --nats %s\n", url)
	}
	if c, err = jetstream.Connect(ctx, f.NATS, server, f.Wait); err != nil {
		return nil, nil, err
	}
	ends = append(ends, c.Close)
	return c, all, nil
}
