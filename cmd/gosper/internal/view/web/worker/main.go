//go:build js

package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"syscall/js"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/burning"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/hashlife"
)

const (
	maxCells = 1 << 28 // of a universe: a page has about 2 GiB
	memory   = 1 << 30 // bytes of an unbounded universe
)

// main is the program of a page without a server. It runs in a worker of the browser, and the page is
// its only viewer.
func main() {
	ctx := context.Background()
	base := sim.Config{Threads: 1, Memory: memory}
	// An element of a page says at once what it shows. A page of its own begins with something alive.
	element := js.Global().Get("name").String() == "element"
	opener := func(engine string) session.Opener {
		return func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, engine, cfg) }
	}
	s := session.StartOn(ctx, session.Terms{Rival: opener(hashlife.Name)}, opener(sim.Auto),
		func(ctx context.Context) (session.Origin, error) {
			first := "x = 0, y = 0, rule = B3/S23\n!"
			gun, _ := builtin.Lookup("gosper-gun")
			if !element {
				first = gun.RLE
			}
			p, err := pattern.Read(strings.NewReader(first), "first.rle")
			if err != nil {
				return session.Origin{}, err
			}
			if !element {
				p.Name = gun.Name
			}
			return session.FromPattern(ctx, p, "", base)
		})
	if s.Ready(ctx) == nil && !element {
		s.Play(ctx)
	}
	if err := web.New(s, web.Options{Base: base, MaxViewers: 1, MaxCells: maxCells, Rules: true}).
		Attach(newPort()); err != nil {
		panic(err) // the page is the only viewer
	}
}

// port is the worker's connection to its page.
type port struct {
	mu     sync.Mutex
	queue  []message
	news   chan struct{} // holds a token when there is something in the queue
	closed chan struct{}
	once   sync.Once
}

type message struct {
	text bool
	data []byte
}

// newPort listens to the page and tells it so.
func newPort() *port {
	p := &port{news: make(chan struct{}, 1), closed: make(chan struct{})}
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := args[0].Get("data")
		m := message{text: data.Type() == js.TypeString}
		if m.text {
			m.data = []byte(data.String())
		} else {
			m.data = make([]byte, data.Length())
			js.CopyBytesToGo(m.data, data)
		}
		p.mu.Lock()
		p.queue = append(p.queue, m)
		p.mu.Unlock()
		select {
		case p.news <- struct{}{}:
		default:
		}
		return nil
	}))
	js.Global().Call("postMessage", js.Null())
	return p
}

// Receive implements web.Connection.
func (p *port) Receive(ctx context.Context) (text bool, content io.Reader, err error) {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			m := p.queue[0]
			p.queue = p.queue[1:]
			p.mu.Unlock()
			return m.text, bytes.NewReader(m.data), nil
		}
		p.mu.Unlock()
		select {
		case <-p.news:
		case <-p.closed:
			return false, nil, io.EOF
		case <-ctx.Done():
			return false, nil, ctx.Err()
		}
	}
}

// Send implements web.Connection.
func (p *port) Send(_ context.Context, text bool, data []byte) error {
	if text {
		js.Global().Call("postMessage", string(data))
		return nil
	}
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	buffer := array.Get("buffer")
	js.Global().Call("postMessage", buffer, []any{buffer})
	return nil
}

// Ping implements web.Connection.
func (*port) Ping(context.Context) error { return nil }

// Close implements web.Connection.
func (p *port) Close(web.Ending, string) { p.once.Do(func() { close(p.closed) }) }
