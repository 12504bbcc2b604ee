package browsertest

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// TestObjects names the objects in the ash of acorn, goes to the rarest, and names the object at a click.
func TestObjects(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 7)
	note := `document.getElementById("objects-note").textContent`
	row := `[...document.querySelectorAll("#kinds tbody tr")].map(r => [...r.cells].map(c => c.textContent).join("|"))`
	do(t, ctx, chromedp.Click(chromedp.CSS("#objects")))
	until(t, ctx, note+`.includes("1 of 1 kind,") && `+row+`[0] === "unstable||1"`)

	// LifeWiki has the same list of what acorn leaves after 5206 generations.
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "5300"), chromedp.Click(chromedp.CSS("#jump button")))
	until(t, ctx, `readout.dataset.generation === "5300" && `+note+
		`.includes("139 of 10 kinds, at generation 5\u2009300")`)
	want := []string{
		"blinker|p2|41", "block||34", "beehive||30", "glider|c/4 diagonal|13", "boat||8", "loaf||5", "ship||3", "barge||2",
		"pond||2", "mango||1",
	}
	if rows := value[[]string](t, ctx, row); !slices.Equal(rows, want) {
		t.Errorf("the table is %q, want %q", rows, want)
	}
	shot(t, ctx, "objects")
	do(t, ctx, chromedp.Click(chromedp.CSS("#rarest")))
	until(t, ctx, `document.querySelector("#objects-note a")?.href.startsWith("https://catagolue.hatsya.com/object/x") &&
		document.querySelector("#objects-note a").href.endsWith("/b3s23")`)
	shot(t, ctx, "objects-rarest")

	// A click on an object of the canvas names it. A click beside it shows the number of objects.
	do(t, ctx, pasted("x = 40, y = 3, rule = B3/S23\n2o37bo$2o36bobo$38b2o!"))
	until(t, ctx, note+`.includes("2 of 2 kinds, at generation 0")`)
	do(t, ctx, chromedp.KeyEvent("8"), chromedp.KeyEvent("m"))
	x := value[float64](t, ctx, `innerWidth / 2`)
	y := value[float64](t, ctx, `innerHeight / 2`)
	shot(t, ctx, "objects-two")
	click := func(dx, dy float64) {
		settled(t, ctx)
		do(t, ctx, chromedp.MouseClickXY(x+8*dx, y+8*dy))
	}
	click(-19, -0.6) // in the block: the middle of the pattern is the middle of the view
	until(t, ctx, note+`.startsWith("block, still life")`)
	click(18.5, 0.5)
	until(t, ctx, note+`.startsWith("boat, still life")`)
	click(0, 10)
	until(t, ctx, note+`.includes("2 of 2 kinds")`)
	settled(t, ctx)
	// before the objects are known again
	do(t, ctx, chromedp.KeyEvent("e"), chromedp.KeyEvent("e"), chromedp.MouseClickXY(x-8*19, y-8*0.6))
	until(t, ctx, note+`.startsWith("block, still life")`)
	click(0, 10)
	until(t, ctx, note+`.includes("2 of 2 kinds")`)

	// Cells that are drawn are found, too, and what is selected alone.
	do(t, ctx, chromedp.KeyEvent("c"))
	click(0, 10)
	until(t, ctx, note+`.includes("3 of 3 kinds")`)
	do(t, ctx, chromedp.KeyEvent("c"), chromedp.KeyEvent("s"), chromedp.DragAndDropXY(x+8*10, y-40, x+8*25, y+40, 5))
	until(t, ctx, note+`.includes("1 of 1 kind,")`)

	do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `edit.hidden && edit.dataset.area === ""`)

	// While a universe plays, the table follows, and there are no outlines.
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "true" && `+note+`.includes("2 of 2 kinds, at generation") && !`+note+
		`.endsWith("generation 0")`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "false"`)

	// Dying cells belong to objects under rules that have them.
	do(t, ctx, pasted("x = 13, y = 2, rule = /2/3\nAB9.AB$AB9.AB!"))
	until(t, ctx, note+`.includes("2 of 1 kind, at generation 0")`)
	if rows := value[[]string](t, ctx, row); !slices.Equal(rows, []string{"xq1_03_3|c/1|2"}) {
		t.Errorf("under Brian's Brain the table is %q", rows)
	}
	shot(t, ctx, "objects-brain")

	// A rule without a census is refused in one line.
	do(t, ctx, pasted("x = 3, y = 1, rule = WireWorld\n3C!"))
	until(t, ctx, `!notice.hidden && notice.classList.contains("wrong") && !notice.textContent.includes("\n")`)
	do(t, ctx, chromedp.KeyEvent("e"))
	until(t, ctx, note+` === "" && document.querySelector(".kinds").hidden`)
}
