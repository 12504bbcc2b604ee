package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// clipboard has the page believe that its user pastes a text.
func clipboard(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](fmt.Sprintf(`{ const d = new DataTransfer(); d.setData("text", %q);
			document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true })); } null`, text))(ctx,
			target)
		return err
	})
}

// population does something that changes cells and waits for a number of live cells at generation 0.
func population(t *testing.T, ctx context.Context, n int, change ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	do(t, ctx, change...)
	atRest(t, ctx, 0, n)
}

// TestEditor selects, cuts, turns, pastes in all modes, fills and clears, by pointer and keys.
func TestEditor(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	population(t, ctx, 5)
	area := func(want string) {
		t.Helper()
		until(t, ctx, fmt.Sprintf(`edit.dataset.area === %q`, want))
	}

	do(t, ctx, chromedp.KeyEvent("s"), press("a", "KeyA", control))
	area("0,0,3,3")
	population(t, ctx, 0, press("x", "KeyX", control))
	population(t, ctx, 5, chromedp.KeyEvent("z"))

	// Pasted cells float until they are put down.
	do(t, ctx, clipboard("x = 4, y = 2, rule = B3/S23\n4o$o!"))
	area("0,0,4,2")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	area("1,2,4,2")
	do(t, ctx, chromedp.KeyEvent(">"))
	until(t, ctx, `edit.dataset.area.endsWith(",2,4")`)
	do(t, ctx, chromedp.KeyEvent("<"))
	area("1,2,4,2")
	shot(t, ctx, "floating-light")
	population(t, ctx, 5+4+1-2, chromedp.KeyEvent(kb.Enter)) // over two of the glider's cells
	population(t, ctx, 5, chromedp.KeyEvent("z"))
	do(t, ctx, chromedp.Click(chromedp.CSS("#float")), chromedp.KeyEvent("o"))
	until(t, ctx, `document.getElementById("paste-mode").textContent === "xor"`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	area("0,2,4,2")
	population(t, ctx, 5-3+2, chromedp.Click(chromedp.CSS("#place")))
	population(t, ctx, 5, chromedp.KeyEvent("z"))

	// A selection by the pointer: 24 pixels a cell, the glider in the middle of the picture between the controls.
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	area("")
	do(t, ctx, chromedp.DragAndDropXY(300, 600, 348, 624, 6))
	until(t, ctx, `edit.dataset.area.endsWith(",3,2")`)
	shot(t, ctx, "selection-light")
	population(t, ctx, 5+6, chromedp.KeyEvent("p"))
	population(t, ctx, 5, chromedp.Click(chromedp.CSS("#clear")))
	population(t, ctx, 5+6, chromedp.Click(chromedp.CSS("#fill")))
	do(t, ctx, press("a", "KeyA", control), chromedp.KeyEvent("k"))
	until(t, ctx, `!edit.dataset.area.endsWith(",3,2")`)
	value[any](t, ctx, `density.value = "99"; density.dispatchEvent(new Event("input")); null`)
	do(t, ctx, chromedp.KeyEvent("n"))
	until(t, ctx, `Number(readout.dataset.population) > 11`)
	population(t, ctx, 11, chromedp.KeyEvent("z"))
	population(t, ctx, 0, chromedp.KeyEvent(kb.Delete))
	do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `edit.hidden && select.ariaPressed === "false"`)
}

// TestWholeObjects selects objects by double clicks and keys, and more of them with Shift; and the ruler says
// how far apart cells are.
func TestWholeObjects(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	// A block, a beehive beside it, and a blinker far below. The middle of the picture is the cell (6, 12); a cell
	// has 16 pixels.
	open(t, ctx, s.url()+"#at=6.5,12.5,16&rle=2o4b2o$2o3bo2bo$6b2o20$9b3o!")
	population(t, ctx, 4+6+3)
	pixel := func(x, y float64) (float64, float64) { return 640 + 16*(x-6), 400 + 16*(y-12) }
	twice := func(x, y float64, modifiers ...chromedp.MouseOption) {
		t.Helper()
		x, y = pixel(x, y)
		do(t, ctx, chromedp.MouseClickXY(x, y, append(modifiers, chromedp.ClickCount(1))...),
			chromedp.MouseClickXY(x, y, append(modifiers, chromedp.ClickCount(2))...))
	}
	area := func(want string) {
		t.Helper()
		until(t, ctx, fmt.Sprintf(`edit.dataset.area === %q`, want))
	}
	shifted := chromedp.ButtonModifiers(chromedp.ModifierShift)
	do(t, ctx, chromedp.KeyEvent("s"))
	twice(1, 1)
	area("0,0,2,2")
	twice(6, 0, shifted)
	area("0,0,9,3")
	twice(10, 22, shifted)
	area("0,0,12,23")
	shot(t, ctx, "whole-light")
	twice(10, 22)
	area("9,22,3,1")
	population(t, ctx, 10, chromedp.Click(chromedp.CSS("#clear")))
	population(t, ctx, 13, chromedp.KeyEvent("z"))
	// A selection that covers a part of the beehive grows to the whole beehive.
	do(t, ctx, chromedp.MouseClickXY(pixel(7, 2)))
	area("7,2,1,1")
	do(t, ctx, press("ArrowUp", "ArrowUp", 8), press("ArrowRight", "ArrowRight", 8))
	area("7,1,2,2")
	do(t, ctx, chromedp.KeyEvent("w"))
	area("5,0,4,3")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	area("")
	x0, y0 := pixel(0, 0)
	x1, y1 := pixel(3, 4)
	do(t, ctx, chromedp.KeyEvent("d"), chromedp.DragAndDropXY(x0, y0, x1, y1, 4))
	until(t, ctx, `edit.dataset.ruler === "+3, +4 · 5.0" && measure.ariaPressed === "true"`)
	do(t, ctx, press("ArrowRight", "ArrowRight", 8), press("ArrowUp", "ArrowUp", 8))
	until(t, ctx, `edit.dataset.ruler === "+4, +3 · 5.0"`)
	shot(t, ctx, "ruler-light")
	do(t, ctx, chromedp.KeyEvent("d"))
	until(t, ctx, `edit.hidden && edit.dataset.ruler === ""`)
}

// TestPens draws in the states of a rule, which have their names and colours.
func TestPens(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("dark"))
	open(t, ctx, s.url())
	population(t, ctx, 5)
	do(t, ctx, chromedp.KeyEvent("c"))
	until(t, ctx, `!edit.hidden && pens.hidden`)
	do(t, ctx, pasted("x = 1, y = 1, rule = WireWorld\nA!"))
	population(t, ctx, 1)
	until(t, ctx, `!pens.hidden && pens.children.length === 4 && pens.children[3].title === "wire"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#pens button:nth-child(4)")))
	until(t, ctx, `pens.children[3].ariaChecked === "true" && pens.children[1].ariaChecked === "false"`)
	population(t, ctx, 4, chromedp.DragAndDropXY(300, 600, 348, 600, 6))
	do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, 324, 600))
	until(t, ctx, `where.textContent.endsWith("wire")`)
	shot(t, ctx, "pens-dark")
	do(t, ctx, chromedp.KeyEvent(","))
	until(t, ctx, `pens.children[2].ariaChecked === "true"`)
}
