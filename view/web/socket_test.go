package web

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/topology"
	"github.com/gosper-life/gosper/view/session"
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
		return []string{protocol}
	}
	return []string{protocol, tokenPrefix + base64.RawURLEncoding.EncodeToString([]byte(token))}
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
	for range 1000 {
		if s.Status().Generation > g {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the universe stands at generation %d: %s", g, s.Status().Failure)
}

func TestFrames(t *testing.T) {
	s := newServer(t, soupOf(t, 100), Options{})
	h := listening(t, s)
	c := dial(t, h, "")
	c.send(`{"do":"view","x":10,"y":20,"scale":0,"w":80,"h":70}`)
	e, err := sim.Open(c.ctx, "cpu", soupOf(t, 100).Config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soupOf(t, 100).Load(c.ctx, e); err != nil {
		t.Fatal(err)
	}
	for g, command := range []string{"", `{"do":"step","n":"1"}`, `{"do":"step","n":"1"}`, `{"do":"jump","generation":"3"}`} {
		if command != "" {
			c.send("%s", command)
			if _, err := e.Step(c.ctx, 1); err != nil {
				t.Fatal(err)
			}
		}
		f := c.frameAt(uint64(g))
		row := make([]uint64, 2)
		for y := range 70 {
			e.ReadRow(row, 0, 10, 20+y, 80)
			for x := range 80 {
				if got, want := sample(t, f, x, y), uint8(row[x>>6]>>(x&63)&1); got != want {
					t.Fatalf("generation %d: cell %d,%d is %d, want %d", g, x, y, got, want)
				}
			}
		}
	}
	c.send(`{"do":"view","x":0,"y":0,"scale":3,"w":13,"h":13}`)
	if f := c.frame(); f[2] != 3 || f[1] != densityBits || len(f) != headerBytes+4*2*13 {
		t.Errorf("scale %d, %d bits, %d bytes", f[2], f[1], len(f))
	}
}

// TestTwoViewers holds that viewers see one universe, each its own part.
func TestTwoViewers(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	a, b := dial(t, h, ""), dial(t, h, "")
	a.send(`{"do":"view","x":0,"y":0,"scale":0,"w":64,"h":64}`)
	b.send(`{"do":"view","x":32,"y":0,"scale":0,"w":8,"h":8}`)
	a.frame()
	b.frame()
	a.send(`{"do":"edit","state":1,"cells":[33,0,34,0]}`)
	a.send(`{"do":"step","n":"5"}`)
	fa, fb := a.frameAt(5), b.frameAt(5)
	for i := range 64 {
		if x, y := i%8, i/8; sample(t, fa, 32+x, y) != sample(t, fb, x, y) {
			t.Fatalf("cell %d,%d differs between viewers", x, y)
		}
	}
	if n := s.stats().ViewersSoFar; n != 2 {
		t.Errorf("%d viewers so far, want 2", n)
	}
}

func TestCommands(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{MaxCells: 1 << 20})
	h := listening(t, s)
	c := dial(t, h, "")
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":8,"h":8}`)
	await := func(want string, is func(status) bool) {
		t.Helper()
		for {
			kind, message := c.receive()
			if kind == websocket.MessageBinary {
				c.send(`{"do":"ack","sequence":%d}`, binary.LittleEndian.Uint32(message[4:]))
				continue
			}
			var m struct {
				Status  *status
				Problem string
			}
			if err := json.Unmarshal(message, &m); err != nil {
				t.Fatal(err)
			}
			if m.Problem != "" {
				t.Fatalf("%s: %s", want, m.Problem)
			}
			if m.Status != nil && is(*m.Status) {
				return
			}
		}
	}
	c.send(`{"do":"soup","density":0.25,"seed":"18446744073709551615","width":128,"height":96}`)
	await("a soup", func(s status) bool {
		return s.Width == 128 && s.Height == 96 && s.Soup != nil && s.Soup.Seed == "18446744073709551615" && s.Rule == "B3/S23:T128,96"
	})
	c.send(`{"do":"soup","rule":"B36/S23:P64,32","density":0.25,"seed":"1","generation":"12"}`)
	await("a soup by its rule", func(s status) bool {
		return s.Rule == "B36/S23:P64,32" && s.RuleName == "HighLife" && s.Generation == 12 && !s.Playing
	})
	c.send(`{"do":"soup","rule":"B3/S23","unbounded":true,"width":30,"height":20,"density":0.5,"seed":"1"}`)
	await("a soup on the plane", func(s status) bool { return !s.Bounded && s.Soup != nil && s.Soup.Width == 30 && s.Rule == "B3/S23" })
	c.send(`{"do":"builtin","name":"gosper-gun","generation":"30"}`)
	await("a gun", func(s status) bool {
		return s.Builtin == "gosper-gun" && s.Generation == 30 && s.Population == 41 && s.Counted == 30
	})
	c.send(`{"do":"edit","state":1,"cells":[1000,1000]}`)
	await("a cell", func(s status) bool { return s.Edited && s.Population == 42 && s.Undo > 0 })
	c.send(`{"do":"undo"}`)
	await("undo", func(s status) bool { return s.Population == 41 })
	c.send(`{"do":"rule","rule":"HighLife"}`)
	await("another rule", func(s status) bool { return s.RuleName == "HighLife" })
	c.send(`{"do":"speed","step":"4","perSecond":15}`)
	await("another speed", func(s status) bool { return s.Step == 4 && s.PerSecond == 15 })
	c.send(`{"do":"reset"}`)
	await("the start", func(s status) bool { return s.Generation == 0 })
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte("x = 3, y = 1, rule = B3/S23:T20,10\n3o!")); err != nil {
		t.Fatal(err)
	}
	await("a pattern", func(s status) bool { return s.Population == 3 && s.Width == 20 && s.Height == 10 })
	c.send(`{"do":"play"}`)
	await("play", func(s status) bool { return s.Playing && s.Generation > 8 })
	c.send(`{"do":"pause"}`)
	await("pause", func(s status) bool { return !s.Playing })
	c.send(`{"do":"series"}`)
	for {
		kind, message := c.receive()
		if kind == websocket.MessageText && strings.HasPrefix(string(message), `{"series":[[`) {
			break
		}
	}
}

// TestComplaints holds that what cannot be done is said, and that the connection and the universe stay.
func TestComplaints(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{MaxCells: 1 << 20})
	h := listening(t, s)
	c := dial(t, h, "")
	for _, m := range []struct{ message, why string }{
		{`{"do":"rule","rule":"nonsense"}`, "nonsense"},
		{`{"do":"rule","rule":"B3/S23:T2000000000,2000000000"}`, "at most 1048576"},
		{`{"do":"soup","rule":"B3/S23","density":0.5,"seed":"1","width":1025,"height":1024}`, "at most 1048576"},
		{`{"do":"soup","rule":"B3/S23:T0","density":0.5,"seed":"1"}`, "needs a width"},
		{`{"do":"soup","rule":"B3/S23","unbounded":true,"width":2000000000,"height":2000000000,"density":0.5,"seed":"1"}`, "at most 1048576"},
		{`{"do":"builtin","name":"../../etc/passwd"}`, "no built-in pattern"},
		{`{"do":"builtin","name":"glider","rule":"B3/S23:T99999,99999"}`, "at most 1048576"},
		{`{"do":"edit","state":2,"cells":[1,1]}`, "state 2"},
		{`{"do":"undo"}`, "nothing to undo"},
	} {
		c.send("%s", m.message)
		if got := c.problem(); !strings.Contains(got, m.why) {
			t.Errorf("%s: %q, want %q", m.message, got, m.why)
		}
	}
	for _, file := range []string{"x = 3, y = 1\n3x!", "\x00\x01\x02", "x = 1, y = 1, rule = B3/S23:T1000000000,1000000000\no!", strings.Repeat("[[[", 1000)} {
		if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(file)); err != nil {
			t.Fatal(err)
		}
		if got := c.problem(); got == "" || strings.Contains(got, "\n") {
			t.Errorf("%.20q: %q", file, got)
		}
	}
	c.send(`{"do":"play"}`)
	advances(t, s.session)
	if w := s.session.Status().Topology.W; w != 64 {
		t.Errorf("the universe is %d wide, want the first one", w)
	}
}

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
	try("a token that is not base64", 401, &websocket.DialOptions{Subprotocols: []string{protocol, tokenPrefix + "a long secret"}})
	for _, origin := range []string{"http://example.com", "https://127.0.0.1.example.com", "http://127.0.0.1:1", "null", "file://"} {
		try("origin "+origin, 403, &websocket.DialOptions{Subprotocols: protocols("a long secret"), HTTPHeader: http.Header{"Origin": {origin}}})
	}
	dial(t, h, "a long secret")
	dial(t, h, "a long secret")
	for range 200 { // a viewer counts from its request on, which Dial does not wait for the end of
		if s.stats().ViewersSoFar >= 2 && len(s.stats().Viewers) == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	try("a third viewer", 503, &websocket.DialOptions{Subprotocols: protocols("a long secret")})
	if _, answer, err := websocket.Dial(ctx, h.URL+"/socket", &websocket.DialOptions{Subprotocols: protocols("wrong")}); err == nil || answer.StatusCode != 401 {
		t.Errorf("a wrong token while full: %v", err)
	}
}

// TestNoProtocol holds that a client that does not name the protocol is told so.
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

// TestBadMessages holds that who sends what no page sends is sent away, and the run goes on.
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
		"bad region":      {`{"do":"view","x":0,"y":0,"scale":0,"w":1000000,"h":1000000}`, websocket.MessageText, websocket.StatusPolicyViolation},
		"long command":    {`{"do":"rule","rule":"` + strings.Repeat("x", maxCommand) + `"}`, websocket.MessageText, websocket.StatusPolicyViolation},
		"huge pattern":    {strings.Repeat("o", maxPattern+1), websocket.MessageBinary, websocket.StatusMessageTooBig},
		"huge command":    {strings.Repeat("o", maxPattern+1), websocket.MessageText, websocket.StatusMessageTooBig},
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
	fmt.Fprintf(conn, "GET /socket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", strings.TrimPrefix(h.URL, "http://"), protocol)
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
		conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if name == "length beyond all memory" {
			conn.(*net.TCPConn).CloseWrite() // more never comes
		}
		if _, err := io.Copy(io.Discard, r); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection stays", name)
		}
		advances(t, s.session)
	}
}

// TestNoAck holds that a viewer that shows nothing gets two frames and no more, while the run goes on.
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
	c.send(`{"do":"builtin","name":"none"}`) // an answer that comes after whatever was sent before
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

// TestSlowReader holds that a viewer that asks for frames and does not read them is sent away, and does not hold up the run.
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
	for sequence := 1; ; sequence++ {
		advances(t, s.session)
		if _, err := conn.Write(masked(0x81, fmt.Sprintf(`{"do":"ack","sequence":%d}`, sequence))); err != nil {
			break // sent away
		}
		if sequence > 2000 {
			t.Fatal("the viewer is never sent away")
		}
		if len(s.stats().Viewers) == 0 {
			break
		}
	}
	advances(t, s.session)
}

// TestClose holds that viewers are told when the server ends.
func TestClose(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	c := dial(t, h, "")
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":8,"h":8}`)
	c.frame()
	done := make(chan struct{})
	go func() { s.Close(); close(done) }()
	if got := c.closed(); got != websocket.StatusGoingAway {
		t.Errorf("closed with %v, want going away", got)
	}
	<-done
	if _, answer, err := websocket.Dial(t.Context(), h.URL+"/socket", &websocket.DialOptions{Subprotocols: protocols("")}); err == nil || answer.StatusCode != 503 {
		t.Errorf("a viewer is let in after the end: %v", err)
	}
}

// TestNothingPilesUp holds that a viewer cannot have more than a few commands and one file wait for a busy engine, that what is too
// much is said, and that views and pings are served meanwhile.
func TestNothingPilesUp(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	c := dial(t, h, "")
	busy, release := make(chan struct{}), make(chan struct{})
	go s.session.Read(t.Context(), func(grid.Source, pattern.Meta) error {
		close(busy)
		<-release
		return nil
	})
	<-busy
	famous, _ := pattern.Builtin("gosper-gun")
	for range 2 {
		if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(famous.RLE)); err != nil {
			t.Fatal(err)
		}
	}
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
	close(release)
	advances(t, s.session)
}
