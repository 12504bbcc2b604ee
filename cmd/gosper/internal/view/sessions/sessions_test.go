package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
)

// start makes sessions with a change to usual options.
func start(t *testing.T, change func(*Options)) *Sessions {
	t.Helper()
	opts := Options{Most: 4, Each: 3, Memory: 4 << 30, Idle: time.Hour, Open: sim.Open, Engine: "cpu"}
	if change != nil {
		change(&opts)
	}
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// come lets a visitor in and fails if that fails.
func come(t *testing.T, s *Sessions, v visit) (*room, web.Pass) {
	t.Helper()
	r, pass, err := s.enter(t.Context(), v)
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	return r, pass
}

// refused fails unless a visitor is refused with some words.
func refused(t *testing.T, s *Sessions, v visit, why web.Ending, words string) {
	t.Helper()
	_, _, err := s.enter(t.Context(), v)
	var r *refusal
	if !errors.As(err, &r) || r.why != why || !strings.Contains(r.words, words) || strings.Contains(r.words, "\n") ||
		len(r.words) > 123 {
		t.Errorf("%+v: %v, want a line with %q", v, err, words)
	}
}

// TestWhoComesIn: keys open one session, each for what it says; without one a member makes sessions and watches
// those on the list.
func TestWhoComesIn(t *testing.T) {
	s := start(t, nil)
	r, pass := come(t, s, visit{name: "mine", member: true, person: "a"})
	if a := pass.About(); pass.Watch || !a.Fresh || a.Listed || a.EditKey != r.Edit || a.WatchKey != r.Watch ||
		len(r.Edit) < 20 || r.Edit == r.Watch {
		t.Errorf("who makes a session is told %+v", pass.About())
	}
	other, _ := come(t, s, visit{name: "other", member: true, person: "b"})
	for _, member := range []bool{true, false} {
		if _, p := come(t, s, visit{name: "mine", key: r.Edit, member: member}); p.Watch || p.List == nil ||
			p.About().Fresh || p.About().EditKey != r.Edit {
			t.Errorf("with the key for editing: %+v", p.About())
		}
		if _, p := come(t, s, visit{name: "mine", key: r.Watch, member: member}); !p.Watch || p.List != nil ||
			p.About().EditKey+p.About().WatchKey != "" {
			t.Errorf("with the key for watching: %+v", p.About())
		}
	}
	for _, key := range []string{"", "x", other.Edit, other.Watch, strings.ToLower(r.Edit), r.Edit + "x"} {
		refused(t, s, visit{name: "mine", key: key, member: true, person: "a"}, web.Refused, "private")
		if _, _, err := s.enter(t.Context(), visit{name: "mine", key: key}); err != errStranger {
			t.Errorf("a stranger with key %q: %v", key, err)
		}
	}
	pass.List(true)
	if _, p := come(t, s, visit{name: "mine", member: true}); !p.Watch || !p.About().Listed {
		t.Errorf("of the list: %+v", p.About())
	}
	if _, _, err := s.enter(t.Context(), visit{name: "mine"}); err != errStranger {
		t.Errorf("a stranger, of the list: %v", err)
	}
	pass.List(false)
	refused(t, s, visit{name: "mine", member: true}, web.Refused, "private")
	if _, _, err := s.enter(t.Context(), visit{name: "none"}); err != errStranger {
		t.Errorf("a stranger makes a session: %v", err)
	}
}

func TestLimits(t *testing.T) {
	s := start(t, nil)
	for _, name := range []string{"", "-", "a/b", "..", "a.js", strings.Repeat("n", 41), "é", "a b"} {
		refused(t, s, visit{name: name, member: true}, web.Refused, "letters, digits")
	}
	for i := range 3 {
		come(t, s, visit{name: fmt.Sprint("a", i), member: true, person: "a"})
	}
	refused(t, s, visit{name: "a3", member: true, person: "a"}, web.Refused,
		"you have made as many universes here as each person may: 3")
	come(t, s, visit{name: strings.Repeat("n", 40), member: true, person: "b"})
	refused(t, s, visit{name: "b1", member: true, person: "b"}, web.Refused,
		"there are already 4 universes, the most this server holds")
	if _, err := New(Options{Most: 16, Memory: 100 << 20}); err == nil ||
		!strings.Contains(err.Error(), "100 MiB for 16 sessions: each needs 8 MiB") {
		t.Errorf("little memory: %v", err)
	}
	s.Close()
	refused(t, s, visit{name: "late", member: true}, web.GoingAway, "ends")
}

// TestMemory: a session's universe cannot take more than its part of the memory, on any engine.
func TestMemory(t *testing.T) {
	s := start(t, func(o *Options) { o.Memory = 4 * (64 << 20) })
	r, pass := come(t, s, visit{name: "mine", member: true})
	c := dial(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { r.server.ServeSocket(w, q, pass) }), "/")
	c.send(`{"do":"soup","rule":"B3/S23:T16384,8193","density":0.5,"seed":"1"}`)
	if got := c.problem(); !strings.Contains(got, "this server makes universes of at most 134217728") { // 16 MiB
		t.Error(got)
	}
	large := &Sessions{opts: Options{Open: func(context.Context, string, sim.Config) (sim.Engine, error) {
		return &greedy{bytes: 33 << 20}, nil
	}}}
	open := large.opener(32 << 20)
	if _, err := open(t.Context(), "greedy", sim.Config{}); err == nil ||
		err.Error() != "the engine greedy takes 33 MiB for this universe: here it may take 32" {
		t.Error(err)
	}
}

// greedy is an engine that takes much memory.
type greedy struct {
	sim.Engine
	bytes  uint64
	closed bool
}

func (g *greedy) Info() sim.Info { return sim.Info{Engine: "greedy", Bytes: g.bytes} }
func (g *greedy) Close() error   { g.closed = true; return nil }

// until waits for something that happens soon, unless the machine has much else to do.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never ", what)
		}
	}
}

// TestIdle: a session that nobody watches is paused, goes on when somebody comes, and is dropped in the end.
// Who comes then is told so; the name is free.
func TestIdle(t *testing.T) {
	s := start(t, nil)
	ctx := t.Context()
	r, _ := come(t, s, visit{name: "mine", member: true})
	watched, _ := come(t, s, visit{name: "watched", member: true})
	until(t, "the gun plays", func() bool { return r.session.Status().Generation > 0 && watched.session.Status().Playing })
	now := time.Now()
	s.sweep(ctx, now.Add(2*pauseAfter))
	s.leave(r)
	s.sweep(ctx, now.Add(pauseAfter/2))
	if !r.session.Status().Playing {
		t.Fatal("it is paused while it is watched, or at once")
	}
	s.sweep(ctx, now.Add(2*pauseAfter))
	if r.session.Status().Playing || !watched.session.Status().Playing {
		t.Fatal("nobody watches, and it plays; or somebody does, and it does not")
	}
	g := r.session.Status().Generation
	come(t, s, visit{name: "mine", key: r.Watch})
	until(t, "it goes on", func() bool { return r.session.Status().Generation > g })
	if err := r.session.Jump(ctx, g+1_000_000_000); err != nil {
		t.Fatal(err)
	}
	s.leave(r)
	s.sweep(ctx, time.Now().Add(2*pauseAfter))
	come(t, s, visit{name: "mine", key: r.Watch})
	until(t, "it runs to its target", func() bool {
		st := r.session.Status()
		return st.Playing && st.Target == g+1_000_000_000
	})
	s.leave(r)
	if err := r.session.Pause(ctx); err != nil {
		t.Fatal(err)
	}
	s.sweep(ctx, time.Now().Add(2*pauseAfter))
	come(t, s, visit{name: "mine", key: r.Edit})
	time.Sleep(20 * time.Millisecond)
	if r.session.Status().Playing {
		t.Error("what people have paused goes on by itself")
	}
	s.leave(r)
	s.sweep(ctx, time.Now().Add(2*time.Hour))
	until(t, "it is closed", func() bool { return errors.Is(r.session.Play(ctx), session.ErrClosed) })
	refused(t, s, visit{name: "mine", key: r.Edit, member: true}, web.Gone,
		"this universe has expired: nobody had watched it for 1h0m0s")
	if again, pass := come(t, s, visit{name: "mine", member: true}); again.Edit == r.Edit || !pass.About().Fresh {
		t.Error("the name is not free, or has the old keys")
	}
	come(t, s, visit{name: "watched", key: watched.Edit})
}

// TestFollow: sessions end by themselves.
func TestFollow(t *testing.T) {
	s := start(t, func(o *Options) { o.Idle = 50 * time.Millisecond })
	go s.Follow(t.Context())
	r, _ := come(t, s, visit{name: "mine", member: true})
	s.leave(r)
	until(t, "it is dropped", func() bool { return errors.Is(r.session.Play(t.Context()), session.ErrClosed) })
}

// client speaks to a session as the page does.
type client struct {
	t    *testing.T
	conn *websocket.Conn
}

// dial asks for a socket, with secrets as subprotocols: "key.…", "token.…".
func dial(t *testing.T, h http.Handler, path string, secrets ...string) *client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	protocols := []string{"gosper.1"}
	for _, s := range secrets {
		kind, secret, _ := strings.Cut(s, ".")
		protocols = append(protocols, kind+"."+base64.RawURLEncoding.EncodeToString([]byte(secret)))
	}
	conn, _, err := websocket.Dial(t.Context(), server.URL+path, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, conn}
}

func (c *client) send(message string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatal(err)
	}
}

// read is the next field of a kind, "problem" or "session".
func (c *client) read(field string) json.RawMessage {
	c.t.Helper()
	for {
		kind, message, err := c.conn.Read(c.t.Context())
		if err != nil {
			c.t.Fatal(err)
		}
		var m map[string]json.RawMessage
		if kind == websocket.MessageText && json.Unmarshal(message, &m) == nil && m[field] != nil {
			return m[field]
		}
	}
}

func (c *client) problem() (words string) {
	c.t.Helper()
	if err := json.Unmarshal(c.read("problem"), &words); err != nil {
		c.t.Fatal(err)
	}
	return words
}

func (c *client) about() (a web.About) {
	c.t.Helper()
	if err := json.Unmarshal(c.read("session"), &a); err != nil {
		c.t.Fatal(err)
	}
	return a
}

// TestSockets: sessions over their sockets do not see each other, and keys come as subprotocols.
func TestSockets(t *testing.T) {
	s := start(t, func(o *Options) { o.Most = 6 })
	h := s.Handler()
	a := dial(t, h, "/u/one/socket")
	one := a.about()
	b := dial(t, h, "/u/two/socket")
	two := b.about()
	if one.Name != "one" || two.Name != "two" || one.EditKey == two.EditKey {
		t.Errorf("%+v, %+v", one, two)
	}
	watcher := dial(t, h, "/u/one/socket", "key."+one.WatchKey)
	if w := watcher.about(); !w.Watch || w.EditKey != "" {
		t.Errorf("who watches is told %+v", w)
	}
	watcher.send(`{"do":"rule","rule":"B36/S23"}`)
	if got := watcher.problem(); !strings.Contains(got, "for watching") {
		t.Error(got)
	}
	editor := dial(t, h, "/u/one/socket", "key."+one.EditKey)
	editor.about()
	room := func(name string) *room {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.byName[name]
	}
	if err := room("one").session.Ready(t.Context()); err != nil { // before that, a new rule is refused
		t.Fatal(err)
	}
	editor.send(`{"do":"rule","rule":"B36/S23"}`)
	until(t, "the rule is another", func() bool { return room("one").session.Status().Rule == "B36/S23" })
	if err := room("two").session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := room("two").session.Status().Rule; got != "B3/S23" {
		t.Errorf("the other session has the rule %s", got)
	}
	private := dial(t, h, "/u/one/socket")
	_, _, err := private.conn.Read(t.Context())
	var refusal websocket.CloseError
	if !errors.As(err, &refusal) || refusal.Code != websocket.StatusPolicyViolation ||
		!strings.Contains(refusal.Reason, "private") {
		t.Errorf("without a key: %v", err)
	}
	// Who does not say more is one person for each address.
	third := dial(t, h, "/u/three/socket")
	third.about()
	fourth := dial(t, h, "/u/four/socket")
	if _, _, err := fourth.conn.Read(t.Context()); !errors.As(err, &refusal) ||
		!strings.Contains(refusal.Reason, "each person may: 3") {
		t.Errorf("one too many: %v", err)
	}
	editor.conn.CloseNow()
	watcher.conn.CloseNow()
	until(t, "they have left", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.byName["one"].inside == 1
	})
}

// TestList: the list has the universes that their editors have put there, and no secrets. Without the token nobody
// gets the list, unless strangers are allowed.
func TestList(t *testing.T) {
	get := func(s *Sessions, path, token string) (int, string) {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8080"+path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		body, _ := io.ReadAll(w.Result().Body)
		return w.Code, string(body)
	}
	for _, strangers := range []bool{false, true} {
		s := start(t, func(o *Options) { o.Web.Token, o.Strangers = "a long secret", strangers })
		_, pass := come(t, s, visit{name: "shared", member: true})
		r, _ := come(t, s, visit{name: "hidden", member: true})
		pass.List(true)
		code, list := get(s, "/u/list.json", "a long secret")
		var got []listed
		if err := json.Unmarshal([]byte(list), &got); err != nil || code != 200 || len(got) != 1 || got[0].Name != "shared" ||
			got[0].Viewers != 1 {
			t.Errorf("the list: %d, %s", code, list)
		}
		if list := s.listing(browserOf("browser")); len(list) != 1 || list[0].Mine || !list[0].Listed {
			t.Errorf("the list of somebody else: %+v", list)
		}
		for _, secret := range []string{"hidden", r.Edit, r.Watch, pass.About().EditKey, pass.About().WatchKey} {
			if strings.Contains(list, secret) {
				t.Errorf("the list has %s", secret)
			}
		}
		if code, list = get(s, "/u/list.json", ""); (code == 401) == strangers ||
			strangers != strings.Contains(list, "shared") {
			t.Errorf("the list for strangers (%v): %d, %s", strangers, code, list)
		}
		for path, want := range map[string]string{
			"/u/": "sessions.js", "/u/any": "data-session", "/u/new": "data-session",
			"/u/page.js": "", "/u/page.css": "", "/u/catalogue.json": "rules",
		} {
			if code, body := get(s, path, ""); code != 200 || !strings.Contains(body, want) {
				t.Errorf("GET %s: %d, %.80s", path, code, body)
			}
		}
	}
	s := start(t, nil)
	r := httptest.NewRequest("GET", "http://example.com/u/list.json", nil)
	w := httptest.NewRecorder()
	if s.Handler().ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("another host's name without a token: %d", w.Code)
	}
}

// TestStrangers: with a token, who has neither that nor a key learns no more than that a token is wanted.
func TestStrangers(t *testing.T) {
	s := start(t, func(o *Options) { o.Web.Token = "a long secret" })
	h := s.Handler()
	mine := dial(t, h, "/u/mine/socket", "token.a long secret").about()
	if w := dial(t, h, "/u/mine/socket", "key."+mine.WatchKey).about(); !w.Watch {
		t.Errorf("with a key: %+v", w)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	for _, name := range []string{"mine", "none"} {
		_, answer, err := websocket.Dial(t.Context(), server.URL+"/u/"+name+"/socket",
			&websocket.DialOptions{Subprotocols: []string{"gosper.1", "key.x"}})
		if err == nil || answer.StatusCode != 401 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPeople: a person is a browser that identifies itself, or else an address. One address gets at most half of all
// universes.
func TestPeople(t *testing.T) {
	s := start(t, func(o *Options) { o.Most, o.Each = 7, 2 })
	make := func(name, secret, address string) error {
		t.Helper()
		r := httptest.NewRequest("GET", "/u/"+name+"/socket", nil)
		r.RemoteAddr = address + ":5"
		_, _, err := s.enter(t.Context(), visit{
			name: name, member: true, person: cmp.Or(browserOf(secret), guard.Address(r, false)),
			address: guard.Address(r, false),
		})
		return err
	}
	for i, c := range []struct{ secret, address, why string }{
		{"one", "192.0.2.1", ""},
		{"one", "192.0.2.1", ""},
		{"one", "192.0.2.1", "each person may: 2"},
		{"one", "192.0.2.2", "each person may: 2"},
		{"two", "192.0.2.1", ""},
		{"", "192.0.2.1", ""},
		{"two", "192.0.2.1", "4 universes are open from your address, half of those that this server holds"},
		{"two", "192.0.2.3", ""},
		{"", "192.0.2.3", ""},
		{"", "192.0.2.3", ""},
		{"", "192.0.2.3", "each person may: 2"},
		{"", "192.0.2.4", "already 7"},
	} {
		err := make(fmt.Sprint("u", i), c.secret, c.address)
		if (err == nil) != (c.why == "") || err != nil && (!strings.Contains(err.Error(), c.why) || len(err.Error()) > 123) {
			t.Errorf("%d, %+v: %v", i, c, err)
		}
	}
	// Over a socket: all tabs of a browser are counted together, and the kept file does not contain the browser's
	// secret.
	dir := t.TempDir()
	s = keeping(t, dir, func(o *Options) { o.Each = 1 })
	h := s.Handler()
	dial(t, h, "/u/a1/socket", "person.first secret").about()
	dial(t, h, "/u/b1/socket", "person.second secret").about()
	var refusal websocket.CloseError
	if _, _, err := dial(t, h, "/u/a2/socket", "person.first secret").conn.Read(t.Context()); !errors.As(err, &refusal) ||
		!strings.Contains(refusal.Reason, "each person may: 1") {
		t.Errorf("a second tab: %v", err)
	}
	s.Close()
	file, err := os.ReadFile(filepath.Join(dir, "u-a1.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file, []byte("first secret")) || bytes.Contains(file, []byte("127.0.0.1")) ||
		!bytes.Contains(file, []byte(browserOf("first secret"))) {
		t.Errorf("the file says %.400q", file)
	}
}
