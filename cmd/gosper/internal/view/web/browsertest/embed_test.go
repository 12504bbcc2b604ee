package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEmbedded opens the page that shows the element, and then elements of all kinds.
func TestEmbedded(t *testing.T) {
	ctx := browser(t)
	var page strings.Builder
	page.WriteString(
		`<!doctype html><html lang="en"><title>Elements</title><script type="module" src="embed.js"></script><main>`)
	for _, element := range []string{
		`id="text">x = 3, y = 1, rule = B3/S23
			3o!`,
		`id="loop" rle="#C [[ AUTOSTART GPS 60 LOOP 12 ]]
			x = 3, y = 3, rule = B3/S23
			bob$2bo$3o!">`,
		`id="halt" src="acorn.rle" script="GPS 60 STEP 7 STOP 100" autoplay controls>`,
		`id="soup" link="#rule=B3/S23:T64,64&amp;seed=3&amp;density=0.3&amp;generation=50">`,
		`id="ruled" rle="2b3o$bo2bo$o3bo$o2bo$3o!" rule="B36/S23">`,
		`id="wrong" rle="x = 3, y = 1, rule = B3/S23
			3q!">`,
		`id="missing" src="missing.rle">`,
		`id="nothing">`,
		`id="below" style="margin-top: 5000px" link="#pattern=acorn" autoplay>`,
	} {
		page.WriteString(`<gosper-life width="300" height="200" ` + element + `</gosper-life>`)
	}
	files := statically(t, map[string]string{
		"elements.html": page.String(),
		"acorn.rle":     "#C [[ LABEL 0 -2 8 \"acorn\" ]]\nx = 7, y = 3, rule = B3/S23\nbo$3bo$2o2b3o!\n",
	})
	do(t, ctx, scheme("light"), chromedp.Navigate(files.URL+"/elements.html"))
	says := func(id, words string) {
		t.Helper()
		until(t, ctx, `(p => p && !p.hidden && p.textContent.includes("`+words+`"))(document.getElementById("`+id+
			`").shadowRoot?.querySelector(".notice"))`)
	}
	until(t, ctx, `text.population === 3 && text.paused && text.generation === 0`)
	const colours = `(c => { const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, seen = new Set();
		for (let i = 0; i < d.length; i += 4) seen.add([d[i], d[i+1], d[i+2]].join()); return seen.size; })(text.shadowRoot.querySelector("canvas"))`
	until(t, ctx, colours+` > 1`) // the picture comes after the numbers
	if n := value[int](t, ctx, colours); n != 2 {
		t.Errorf("three cells at rest have %d colours with their paper, want 2: nothing was there before them", n)
	}
	until(t, ctx, `soup.generation === 50 && soup.population > 0`)
	until(t, ctx, `halt.generation === 100 && halt.paused`) // exactly there, in steps of 7
	until(t, ctx, `halt.shadowRoot.querySelector(".labels span").textContent === "acorn"`)
	until(t, ctx, `ruled.population === 12`)
	says("wrong", "q")
	says("missing", "missing.rle: 404")
	says("nothing", "nothing to show")
	// A loop comes back and never goes further. A universe that is not in view has not begun.
	value[any](t, ctx, `window.seen = []; window.watching = setInterval(() => seen.push(loop.generation), 5); null`)
	until(t, ctx, `seen.some((g, i) => i > 0 && g < seen[i - 1])`)
	if most := value[int](t, ctx, `clearInterval(watching), Math.max(...seen)`); most > 12 {
		t.Errorf("the loop of 12 generations reached generation %d", most)
	}
	if begun := value[bool](t, ctx, `below.generation >= 0`); begun {
		t.Error("an element out of view has begun")
	}
	shot(t, ctx, "elements")

	// The methods that a page's own script calls, and attributes that change.
	value[any](t, ctx, `ruled.step(); null`)
	until(t, ctx, `ruled.generation === 1`)
	value[any](t, ctx, `ruled.reset(); null`)
	until(t, ctx, `ruled.generation === 0 && ruled.population === 12`)
	value[any](t, ctx, `ruled.play(); null`)
	until(t, ctx, `ruled.generation > 3`)
	const link = `ruled.shadowRoot.querySelector("a").href`
	until(t, ctx, link+` !== ""`)
	old := value[string](t, ctx, link)
	value[any](t, ctx, `ruled.pause(); ruled.setAttribute("rle", "4o!"); null`)
	until(t, ctx, `ruled.population === 4 && ruled.generation === 0`)
	value[any](t, ctx, `halt.shadowRoot.querySelector("button[aria-label='Play']").click(); null`)
	until(t, ctx, `halt.generation > 120 && !halt.paused`) // playing on passes the stop
	value[any](t, ctx, `halt.remove(); null`)

	value[any](t, ctx, `below.scrollIntoView(); null`)
	until(t, ctx, `below.generation > 0`)

	// The link of an element opens the same universe in the page. It is packed, which takes a moment.
	until(t, ctx, link+fmt.Sprintf(` !== %q`, old))
	open(t, ctx, value[string](t, ctx, link))
	atRest(t, ctx, 0, 4)
}

// TestDemo looks at the page that shows the element, at two sizes.
func TestDemo(t *testing.T) {
	ctx := browser(t)
	files := statically(t, nil)
	demo := func(colours string, width, height int) {
		t.Helper()
		do(t, ctx, scheme(colours), chromedp.EmulateViewport(int64(width), int64(height)),
			chromedp.Navigate(files.URL+"/embed.html"))
		until(t, ctx, `glider.generation > 0 && gun.generation > 60`)
		shot(t, ctx, "embed-"+colours)
		value[any](t, ctx, `acorn.scrollIntoView(); null`)
		until(t, ctx, `acorn.generation > 100 && soup.generation === 0`)
		shot(t, ctx, "embed-"+colours+"-below")
	}
	demo("light", 1280, 900)
	demo("dark", 390, 844)
	axe(t, ctx)("demo")
}
