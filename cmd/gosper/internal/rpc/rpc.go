// Package rpc implements gosper rpc: universes for a program in another language. Requests come on standard input,
// and answers go to standard output.
//
// docs/rpc.md has the protocol. Each request to a universe is answered once, in order. Only reports of progress come
// in between, and an interrupt has no answer. The process ends when its input ends, so a killed client leaves nothing
// behind.
package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

var le = binary.LittleEndian

// Command is gosper rpc.
type Command struct{}

// Help is shown below the usage.
func (*Command) Help() string {
	return `The Python package talks to this command. It reads requests from standard input and answers them on standard output, each a length of four
bytes (little-endian) and a JSON object; docs/rpc.md lists them. It ends with its input.

Example, in Python:

    gosper.Universe("B3/S23", shape=(512, 512), density=0.5)   # starts gosper rpc`
}

// Run implements the command.
func (*Command) Run(ctx context.Context, c *console.Console) error {
	return serve(ctx, os.Stdin, c.Out)
}

// request is a message to the process.
type request struct {
	Universe uint64          `json:"universe,omitempty"` // one of several in this process
	ID       uint64          `json:"id"`
	Method   string          `json:"method"`
	Params   json.RawMessage `json:"params,omitempty"`
}

// response is the answer to one.
type response struct {
	Universe uint64   `json:"universe,omitempty"`
	ID       uint64   `json:"id"`
	Result   any      `json:"result,omitempty"`
	Error    *failure `json:"error,omitempty"`
}

// notice reports the progress of a request.
type notice struct {
	Universe   uint64 `json:"universe,omitempty"`
	ID         uint64 `json:"id"`
	Generation uint64 `json:"generation"`
}

// failure is the reason why a request was not done.
type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// The kinds of failures.
const (
	inputKind       = "input"       // the request was wrong
	failureKind     = "failure"     // it could not be done
	interruptedKind = "interrupted" // it was only done in part
)

// Methods that the receiver looks at.
const (
	interruptMethod = "interrupt" // ends the request with the same id
	closeMethod     = "close"     // ends the universe
)

// mostWaiting is the number of requests to a universe that may wait for the one in hand before the next message is
// read.
const mostWaiting = 64

// serve answers requests until the input ends. Each universe has a goroutine.
func serve(ctx context.Context, from io.Reader, to io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := process{out: &frames{to: to}, servers: map[uint64]*server{}, failed: make(chan error, 1)}
	ended := make(chan error, 1)
	go func() {
		err := p.receive(ctx, from)
		cancel() // nobody waits for the answers to the current requests
		for _, s := range p.servers {
			close(s.requests)
		}
		p.group.Wait()
		ended <- err
	}()
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case err := <-p.failed:
		return err
	}
}

// process has the universes of a process.
type process struct {
	out     *frames
	servers map[uint64]*server
	group   sync.WaitGroup
	failed  chan error // the first answer that could not be written
}

// receive passes requests on, and handles interrupts while others are being answered. Requests that wait for the one in
// hand must not hide an interrupt, or the end of the input, behind them.
func (p *process) receive(ctx context.Context, from io.Reader) error {
	for {
		var r request
		if err := readFrame(from, &r); err != nil {
			return err
		}
		s := p.servers[r.Universe]
		if s == nil {
			s = &server{out: p.out, universe: r.Universe, requests: make(chan request, mostWaiting)}
			p.servers[r.Universe] = s
			p.group.Go(func() { p.answer(ctx, s) })
		}
		if r.Method == interruptMethod {
			s.inHand.interrupt(r.ID)
			continue
		}
		select {
		case s.requests <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
		if r.Method == closeMethod {
			close(s.requests)
			delete(p.servers, r.Universe)
		}
	}
}

// answer answers the requests to a universe.
func (p *process) answer(ctx context.Context, s *server) {
	defer s.close()
	for r := range s.requests {
		if err := s.answer(ctx, r); err != nil {
			select {
			case p.failed <- err:
			default:
			}
		}
	}
}

// inHand is the request that is being answered. An interrupt names its request, because it may arrive before or
// after it.
type inHand struct {
	mu          sync.Mutex
	id          uint64
	cancel      context.CancelFunc // nil: none
	interrupted uint64             // the last request to be interrupted
}

// interrupt cancels a request, or makes begin cancel it if the request has not begun yet: the
// interrupt may overtake it.
func (h *inHand) interrupt(id uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.interrupted = id
	if h.cancel != nil && h.id == id {
		h.cancel()
	}
}

// begin notes the request that is being answered.
func (h *inHand) begin(id uint64, cancel context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id, h.cancel = id, cancel
	if h.interrupted == id {
		cancel()
	}
}

func (h *inHand) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cancel = nil
}

// answer does one request.
func (s *server) answer(ctx context.Context, r request) error {
	if r.ID == 0 {
		missing := failure{inputKind, "a request without an id: it must be 1 or more"}
		return s.out.write(response{Universe: s.universe, Error: &missing})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.inHand.begin(r.ID, cancel)
	result, err := s.call(ctx, r)
	s.inHand.end()
	if err == nil {
		return s.out.write(response{Universe: s.universe, ID: r.ID, Result: result})
	}
	reply := failure{failureKind, console.OneLine(err.Error())}
	var bad console.BadInput
	switch {
	case errors.Is(err, context.Canceled):
		reply.Kind = interruptedKind
	case errors.As(err, &bad):
		reply.Kind = inputKind
	}
	return s.out.write(response{Universe: s.universe, ID: r.ID, Error: &reply})
}

// call finds the method of a request.
func (s *server) call(ctx context.Context, r request) (any, error) {
	if r.Method == closeMethod {
		s.close()
		return done{}, nil
	}
	if s.many != nil && r.Method != "open" {
		return s.many.call(ctx, r)
	}
	if s.engine == nil && r.Method != "open" {
		return nil, console.Badf("%s: no universe is open; call open first", r.Method)
	}
	switch r.Method {
	case "open":
		return with(r, s.open)(ctx)
	case "step":
		return with(r, func(ctx context.Context, p stepParams) (any, error) { return s.step(ctx, r.ID, p) })(ctx)
	case "population":
		return s.population()
	case "extent":
		return s.extent()
	case "hash":
		return s.hash(ctx)
	case "read":
		return with(r, s.read)(ctx)
	case "write":
		return with(r, s.write)(ctx)
	case "fill":
		return with(r, s.fill)(ctx)
	case "clusters":
		return with(r, s.clusters)(ctx)
	case "draw":
		return with(r, s.draw)(ctx)
	case "census":
		return s.census(ctx)
	case "save":
		return with(r, s.save)(ctx)
	case "checkpoint":
		return with(r, s.checkpoint)(ctx)
	}
	return nil, console.Badf("there is no method %q; docs/rpc.md lists them", r.Method)
}

// with decodes the parameters of a method.
func with[P any](r request, method func(context.Context, P) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		var p P
		if len(r.Params) > 0 {
			decoder := json.NewDecoder(bytes.NewReader(r.Params))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&p); err != nil {
				return nil, console.Bad(fmt.Errorf("%s: %w", r.Method, err))
			}
		}
		return method(ctx, p)
	}
}
