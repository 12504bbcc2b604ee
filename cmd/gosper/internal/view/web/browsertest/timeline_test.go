package browsertest

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// TestTimeline steps back, goes along the graph by pointer and keys, and comes back to marks.
func TestTimeline(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 7)
	until(t, ctx, `back.disabled`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "400"), chromedp.Click(chromedp.CSS("#jump button")))
	until(t, ctx, `readout.dataset.generation === "400" && readout.dataset.playing === "false"`)
	do(t, ctx, press(" ", "Space", 8))
	until(t, ctx, `readout.dataset.generation === "399" && readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#back")))
	until(t, ctx, `readout.dataset.generation === "398" && readout.dataset.playing === "false"`)

	until(t, ctx, `graph.ariaValueMax === "400" && graph.ariaValueMin === "0" && graph.ariaValueNow === "398"`)
	box := value[[]float64](t, ctx, `(r => [r.left, r.top, r.width, r.height])(graph.getBoundingClientRect())`)
	x, y := box[0]+box[2]/2, box[1]+box[3]/2
	do(t, ctx, chromedp.MouseClickXY(x, y))
	until(t, ctx, `Math.abs(Number(readout.dataset.generation) - 200) <= 2 && readout.dataset.playing === "false"`)
	until(t, ctx, `graph.ariaValueMax === "400"`) // the future is known still
	shot(t, ctx, "timeline-light")
	do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, x+5, y))
	until(t, ctx, `/^at [0-9]+: [0-9]+/.test(document.getElementById("g-at").textContent)`)

	// With logarithmic axes the middle is where half of the doublings are over.
	do(t, ctx, press("L", "KeyL", 8))
	until(t, ctx, `logarithmic.ariaPressed === "true"`)
	shot(t, ctx, "timeline-log-light")
	do(t, ctx, chromedp.MouseClickXY(x, y))
	until(t, ctx, `Math.abs(Number(readout.dataset.generation) - 19) <= 2 && readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#logarithmic")))
	until(t, ctx, `logarithmic.ariaPressed === "false"`)

	do(t, ctx, chromedp.Focus(chromedp.CSS("#graph")), chromedp.KeyEvent(kb.Home))
	atRest(t, ctx, 0, 7)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
	atRest(t, ctx, 1, 8)

	do(t, ctx, chromedp.Click(chromedp.CSS("#mark")))
	until(t, ctx, `mark.ariaPressed === "true" && marks.children.length === 1`)
	do(t, ctx, chromedp.Focus(chromedp.CSS("#graph")), chromedp.KeyEvent(kb.End))
	until(
		t, ctx, `readout.dataset.generation === "400" && readout.dataset.playing === "false" && mark.ariaPressed === "false"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#marks button")))
	atRest(t, ctx, 1, 8)
	open(t, ctx, s.url()+"?again") // the browser keeps marks
	atRest(t, ctx, 1, 8)
	until(t, ctx, `marks.children.length === 1 && mark.ariaPressed === "true"`)
	do(t, ctx, chromedp.KeyEvent("q"))
	until(t, ctx, `marks.children.length === 0`)

	// To and fro along the graph: it ends where the pointer is left. The graph may lie elsewhere on the new page.
	box = value[[]float64](t, ctx, `(r => [r.left, r.top, r.width, r.height])(graph.getBoundingClientRect())`)
	x, y = box[0]+box[2]/2, box[1]+box[3]/2
	do(t, ctx, chromedp.DragAndDropXY(x, y, box[0]+box[2]-1, y, 20))
	until(t, ctx, fmt.Sprintf(`Number(readout.dataset.generation) >= %d && readout.dataset.playing === "false"`, 397))
}

// TestLeap: who goes far along the timeline sees cells of no known age, not cells that seem to have just been born.
func TestLeap(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "acorn"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 7)
	coloured := func() (pixels, cells int) {
		t.Helper()
		shown, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(shown))
		if err != nil {
			t.Fatal(err)
		}
		for y := 100; y < 600; y++ {
			for x := 100; x < 900; x++ {
				switch r, _, b, _ := picture.At(x, y).RGBA(); {
				case r>>8 > b>>8+80:
					pixels++
				case r>>8 < 100:
					cells++
				}
			}
		}
		return pixels, cells
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "2000"), chromedp.Click(chromedp.CSS("#jump button")))
	until(t, ctx, `readout.dataset.generation === "2000" && readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.KeyEvent("f"))
	until(t, ctx, `readout.dataset.counted === "2000"`)
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		pixels, cells := coloured()
		if pixels == 0 && cells > 100 {
			break
		}
		if time.Now().After(end) {
			shot(t, ctx, "leap")
			t.Fatalf("%d pixels have the colour of young cells, %d that of old ones", pixels, cells)
		}
	}
	do(t, ctx, chromedp.KeyEvent(" "))
	until(t, ctx, `readout.dataset.generation === "2001"`)
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if pixels, _ := coloured(); pixels > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no cell is young after a step")
		}
	}
}
