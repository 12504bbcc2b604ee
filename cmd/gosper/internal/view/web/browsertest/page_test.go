package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// atRest waits until the universe pauses at a generation with a population, and the page has settled on it.
func atRest(t *testing.T, ctx context.Context, generation, population int) {
	t.Helper()
	until(
		t, ctx, fmt.Sprintf(
			`readout.dataset.playing === "false" && readout.dataset.generation === "%d" && readout.dataset.counted === "%[1]d" &&
		readout.dataset.population === "%d"`, generation, population))
	settled(t, ctx)
}

// scheme has the page believe that its user prefers light or dark, and no motion.
func scheme(value string) chromedp.Action[chromedp.Void] { return emulated(value, "reduce") }

// emulated has the page believe what its user prefers.
func emulated(scheme, motion string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme},
				{Name: "prefers-reduced-motion", Value: motion},
			},
		})
		return err
	})
}

// TestRun plays and steps the acorn (Charles Corderman, 1971): 633 cells are alive when it has settled at
// generation 5206.
func TestRun(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 7)
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	atRest(t, ctx, 1, 8)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "true" && Number(readout.dataset.generation) > 10`)
	if label := value[string](t, ctx, `play.ariaLabel`); label != "Pause" {
		t.Errorf("the button of a universe that plays says %q", label)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "5206"), chromedp.Click(chromedp.CSS("#jump button")))
	atRest(t, ctx, 5206, 633)
	do(t, ctx, chromedp.Click(chromedp.CSS("#fit")), scheme("light"))
	until(t, ctx, `document.getElementById("g-population").textContent === "633"`)
	if title := value[string](t, ctx, `document.title`); title != "acorn · Gosper" {
		t.Errorf("the page is called %q", title)
	}
	shot(t, ctx, "acorn-light")
	do(t, ctx, scheme("dark"))
	shot(t, ctx, "acorn-dark")
}

// TestKeys does the same from the keyboard, as in Golly.
func TestKeys(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 36)
	do(t, ctx, chromedp.Click(chromedp.CSS("#universe")), chromedp.KeyEvent(" "))
	atRest(t, ctx, 1, 39)
	for range 29 {
		do(t, ctx, chromedp.KeyEvent(" "))
	}
	atRest(t, ctx, 30, 41) // 36 cells and a glider
	do(t, ctx, chromedp.KeyEvent("z"))
	atRest(t, ctx, 0, 36)
	before := value[string](t, ctx, `speed.value`)
	do(t, ctx, chromedp.KeyEvent("+"))
	until(t, ctx, fmt.Sprintf(`speed.value !== %q && speed.value.startsWith("60")`, before))
	do(t, ctx, chromedp.KeyEvent("-"))
	until(t, ctx, fmt.Sprintf(`speed.value === %q`, before))
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `Number(readout.dataset.generation) > 60`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	atRest(t, ctx, 0, 36)
	do(t, ctx, chromedp.KeyEvent("h"))
	until(t, ctx, `keys.open`)
	do(t, ctx, scheme("light"))
	shot(t, ctx, "keys-light")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `!keys.open`)
}

// TestZoom goes from all of a soup to single cells and back, by wheel, keys and fingers.
func TestZoom(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 4096, 7), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	do(t, ctx, chromedp.Click(chromedp.CSS("#numbers summary")))
	const seen = `(() => { const d = [...statistics.children]; return d[d.findIndex(e => e.textContent === "In view") + 1]?.textContent ?? ""; })()`
	until(t, ctx, seen+`.includes("blocks of 8²")`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `Number(readout.dataset.generation) > 300`)
	shot(t, ctx, "soup-far-light")
	for range 12 {
		do(t, ctx, chromedp.MouseEvent(chromedp.MouseWheel, 480, 400, func(p *input.DispatchMouseEventParams) {
			p.DeltaX, p.DeltaY = 1e-6, -300
		}))
	}
	until(t, ctx, seen+`.includes("cells")`)
	shot(t, ctx, "soup-near-light")
	do(t, ctx, scheme("dark"))
	shot(t, ctx, "soup-near-dark")
	do(t, ctx, chromedp.KeyEvent("["), chromedp.KeyEvent("["), chromedp.KeyEvent("f"))
	until(t, ctx, seen+`.includes("blocks of 8²")`)
	shot(t, ctx, "soup-far-dark")
	do(t, ctx, chromedp.KeyEvent("6"))
	until(t, ctx, seen+`.includes("cells")`)
}

// TestFar zooms out of a few cells as far as it goes: to some 2^60 cells, which the server is asked for exactly.
func TestFar(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	do(t, ctx, chromedp.Click(chromedp.CSS("#numbers summary")))
	for range 60 {
		do(t, ctx, chromedp.KeyEvent("["))
	}
	until(t, ctx, `statistics.textContent.includes("blocks of 281474976710656²")`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	atRest(t, ctx, 1, 8)
}

// TestPaste loads a pattern from its text, under its own rule.
func TestPaste(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 1), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	// A replicator of HighLife (Nathan Thompson, 1994): 12 cells that are two of itself after 12 generations.
	rle := "x = 5, y = 5, rule = B36/S23\n2b3o$bo2bo$o3bo$o2bo$3o!"
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#text"), rle), chromedp.Click(chromedp.CSS("#paste button[type=submit]")))
	atRest(t, ctx, 0, 12)
	if name := value[string](t, ctx, `document.getElementById("rule-name").textContent`); name != "HighLife" {
		t.Errorf("the rule is %q, want HighLife", name)
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "12"), chromedp.Click(chromedp.CSS("#jump button")))
	atRest(t, ctx, 12, 24)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#text"), "x = 3, y = 1, rule = B3/S23\n3k!"),
		chromedp.Click(chromedp.CSS("#paste button[type=submit]")))
	until(t, ctx, `!notice.hidden && notice.classList.contains("wrong")`)
	atRest(t, ctx, 12, 24)
}

// TestDraw draws a blinker, takes it back, and erases, after the camera has glided there.
func TestDraw(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, emulated("light", "no-preference"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, chromedp.KeyEvent("["), chromedp.KeyEvent("f"))
	settled(t, ctx)
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")))
	until(t, ctx, `draw.ariaPressed === "true"`)
	// 24 pixels a cell where all is seen: three cells are a stroke of 48.
	population(t, ctx, 8, chromedp.DragAndDropXY(300, 600, 348, 600, 6))
	shot(t, ctx, "drawn")
	population(t, ctx, 5, chromedp.KeyEvent("z"))
	population(t, ctx, 8, chromedp.DragAndDropXY(300, 600, 348, 600, 6))
	population(t, ctx, 6, chromedp.DragAndDropXY(300, 600, 324, 600, 6)) // begins on a live cell: erases

	// Cells that are undone at once do not stay in the picture.
	until(t, ctx, `redo.disabled`)
	do(t, ctx, chromedp.DragAndDropXY(300, 500, 348, 500, 6), chromedp.KeyEvent("z"))
	until(t, ctx, `!redo.disabled`)
	atRest(t, ctx, 0, 6)
	do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, 324, 600))
	until(t, ctx, `where.textContent.endsWith("dead")`)
	do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, 348, 600))
	until(t, ctx, `where.textContent.endsWith("alive")`)
	do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, 324, 500))
	until(t, ctx, `where.textContent.endsWith("dead")`)
}

// TestRuleBox chooses a rule by typing a part of its name.
func TestRuleBox(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 512, 3), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("dark"))
	open(t, ctx, s.url())
	do(t, ctx, chromedp.Click(chromedp.CSS("#rule")), chromedp.SendKeys(chromedp.CSS("#rule"), "brian"))
	until(t, ctx, `!document.getElementById("rule-list").hidden && document.querySelectorAll("#rule-list li").length > 0`)
	shot(t, ctx, "rules-dark")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.getElementById("rule-name").textContent.startsWith("Brian")`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#soup button[type=submit]")), chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `Number(readout.dataset.generation) > 100`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#universe")), chromedp.KeyEvent("4"))
	shot(t, ctx, "brain-dark")
	do(t, ctx, scheme("light"))
	shot(t, ctx, "brain-light")
}

// slowCatalogue serves s at another address, where the lists of rules and patterns come late: when let is called.
func slowCatalogue(t *testing.T, s *served) (url string, let func()) {
	t.Helper()
	called := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/catalogue.json" {
			<-called
		}
		s.server.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	let = sync.OnceFunc(func() { close(called) })
	t.Cleanup(let)
	return slow.URL, let
}

// TestPatternTypedEarly enters a pattern's name before the list of patterns has come: it is opened when that comes.
func TestPatternTypedEarly(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	url, let := slowCatalogue(t, s)
	open(t, ctx, url)
	atRest(t, ctx, 0, 5)
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#library"), "acorn"+kb.Enter))
	let()
	atRest(t, ctx, 0, 7)
}

// TestRuleTypedEarly types before the list of rules has come, as over a slow line: it is offered when it comes.
func TestRuleTypedEarly(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 3), "127.0.0.1:0", web.Options{})
	url, let := slowCatalogue(t, s)
	open(t, ctx, url)
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#rule"), "brian"))
	const listed = `document.querySelectorAll("#rule-list li").length`
	if n := value[int](t, ctx, listed); n > 0 {
		t.Fatalf("%d rules are offered before they came", n)
	}
	let()
	until(t, ctx, `!document.getElementById("rule-list").hidden && `+listed+` > 0`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.getElementById("rule-name").textContent.startsWith("Brian")`)
}

// TestStatesOfATable: a rule by table has a legend: its states, by number and name, in the colours of its file.
func TestStatesOfATable(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 3), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	do(t, ctx, chromedp.Click(chromedp.CSS("#rule")), chromedp.SendKeys(chromedp.CSS("#rule"), "WireWorld"),
		chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.querySelectorAll("#states li").length === 4`)
	until(t, ctx, `document.querySelector("#states li:nth-child(2)").textContent === "1 electron head"`)
	until(t, ctx, `document.querySelector("#states li:nth-child(2) .swatch").style.background === "rgb(0, 128, 255)"`)
}

// TestPermalink reloads a link. It must show the same soup under the same rule at the same generation, even if the
// server shows something else in the meantime.
func TestPermalink(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 256, 11), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "100"), chromedp.Click(chromedp.CSS("#jump button")))
	until(
		t, ctx, `readout.dataset.generation === "100" && readout.dataset.counted === "100" && readout.dataset.playing === "false"`)
	population := value[string](t, ctx, `readout.dataset.population`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#link")))
	until(t, ctx, `location.hash.includes("seed=11") && location.hash.includes("generation=100")`)
	link := value[string](t, ctx, `location.href`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#seed"), "99"), chromedp.Click(chromedp.CSS("#soup button[type=submit]")))
	until(t, ctx, `readout.dataset.generation === "0"`)
	do(t, ctx, chromedp.Navigate("about:blank"))
	open(t, ctx, link)
	until(
		t, ctx, fmt.Sprintf(
			`readout.dataset.generation === "100" && readout.dataset.playing === "false" && readout.dataset.population === %q`,
			population))
	if soup := s.session.Status().Soup; soup == nil || soup.Seed != 11 {
		t.Errorf("the link brought %+v, want the soup of seed 11", soup)
	}
}

// TestRestart ends the server under a page and starts another at the same address.
func TestRestart(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	s.close()
	until(t, ctx, `document.body.dataset.connected === "false" && !notice.hidden && transport.inert`)
	serve(t, named(t, "gosper-gun"), s.address, web.Options{})
	until(t, ctx, `document.body.dataset.connected === "true" && notice.hidden && !transport.inert`)
	atRest(t, ctx, 0, 36)
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	atRest(t, ctx, 1, 39)
}

// TestToken opens a page with the token in its address, which then is out of sight, and one without.
func TestToken(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{Token: "a long secret"})
	open(t, ctx, s.url()+"#token=a%20long%20secret")
	atRest(t, ctx, 0, 5)
	if address := value[string](t, ctx, `location.href`); address != s.url() && address != s.url()+"#" {
		t.Errorf("the address is %s, want no token in it", address)
	}
}

const aroundThePicture = "#transport button, .top button, #zoom button"

// reachable waits until no button is covered or off the screen: bars and sheets move.
func reachable(t *testing.T, ctx context.Context, buttons string) {
	t.Helper()
	until(t, ctx, `[...document.querySelectorAll("`+buttons+`")].every(b => {
		const r = b.getBoundingClientRect();
		if (r.width === 0) return true; // not offered
		return r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight && document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)?.closest("button, select") === b;
	})`)
}

// TestPanelBeside: from a small tablet on the open panel covers no button.
func TestPanelBeside(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 256, 7), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	value[any](t, ctx, `panel.hidden && document.getElementById("panel-toggle").click()`)
	for _, size := range [][2]int64{{861, 600}, {1024, 768}, {1920, 1080}} {
		do(t, ctx, chromedp.EmulateViewport(size[0], size[1]))
		reachable(t, ctx, aroundThePicture)
		shot(t, ctx, fmt.Sprintf("panel-%d", size[0]))
	}
	do(t, ctx, chromedp.EmulateViewport(861, 600), press("a", "KeyA", 2))
	until(t, ctx, `!edit.hidden`)
	reachable(t, ctx, aroundThePicture+", #edit button")
	shot(t, ctx, "edit-861")
}

// TestPhone looks at the page on a small screen, with fingers.
func TestPhone(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 512, 7), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.EmulateViewport(360, 740, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch),
		scheme("light"))
	open(t, ctx, s.url())
	if width := value[int](t, ctx, `document.documentElement.scrollWidth`); width > 360 {
		t.Errorf("the page is %d pixels wide on a screen of 360", width)
	}
	reachable(t, ctx, aroundThePicture)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `Number(readout.dataset.generation) > 150`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "false"`)
	shot(t, ctx, "phone-light")
	frames := value[int](t, ctx, `Number(universe.dataset.frames)`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")))
	until(t, ctx, `!edit.hidden && edit.getBoundingClientRect().height === 0`) // nothing is to be said yet
	// Two fingers draw nothing.
	pinch(t, ctx, 180, 350, 20, 140)
	until(t, ctx, fmt.Sprintf(`Number(universe.dataset.frames) > %d`, frames))
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")), scheme("dark"))
	shot(t, ctx, "phone-near-dark")
	if s.session.Status().Edited {
		t.Error("the first finger of two has drawn a cell")
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#panel-toggle")))
	shot(t, ctx, "phone-panel-dark")
	do(t, ctx, scheme("light"))
	shot(t, ctx, "phone-panel-light")
	reachable(t, ctx, "#transport button, .top button, #panel-close")
	do(t, ctx, chromedp.Click(chromedp.CSS("#panel-close")), press("a", "KeyA", 2))
	until(t, ctx, `!edit.hidden`)
	reachable(t, ctx, aroundThePicture+", #edit button:not([disabled])")
	shot(t, ctx, "phone-edit-light")
	do(t, ctx, chromedp.Click(chromedp.CSS("#copy")))
	until(t, ctx, `notice.textContent.startsWith("Copied")`)
	// The notice hides itself after a while, so each check shows it again and looks in the same turn.
	if height := value[int](t, ctx, `notice.hidden = false, notice.clientHeight`); height > 100 {
		t.Errorf("a notice of %d pixels covers what is edited", height)
	}
	if on := value[string](t, ctx,
		`notice.hidden = false, (r => document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2).id)(notice.getBoundingClientRect())`); on != "universe" {
		t.Errorf("a finger on a notice touches %q", on)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#panel-toggle")))
	reachable(t, ctx, "#panel-close")
	// A finger pulls the sheet: a little, and it comes back; further, and it is gone.
	grip := value[[]float64](t, ctx, `(r => [r.x + r.width / 2, r.y + r.height / 2])(grip.getBoundingClientRect())`)
	drag(t, ctx, grip[0], grip[1], 30)
	until(t, ctx, `!panel.hidden && panel.style.translate === ""`)
	drag(t, ctx, grip[0], grip[1], 200)
	until(t, ctx, `panel.hidden`)
}

// drag moves a finger down.
func drag(t *testing.T, ctx context.Context, x, y, by float64) {
	t.Helper()
	for i, kind := range []input.DispatchTouchEventType{
		input.DispatchTouchEventTypeTouchStart, input.DispatchTouchEventTypeTouchMove, input.DispatchTouchEventTypeTouchMove,
		input.DispatchTouchEventTypeTouchEnd,
	} {
		points := []*input.TouchPoint{}
		if kind != input.DispatchTouchEventTypeTouchEnd {
			points = append(points, &input.TouchPoint{X: x, Y: y + by*float64(i)/2})
		}
		do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, input.DispatchTouchEvent,
				input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return err
		}))
	}
}

// pinch moves two fingers apart, each from one distance from (x, y) to another.
func pinch(t *testing.T, ctx context.Context, x, y, from, to float64) {
	t.Helper()
	touch := func(kind input.DispatchTouchEventType, r float64) chromedp.Action[chromedp.Void] {
		return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			one, two := 1.0, 2.0
			points := []*input.TouchPoint{{X: x - r, Y: y, ID: &one}, {X: x + r, Y: y, ID: &two}}
			if kind == input.DispatchTouchEventTypeTouchEnd {
				points = []*input.TouchPoint{}
			}
			_, err := cdp.Call(ctx, target, input.DispatchTouchEvent,
				input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
			return err
		})
	}
	do(t, ctx, touch(input.DispatchTouchEventTypeTouchStart, from))
	for i := 1; i <= 10; i++ {
		do(t, ctx, touch(input.DispatchTouchEventTypeTouchMove, from+(to-from)*float64(i)/10))
	}
	do(t, ctx, touch(input.DispatchTouchEventTypeTouchEnd, to))
}

// TestNames checks that everything that can be operated has an accessible name.
func TestNames(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 1), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	nameless := value[[]string](t, ctx,
		`[...document.querySelectorAll("button, input, select, textarea, canvas:not([aria-hidden]), [role=toolbar]")].filter(e => {
		const by = e.getAttribute("aria-labelledby");
		return !(e.ariaLabel || by && document.getElementById(by)?.textContent.trim() || e.labels?.length || e.textContent.trim());
	}).map(e => e.outerHTML)`)
	if len(nameless) > 0 {
		t.Errorf("no accessible name: %v", nameless)
	}
	if n := value[int](t, ctx, `document.querySelectorAll("button").length`); n < 15 {
		t.Errorf("%d buttons were looked at: the test is blind", n)
	}
}

// Modifiers of press.
const control, shift = 2, 8

// press types a key with control and shift or without.
func press(key, code string, modifiers int64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, kind := range []input.DispatchKeyEventType{
			input.DispatchKeyEventTypeKeyDown,
			input.DispatchKeyEventTypeKeyUp,
		} {
			if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent,
				input.DispatchKeyEventParams{Type: kind, Key: key, Code: code, Modifiers: modifiers}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRedo takes back and does again, by keys and buttons.
func TestRedo(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	atRest(t, ctx, 1, 5)
	for _, again := range []chromedp.Action[chromedp.Void]{
		press("Z", "KeyZ", control|shift), press("Z", "KeyZ", shift),
		press("y", "KeyY", control), chromedp.Click(chromedp.CSS("#redo")),
	} {
		do(t, ctx, press("z", "KeyZ", control))
		atRest(t, ctx, 0, 5)
		until(t, ctx, `undo.disabled && !redo.disabled`)
		do(t, ctx, again)
		atRest(t, ctx, 1, 5)
		until(t, ctx, `!undo.disabled && redo.disabled`)
	}
}

// TestClickedButtonsLetGo: after a click on a button Space and Enter mean the universe, not the button.
func TestClickedButtonsLetGo(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, chromedp.Click(chromedp.CSS("#zoom-in")), chromedp.KeyEvent(" "))
	atRest(t, ctx, 1, 5)
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")), chromedp.KeyEvent(" "))
	atRest(t, ctx, 2, 5)
	if pressed := value[string](t, ctx, `draw.ariaPressed`); pressed != "true" {
		t.Errorf("space has pressed the button again: %s", pressed)
	}
}

// pasted loads a pattern from its text.
func pasted(rle string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](
			fmt.Sprintf(`document.getElementById("text").value = %q; paste.requestSubmit(); null`, rle))(ctx, target)
		return err
	})
}

// TestLoadedIsSeen: every opened pattern is in view, for any position of its cells, and has no ages from the pattern
// before.
func TestLoadedIsSeen(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	next := kept(t, ctx)
	ink := func(want int) {
		t.Helper()
		settled(t, ctx)
		do(t, ctx, chromedp.Click(chromedp.CSS("#png")))
		picture, err := png.Decode(bytes.NewReader(next()))
		if err != nil {
			t.Fatal(err)
		}
		newborn, others := 0, 0
		size := picture.Bounds().Size() // without the panel
		for y := range size.Y {
			for x := range size.X {
				switch c := picture.At(x, y); {
				case near(c, color.RGBA{0xf7, 0xf5, 0xf0, 255}): // paper
				default:
					r, g, b, _ := c.RGBA()
					if r>>8 > g>>8+40 || b>>8 > r>>8+40 { // the accent's colour
						newborn++
					} else {
						others++
					}
				}
			}
		}
		if others < want*9/10 || others > want*11/10 || newborn > 0 {
			t.Errorf("%d pixels of cells, want %d, and %d of cells just born", others, want, newborn)
		}
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#grid")))
	do(t, ctx, pasted("x = 2, y = 2, rule = B3/S23\n2o$2o!"))
	atRest(t, ctx, 0, 4)
	ink(4 * 24 * 24)
	do(t, ctx, pasted("#CXRLE Pos=5000,5000\nx = 3, y = 1, rule = B3/S23\n3o!"))
	atRest(t, ctx, 0, 3)
	shot(t, ctx, "loaded-far-away")
	ink(3 * 24 * 24)
	do(t, ctx, chromedp.KeyEvent("z"))
	atRest(t, ctx, 0, 4)
	ink(4 * 24 * 24) // back where it was looked at
}

// TestLinksHoldCells: a link to cells that were pasted and drawn brings them back, into a page that is open
// already, too.
func TestLinksHoldCells(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	do(t, ctx, pasted("x = 5, y = 5, rule = B36/S23\n2b3o$bo2bo$o3bo$o2bo$3o!"))
	atRest(t, ctx, 0, 12)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "12"), chromedp.Click(chromedp.CSS("#jump button")))
	atRest(t, ctx, 12, 24)
	do(t, ctx, chromedp.Click(chromedp.CSS("#link")))
	until(t, ctx, `location.hash.startsWith("#rle=")`)
	link := value[string](t, ctx, `location.hash`)
	do(t, ctx, pasted("3o!"))
	atRest(t, ctx, 0, 3)
	value[any](t, ctx, fmt.Sprintf(`location.hash = ""; location.hash = %q; null`, link))
	atRest(t, ctx, 12, 24)
	if name := value[string](t, ctx, `document.getElementById("rule-name").textContent`); name != "HighLife" {
		t.Errorf("the rule is %q, want HighLife", name)
	}
	value[any](t, ctx, `location.hash = "#pattern=acorn"; null`)
	atRest(t, ctx, 0, 7)
	value[any](t, ctx, `location.hash = "#rle=AAAA"; null`)
	until(t, ctx, `!notice.hidden && notice.textContent.includes("link")`)
	atRest(t, ctx, 0, 7)

	// Older links have another name; people write cells as text, with the rule beside them, and the generation
	// to go to.
	value[any](t, ctx, fmt.Sprintf(`location.hash = %q; null`, strings.Replace(link, "#rle=", "#cells=", 1)))
	atRest(t, ctx, 12, 24)
	value[any](t, ctx, `location.hash = "#pattern=acorn"; null`)
	atRest(t, ctx, 0, 7)
	value[any](t, ctx, `location.hash = "#rle=2b3o$bo2bo$o3bo$o2bo$3o!&rule=B36/S23&generation=12&at=2.5,2.5,8"; null`)
	atRest(t, ctx, 12, 24)
	value[any](t, ctx, `location.hash = "#rle=3q!&generation=5"; null`)
	until(t, ctx, `!notice.hidden && notice.textContent.includes("q")`)
	atRest(t, ctx, 12, 24)

	// Noise does not fit into a link.
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#size"), "512"), chromedp.SetValue(chromedp.CSS("#seed"), "7"),
		chromedp.Click(chromedp.CSS("#soup button[type=submit]")))
	until(t, ctx, `Number(readout.dataset.population) > 100000 && readout.dataset.generation === "0"`)
	before := value[string](t, ctx, `location.hash`)
	do(t, ctx, chromedp.KeyEvent("6"), chromedp.KeyEvent("c"))
	settled(t, ctx)
	do(t, ctx, chromedp.DragAndDropXY(500, 400, 700, 500, 5))
	until(t, ctx, `readout.dataset.edited === "true"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#link")))
	until(t, ctx, `!notice.hidden && /characters, and a link has room for 16.000/.test(notice.textContent)`)
	if now := value[string](t, ctx, `location.hash`); now != before {
		t.Errorf("the address is %.40q after a refused link, and was %.40q", now, before)
	}
}

// TestLargeFiles: a file that is too long is refused in words, one that is long goes gzipped.
func TestLargeFiles(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	drop := func(script string) {
		value[any](t, ctx, `{ const d = new DataTransfer(); d.items.add(new File([`+script+`], "large.rle"));
			document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); } null`)
	}
	drop(`"x = 3, y = 1, rule = B3/S23\n3o!\n" + " ".repeat(30 * 2**20)`)
	atRest(t, ctx, 0, 3)
	drop(
		`"x = 3, y = 1, rule = B3/S23\n", ...Array.from({length: 320}, () => crypto.getRandomValues(new Uint8Array(65536)))`)
	until(t, ctx, `!notice.hidden && notice.classList.contains("wrong") && notice.textContent.includes("at most")`)
	atRest(t, ctx, 0, 3)
}

// TestSlowUniverse: the page appears before the universe, shows that it is waiting, and shows the universe when it
// comes.
func TestSlowUniverse(t *testing.T) {
	ctx := browser(t)
	found := make(chan struct{})
	v := serveSession(t, session.Start(context.Background(), openCPU, func(context.Context) (session.Origin, error) {
		<-found
		return named(t, "gosper-gun"), nil
	}), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.Navigate(v.url()+"#pattern=acorn"))
	until(t, ctx, `!notice.hidden && notice.textContent.startsWith("Reading")`)
	shot(t, ctx, "slow-universe")
	close(found)
	atRest(t, ctx, 0, 7) // what the address says comes after
	until(t, ctx, `notice.hidden`)
}

// TestDisconnectedDrawing: what cannot be sent is not drawn.
func TestDisconnectedDrawing(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")))
	s.close()
	until(t, ctx, `document.body.dataset.connected === "false"`)
	do(t, ctx, chromedp.DragAndDropXY(300, 600, 348, 600, 6))
	until(t, ctx, `notice.textContent.includes("nothing can be drawn")`)
	shot(t, ctx, "disconnected")
}
