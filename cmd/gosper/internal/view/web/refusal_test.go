package web

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
)

// TestRefusals holds who is not let in.
func TestRefusals(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{Token: "a long secret", MaxViewers: 2})
	h := listening(t, s)
	ctx := t.Context()
	try := func(name string, want int, o *websocket.DialOptions) {
		t.Helper()
		conn, answer, err := websocket.Dial(ctx, h.URL+"/socket", o)
		if err == nil {
			conn.CloseNow()
			t.Errorf("%s is let in", name)
		} else if answer == nil || answer.StatusCode != want {
			t.Errorf("%s: %v, want %d", name, err, want)
		}
	}
	try("no token", 401, &websocket.DialOptions{Subprotocols: protocols("")})
	try("a wrong token", 401, &websocket.DialOptions{Subprotocols: protocols("a long secret!")})
	try("a token that is not base64", 401,
		&websocket.DialOptions{Subprotocols: []string{guard.Protocol, guard.Token + "a long secret"}})
	for _, origin := range []string{
		"http://example.com", "https://127.0.0.1.example.com", "http://127.0.0.1:1", "null",
		"file://",
	} {
		try("origin "+origin, 403, &websocket.DialOptions{
			Subprotocols: protocols("a long secret"),
			HTTPHeader:   http.Header{"Origin": {origin}},
		})
	}
	dial(t, h, "a long secret")
	dial(t, h, "a long secret")
	// A viewer counts from its request on, which Dial does not wait for the end of.
	until(t, "two viewers are there", func() bool { return s.stats().ViewersSoFar >= 2 && len(s.stats().Viewers) == 2 })
	third, _, err := websocket.Dial(ctx, h.URL+"/socket", &websocket.DialOptions{Subprotocols: protocols("a long secret")})
	if err != nil {
		t.Fatal(err)
	}
	var refusal websocket.CloseError
	if _, _, err := third.Read(ctx); !errors.As(err, &refusal) || refusal.Code != websocket.StatusTryAgainLater ||
		!strings.Contains(refusal.Reason, "already 2 viewers") {
		t.Errorf("a third viewer: %v", err)
	}
	if _, answer, err := websocket.Dial(ctx, h.URL+"/socket",
		&websocket.DialOptions{Subprotocols: protocols("wrong")}); err == nil || answer.StatusCode != 401 {
		t.Errorf("a wrong token while full: %v", err)
	}
}

// TestNoProtocol checks that a client that does not name the protocol is told so.
func TestNoProtocol(t *testing.T) {
	h := listening(t, newServer(t, soupOf(t, 64), Options{}))
	conn, _, err := websocket.Dial(t.Context(), h.URL+"/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("%v, want a policy violation", err)
	}
}

// TestBadMessages checks that a client with messages that no page sends is disconnected, and that the run goes on.
func TestBadMessages(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		message string
		kind    websocket.MessageType
		want    websocket.StatusCode
	}{
		"no JSON":         {"hello", websocket.MessageText, websocket.StatusPolicyViolation},
		"unknown command": {`{"do":"quit"}`, websocket.MessageText, websocket.StatusPolicyViolation},
		"bad region": {
			`{"do":"view","x":0,"y":0,"scale":0,"w":1000000,"h":1000000}`, websocket.MessageText,
			websocket.StatusPolicyViolation,
		},
		"long command": {
			`{"do":"rule","rule":"` + strings.Repeat("x", maxCommand) + `"}`, websocket.MessageText,
			websocket.StatusPolicyViolation,
		},
		"huge pattern": {strings.Repeat("o", maxPattern+1), websocket.MessageBinary, websocket.StatusMessageTooBig},
		"huge command": {strings.Repeat("o", maxPattern+1), websocket.MessageText, websocket.StatusPolicyViolation},
	} {
		client := dial(t, h, "")
		// The server may hang up before all of a huge message is written.
		_ = client.conn.Write(client.ctx, c.kind, []byte(c.message))
		if got := client.closed(); got != c.want && !(got == -1 && len(c.message) > maxPattern) {
			t.Errorf("%s: closed with %v, want %v", name, got, c.want)
		}
		advances(t, s.session)
	}
}

// raw is a connection that has shaken hands and then writes bytes as it likes.
func raw(t testing.TB, h *httptest.Server) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(
		conn, "GET /socket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
			"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
		strings.TrimPrefix(h.URL, "http://"), guard.Protocol)
	r := bufio.NewReader(conn)
	answer, err := http.ReadResponse(r, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", answer, err)
	}
	return conn, r
}

// masked is a frame from a client: opcode and flags, payload.
func masked(head byte, payload string) []byte {
	frame := []byte{head}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	default:
		frame = append(frame, 0x80|126, byte(n>>8), byte(n))
	}
	frame = append(frame, 0, 0, 0, 0)
	return append(frame, payload...)
}

func TestBadFrames(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, bytes := range map[string][]byte{
		"reserved opcode":              masked(0x83, "x"),
		"reserved bit":                 masked(0xc1, `{"do":"play"}`),
		"not masked":                   append([]byte{0x81, 13}, `{"do":"play"}`...),
		"long control frame":           masked(0x89, strings.Repeat("x", 126)),
		"fragment of no message":       masked(0x80, "x"),
		"length beyond all memory":     {0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3},
		"negative length":              {0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3},
		"HTTP in place of a websocket": []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
	} {
		conn, r := raw(t, h)
		if _, err := conn.Write(bytes); err != nil {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Now().Add(patience))
		if name == "length beyond all memory" {
			conn.(*net.TCPConn).CloseWrite() // more never comes
		}
		if _, err := io.Copy(io.Discard, r); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection stays", name)
		}
		advances(t, s.session)
	}
}

// TestNoAck checks that a viewer that shows nothing gets two frames and no more, while the run goes on.
func TestNoAck(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	c := dial(t, h, "")
	c.send(`{"do":"play"}`)
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":64,"h":64}`)
	frames := 0
	for frames < inFlight {
		if kind, _ := c.receive(); kind == websocket.MessageBinary {
			frames++
		}
	}
	advances(t, s.session)
	advances(t, s.session)
	c.send(`{"do":"builtin","name":"none"}`) // its answer comes after all earlier ones
	for {
		kind, message := c.receive()
		if kind == websocket.MessageBinary {
			t.Fatal("a third frame came")
		}
		if strings.Contains(string(message), "no built-in") {
			break
		}
	}
	c.send(`{"do":"ack","sequence":2}`)
	if f := c.frame(); binary.LittleEndian.Uint32(f[4:]) != 3 {
		t.Errorf("frame %d after the second", binary.LittleEndian.Uint32(f[4:]))
	}
	// Acknowledging what was never sent brings nothing more.
	c.send(`{"do":"ack","sequence":4000000000}`)
	c.send(`{"do":"builtin","name":"none"}`)
	if got := c.problem(); !strings.Contains(got, "no built-in") {
		t.Error(got)
	}
}

// TestSlowReader checks that a viewer that asks for frames and does not read them is sent away, and does not hold up
// the run.
func TestSlowReader(t *testing.T) {
	from := soupOf(t, 2048)
	s := newServer(t, from, Options{})
	s.patience = 300 * time.Millisecond
	h := listening(t, s)
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, _ := raw(t, h)
	conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := conn.Write(masked(0x81, `{"do":"view","x":0,"y":0,"scale":0,"w":2048,"h":2048}`)); err != nil {
		t.Fatal(err)
	}
	until(t, "the viewer is in", func() bool { return s.stats().ViewersSoFar == 1 })
	until(t, "the viewer is sent away", func() bool {
		viewers := s.stats().Viewers
		if len(viewers) == 0 {
			return true
		}
		// A frame that was not sent yet cannot be acknowledged.
		_, err := conn.Write(masked(0x81, fmt.Sprintf(`{"do":"ack","sequence":%d}`, viewers[0].Frames)))
		advances(t, s.session)
		return err != nil
	})
	advances(t, s.session)
}

// TestNothingPilesUp checks that a viewer cannot have more than a few commands and one file wait for a busy engine,
// that what is too much is said, and that views and pings are served meanwhile.
func TestNothingPilesUp(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	c := dial(t, listening(t, s), "")
	var v *viewer
	until(t, "the viewer is in", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for v = range s.viewers {
		}
		return v != nil
	})
	busy, idle := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(idle) })
	t.Cleanup(release) // a session that is busy cannot be closed
	go s.session.Read(t.Context(), func(grid.Source, pattern.Meta) error {
		close(busy)
		<-idle
		return nil
	})
	<-busy
	famous, _ := builtin.Lookup("gosper-gun")
	upload := func() {
		if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(famous.RLE)); err != nil {
			t.Fatal(err)
		}
	}
	// The first file is read, and its pattern waits for the engine. The second one waits to be read.
	upload()
	until(t, "the first file is read", func() bool { return s.opts.Common.files.Waiting() > 0 && !v.upload.Load() })
	upload()
	upload()
	if got := c.problem(); !strings.Contains(got, "another pattern") {
		t.Error(got)
	}
	for range maxWaiting + 10 {
		c.send(`{"do":"step","n":"1"}`)
	}
	if got := c.problem(); !strings.Contains(got, "too many commands") {
		t.Error(got)
	}
	// A ping is answered while a message is read.
	go func() {
		for {
			if _, _, err := c.conn.Read(c.ctx); err != nil {
				return
			}
		}
	}()
	if err := c.conn.Ping(c.ctx); err != nil {
		t.Error(err)
	}
	release()
	// All steps may be done before this goroutine goes on.
	until(t, "the steps that waited are done", func() bool { return s.session.Status().Generation == maxWaiting-1 })
}
