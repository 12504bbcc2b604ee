package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	_ "github.com/gosper-life/gosper/sim/reference"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// axe loads axe-core, the checker of accessibility, into the open page, and returns a function that checks the
// page in a form. `npm ci` in the folder above fetches it.
func axe(t *testing.T, ctx context.Context) (check func(form string)) {
	t.Helper()
	value[any](t, ctx, axeScript(t)+`; null`)
	if n := value[int](t, ctx, `axe.getRules().length`); n < 80 {
		t.Errorf("axe has %d rules only", n)
	}
	return func(form string) {
		t.Helper()
		wrong, err := chromedp.Run(ctx,
			chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.flatMap(v => v.nodes.map(n =>
			v.id + ": " + n.target + ": " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wrong {
			t.Errorf("%s: %s", form, w)
		}
	}
}

func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../node_modules/axe-core/axe.min.js")
	if os.IsNotExist(err) && os.Getenv("GOSPER_AXE") == "" {
		t.Skip("no axe-core: npm ci in the folder above fetches it")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// TestAxe checks the page in all its forms.
func TestAxe(t *testing.T) {
	axeScript(t) // without it there is nothing to open a page for
	ctx := browser(t)
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		// for axe, which is not the page's
		_, err := cdp.Call(ctx, target, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
		return err
	}))
	open(t, ctx, s.url())
	until(t, ctx, `engine.options.length > 1`) // the catalogue is there
	check := axe(t, ctx)
	for _, colours := range []string{"light", "dark"} {
		do(t, ctx, scheme(colours))
		value[any](
			t, ctx, `document.querySelector("#panel").hidden && document.getElementById("panel-toggle").click(); document.getElementById("numbers").open = true; null`)
		until(t, ctx, `statistics.childElementCount > 10`)
		do(t, ctx, chromedp.KeyEvent("e"))
		until(t, ctx, `!document.querySelector(".kinds").hidden && !rarest.disabled`)
		check(colours + ", controls open, objects found")
		do(t, ctx, chromedp.KeyEvent("e"))
		do(t, ctx, press("V", "KeyV", 8), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
		until(t, ctx, `document.querySelector("#library-list [aria-selected=true] canvas")`)
		check(colours + ", library open")
		do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
		do(t, ctx, chromedp.Click(chromedp.CSS("#panel-close")))
		check(colours + ", controls closed")
		value[any](t, ctx, `keys.showModal()`)
		check(colours + ", keys")
		value[any](t, ctx, `keys.close()`)
	}
	for _, theme := range []string{"contrast", "colour-blind", ""} {
		choose(t, ctx, "theme", theme)
		check("theme " + theme)
	}
	do(t, ctx, pasted("x = 3, y = 1, rule = WireWorld\n3C!"))
	atRest(t, ctx, 0, 3)
	do(t, ctx, chromedp.KeyEvent("s"), press("a", "KeyA", 2), clipboard("3C!"))
	until(t, ctx, `!document.getElementById("on-floating").hidden`)
	check("pasting")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `!document.getElementById("on-selection").hidden && !pens.hidden`)
	check("selecting")
	do(t, ctx, chromedp.EmulateViewport(360, 740, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch))
	check("phone")
	do(t, ctx, chromedp.Click(chromedp.CSS("#panel-toggle")))
	check("phone, controls open")
}

// inked checks how many pixels of a picture are ink; the others are paper.
func inked(t *testing.T, data []byte, want int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	ink, others := 0, 0
	size := picture.Bounds().Size() // without the panel
	for y := range size.Y {
		for x := range size.X {
			switch c := picture.At(x, y); {
			case near(c, color.RGBA{0x1f, 0x1e, 0x1b, 255}):
				ink++
			case !near(c, color.RGBA{0xf7, 0xf5, 0xf0, 255}):
				others++
			}
		}
	}
	if ink < want-100 || ink > want+100 || others > 100 {
		t.Errorf("%d pixels of ink, want %d; %d are neither ink nor paper", ink, want, others)
	}
}

// TestLostContext takes the graphics card away and gives it back: the picture is there again, of what is then,
// also if nothing has changed.
func TestLostContext(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	next := kept(t, ctx)
	// With the controls closed nothing more comes from the server.
	do(t, ctx, chromedp.Click(chromedp.CSS("#ages")), chromedp.Click(chromedp.CSS("#grid")),
		chromedp.Click(chromedp.CSS("#panel-close")))
	value[any](
		t, ctx, `window.card = cells.getContext("webgl2"); window.taken = card.getExtension("WEBGL_lose_context"); null`)
	for i, population := range []int{5, 7} {
		value[any](
			t, ctx, `cells.addEventListener("webglcontextlost", () => (window.losses = (window.losses ?? 0) + 1), { once: true }); taken.loseContext(); null`)
		until(t, ctx, fmt.Sprintf(`window.losses === %d && card.isContextLost()`, i+1))
		if population == 7 {
			do(t, ctx, pasted("4o$3o!"))
			atRest(t, ctx, 0, population)
		}
		value[any](t, ctx, `taken.restoreContext(); null`)
		until(t, ctx, `!card.isContextLost()`)
		settled(t, ctx)
		value[any](t, ctx, `document.getElementById("png").click(); null`)
		inked(t, next(), population*24*24)
	}
}

// TestWithoutWebGL: a browser that has no WebGL2 shows the universe, too, in the same colours.
func TestWithoutWebGL(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, onNewPages(`const context = HTMLCanvasElement.prototype.getContext;
		HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === "webgl2" ? null : context.call(this, kind, ...rest); };`))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	next := kept(t, ctx)
	for _, id := range []string{"ages", "grid"} {
		do(t, ctx, chromedp.Click(chromedp.CSS("#"+id)))
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#png")))
	inked(t, next(), 5*24*24)
	do(t, ctx, chromedp.Click(chromedp.CSS("#ages")), chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `Number(readout.dataset.generation) > 40`)
	shot(t, ctx, "plain-light")
	do(t, ctx, chromedp.KeyEvent("["), chromedp.KeyEvent("["), chromedp.KeyEvent("["), chromedp.KeyEvent("["),
		chromedp.KeyEvent("["), chromedp.KeyEvent("["))
	until(t, ctx, `Number(readout.dataset.generation) > 100`)
}

// TestEngineChoice: the engine is chosen in the page, and everybody is told.
func TestEngineChoice(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 7)
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	atRest(t, ctx, 1, 8)
	do(t, ctx, chromedp.Click(chromedp.CSS("#numbers summary")))
	until(t, ctx, `[...engine.options].some(o => o.value === "reference") && engine.value === "cpu"`)
	value[any](t, ctx, `engine.value = "reference"; engine.dispatchEvent(new Event("change")); null`)
	until(t, ctx, `engine.value === "reference"`)
	for s.session.Status().Engine.Engine != "reference" {
		until(t, ctx, `Number(universe.dataset.frames) > 0`)
	}
	atRest(t, ctx, 1, 8)
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	atRest(t, ctx, 2, 10)
}
