package browsertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/grid"
)

// TestWay: the page shows how far a jump is, also one that was under way when the page was opened, and ends it where it
// is. The gun's session has no rival, so it never gets there.
func TestWay(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 36)
	if !value[bool](t, ctx, `going.hidden`) {
		t.Error("the page shows a way that nobody goes")
	}
	goTo(t, ctx, "1e9")
	const on = `!going.hidden && /^to 1\u2009000\u2009000\u2009000 · \d+\u2009% · .*gen\/s · .* left$/.test(way.textContent)`
	until(t, ctx, on)
	shot(t, ctx, "way")
	open(t, ctx, s.url()+"?again")
	until(t, ctx, on)
	reachable(t, ctx, "#going button")
	do(t, ctx, chromedp.EmulateViewport(390, 844))
	until(t, ctx, `going.getBoundingClientRect().right <= innerWidth`)
	reachable(t, ctx, "#going button")
	shot(t, ctx, "way-phone")
	do(t, ctx, chromedp.Click(chromedp.CSS("#cancel")))
	until(t, ctx, `going.hidden && readout.dataset.playing === "false"`)
	settled(t, ctx)
	if st := s.session.Status(); st.Playing || st.Generation == 0 || st.Generation >= 1e9 {
		t.Errorf("after a click on Cancel: playing %v at generation %d", st.Playing, st.Generation)
	}
	do(t, ctx, chromedp.KeyEvent("z")) // one undo takes the way back
	atRest(t, ctx, 0, 36)
}

// TestSameUniverse: after a lost connection the page knows whether the server shows the same universe. It looks at that
// where it did before, with what was selected, and says so if another one is there, also one of the same name.
func TestSameUniverse(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, press("a", "KeyA", control), chromedp.KeyEvent("8"))
	until(t, ctx, `edit.dataset.area === "0,0,3,3"`)
	before := lookedAt(t, ctx)

	lost := func() {
		t.Helper()
		until(t, ctx, `document.body.dataset.connected === "false" && !notice.hidden`)
	}
	back := func() {
		t.Helper()
		until(t, ctx, `document.body.dataset.connected === "true"`)
	}
	kept := s.session
	s.session = nil // it goes on without its server
	s.http.Close()
	s.server.Close()
	lost()
	if err := errors.Join(kept.Step(t.Context(), 4), kept.Idle(t.Context())); err != nil {
		t.Fatal(err)
	}
	again := serveSession(t, kept, s.address, web.Options{})
	back()
	atRest(t, ctx, 4, 5)
	if shown := value[string](t, ctx, `notice.hidden ? "" : notice.textContent`); shown != "" {
		t.Errorf("the same universe: the page says %q", shown)
	}
	if area := value[string](t, ctx, `edit.dataset.area`); area != "0,0,3,3" {
		t.Errorf("the same universe: %q is selected", area)
	}
	if at := lookedAt(t, ctx); at != before {
		t.Errorf("the same universe is looked at from %v, and was from %v", at, before)
	}

	again.close()
	lost()
	later, err := session.New(context.Background(), openCPU, named(t, "glider"))
	if err := errors.Join(err, later.Jump(t.Context(), 8), later.Idle(t.Context())); err != nil {
		t.Fatal(err)
	}
	serveSession(t, later, s.address, web.Options{})
	back()
	noticed(t, ctx, "another universe")
	atRest(t, ctx, 8, 5)
	if area := value[string](t, ctx, `edit.dataset.area`); area != "" {
		t.Errorf("another universe: %q is selected", area)
	}
	// The page still has the cells of the universe before.
	shot(t, ctx, "lost-universe")
	value[any](t, ctx, `
		URL.createObjectURL = (blob) => { blob.text().then((text) => { document.body.dataset.saved = text; }); return "data:,"; };
		document.getElementById("keep-lost").click(); null`)
	until(t, ctx, `document.body.dataset.saved?.includes("x = 3, y = 3, rule = B3/S23")`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#load-lost")))
	until(t, ctx, `lost.hidden`)
	atRest(t, ctx, 4, 5)
}

// TestSelectionEnds: what is selected belongs to a universe, and ends with it.
func TestSelectionEnds(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, press("a", "KeyA", control))
	until(t, ctx, `edit.dataset.area === "0,0,3,3"`)
	do(t, ctx, pasted("x = 4, y = 1, rule = B3/S23\n4o!"))
	atRest(t, ctx, 0, 4)
	until(t, ctx, `edit.dataset.area === ""`)
}

// TestReloadKeepsUndo: a browser takes back what it has done after its page was loaded again. Another one cannot.
func TestReloadKeepsUndo(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 7)
	goTo(t, ctx, "1000")
	until(t, ctx, `readout.dataset.generation === "1000" && readout.dataset.playing === "false" && !undo.disabled`)
	person := value[string](t, ctx, `localStorage.getItem("person")`)
	if person == "" {
		t.Fatal("the browser has no name")
	}
	value[any](t, ctx, `localStorage.setItem("person", "somebody else"); null`)
	open(t, ctx, s.url()+"?other")
	settled(t, ctx)
	if !value[bool](t, ctx, `undo.disabled`) {
		t.Error("another browser can take it back")
	}
	value[any](t, ctx, fmt.Sprintf(`localStorage.setItem("person", %q); null`, person))
	open(t, ctx, s.url()+"?again")
	until(t, ctx, `!undo.disabled`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#undo")))
	atRest(t, ctx, 0, 7)
}

// TestRuleNameIsClicked: a click on the rule's name is for typing a rule. The letters fire no shortcuts.
func TestRuleNameIsClicked(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, chromedp.Click(chromedp.CSS("#rule-name")))
	until(t, ctx, `document.activeElement.id === "rule"`)
	value[any](t, ctx, `document.getElementById("rule").value = ""; null`)
	do(t, ctx, chromedp.KeyEvent(" csd5b"))
	until(t, ctx, `document.getElementById("rule").value === " csd5b" && document.activeElement.id === "rule"`)
	settled(t, ctx)
	if !value[bool](
		t, ctx, `edit.hidden && draw.ariaPressed === "false" && select.ariaPressed === "false" && !invert.checked`) {
		t.Error("letters that were typed have fired shortcuts")
	}
	atRest(t, ctx, 0, 5)
}

// TestTimelineRows: numbers of nine digits neither wrap the rows of the timeline nor stick out of them, on a screen and
// on a phone.
func TestTimelineRows(t *testing.T) {
	ctx := browser(t)
	from := named(t, "glider")
	from.Generation = 330_616_206
	s := serve(t, from, "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 330_616_206, 5)
	value[any](t, ctx, `panel.hidden && document.getElementById("panel-toggle").click(); null`)
	goTo(t, ctx, "+30")
	atRest(t, ctx, 330_616_236, 5)
	for _, width := range []int64{1280, 390} {
		do(t, ctx, chromedp.EmulateViewport(width, 800))
		value[any](t, ctx, `graph.scrollIntoView({ block: "center" }); null`)
		until(t, ctx, `graph.ariaValueMax === "330616236"`)
		settled(t, ctx)
		box := value[[]float64](t, ctx, `(r => [r.left, r.top, r.width, r.height])(graph.getBoundingClientRect())`)
		do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, box[0]+box[2]-2, box[1]+box[3]/2))
		until(t, ctx, `document.getElementById("g-at").textContent.startsWith("at 330\u2009616\u20092")`)
		shot(t, ctx, fmt.Sprintf("timeline-rows-%d", width))
		const row = `[...document.querySelectorAll(".timeline > *")].filter((e) => e.offsetWidth > 0)`
		for what, right := range map[string]string{
			"is in one line": row + `.every((e) => e.getClientRects().length === 1 && e.offsetHeight < 48)`,
			"does not wrap": `new Set(` + row +
				`.map((e) => { const r = e.getBoundingClientRect(); return Math.round((r.top + r.bottom) / 8); })).size === 1`,
			"does not stick out": row + `.every((e) => e.scrollWidth <= e.clientWidth + 1 &&
				e.getBoundingClientRect().right <= panel.getBoundingClientRect().left + panel.clientWidth)`,
		} {
			if !value[bool](t, ctx, right) {
				t.Errorf("%d pixels wide: false that the row %s: %s", width, what, value[string](t, ctx,
					`JSON.stringify(`+row+`.map((e) => [e.id, e.getBoundingClientRect()]))`))
			}
		}
	}
	do(t, ctx, chromedp.KeyEvent("q"))
	until(t, ctx, `marks.textContent === "330\u2009616\u2009236"`)
	if !value[bool](
		t, ctx, `marks.getBoundingClientRect().right <= panel.getBoundingClientRect().right && marks.firstChild.offsetHeight < 48`) {
		t.Error("the mark sticks out")
	}
}

// TestViewComesNearerAgain: what is kept in view is shown larger again when it has become small. A lone cell far away
// dies at once.
func TestViewComesNearerAgain(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, press("F", "KeyF", shift))
	until(t, ctx, `fitting.checked`)
	do(t, ctx, pasted("x = 3000, y = 3, rule = B3/S23\nbo$2bo$3o2996bo!"))
	atRest(t, ctx, 0, 6)
	far := lookedAt(t, ctx)
	do(t, ctx, chromedp.KeyEvent(" "))
	atRest(t, ctx, 1, 5)
	near := lookedAt(t, ctx)
	if near[2] < 8*far[2] || !value[bool](t, ctx, `fitting.checked`) {
		t.Errorf("a cell has %v pixels, and had %v when there was one far away", near[2], far[2])
	}
}

// TestSpeedControl: a slider, a typed number and keys set the same speed, on one ladder whether the universe plays or
// not.
func TestSpeedControl(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	at := func(step uint64, perSecond float64, shown, place string) {
		t.Helper()
		until(t, ctx, fmt.Sprintf(`speed.value === %q && pace.value === %q && pace.getAttribute("aria-valuetext") === %[1]q`,
			shown, place))
		settled(t, ctx)
		eventually(t, "the session has speed "+shown, func() bool {
			return s.session.Status().Speed == session.Speed{Step: step, PerSecond: perSecond}
		})
	}
	typed := func(text string) {
		t.Helper()
		do(t, ctx, chromedp.Click(chromedp.CSS("#speed")), chromedp.KeyEvent(text+kb.Enter))
	}
	typed("45")
	at(1, 45, "45\u2009/\u2009s", "6")
	typed("1.2k")
	at(20, 60, "1.20\u2009k\u2009/\u2009s", "8")
	typed("full")
	at(0, 0, "full speed", "12")
	typed("fast")
	noticed(t, ctx, "no speed")
	at(0, 0, "full speed", "12")
	slide := func(place int) {
		t.Helper()
		value[any](t, ctx, fmt.Sprintf(`pace.value = %d; pace.dispatchEvent(new Event("input")); null`, place))
	}
	slide(5)
	at(1, 30, "30\u2009/\u2009s", "5")
	ladder := func() (speeds []string) {
		slide(0)
		for range 13 {
			speeds = append(speeds, value[string](t, ctx, `speed.value`))
			do(t, ctx, chromedp.KeyEvent("+"))
		}
		return speeds
	}
	paused := ladder()
	slide(5)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "true"`)
	playing := ladder()
	if !slices.Equal(playing, paused) || paused[12] != "full speed" || paused[0] != "0.94\u2009/\u2009s" {
		t.Errorf("the keys go through %q while it plays, and %q while it does not", playing, paused)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#reset")))
	atRest(t, ctx, 0, 5)
	if value[bool](t, ctx, `[reset, generation].some((e) => e.closest("#transport") === null)`) {
		t.Error("reset and go-to are not in the transport bar")
	}
}

// TestFindsThings: the first three parts of the controls need no scrolling at 900 pixels, and what a new user looks for
// is there in one or two actions.
func TestFindsThings(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.EmulateViewport(1440, 900))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 36)
	parts := value[[]string](t, ctx, `[...panel.querySelectorAll("section")].slice(0, 5).map((s) =>
		s.querySelector("h2").textContent +
			(s.getBoundingClientRect().bottom <= innerHeight ? "" : " below"))`)
	if !slices.Equal(parts, []string{"Pattern", "Rule", "Soup", "Course below", "From afar below"}) {
		t.Errorf("the parts of the controls are %q", parts)
	}
	shot(t, ctx, "panel-900")
	if name := value[string](t, ctx, `document.getElementById("pattern-name").textContent`); name != "gosper-gun" {
		t.Errorf("the pattern is called %q", name)
	}

	value[any](t, ctx, `window.prompt = () => "-20, 1000"; null`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#to-cell")))
	settled(t, ctx)
	if at := lookedAt(t, ctx); at[0] != -19.5 || at[1] != 1000.5 {
		t.Errorf("looks at %v, want the cell -20, 1000", at)
	}

	do(t, ctx, chromedp.Click(chromedp.CSS("#rule")), chromedp.KeyEvent("wire"))
	until(t, ctx, `document.querySelector("#rule-list li")?.textContent.startsWith("WireWorld")`)
	shot(t, ctx, "rule-list")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown+kb.Enter))
	until(t, ctx, `document.getElementById("rule-name").textContent === "WireWorld"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#empty")))
	atRest(t, ctx, 0, 0)
	if rule := value[string](t, ctx, `document.getElementById("rule-name").textContent`); rule != "WireWorld" {
		t.Errorf("the empty universe has the rule %s", rule)
	}

	value[any](t, ctx, `Math.random = () => 0.5; null`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#any-rule")))
	until(t, ctx, `document.getElementById("rule-name").title.startsWith("B3/S:")`)
	value[any](t, ctx, `Math.random = () => 0.1; null`)
	value[any](t, ctx, `document.activeElement.blur(); null`)
	do(t, ctx, press("R", "KeyR", shift))
	until(t, ctx, `document.getElementById("rule-name").title.startsWith("B2345678/S012345678:")`)

	do(t, ctx, chromedp.SetValue(chromedp.CSS("#size"), "64"), chromedp.SetValue(chromedp.CSS("#symmetry"), "D8"))
	seeds := map[string]bool{}
	fill := func() string {
		t.Helper()
		loaded := s.session.Status().Loaded
		do(t, ctx, chromedp.Click(chromedp.CSS("#soup .wide")))
		until(t, ctx, `universe.dataset.settled === "true" && readout.dataset.population > "0"`)
		eventually(t, "a soup is loaded", func() bool { return s.session.Status().Loaded != loaded })
		seed := fmt.Sprint(s.session.Status().Soup.Seed)
		seeds[seed] = true
		return seed
	}
	fill()
	fill()
	kept := fill()
	if len(seeds) != 3 || s.session.Status().Soup.Start.String() != "symmetric~as=D8" {
		t.Errorf("three fills have the seeds %v and the start %v", seeds, s.session.Status().Soup.Start)
	}
	settled(t, ctx)
	shot(t, ctx, "symmetric")
	do(t, ctx, chromedp.Click(chromedp.CSS("#pinned")))
	if again := fill(); again != kept {
		t.Errorf("a seed that is kept: %s becomes %s", kept, again)
	}

	do(t, ctx, chromedp.Click(chromedp.CSS("#full")))
	until(t, ctx, `document.fullscreenElement !== null`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#full")))
	until(t, ctx, `document.fullscreenElement === null`)
	do(t, ctx, chromedp.KeyEvent("h"))
	until(t, ctx, `keys.open`)
	if groups := value[string](t, ctx, `[...keys.querySelectorAll("h3")].map((h) => h.textContent).join()`); groups !=
		"Time,View,Cells,Universe" {
		t.Errorf("the keys are in groups %s", groups)
	}
	shot(t, ctx, "keys-groups")
}

// TestObjectRows: a click anywhere in the row of a kind of objects goes to the next of them.
func TestObjectRows(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, pasted("x = 102, y = 3, rule = B3/S23\n2o97bo$2o98bo$98b3o!"), chromedp.KeyEvent("e"))
	until(t, ctx, `document.querySelectorAll("#kinds tbody tr").length === 2`)
	value[any](t, ctx, `document.querySelector("#kinds tbody tr").scrollIntoView({ block: "center" }); null`)
	for row, x := range []float64{99.5, 1} {
		do(t, ctx, chromedp.Click(chromedp.CSS(fmt.Sprintf("#kinds tbody tr:nth-child(%d) td:last-child", row+1))))
		settled(t, ctx)
		if at := lookedAt(t, ctx); at[0] != x {
			t.Errorf("row %d: looks at %v, want x %v", row, at, x)
		}
	}
}

// TestGunIsKnown: the controls name a gun as the command line does.
func TestGunIsKnown(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 36)
	do(t, ctx, chromedp.KeyEvent("e"))
	until(t, ctx, `document.getElementById("kinds").textContent.includes("Gosper glider gunp30")`)
	shot(t, ctx, "gun-known")
}

// TestThemes: the page has the themes of the command line, with their colours, and remembers the chosen one and the
// exchange of ink and paper.
func TestThemes(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	names := value[[]string](t, ctx, `[...document.getElementById("theme").options].map((o) => o.value)`)
	for _, theme := range scene.Themes {
		if !slices.Contains(names, theme.Name) {
			t.Errorf("there is no theme %s", theme.Name)
		}
		choose(t, ctx, "theme", theme.Name)
		settled(t, ctx)
		shot(t, ctx, "theme-"+theme.Name)
		// Ages do not matter for cells that have not been born here: they are old.
		if at, want := pixel(t, ctx), theme.Old; at != want {
			t.Errorf("%s: the middle of a live cell is %v, want %v", theme.Name, at, want)
		}
	}
	choose(t, ctx, "theme", "contrast")
	do(t, ctx, chromedp.KeyEvent("b"))
	open(t, ctx, s.url()+"?again")
	atRest(t, ctx, 0, 5)
	if at := value[string](t, ctx, `document.documentElement.dataset.theme + invert.checked`); at != "contrasttrue" {
		t.Errorf("the page remembers %s", at)
	}
	if at := pixel(t, ctx); at != (color.RGBA{0, 0, 0, 0xff}) {
		t.Errorf("with ink and paper exchanged, a live cell is %v", at)
	}
}

// choose changes a list of choices.
func choose(t *testing.T, ctx context.Context, id, choice string) {
	t.Helper()
	value[any](t, ctx, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q;
		s.dispatchEvent(new Event("change", { bubbles: true })); return null; })()`, id, choice))
}

// TestLattices: hexagons and triangles are drawn as what they are, and a click changes the cell that is seen there.
func TestLattices(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	ink, paper := color.RGBA{0x1f, 0x1e, 0x1b, 0xff}, color.RGBA{0xf7, 0xf5, 0xf0, 0xff}
	do(t, ctx, chromedp.KeyEvent("l")) // no lines between cells
	for _, c := range []struct {
		rule        string
		shear, tall float64
		in, out     [][2]float64 // of cell 0, 0, in widths of a column from its upper left corner
	}{
		{"B2/S34H", -0.5, math.Sqrt(3) / 2, circle(0.46), circle(0.62)},
		{
			"B4/S456L", 0, math.Sqrt(3),
			[][2]float64{{0.5, 0.8}, {-0.2, 0.2}, {1.2, 0.2}},
			[][2]float64{{-0.2, 1}, {1.2, 1}, {0.5, 1.9}},
		},
	} {
		do(t, ctx, pasted("x = 1, y = 1, rule = "+c.rule+"\no!"))
		until(t, ctx, fmt.Sprintf(`document.getElementById("rule-name").title.startsWith(%q)`, c.rule))
		atRest(t, ctx, 0, 1)
		do(t, ctx, chromedp.KeyEvent("3"), chromedp.KeyEvent("m"))
		at, size := lookedAt(t, ctx), value[[]float64](t, ctx, `[innerWidth, innerHeight]`)
		if at[2] != 32 {
			t.Fatalf("%s: %v pixels a cell", c.rule, at[2])
		}
		// place returns the pixel of a point, which is given in cells as they are seen, from the corner of cell 0, 0.
		place := func(u, v float64) (x, y float64) {
			return size[0]/2 + at[2]*(u-at[0]-c.shear*(at[1]-0.5)), size[1]/2 + at[2]*(v-c.tall*at[1])
		}
		picture := captured(t, ctx)
		for want, points := range map[color.RGBA][][2]float64{ink: c.in, paper: c.out} {
			for _, p := range points {
				x, y := place(p[0], p[1])
				if got := picture.At(int(x), int(y)); !near(got, want) {
					t.Errorf("%s: %v beside the cell's corner is %v, want %v", c.rule, p, got, want)
				}
			}
		}
		// The cell in column 2 of the row 3 below, by a click on its middle.
		do(t, ctx, chromedp.KeyEvent("c"))
		x, y := place(2.5+3*c.shear, 3.5*c.tall)
		do(t, ctx, chromedp.MouseClickXY(x, y))
		until(t, ctx, `readout.dataset.population === "2"`)
		settled(t, ctx)
		shot(t, ctx, "lattice-"+c.rule[len(c.rule)-1:])
		do(t, ctx, chromedp.KeyEvent("c"))
		cells, err := s.session.Cells(t.Context(), grid.Rect{X: 2, Y: 3, W: 1, H: 1})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := grid.Population(cells); err != nil || n != 1 {
			t.Errorf("%s: the click has changed another cell than 2, 3 (%d, %v)", c.rule, n, err)
		}
	}
}

// circle has points around the middle of a hexagon, in widths of a column from the corner of its square.
func circle(radius float64) (points [][2]float64) {
	for i := range 12 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 6)
		points = append(points, [2]float64{0.5 + radius*cos, math.Sqrt(3)/4 + radius*sin})
	}
	return points
}

// captured returns a picture of the page.
func captured(t *testing.T, ctx context.Context) image.Image {
	t.Helper()
	shown, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shown))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// pixel returns the colour in cell 2, 1 of the glider, a third of a cell to the left of its middle and above it.
func pixel(t *testing.T, ctx context.Context) color.RGBA {
	t.Helper()
	settled(t, ctx)
	at := lookedAt(t, ctx)
	img := captured(t, ctx)
	size := value[[]float64](t, ctx, `[innerWidth, innerHeight]`)
	x, y := size[0]/2+(2.3-at[0])*at[2], size[1]/2+(1.3-at[1])*at[2]
	return color.RGBAModel.Convert(img.At(int(x), int(y))).(color.RGBA)
}

// TestTargets: on phones everything that can be touched has at least 44 pixels each way, and nothing is cut off.
func TestTargets(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "gosper-gun"), "127.0.0.1:0", web.Options{Sessions: true})
	for _, width := range []int64{320, 390} {
		do(t, ctx, chromedp.EmulateViewport(width, 640, chromedp.EmulateMobile, chromedp.EmulateTouch))
		open(t, ctx, s.url()+fmt.Sprintf("?%d", width))
		atRest(t, ctx, 0, 36)
		const wrong = `[...document.querySelectorAll("button, input, select, summary, textarea, a")].filter((e) => e.checkVisibility() &&
				!e.closest(".hidden") && e.offsetWidth > 1).flatMap((e) => {
			const r = (e.closest("label") ?? e).getBoundingClientRect();
			const said = [];
			if (r.width < 43.9 || r.height < 43.9) said.push("small");
			if (r.left < 0 || r.right > innerWidth) said.push("cut");
			return said.length ? [said.join() + " " + (e.id || e.outerHTML.slice(0, 50)) + " " + Math.round(r.width) + "x" + Math.round(r.height)] : [];
		})`
		check := func(what string) {
			t.Helper()
			settled(t, ctx)
			shot(t, ctx, fmt.Sprintf("targets-%d-%s", width, strings.ReplaceAll(what, " ", "-")))
			for _, w := range value[[]string](t, ctx, wrong) {
				t.Errorf("%d pixels, %s: %s", width, what, w)
			}
			for _, w := range value[[]string](t, ctx, `[...document.querySelectorAll(".top, .top > *, #transport, #edit, #panel, #zoom")]
				.filter((e) => e.checkVisibility() && (e.getBoundingClientRect().right > innerWidth + 0.5 || e.scrollWidth > e.clientWidth + 1) &&
					getComputedStyle(e).textOverflow !== "ellipsis").map((e) => e.id || e.className)`) {
				t.Errorf("%d pixels, %s: %s is cut off", width, what, w)
			}
		}
		reachable(t, ctx, aroundThePicture)
		if !value[bool](t, ctx, `zoom.checkVisibility()`) {
			t.Errorf("%d pixels: there are no buttons to zoom", width)
		}
		check("closed")
		do(t, ctx, chromedp.KeyEvent("s"), press("a", "KeyA", control))
		until(t, ctx, `edit.dataset.area !== ""`)
		check("selecting")
		do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
		do(t, ctx, chromedp.Click(chromedp.CSS("#panel-toggle")))
		check("open")
	}
}
