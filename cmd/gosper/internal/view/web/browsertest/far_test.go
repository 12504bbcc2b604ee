package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"

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
	until(t, ctx, `channel.value === "activity" && universe.dataset.levels === "true" && !document.getElementById("channel-legend").hidden`)
	shot(t, ctx, "far-activity")
	do(t, ctx, chromedp.Click(chromedp.CSS("#next-active")))
	note := `document.getElementById("channel-note").textContent`
	until(t, ctx, note+`.endsWith("at 1 of 1 active places, as of generation 600.") && universe.dataset.levels === "false"`) // so near that cells are squares
	shot(t, ctx, "far-glider")
	do(t, ctx, chromedp.Click(chromedp.CSS("#fit")))
	for _, c := range []string{"quiet", "age", "clusters"} {
		do(t, ctx, chromedp.KeyEvent("t"))
		until(t, ctx, `channel.value === "`+c+`" && universe.dataset.levels === "true"`)
	}
	until(t, ctx, note+`.includes("The largest cluster has 5 cells")`)
	shot(t, ctx, "far-clusters")
	do(t, ctx, chromedp.KeyEvent("t"))
	until(t, ctx, `channel.value === "density" && universe.dataset.levels === "false" && document.getElementById("channel-legend").hidden`)
}
