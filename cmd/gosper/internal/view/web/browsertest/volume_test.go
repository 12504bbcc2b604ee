package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/topology"
)

// volume is a soup of three dimensions.
func volume(t *testing.T, notation string, w, h, d int, density float64) session.Origin {
	t.Helper()
	torus, err := topology.NewVolume(topology.Torus, w, h, d)
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromSoup(config(t, notation, torus), 0, 0, 7, density)
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// picture returns a screenshot of the page after two turns of the screen.
func picture(t *testing.T, ctx context.Context) image.Image {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](
		`new Promise((passed) => requestAnimationFrame(() => requestAnimationFrame(() => passed(null))))`,
		chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unlike counts the pixels of the middle of a picture that differ from those of another one, and from the background.
func unlike(a, b image.Image) (pixels, drawn int) {
	at := func(p image.Image, x, y int) [3]uint8 {
		r, g, b, _ := p.At(x, y).RGBA()
		return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
	}
	paper := at(a, 20, 300)
	for y := 70; y < 480; y++ {
		for x := 60; x < 640; x++ {
			if at(a, x, y) != at(b, x, y) {
				pixels++
			}
			if at(a, x, y) != paper {
				drawn++
			}
		}
	}
	return pixels, drawn
}

// TestVolume: the page of two dimensions goes to that of volumes, which draws one, from all sides and in parts, plays
// it and draws on a slice.
func TestVolume(t *testing.T) {
	ctx := browser(t)
	s := serve(t, volume(t, "13-26/13-14,17-19/2/M", 40, 36, 32, 0.5), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.EmulateViewport(1010, 560), chromedp.Navigate(s.url())) // few pixels, which a processor draws
	// The page goes to another one, on which nothing may wait meanwhile.
	for {
		at, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.search + document.readyState`))
		if err == nil && at == "?volumecomplete" {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the page of volumes does not come")
		}
	}
	until(t, ctx, `location.search === "?volume" && universe.dataset.painted > 0 && readout.dataset.generation === "0"`)
	for range 3 {
		do(t, ctx, chromedp.KeyEvent(" "))
	}
	until(t, ctx, `universe.dataset.generation === "3" && readout.dataset.generation === "3"`)
	whole := picture(t, ctx)
	shot(t, ctx, "volume")
	if _, drawn := unlike(whole, whole); drawn < 30_000 {
		t.Errorf("the volume covers %d pixels", drawn)
	}
	differs := func(what string, least int) {
		t.Helper()
		now := picture(t, ctx)
		shot(t, ctx, "volume-"+what)
		if n, _ := unlike(whole, now); n < least {
			t.Errorf("%s: %d pixels differ", what, n)
		}
	}
	same := func(what string) {
		t.Helper()
		if n, _ := unlike(whole, picture(t, ctx)); n > 0 {
			t.Errorf("%s: %d pixels differ", what, n)
		}
	}
	do(t, ctx, chromedp.KeyEvent("a"))
	differs("age", 8_000)
	do(t, ctx, chromedp.KeyEvent("a"))
	differs("layer", 8_000)
	do(t, ctx, chromedp.KeyEvent("a"))
	differs("position", 8_000)
	do(t, ctx, chromedp.KeyEvent("a"))
	same("colours by state again")
	do(t, ctx, chromedp.KeyEvent("]"))
	differs("near", 8_000)
	do(t, ctx, chromedp.KeyEvent("f"))
	same("zoom 1 again")
	const x1 = `document.getElementById("x1")`
	value[any](t, ctx, x1+`.value = 12, `+x1+`.dispatchEvent(new Event("change")), null`)
	differs("box", 8_000)
	do(t, ctx, chromedp.Click(chromedp.CSS("#whole")))
	same("the whole volume again")

	// Draw on the slice in the middle.
	do(t, ctx, chromedp.KeyEvent("c"))
	until(t, ctx, `document.getElementById("slice-value").textContent === "z = 16"`)
	differs("slice", 8_000)
	before := s.session.Status()
	population := value[string](t, ctx, `readout.dataset.population`)
	do(t, ctx, chromedp.MouseClickXY(340, 250))
	until(t, ctx, `!document.getElementById("undo").disabled`)
	now := s.session.Status()
	if now.Drawn != before.Drawn+1 {
		t.Errorf("%d drawings, want one", now.Drawn-before.Drawn)
	}
	where := value[string](t, ctx, `document.getElementById("where").textContent`)
	var x, y, z, state int
	if _, err := fmt.Sscanf(where, "%d, %d, %d: state %d", &x, &y, &z, &state); err != nil || z != 16 {
		t.Fatalf("the cell is %q: %v", where, err)
	}
	err := s.session.Read(t.Context(), func(cells grid.Source, _ pattern.Meta) error {
		var word [1]uint64
		err := cells.ReadRow(word[:], 0, x, y+36*z, 1)
		if now.Population != before.Population-1+2*word[0] {
			t.Errorf("cell %d,%d,%d is in state %d, and of %d cells %d live", x, y, z, word[0], before.Population,
				now.Population)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"c", "s", "s", "s", "z"} {
		do(t, ctx, chromedp.KeyEvent(key))
	}
	until(t, ctx, `!document.getElementById("redo").disabled && document.getElementById("slice").disabled`)
	until(t, ctx, `readout.dataset.population === "`+population+`"`)

	// Play, and other rules and sizes.
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "true" && Number(universe.dataset.generation) > 5`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#rule")))
	until(t, ctx, `document.querySelectorAll("#rule-list li").length > 25`)
	value[any](t, ctx, `[...document.querySelectorAll("#rule-list li")].find((li) => li.textContent.includes("4/4/5/M"))
		.click(), null`)
	until(t, ctx, `universe.dataset.states === "5"`)
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#size"), "24x20x16"), chromedp.Click(chromedp.CSS("#soup button")))
	until(t, ctx, `readout.dataset.generation === "0" && document.getElementById("z1").value === "15"`)
	if st := s.session.Status(); st.Topology.Size() != "24×20×16" || st.States != 5 {
		t.Errorf("the universe is %v with %d states", st.Topology.Size(), st.States)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#step")))
	until(t, ctx, `universe.dataset.generation === "1"`)
	picture(t, ctx)
	shot(t, ctx, "volume-445")
}
