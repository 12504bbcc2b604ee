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
	Dir    string // where it keeps the queue; a server started there again continues with it
	Listen string // HOST:PORT for workers to connect to, port 0 for any free port; empty: reachable only from this process
	Token  string // the token that clients must give, or empty

	// A server of a cluster has a name, an address where it listens to the other servers, and the addresses of
	// these, all HOST:PORT.
	Name, ClusterListen string
	Peers               []string
}

// Server is an embedded NATS server with JetStream.
type Server struct {
	server *server.Server
	log    *failureLog
	token  string
}

// startTime is the longest time that a server may take to start.
const startTime = 20 * time.Second

// Start runs a server in this process until Close.
func Start(o ServerOptions) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: o.Name, JetStream: true, StoreDir: o.Dir, NoSigs: true, NoLog: true, DontListen: o.Listen == "",
		Authorization: o.Token,
		// The disk is the limit. The default is a share of the space that is free at the start.
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

// free returns an error if an address is in use, which the server would only log.
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

// URL returns the URL, with the token, for workers that know this machine by the name host. An empty host is
// for workers on this machine. It fails for a server that does not listen.
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

// failed returns why the server can store nothing more, or nil.
func (s *Server) failed() error {
	if s == nil {
		return nil
	}
	return s.log.failure()
}

// Close stops the server. Its data stay in its folder.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
