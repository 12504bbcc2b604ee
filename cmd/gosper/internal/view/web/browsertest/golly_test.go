package browsertest

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// lookedAt is the middle of the view and the pixels of a cell, as the page puts them into links.
func lookedAt(t *testing.T, ctx context.Context) (at [3]float64) {
	t.Helper()
	settled(t, ctx)
	value[any](t, ctx, `history.replaceState(null, "", "#"); null`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#link")))
	until(t, ctx, `location.hash.includes("at=")`)
	text := value[string](t, ctx, `"[" + new URLSearchParams(location.hash.slice(1)).get("at") + "]"`)
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		t.Fatalf("the link looks at %s: %v", text, err)
	}
	return at
}

// goTo writes into the field for a generation, and Enter.
func goTo(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	do(t, ctx, press("j", "KeyJ", 0), chromedp.KeyEvent(text+kb.Enter))
	value[any](t, ctx, `document.activeElement.blur(); null`)
}

// TestKeepsInView: a glider that flies out of the view is shown again if that is wanted, until somebody moves the view.
func TestKeepsInView(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, press("F", "KeyF", shift))
	until(t, ctx, `fitting.checked`)
	goTo(t, ctx, "4e2")
	atRest(t, ctx, 400, 5)
	if at := lookedAt(t, ctx); math.Abs(at[0]-101.5) > 10 || math.Abs(at[1]-101.5) > 10 {
		t.Errorf("the view is at %v, the glider at 101.5", at)
	}
	do(t, ctx, chromedp.KeyEvent("]"))
	until(t, ctx, `!fitting.checked`)
	before := lookedAt(t, ctx)
	goTo(t, ctx, "+400")
	atRest(t, ctx, 800, 5)
	if at := lookedAt(t, ctx); at != before {
		t.Errorf("the view went from %v to %v by itself", before, at)
	}
}

// TestEdgesComeAndGo: when the rule brings an edge, cells have other numbers, and are still seen where they were.
func TestEdgesComeAndGo(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	do(t, ctx, press("a", "KeyA", control))
	until(t, ctx, `edit.dataset.area === "0,0,3,3"`)
	before := lookedAt(t, ctx)
	value[any](t, ctx, `rule.focus(); rule.select(); null`)
	do(t, ctx, chromedp.KeyEvent("B3/S23:T60,40"+kb.Enter))
	until(t, ctx, `edit.dataset.area === "30,20,3,3"`)
	after := lookedAt(t, ctx)
	if want := [3]float64{before[0] + 30, before[1] + 20, before[2]}; math.Hypot(after[0]-want[0],
		after[1]-want[1]) > 1e-6 || after[2] != want[2] {
		t.Errorf("the view went from %v to %v, want %v", before, after, want)
	}
	value[any](t, ctx, `document.activeElement.blur(); null`)
	do(t, ctx, chromedp.KeyEvent("z"))
	until(t, ctx, `edit.dataset.area === "0,0,3,3"`)
	if back := lookedAt(t, ctx); math.Hypot(back[0]-before[0], back[1]-before[1]) > 1e-6 {
		t.Errorf("after undo the view is at %v, want %v", back, before)
	}
}

// TestGenerationsAsWritten: generations can be written in several ways, and steps stop at whole steps. Text that is
// not a generation gets a message, until something else is shown.
func TestGenerationsAsWritten(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	for _, c := range []struct {
		text string
		want int
	}{{"1 000", 1000}, {"+24", 1024}, {"2e3", 2000}} {
		goTo(t, ctx, c.text)
		atRest(t, ctx, c.want, 5)
	}
	for range 3 { // 60, 120, 240 generations a second: steps of 4
		do(t, ctx, chromedp.KeyEvent("+"))
	}
	until(t, ctx, `document.getElementById("speed").value.startsWith("240")`)
	do(t, ctx, press("Enter", "Enter", shift))
	atRest(t, ctx, 2004, 5)
	goTo(t, ctx, "soon")
	until(t, ctx, `!notice.hidden && notice.textContent.includes("soon")`)
	do(t, ctx, pasted("x = 2, y = 2, rule = B3/S23\n2o$2o!"))
	atRest(t, ctx, 0, 4)
	if value[bool](t, ctx, `!notice.hidden && notice.textContent.includes("soon")`) {
		t.Error("an old complaint lies over the new universe")
	}
}

// TestFileKeys: the keys for opening and saving files are the page's, and the list of keys begins at its beginning.
func TestFileKeys(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	next := kept(t, ctx)
	do(t, ctx, press("s", "KeyS", control))
	if rle := string(next()); !strings.Contains(rle, "3o!") {
		t.Errorf("saved %q, want a glider", rle)
	}
	value[any](t, ctx, `file.click = () => (document.body.dataset.asked = "yes"); null`)
	do(t, ctx, press("o", "KeyO", control))
	until(t, ctx, `document.body.dataset.asked === "yes"`)
	do(t, ctx, chromedp.EmulateViewport(390, 600), chromedp.KeyEvent("h"))
	until(t, ctx, `keys.open`)
	if top := value[float64](t, ctx, `keys.scrollTop`); top != 0 {
		t.Errorf("the list is scrolled by %v pixels when it opens", top)
	}
	shot(t, ctx, "keys-phone")
	do(t, ctx, chromedp.EmulateViewport(1280, 800))
	shot(t, ctx, "keys")
}
