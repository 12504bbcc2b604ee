package web

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/wire"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
)

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
	if err := soupOf(t, 100).Load(c.ctx, e, func(_, _ uint64) {}); err != nil {
		t.Fatal(err)
	}
	for g, command := range []string{
		"", `{"do":"step","n":"1"}`, `{"do":"step","n":"1"}`,
		`{"do":"jump","generation":"3"}`,
	} {
		if command != "" {
			c.send("%s", command)
			if _, err := e.Step(c.ctx, 1); err != nil {
				t.Fatal(err)
			}
		}
		f := c.frameAt(uint64(g))
		row := make([]uint64, 2)
		for y := range 70 {
			grid.InMemory(e.ReadRow(row, 0, 10, 20+y, 80))
			for x := range 80 {
				if got, want := sample(t, f, x, y), uint8(row[x>>6]>>(x&63)&1); got != want {
					t.Fatalf("generation %d: cell %d,%d is %d, want %d", g, x, y, got, want)
				}
			}
		}
	}
	c.send(`{"do":"view","x":0,"y":0,"scale":3,"w":13,"h":13}`)
	if f := c.frameOf(13); f[2] != 3 || f[1] != wire.DensityBits || len(f) != wire.HeaderBytes+4*2*13 {
		t.Errorf("scale %d, %d bits, %d bytes", f[2], f[1], len(f))
	}
}

// TestTwoViewers checks that viewers see one universe, each its own part.
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
		return s.Width == 128 && s.Height == 96 && s.Soup != nil && s.Soup.Seed == "18446744073709551615" &&
			s.Rule == "B3/S23:T128,96"
	})
	c.send(`{"do":"soup","rule":"B36/S23:P64,32","density":0.25,"seed":"1","generation":"12"}`)
	await("a soup by its rule", func(s status) bool {
		return s.Rule == "B36/S23:P64,32" && s.RuleName == "HighLife" && s.Generation == 12 && !s.Playing
	})
	c.send(`{"do":"soup","rule":"B3/S23","unbounded":true,"width":30,"height":20,"density":0.5,"seed":"1"}`)
	await("a soup on the plane", func(s status) bool {
		return !s.Bounded && s.Soup != nil && s.Soup.Width == 30 && s.Rule == "B3/S23"
	})
	c.send(`{"do":"soup","rule":"B3/S23:T60,40","seed":"5","start":"exact~1=321"}`)
	await("an exact count", func(s status) bool {
		return s.Population == 321 && s.Soup != nil && s.Soup.Start == "exact~1=321"
	})
	c.send(`{"do":"soup","rule":"B3/S23:T60,40","seed":"5","start":"repeat~x=20,y=20","cells":"bo$2bo$3o!"}`)
	await("gliders", func(s status) bool { return s.Population == 30 && s.Soup.Cells == "bo$2bo$3o!" })
	c.send(`{"do":"builtin","name":"gosper-gun","generation":"30"}`)
	await("a gun", func(s status) bool {
		return s.Builtin == "gosper-gun" && s.Generation == 30 && s.Population == 41 && s.Counted == 30
	})
	c.send(`{"do":"edit","state":1,"cells":[1000,1000]}`)
	await("a cell", func(s status) bool { return s.Edited && s.Population == 42 && s.Undo > 1 })
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
	c.send(`{"do":"builtin","name":"C2_1/n_soup1"}`)
	await("a soup of Catagolue", func(s status) bool { return s.Population == 228 && s.Name == "C2_1/n_soup1" })
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte("xq4_153\n")); err != nil {
		t.Fatal(err)
	}
	await("an object", func(s status) bool { return s.Population == 5 && s.Name == "xq4_153" })
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte("x = 3, y = 1, rule = B3/S23:T20,10\n3o!")); err != nil {
		t.Fatal(err)
	}
	await("a pattern again", func(s status) bool { return s.Population == 3 && s.Width == 20 && s.Height == 10 })
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

// TestComplaints checks that what cannot be done is said, and that the connection and the universe stay.
func TestComplaints(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{MaxCells: 1 << 20})
	h := listening(t, s)
	c := dial(t, h, "")
	for _, m := range []struct{ message, why string }{
		{`{"do":"rule","rule":"nonsense"}`, "nonsense"},
		{`{"do":"rule","rule":"B3/S23` + strings.Repeat("History", 1000) + `"}`, "cannot have marks itself"},
		{`{"do":"rule","rule":"B3/S23:T2000000000,2000000000"}`, "at most 1048576"},
		{`{"do":"soup","rule":"B3/S23","density":0.5,"seed":"1","width":1025,"height":1024}`, "at most 1048576"},
		{`{"do":"soup","rule":"B3/S23:T0","density":0.5,"seed":"1"}`, "needs a width"},
		{
			`{"do":"soup","rule":"B3/S23","unbounded":true,"width":2000000000,"height":2000000000,"density":0.5,"seed":"1"}`,
			"at most 1048576",
		},
		{`{"do":"builtin","name":"../../etc/passwd"}`, "no built-in pattern, apgcode or soup"},
		{`{"do":"builtin","name":"glider","rule":"B3/S23:T99999,99999"}`, "at most 1048576"},
		{`{"do":"edit","state":2,"cells":[1,1]}`, "state 2"},
		{`{"do":"undo"}`, "nothing to undo"},
	} {
		c.send("%s", m.message)
		if got := c.problem(); !strings.Contains(got, m.why) {
			t.Errorf("%s: %q, want %q", m.message, got, m.why)
		}
	}
	for _, file := range []string{
		"x = 3, y = 1\n3k!", "\x00\x01\x02",
		"x = 1, y = 1, rule = B3/S23:T1000000000,1000000000\no!", strings.Repeat("[[[", 1000),
	} {
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

// TestClose checks that viewers are told when the server ends.
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
	if _, answer, err := websocket.Dial(t.Context(), h.URL+"/socket",
		&websocket.DialOptions{Subprotocols: protocols("")}); err == nil || answer.StatusCode != 503 {
		t.Errorf("a viewer is let in after the end: %v", err)
	}
}

func TestSave(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	c := dial(t, h, "")
	c.send(`{"do":"builtin","name":"gosper-gun","generation":"30"}`)
	if err := s.session.Idle(c.ctx); err != nil {
		t.Fatal(err)
	}
	c.send(`{"do":"save"}`)
	var m struct{ Pattern string }
	for m.Pattern == "" {
		kind, message := c.receive()
		if kind == websocket.MessageText {
			if err := json.Unmarshal(message, &m); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, err := pattern.Read(strings.NewReader(m.Pattern), "gun.rle")
	if err != nil || p.Rule != "B3/S23" || p.Cells.Population() == 0 {
		t.Errorf("%s: %v", m.Pattern, err)
	}
	c.send(`{"do":"soup","rule":"B3/S23:T4096,4096","density":0.5,"seed":"1"}`)
	c.send(`{"do":"save"}`)
	if got := c.problem(); !strings.Contains(got, "more than 4194304 bytes") {
		t.Error(got)
	}
	c.send(`{"do":"soup","rule":"B3/S23:T16384,8192","density":0,"seed":"1"}`)
	c.send(`{"do":"save"}`)
	if got := c.problem(); !strings.Contains(got, "too many to save") {
		t.Error(got)
	}
}

// TestSaveFar saves cells that are too far apart for RLE from a page: hashed life has them as a tree.
func TestSaveFar(t *testing.T) {
	const far = 1 << 50
	cfg := sim.Config{Rule: soupOf(t, 64).Config.Rule}
	session, err := session.New(t.Context(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return sim.Open(ctx, hashlife.Name, cfg)
	}, session.Origin{Config: cfg, Load: func(_ context.Context, e sim.Engine, _ func(done, total uint64)) error {
		return errors.Join(e.WriteRow([]uint64{7}, 0, 0, 0, 3), e.WriteRow([]uint64{7}, 0, far, far, 3))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := session.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := New(session, Options{})
	defer s.Close()
	text, err := savedText(t.Context(), s.session)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pattern.Options{Squares: true}.Read(t.Context(), strings.NewReader(text), "far.mc")
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), hashlife.Name, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.(grid.QuadtreeSink).SetSquares(p.Squares); err != nil {
		t.Fatal(err)
	}
	if box, err := e.Extent(); box != (grid.Rect{W: far + 3, H: far + 1}) || err != nil {
		t.Errorf("cells in %v, %v", box, err)
	}
}

// TestLookingIsNoNews: a universe at rest costs nothing, also where a page asks for its numbers all the time;
// but who comes and goes is told.
func TestLookingIsNoNews(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	viewers := func(c *client) (n int) {
		for {
			kind, message := c.receive()
			var m struct{ Status *struct{ Viewers int } }
			if kind == websocket.MessageText && json.Unmarshal(message, &m) == nil && m.Status != nil {
				n = m.Status.Viewers
			}
			if kind == websocket.MessageBinary { // the frame of that status
				c.send(`{"do":"ack","sequence":%d}`, binary.LittleEndian.Uint32(message[4:]))
				return n
			}
		}
	}
	one := dial(t, h, "")
	one.send(`{"do":"view","x":0,"y":0,"scale":0,"w":64,"h":64}`)
	viewers(one)
	before := s.session.Status().Version
	for _, look := range []string{`{"do":"series"}`, `{"do":"places"}`} {
		one.send("%s", look)
		for kind := websocket.MessageBinary; kind != websocket.MessageText; {
			kind, _ = one.receive()
		}
	}
	if after := s.session.Status().Version; after != before {
		t.Errorf("looking has made %d versions", after-before)
	}
	two := dial(t, h, "")
	for viewers(one) != 2 {
	}
	two.conn.CloseNow()
	for viewers(one) != 1 {
	}
}
