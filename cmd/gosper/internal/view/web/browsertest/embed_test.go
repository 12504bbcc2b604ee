package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	until(t, ctx, `halt.shadowRoot.querySelector("canvas").ariaLabel.endsWith(". acorn")`)
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

// TestScripts follows scripts in an element and in the page. page/test/testdata/lifeviewer-waypoints.rle is the
// pattern.
func TestScripts(t *testing.T) {
	const pattern = `#C [[ ZOOM 12 THEME 6 COLOR BACKGROUND 0 0 64 STARS ]]
#C [[ LABEL 4 -2 12 "a glider" ARROW -6 -6 -1 -1 12 POLYGON 8 8 12 8 8 12 12 ]]
#C [[ PASTET 20 PASTE 3o! 30 0 ]]
#C [[ T 40 X 5 Y 5 ZOOM 6 ANGLE 45 GPS 20 POI X 5 Y 5 ZOOM 20 ]]
x = 3, y = 3, rule = B3/S23
bo$2bo$3o!
`
	ctx := browser(t)
	files := statically(t, map[string]string{
		"scripts.html": `<!doctype html><html lang="en"><title>Scripts</title><script type="module" src="embed.js"></script>
			<main><gosper-life id="life" width="600" height="400" src="script.rle" controls></gosper-life>`,
		"script.rle": pattern,
	})
	do(t, ctx, chromedp.Navigate(files.URL+"/scripts.html"))
	until(t, ctx, `life.generation === 0 && life.population === 5`)
	const corner = `(c => Array.from(c.getContext("2d").getImageData(2, 2, 1, 1).data).join())(
		life.shadowRoot.querySelector("canvas"))`
	until(t, ctx, corner+` === "0,0,64,255"`) // COLOR is stronger than THEME
	notice := value[string](t, ctx, `life.shadowRoot.querySelector(".notice").textContent`)
	if want := "Not followed of the pattern's script: STARS."; notice != want {
		t.Errorf("the element says %q, want %q", notice, want)
	}
	shot(t, ctx, "script-begin")

	// Keys go to generation 40, by way of the paste at 20, and back.
	value[any](t, ctx, `life.setAttribute("script", "STOP 40 GPS 60"); null`)
	until(t, ctx, `life.generation === 0 && life.population === 5`)
	key := func(name string) {
		t.Helper()
		value[any](t, ctx, `life.shadowRoot.querySelector("canvas").dispatchEvent(new KeyboardEvent("keydown", {key: "`+name+
			`", shiftKey: "`+name+`" === " "})); null`)
	}
	key("Enter")
	until(t, ctx, `life.generation === 40 && life.paused && life.population === 8`) // a glider and a blinker
	shot(t, ctx, "script-end")
	key(" ")
	until(t, ctx, `life.generation === 39`)
	key("Home")
	until(t, ctx, `life.generation === 0 && life.population === 5`)

	// The page follows the view of the same script, and says what it does not follow.
	open(t, ctx, files.URL+"/")
	do(t, ctx, pasted(pattern))
	until(t, ctx, `notice.textContent === "Not followed of the pattern's script: STARS, PASTE."`)
	shot(t, ctx, "script-page")
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "40"), chromedp.Click(chromedp.CSS("#jump button")))
	atRest(t, ctx, 40, 5)
	shot(t, ctx, "script-page-turned")

	// The button copies HTML that shows the universe.
	value[any](t, ctx, `navigator.clipboard.writeText = async (text) => { window.copied = text; }; embed.click(); null`)
	until(t, ctx, `window.copied !== undefined`)
	html := value[string](t, ctx, `copied`)
	if !strings.HasPrefix(html, `<script type="module" src="`+files.URL+`/embed.js"></script>`) ||
		!strings.Contains(html, `<gosper-life link="#rle=`) {
		t.Errorf("the HTML copied is %q", html)
	}
}

// TestEditable draws and erases in an element, and undoes, redoes, steps and resets with the keys that it gets when it
// has the focus. An element without the attribute stays as it is.
func TestEditable(t *testing.T) {
	ctx := browser(t)
	const blinker = `width="480" height="320" script="ZOOM 16" rle="x = 3, y = 1, rule = B3/S23
		3o!"></gosper-life>`
	files := statically(t, map[string]string{"editable.html": `<!doctype html><html lang="en"><title>Editable</title>
		<script type="module" src="embed.js"></script><main><gosper-life id="board" editable controls ` + blinker +
		`<gosper-life id="locked" ` + blinker + `</main>`})
	do(t, ctx, scheme("light"), chromedp.Navigate(files.URL+"/editable.html"))
	until(t, ctx, `board.population === 3 && locked.population === 3`)
	// at returns the pixel in the middle of a cell. The middle of the canvas is that of the pattern.
	at := func(id string, x, y float64) (float64, float64) {
		t.Helper()
		middle := value[[]float64](t, ctx,
			`(r => [r.x + r.width / 2, r.y + r.height / 2])(`+id+`.shadowRoot.querySelector("canvas").getBoundingClientRect())`)
		return middle[0] + 16*(x-1), middle[1] + 16*y
	}
	stroke := func(x0, y0, x1, y1 float64) chromedp.Action[chromedp.Void] {
		t.Helper()
		fromX, fromY := at("board", x0, y0)
		toX, toY := at("board", x1, y1)
		return chromedp.DragAndDropXY(fromX, fromY, toX, toY, 6)
	}
	shows := func(generation, population int) {
		t.Helper()
		until(t, ctx, fmt.Sprintf(`board.generation === %d && board.population === %d`, generation, population))
	}
	undo, redo := press("z", "KeyZ", control), press("Z", "KeyZ", control|shift)

	do(t, ctx, stroke(5, 4, 7, 4))
	shows(0, 6)
	x, y := at("board", 0, 0)
	do(t, ctx, chromedp.MouseClickXY(x, y))
	shows(0, 5)
	shot(t, ctx, "editable")
	value[any](t, ctx, `document.activeElement.blur(); null`)
	do(t, ctx, undo) // the element does not have the focus
	value[any](t, ctx, `board.shadowRoot.querySelector("canvas").focus(); null`)
	do(t, ctx, undo)
	shows(0, 6)
	do(t, ctx, redo)
	shows(0, 5)
	do(t, ctx, undo, undo)
	shows(0, 3)
	do(t, ctx, undo, redo) // there is nothing to undo: the pattern stays
	shows(0, 6)
	do(t, ctx, chromedp.KeyEvent(" "))
	shows(1, 6)
	do(t, ctx, undo)
	shows(0, 6)
	do(t, ctx, chromedp.KeyEvent(" "))
	shows(1, 6)
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	shows(0, 6) // what was drawn before the first generation belongs to the start
	do(t, ctx, stroke(-4, -4, -3, -4), undo, redo)
	shows(0, 8)
	do(t, ctx, undo)
	shows(0, 6)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `board.generation > 5`)
	do(t, ctx, undo)
	until(t, ctx, `board.generation === 0 && board.population === 6 && board.paused`)

	x, y = at("locked", 5, 4)
	do(t, ctx, chromedp.MouseClickXY(x, y), undo, chromedp.KeyEvent(" "))
	until(t, ctx, `locked.generation === 1 && locked.population === 3`)
}
