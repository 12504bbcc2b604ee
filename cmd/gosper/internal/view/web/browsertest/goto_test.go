package browsertest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
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
