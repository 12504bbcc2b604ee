package browsertest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// The tests of this file measure, with GOSPER_LONG=1 and on a machine that does nothing else. They assert
// nothing about time.

func measures(t *testing.T) {
	t.Helper()
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("GOSPER_LONG is not set")
	}
}

// firstPicture has a page note when its first frame has been painted, in milliseconds since it was asked for.
const firstPicture = `new MutationObserver((_, observer) => {
	if (!document.getElementById("universe")?.dataset.frames) return;
	observer.disconnect();
	requestAnimationFrame(() => requestAnimationFrame(() => (window.firstPicture = performance.now())));
}).observe(document, { subtree: true, attributes: true, childList: true });`

// TestFirstPicture measures how long it takes from asking for the page to its first picture, with and without a
// server, with the processor as it is and with the page's thread four times as slow; the browser has nothing of
// the page before.
func TestFirstPicture(t *testing.T) {
	measures(t)
	if err := writePage(); err != nil {
		t.Fatal(err)
	}
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{})
	plain := statically(t, nil)
	for name, url := range map[string]string{"with a server": s.url(), "without a server": plain.URL + "/"} {
		for _, slower := range []float64{1, 4} {
			var times []float64
			for i := range 5 {
				t.Run(fmt.Sprintf("%s, %v, %d", name, slower, i), func(t *testing.T) { // whose end closes the tab
					ctx := browser(t)
					do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
						_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument,
							page.AddScriptToEvaluateOnNewDocumentParams{Source: firstPicture})
						if err == nil {
							_, err = cdp.Call(ctx, target, emulation.SetCPUThrottlingRate,
								emulation.SetCPUThrottlingRateParams{Rate: slower})
						}
						return err
					}), chromedp.Navigate(fmt.Sprintf("%s?%d", url, time.Now().UnixNano())))
					until(t, ctx, `window.firstPicture > 0`)
					times = append(times, value[float64](t, ctx, `window.firstPicture`))
				})
			}
			slices.Sort(times)
			t.Logf("%s, page %v times as slow: first picture after %.0f ms (%.0f to %.0f)", name, slower, times[2], times[0],
				times[4])
		}
	}
}

// counting counts what a page shows for a span: frames that arrive, and turns of the screen.
func counting(t *testing.T, ctx context.Context, span time.Duration) (frames, turns, generations float64) {
	t.Helper()
	value[any](
		t, ctx, `{ window.turns = 0; const turn = () => { window.turns++; requestAnimationFrame(turn); }; requestAnimationFrame(turn); } null`)
	now := func() []float64 {
		return value[[]float64](t, ctx,
			`[performance.now() / 1000, Number(universe.dataset.frames), window.turns, Number(readout.dataset.generation)]`)
	}
	from := now()
	time.Sleep(span)
	to := now()
	seconds := to[0] - from[0]
	return (to[1] - from[1]) / seconds, (to[2] - from[2]) / seconds, (to[3] - from[3]) / seconds
}

// TestFrames measures the frames a second of a soup of 1024² cells without a server, at 60 steps a second and
// at full speed, seen whole and close, in a window of the size of a phone and in a large one.
func TestFrames(t *testing.T) {
	measures(t)
	files := statically(t, nil)
	for _, w := range []int64{390, 1280} {
		for _, view := range []string{"512,512,0.5", "512,512,8"} {
			for _, faster := range []int{1, 40} {
				t.Run(fmt.Sprintf("%d, %s, %d", w, view, faster), func(t *testing.T) {
					ctx := browser(t)
					do(t, ctx, chromedp.EmulateViewport(w, 800))
					open(t, ctx, files.URL+"/#seed=7&rule=B3/S23:T1024,1024&at="+view)
					until(t, ctx, `Number(readout.dataset.population) > 100000`)
					value[any](
						t, ctx, fmt.Sprintf(
							`document.getElementById("panel-close").click(); for (let i = 0; i < %d; i++) document.getElementById("faster").click(); null`, faster))
					value[any](t, ctx, `document.getElementById("play").click(); null`)
					time.Sleep(2 * time.Second)
					frames, turns, generations := counting(t, ctx, 5*time.Second)
					t.Logf("%d×800, view %s, %s: %.1f frames/s, %.1f turns of the screen, %.0f generations/s", w, view,
						value[string](t, ctx, `speed.value`), frames, turns, generations)
				})
			}
		}
	}
}

// slow is a listener with limited connections. Together they send at most the given number of bytes a second, and
// they count the bytes.
type slow struct {
	net.Listener
	rate float64
	sent atomic.Uint64
}

func (l *slow) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return slowConn{c, l}, err
}

type slowConn struct {
	net.Conn
	link *slow
}

// Write sends a packet at a time, and waits for as long as each takes on the link.
func (c slowConn) Write(p []byte) (n int, err error) {
	const packet = 1400
	for n < len(p) && err == nil {
		var sent int
		sent, err = c.Conn.Write(p[n:min(n+packet, len(p))])
		n += sent
		c.link.sent.Add(uint64(sent))
		time.Sleep(time.Duration(float64(sent) / c.link.rate * float64(time.Second)))
	}
	return n, err
}

// TestThinLink measures the frames and bytes a second that a viewer gets over 4 Mbit/s, and the time to the
// first picture, with and without a server.
func TestThinLink(t *testing.T) {
	measures(t)
	const rate = 4e6 / 8 // bytes a second
	link := func(h http.Handler) (string, *slow) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &slow{Listener: l, rate: rate}
		server := &httptest.Server{Listener: s, Config: &http.Server{Handler: h}}
		server.Start()
		t.Cleanup(server.CloseClientConnections)
		return server.URL + "/", s
	}
	for name, from := range map[string]session.Origin{
		"gosper-gun":      named(t, "gosper-gun"),
		"a soup of 1024²": soup(t, 1024, 7),
	} {
		t.Run(name, func(t *testing.T) {
			s, err := session.New(context.Background(), openCPU, from)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			server := web.New(s, web.Options{})
			defer server.Close()
			url, l := link(server)
			ctx := browser(t)
			begin := time.Now()
			open(t, ctx, url)
			first, weight := time.Since(begin), l.sent.Load()
			value[any](t, ctx, `document.getElementById("panel-close").click(); document.getElementById("play").click(); null`)
			time.Sleep(2 * time.Second)
			before := l.sent.Load()
			frames, _, generations := counting(t, ctx, 8*time.Second)
			t.Logf("%s: page and first picture %v, %d bytes; then %.1f frames/s, %.0f generations/s, %.1f kB/s", name,
				first.Round(10*time.Millisecond), weight, frames, generations, float64(l.sent.Load()-before)/8e3)
		})
	}
	if err := writePage(); err != nil {
		t.Fatal(err)
	}
	url, l := link(http.FileServer(http.Dir(pageFolder)))
	ctx := browser(t)
	begin := time.Now()
	open(t, ctx, url)
	t.Logf("without a server, gzipped: first picture %v, %d bytes", time.Since(begin).Round(10*time.Millisecond),
		l.sent.Load())
}
