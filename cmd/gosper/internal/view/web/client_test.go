package web

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/wire"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// soupOf is a random torus.
func soupOf(t testing.TB, side int) session.Origin {
	t.Helper()
	torus, err := topology.New(topology.Torus, side, side)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromSoup(sim.Config{Rule: r, Topology: torus}, 0, 0, 7, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	return from
}

func newSession(t testing.TB, from session.Origin) *session.Session {
	t.Helper()
	s, err := session.New(context.Background(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return sim.Open(ctx, "cpu", cfg)
	}, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newServer(t testing.TB, from session.Origin, opts Options) *Server {
	t.Helper()
	s := New(newSession(t, from), opts)
	s.patience = patience // clients answer pings only while they read, which tests do late
	t.Cleanup(s.Close)
	return s
}

// listening is a server behind a real port.
func listening(t testing.TB, s *Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h
}

// client speaks to a server as the page does.
type client struct {
	t    testing.TB
	ctx  context.Context
	conn *websocket.Conn
}

func dial(t testing.TB, h *httptest.Server, token string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, h.URL+"/socket", &websocket.DialOptions{Subprotocols: protocols(token)})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 24)
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, ctx, conn}
}

func protocols(token string) []string {
	if token == "" {
		return []string{guard.Protocol}
	}
	return []string{guard.Protocol, guard.Token + base64.RawURLEncoding.EncodeToString([]byte(token))}
}

func (c *client) send(format string, args ...any) {
	c.t.Helper()
	if err := c.conn.Write(c.ctx, websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() (websocket.MessageType, []byte) {
	c.t.Helper()
	kind, message, err := c.conn.Read(c.ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	return kind, message
}

// frame is the next frame, acknowledged.
func (c *client) frame() []byte {
	c.t.Helper()
	for {
		if kind, message := c.receive(); kind == websocket.MessageBinary {
			c.send(`{"do":"ack","sequence":%d}`, binary.LittleEndian.Uint32(message[4:]))
			return message
		}
	}
}

// frameAt is the first frame of a generation.
func (c *client) frameAt(generation uint64) []byte {
	c.t.Helper()
	for {
		if f := c.frame(); generationOf(f) == generation {
			return f
		}
	}
}

// problem is the next complaint.
func (c *client) problem() string {
	c.t.Helper()
	for {
		kind, message := c.receive()
		if kind == websocket.MessageBinary {
			c.send(`{"do":"ack","sequence":%d}`, binary.LittleEndian.Uint32(message[4:]))
			continue
		}
		var m struct{ Problem string }
		if err := json.Unmarshal(message, &m); err != nil {
			c.t.Fatal(err)
		}
		if m.Problem != "" {
			return m.Problem
		}
	}
}

// closed waits for the end of the connection and returns how the server says it ended.
func (c *client) closed() websocket.StatusCode {
	c.t.Helper()
	for {
		if _, _, err := c.conn.Read(c.ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

func generationOf(frame []byte) uint64 { return binary.LittleEndian.Uint64(frame[32:]) }

// advances fails unless the universe goes on after the present generation.
func advances(t testing.TB, s *session.Session) {
	t.Helper()
	g := s.Status().Generation
	until(t, fmt.Sprintf("the universe goes on after generation %d", g), func() bool {
		st := s.Status()
		if st.Failure != "" {
			t.Fatal(st.Failure)
		}
		return st.Generation > g
	})
}

// patience is the longest time that anything may take on a machine that has much else to do.
const patience = 2 * time.Minute

// until waits until a condition holds. what names it in the failure.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never ", what)
		}
	}
}

// sample reads sample (x, y) of a message as the page does.
func sample(t *testing.T, message []byte, x, y int) uint8 {
	t.Helper()
	bits, w := int(message[1]), int(binary.LittleEndian.Uint32(message[24:]))
	row := (w*bits + 31) / 32
	word := binary.LittleEndian.Uint32(message[wire.HeaderBytes+4*(y*row+x*bits/32):])
	return uint8(word >> (x * bits % 32) & (1<<bits - 1))
}
