package browsertest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/sessions"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/sim"
)

// serveSessions shows an acorn at / and lets people have universes of their own.
func serveSessions(t *testing.T, change func(*sessions.Options)) (url string) {
	t.Helper()
	opts := sessions.Options{
		Most: 8, Each: 8, Memory: 1 << 30, Idle: time.Hour, Open: sim.Open, Engine: "cpu",
		Web: web.Options{Sessions: true, Common: web.NewCommon()},
	}
	if change != nil {
		change(&opts)
	}
	all, err := sessions.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	origin := named(t, "acorn")
	first := session.StartOn(context.Background(), all.Terms(), openCPU, func(context.Context) (session.Origin, error) {
		return origin, nil
	})
	server := web.New(first, opts.Web)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", server)
	mux.Handle(sessions.Below, all.Handler())
	h := &http.Server{Handler: mux}
	go h.Serve(l)
	t.Cleanup(func() {
		h.Close()
		server.Close()
		all.Close()
		first.Close()
	})
	return "http://" + l.Addr().String() + "/"
}

// tab opens another tab of the same browser.
func tab(t *testing.T, ctx context.Context) context.Context {
	t.Helper()
	another, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	do(t, another, chromedp.EmulateViewport(1280, 800), scheme("light"))
	return another
}

// soon waits until a JavaScript expression is true, also on another page.
func soon(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if is && err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never %s: %v", expression, err)
		}
	}
}

// eventually waits until something on the server is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never happens that %s", what)
		}
	}
}

// noticed waits for words in the notice.
func noticed(t *testing.T, ctx context.Context, words string) {
	t.Helper()
	soon(t, ctx, `window.notice && !notice.hidden && notice.textContent.includes("`+words+`")`)
}

// given is the link that a button of the controls gives.
func given(t *testing.T, ctx context.Context, button string) string {
	t.Helper()
	return value[string](
		t, ctx, `(() => { let link = ""; navigator.clipboard.writeText = async (text) => { link = text; }; document.getElementById("`+button+`").click(); return link; })()`)
}

// TestSessions: a universe of one's own is made by one button, and by opening its address; what happens in one
// is not seen in another.
func TestSessions(t *testing.T) {
	one := browser(t)
	url := serveSessions(t, nil)
	open(t, one, url)
	atRest(t, one, 0, 7)
	do(t, one, chromedp.Click(chromedp.CSS("#make-session")))
	soon(
		t, one, `/^\/u\/[a-z0-9]{8}$/.test(location.pathname) && window.universe && universe.dataset.frames > 1 && Number(readout.dataset.generation) > 0`)
	noticed(t, one, "This universe is yours")
	two := tab(t, one)
	open(t, two, url+"u/second#pattern=glider&at=1,1,8")
	atRest(t, two, 0, 5)
	if address := value[string](t, two, `location.href`); address != url+"u/second" {
		t.Errorf("the address is %s", address)
	}
	before := value[string](t, one, `readout.dataset.generation`)
	do(t, two, chromedp.KeyEvent(" "))
	atRest(t, two, 1, 5)
	until(t, one, `readout.dataset.playing === "true" && readout.dataset.generation !== "`+before+`"`)
	do(t, two, chromedp.KeyEvent("z"))
	atRest(t, two, 0, 5)
	do(t, two, chromedp.Navigate(url+"u/second")) // once more, by the key that the browser keeps
	until(
		t, two, `window.universe && universe.dataset.frames > 1 && readout.dataset.population === "5" && document.getElementById("session-links") && !document.getElementById("session-links").hidden`)
	shot(t, two, "session-editor")
	third := tab(t, one)
	open(t, third, url)
	atRest(t, third, 0, 7) // as it was
}

// TestWatcher: who has the link for watching sees the universe run, has nothing to edit with, and can change
// nothing by other means either.
func TestWatcher(t *testing.T) {
	editor := browser(t)
	open(t, editor, serveSessions(t, nil)+"u/mine#pattern=acorn")
	atRest(t, editor, 0, 7)
	watchLink, editLink := given(t, editor, "watch-link"), given(t, editor, "edit-link")
	if !strings.Contains(watchLink, "/u/mine#key=") || watchLink == editLink {
		t.Fatal(watchLink, editLink)
	}
	watcher := tab(t, editor)
	open(t, watcher, watchLink)
	until(t, watcher, `!watching.hidden && location.hash === "" && readout.dataset.population === "7"`)
	for _, id := range []string{
		"play", "step", "faster", "draw", "undo", "redo", "soup", "paste", "library", "engine",
		"gif", "jump", "back", "session-links", "session-list",
	} {
		if value[bool](t, watcher, `document.getElementById("`+id+`").checkVisibility()`) {
			t.Errorf("a watcher has %s", id)
		}
	}
	if !value[bool](t, watcher, `measure.checkVisibility() && png.checkVisibility()`) {
		t.Error("a watcher can neither measure nor keep a picture")
	}
	shot(t, watcher, "session-watcher")
	for _, key := range []string{" ", "c", "5", "+"} {
		do(t, watcher, chromedp.KeyEvent(key))
		noticed(t, watcher, "You are watching")
		value[any](t, watcher, `notice.hidden = true; null`)
	}
	do(t, watcher, pasted("bo$2bo$3o!"))
	noticed(t, watcher, "You are watching")
	atRest(t, editor, 0, 7)
	do(t, editor, chromedp.KeyEvent(" "))
	atRest(t, editor, 1, 8)
	atRest(t, watcher, 1, 8)

	friend := tab(t, editor)
	open(t, friend, editLink)
	do(t, friend, chromedp.KeyEvent(" "))
	atRest(t, watcher, 2, 10)
}

// TestPrivateSessions: a session is on the list when an editor puts it there, and not before; then everybody
// may watch it.
func TestPrivateSessions(t *testing.T) {
	ctx := browser(t)
	url := serveSessions(t, nil)
	open(t, ctx, url+"u/mine")
	list := tab(t, ctx)
	do(t, list, chromedp.Navigate(url+"u/"))
	access := func(words string) string {
		return `document.querySelector("#sessions a")?.textContent === "mine" && document.querySelector("#sessions td:last-child").textContent === "` + words + `"`
	}
	until(t, list, access("yours, private"))
	do(t, ctx, chromedp.Click(chromedp.CSS("#listed")))
	until(t, list, access("yours, on the list"))
	do(t, list, scheme("light"))
	shot(t, list, "session-list")
	value[any](t, list, `localStorage.clear(); null`) // somebody else's browser
	until(t, list, access("to watch"))
	do(t, list, chromedp.Click(chromedp.CSS("#sessions a")))
	soon(t, list, `location.pathname === "/u/mine" && window.watching && !watching.hidden && universe.dataset.frames > 1`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#listed")))
	do(t, list, chromedp.Navigate(url+"u/"))
	soon(t, list, `window.note && note.textContent === "You have no universe, and none is on the list."`)
	value[any](t, list, `localStorage.clear(); null`) // where the editor's page has put its key again
	do(t, list, chromedp.Navigate(url+"u/mine"))
	noticed(t, list, "This universe is private: ask for a link")

	if _, err := os.Stat("../node_modules/axe-core/axe.min.js"); err == nil {
		for _, path := range []string{"u/", "u/other"} {
			do(t, list, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				// for axe, which is not the page's
				_, err := cdp.Call(ctx, target, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
				return err
			}), chromedp.Navigate(url+path))
			until(t, list, `window.note ? note.textContent !== "…" : !document.getElementById("sessions").hidden`)
			check := axe(t, list)
			check(path + ", light")
			do(t, list, scheme("dark"))
			check(path + ", dark")
			do(t, list, scheme("light"))
		}
	}
}

// TestSessionLimits: what is too much is said in one line.
func TestSessionLimits(t *testing.T) {
	ctx := browser(t)
	url := serveSessions(t, func(o *sessions.Options) { o.Most, o.Each, o.Memory, o.Web.MaxViewers = 2, 1, 2*(16<<20), 1 })
	open(t, ctx, url+"u/mine")
	other := tab(t, ctx)
	do(t, other, chromedp.Navigate(url+"u/another"))
	noticed(t, other, "You have made as many universes here as each person may: 1.")
	shot(t, other, "session-limit")
	do(t, other, chromedp.Navigate(given(t, ctx, "watch-link")))
	noticed(t, other, "There are already 1 viewers, the most this server allows.")
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#size"), "16384"),
		chromedp.Click(chromedp.CSS("#soup button[type=submit]")))
	noticed(t, ctx, "16384×16384 cells: this server makes universes of at most 33554432")
	do(t, other, chromedp.Navigate(url+"u/mine#key=wrong"))
	noticed(t, other, "This universe is private")
	do(t, other, chromedp.Navigate(url+"u/gone#key=wrong"))
	noticed(t, other, "There has never been a universe with this link here")
}

// TestLostSession: who had a universe that the server has lost learns why, and makes it again out of the page's copy.
func TestLostSession(t *testing.T) {
	ctx := browser(t)
	make := func() *sessions.Sessions {
		all, err := sessions.New(sessions.Options{
			Most: 2, Each: 2, Memory: 64 << 20, Idle: time.Hour, Open: sim.Open, Engine: "cpu",
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(all.Close)
		return all
	}
	all := make()
	var now atomic.Pointer[http.Handler]
	serve := func(h http.Handler) { now.Store(&h) }
	serve(all.Handler())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*now.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	open(t, ctx, server.URL+"/u/mine#pattern=acorn")
	atRest(t, ctx, 0, 7)
	until(t, ctx, `sessionStorage.copy?.includes("x = 7")`)
	serve(make().Handler())
	all.Close()
	noticed(t, ctx, "This universe is gone: the server was restarted on")
	value[any](t, ctx, `location.hash = "key=wrong"; null`)
	noticed(t, ctx, "There has never been a universe with this link here")
	shot(t, ctx, "lost-session")
	do(t, ctx, chromedp.Click(chromedp.CSS("#load-lost")))
	atRest(t, ctx, 0, 7)
	until(t, ctx, `lost.hidden && location.pathname === "/u/mine"`)
}
