package jetstream

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions describe an embedded server.
type ServerOptions struct {
	Dir    string // where it keeps the queue; a server started there again goes on with it
	Listen string // HOST:PORT for workers to connect to, port 0 for any that is free; empty: reachable from this process only
	Token  string // that whoever connects must give; empty: none

	// A server of a cluster has a name of its own, a place where it listens to the others, and theirs, all HOST:PORT.
	Name, ClusterListen string
	Peers               []string
}

// Server is an embedded NATS server with JetStream.
type Server struct {
	server *server.Server
	log    *failureLog
	token  string
}

// startTime is how long a server may take to begin to serve.
const startTime = 20 * time.Second

// Start runs a server in this process until Close.
func Start(o ServerOptions) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: o.Name, JetStream: true, StoreDir: o.Dir, NoSigs: true, NoLog: true, DontListen: o.Listen == "",
		Authorization: o.Token,
		// The disk is the limit. By default it is a share of what is free at the start, which nobody would be told.
		JetStreamMaxStore: math.MaxInt64,
	}
	if o.Name == "" {
		options.ServerName = "gosper"
	}
	var err error
	if o.Listen != "" {
		if options.Host, options.Port, err = split(o.Listen); err != nil {
			return nil, err
		}
		if err := free(o.Listen); err != nil {
			return nil, err
		}
	}
	if o.ClusterListen != "" {
		options.Cluster.Name = "gosper"
		if options.Cluster.Host, options.Cluster.Port, err = split(o.ClusterListen); err != nil {
			return nil, err
		}
		for _, peer := range o.Peers {
			options.Routes = append(options.Routes, &url.URL{Scheme: "nats", Host: peer})
		}
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("the embedded NATS server does not start: %w", err)
	}
	log := &failureLog{}
	s.SetLogger(log, false, false)
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, cmp.Or(log.failure(), fmt.Errorf("the embedded NATS server is not ready after %v", startTime))
	}
	return &Server{s, log, o.Token}, nil
}

// free refuses an address that is taken, which the server would only log.
func free(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("the embedded NATS server cannot listen at %s: %w", address, err)
	}
	return l.Close()
}

func split(address string) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(digits)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: want HOST:PORT", address)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// URL is where workers connect to that know this machine as host, with the token; an error for a server that does not listen. An empty
// host is for workers on this machine.
func (s *Server) URL(host string) (string, error) {
	at, listens := s.server.Addr().(*net.TCPAddr)
	if !listens {
		return "", errors.New("the embedded NATS server is reachable from its own process only")
	}
	if host == "" {
		host = at.IP.String()
		if at.IP.IsUnspecified() {
			host = "127.0.0.1"
		}
	}
	u := url.URL{Scheme: "nats", Host: net.JoinHostPort(host, strconv.Itoa(at.Port))}
	if s.token != "" {
		u.User = url.User(s.token)
	}
	return u.String(), nil
}

// failed is why the server stores nothing any more, or nil.
func (s *Server) failed() error {
	if s == nil {
		return nil
	}
	return s.log.failure()
}

// Close stops the server. What it holds stays in its folder.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
