package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/topology"
)

// patience is the longest time that anything may take on a slow machine that draws without a graphics card.
const patience = 2 * time.Minute

// started is the browser that all tests share, each in a tab of its own.
var started = sync.OnceValues(func() (context.Context, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		opts := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience),
			chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		)
		alloc, _ := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, _ := chromedp.NewContext(alloc)
		return ctx, chromedp.Do(ctx)
	}
	return nil, exec.ErrNotFound
})

func TestMain(m *testing.M) {
	code := m.Run()
	if ctx, err := started(); err == nil {
		chromedp.Cancel(ctx)
	}
	if pageFolder != "" {
		os.RemoveAll(pageFolder)
	}
	os.Exit(code)
}

// browser opens a tab for a test.
func browser(t *testing.T) context.Context {
	t.Helper()
	parent, err := started()
	switch {
	case errors.Is(err, exec.ErrNotFound) && os.Getenv("GOSPER_BROWSER") == "":
		t.Skip("no browser on the PATH")
	case err != nil:
		t.Fatal(err)
	}
	tab, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	// Nothing glides unless a test wants it: a button that is on its way is not where it was looked up.
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1280, 800), scheme("light")); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(float64) chromedp.Action[chromedp.Void]{
		"GOSPER_SLOWER": slower,
		"GOSPER_LATE":   late,
	} {
		if text := os.Getenv(name); text != "" {
			by, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatalf("%s=%s: want a number", name, text)
			}
			do(t, tab, change(by))
		}
	}
	ctx, stop := context.WithTimeout(tab, 10*time.Minute)
	t.Cleanup(stop)
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			// Anything that the browser blocks by the page's policy, and any uncaught exception, is a mistake of the page.
			if text := fmt.Sprint(m); strings.Contains(text, "Content Security Policy") || strings.Contains(text, "Uncaught") {
				t.Error("console:", text)
			}
		}
	}()
	return ctx
}

// slower slows a page's thread down by a factor.
func slower(times float64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: times})
		return err
	})
}

// late delays animation frames, and messages of servers and workers, by up to the given number of milliseconds, as on
// a busy machine. Their order stays.
func late(most float64) chromedp.Action[chromedp.Void] {
	return onNewPages(fmt.Sprintf(`{
		const wait = () => Math.random() * %f;
		const turn = window.requestAnimationFrame.bind(window);
		let due = 0;
		window.requestAnimationFrame = (f) => {
			due = Math.max(due, performance.now() + wait());
			return setTimeout(() => turn(f), due - performance.now());
		};
		const delay = (of) => {
			const given = Object.getOwnPropertyDescriptor(of.prototype, "onmessage");
			Object.defineProperty(of.prototype, "onmessage", { ...given, set(f) {
				let last = Promise.resolve();
				given.set.call(this, (e) => (last = last.then(() => new Promise((done) => setTimeout(done, wait()))).then(() => f(e))));
			} });
		};
		delay(WebSocket);
		delay(Worker);
	}`, most))
}

// onNewPages has pages run a script before their own.
func onNewPages(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// served is a universe on the web.
type served struct {
	session *session.Session
	server  *web.Server
	http    *http.Server
	address string
}

// serve shows an origin at an address, "127.0.0.1:0" for any port.
func serve(t *testing.T, from session.Origin, address string, opts web.Options) *served {
	t.Helper()
	s, err := session.New(context.Background(), openCPU, from)
	if err != nil {
		t.Fatal(err)
	}
	return serveSession(t, s, address, opts)
}

func openCPU(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	return sim.Open(ctx, "cpu", cfg)
}

// serveSession shows a session.
func serveSession(t *testing.T, s *session.Session, address string, opts web.Options) *served {
	t.Helper()
	var err error
	var l net.Listener
	for range 50 { // the port of a server just closed may take a moment
		if l, err = net.Listen("tcp", address); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	web := web.New(s, opts)
	v := &served{s, web, &http.Server{Handler: web}, l.Addr().String()}
	go v.http.Serve(l)
	t.Cleanup(v.close)
	return v
}

func (v *served) close() {
	if v.session == nil {
		return
	}
	v.http.Close()
	v.server.Close()
	v.session.Close()
	v.session = nil
}

func (v *served) url() string { return "http://" + v.address + "/" }

// soup is a random torus.
func soup(t *testing.T, side int, seed uint64) session.Origin {
	t.Helper()
	torus, err := topology.New(topology.Torus, side, side)
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromSoup(config(t, "B3/S23", torus), 0, 0, seed, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	return from
}

func config(t *testing.T, notation string, on topology.Topology) sim.Config {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Rule: r, Topology: on}
}

// named is a pattern that comes with the program.
func named(t *testing.T, name string) session.Origin {
	t.Helper()
	famous, ok := builtin.Lookup(name)
	if !ok {
		t.Fatalf("no pattern %s", name)
	}
	p, err := pattern.Read(strings.NewReader(famous.RLE), name+".rle")
	if err != nil {
		t.Fatal(err)
	}
	p.Name = famous.Name
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// do runs actions and ends the test if one fails.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// until waits until a JavaScript expression is true.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Poll[any](expression, chromedp.WithPollingTimeout(patience),
		chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		shown, _ := chromedp.Run(ctx, chromedp.Evaluate[string](
			`JSON.stringify({...readout.dataset, ...universe.dataset, ...document.body.dataset}) + " " + notice.textContent`))
		shot(t, ctx, "failed-"+strings.ReplaceAll(t.Name(), "/", "-"))
		t.Fatalf("never %s: %v; the page shows %s", expression, err, shown)
	}
}

// settled waits until the page shows a universe at rest as it is: no camera moves, every answer has come, and
// picture and numbers are of that. Two turns of the screen have to pass first: the page sees in the one what
// keys and pointers did before, and in the other that its size has changed. Who clicks on cells, drags over
// them or looks at pixels waits for this. On a busy machine turns of the screen, frames and numbers come late.
func settled(t *testing.T, ctx context.Context) {
	t.Helper()
	if _, err := chromedp.Run(ctx,
		chromedp.Evaluate[any](
			`new Promise((passed) => requestAnimationFrame(() => requestAnimationFrame(() => passed(null))))`,
			chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, `universe.dataset.settled === "true"`)
}

// value evaluates a JavaScript expression in the page.
func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// open goes to an address and waits for the universe.
func open(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	do(t, ctx, chromedp.Navigate(url))
	until(t, ctx, `window.universe && universe.dataset.frames > 1 && readout.dataset.generation !== undefined`)
}

// shot leaves a picture of the page where somebody wants to look at it.
func shot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("GOSPER_SCREENSHOTS")
	if dir == "" {
		return
	}
	if value[bool](t, ctx, `window.readout?.dataset.playing === "false" && universe.dataset.settled !== undefined`) {
		settled(t, ctx)
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
