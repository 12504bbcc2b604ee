package browsertest

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// TestFromAfar shows each channel of a universe from afar, and goes to where it is still active.
func TestFromAfar(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 2048, 7), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	until(t, ctx, `readout.dataset.playing === "false" && universe.dataset.levels === "false"`)
	do(t, ctx, chromedp.KeyEvent("g"))
	until(t, ctx, `notice.textContent.includes("has not been measured yet")`)

	do(t, ctx, pasted("x = 63, y = 3, rule = B3/S23:T2048,2048\nbo58b2o$2bo57b2o$3o!"))
	atRest(t, ctx, 0, 9)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "600"), chromedp.Click(chromedp.CSS("#jump button")))
	atRest(t, ctx, 600, 9)
	do(t, ctx, chromedp.KeyEvent("t"))
	until(
		t, ctx, `channel.value === "activity" && universe.dataset.levels === "true" && !document.getElementById("channel-legend").hidden`)
	shot(t, ctx, "far-activity")
	do(t, ctx, chromedp.Click(chromedp.CSS("#next-active")))
	note := `document.getElementById("channel-note").textContent`
	// so near that cells are squares
	until(
		t, ctx, note+`.endsWith("at 1 of 1 active places, as of generation 600.") && universe.dataset.levels === "false"`)
	shot(t, ctx, "far-glider")
	do(t, ctx, chromedp.Click(chromedp.CSS("#fit")))
	for _, c := range []string{"quiet", "age", "clusters"} {
		do(t, ctx, chromedp.KeyEvent("t"))
		until(t, ctx, `channel.value === "`+c+`" && universe.dataset.levels === "true"`)
	}
	until(t, ctx, note+`.includes("The largest cluster has 5 cells")`)
	shot(t, ctx, "far-clusters")
	do(t, ctx, chromedp.KeyEvent("t"))
	until(
		t, ctx, `channel.value === "density" && universe.dataset.levels === "false" && document.getElementById("channel-legend").hidden`)
}

// TestFarOnPhone: on a phone a finger can choose the channel and go to active places without opening the sheet, and
// the whole picture is visible.
func TestFarOnPhone(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 1024, 7), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.EmulateViewport(390, 800, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch),
		scheme("light"))
	open(t, ctx, s.url())
	const buttons = aroundThePicture + ", #afar"
	const bar = ", #far-bar select, #far-bar button"
	reachable(t, ctx, buttons)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `Number(readout.dataset.generation) > 60`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#afar")))
	until(t, ctx, `!document.getElementById("far-bar").hidden && afar.ariaExpanded === "true"`)
	note := `document.getElementById("channel-note").textContent`
	choose := func(channel string) {
		t.Helper()
		until(t, ctx, `(channel.value = "`+channel+`", channel.dispatchEvent(new Event("change")), true)`)
		until(t, ctx, `universe.dataset.levels === "true"`)
	}
	for _, channel := range []string{"quiet", "age", "clusters", "activity"} {
		choose(channel)
		if channel == "clusters" {
			until(t, ctx, note+`.includes("The largest cluster has")`)
		}
		shot(t, ctx, "far-phone-"+channel)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#next-active")))
	until(t, ctx, note+`.includes("cells change here, at 1 of ")`)
	reachable(t, ctx, buttons+bar)
	shot(t, ctx, "far-phone-place")
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")))
	reachable(t, ctx, buttons+bar+", #edit button:not([disabled])")
	shot(t, ctx, "far-phone-draw")
	do(t, ctx, chromedp.Click(chromedp.CSS("#draw")), chromedp.Click(chromedp.CSS("#panel-toggle")))
	reachable(t, ctx, "#transport button, .top button, #panel-close")
	shot(t, ctx, "far-phone-sheet")
	do(t, ctx, chromedp.Click(chromedp.CSS("#panel-close")), chromedp.Click(chromedp.CSS("#afar")))
	until(t, ctx, `document.getElementById("far-bar").hidden`)
	// A screen that becomes wide has the same among its controls.
	do(t, ctx, chromedp.EmulateViewport(1280, 800))
	until(t, ctx, `panel.contains(channel) && getComputedStyle(afar).display === "none"`)
}

// tally counts the messages that hold whole frames and those that hold changes.
const tally = `{
	window.messages = { whole: 0, changes: 0 };
	const given = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
	Object.defineProperty(WebSocket.prototype, "onmessage", { ...given, set(f) {
		given.set.call(this, (e) => {
			if (e.data instanceof ArrayBuffer) messages[new Uint8Array(e.data)[3] & 8 ? "changes" : "whole"]++;
			f(e);
		});
	} });
}`

// TestChangesFromAfar: the picture of a far view that came as changes has the pixels of the picture that another page
// gets as a whole.
func TestChangesFromAfar(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 2048, 7), "127.0.0.1:0", web.Options{})
	do(t, ctx, onNewPages(tally))
	const place = "#at=1024,1024,0.25"
	open(t, ctx, s.url()+place)
	settled(t, ctx)
	do(t, ctx, chromedp.KeyEvent("a")) // frames do not say how old cells are
	until(t, ctx, `!ages.checked`)
	picture := func(next func() []byte) image.Image {
		t.Helper()
		settled(t, ctx)
		value[any](t, ctx, `document.getElementById("png").click(); null`)
		p, err := png.Decode(bytes.NewReader(next()))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	next := kept(t, ctx)
	first := picture(next)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `messages.changes >= 20`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `readout.dataset.playing === "false"`)
	changed := picture(next)
	if pixels, _ := unlike(changed, first); pixels < 1000 {
		t.Errorf("%d pixels are others than at the start: the test sees no changes", pixels)
	}
	open(t, ctx, s.url()+"?again"+place)
	whole := picture(kept(t, ctx))
	pixels, drawn := unlike(changed, whole)
	if pixels > 0 || drawn < 1000 {
		t.Errorf("%d of %d pixels drawn from changes differ from those of the whole frame", pixels, drawn)
	}
	if n := value[int](t, ctx, `messages.whole`); n == 0 {
		t.Error("the page that was loaded again got no whole frame")
	}
}
