package browsertest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/pattern"
)

// kept makes the page hand over what it saves, and returns a function that waits for the next file.
func kept(t *testing.T, ctx context.Context) func() []byte {
	t.Helper()
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](
			`window.kept = []; HTMLAnchorElement.prototype.click = function () { kept.push(fetchBlob(this.href)); };
			window.blobs = new Map(); const make = URL.createObjectURL; URL.createObjectURL = b => { const u = make(b); blobs.set(u, b); return u; };
			window.fetchBlob = async u => { const bytes = new Uint8Array(await blobs.get(u).arrayBuffer()); let s = ""; for (const b of bytes) s += String.fromCharCode(b); return btoa(s); }; null`)(ctx, target)
		return err
	}))
	return func() []byte {
		t.Helper()
		until(t, ctx, `kept.length > 0`)
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`kept.shift()`, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// near reports whether two colours are the same to the eye.
func near(a, b color.Color) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	far := func(x, y uint32) bool { return max(x, y)-min(x, y) > 12<<8 }
	return !far(r1, r2) && !far(g1, g2) && !far(b1, b2)
}

// TestPictures saves what is seen and finds the cells in it.
func TestPictures(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	next := kept(t, ctx)
	for _, id := range []string{"ages", "grid"} {
		do(t, ctx, chromedp.Click(chromedp.CSS("#"+id)))
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#png")))
	picture, err := png.Decode(bytes.NewReader(next()))
	if err != nil {
		t.Fatal(err)
	}
	size := picture.Bounds().Size()
	edge := value[int](t, ctx, `Math.round(panel.getBoundingClientRect().left)`)
	if size.Y != 800 || size.X > edge || size.X < edge-30 {
		t.Errorf("the picture is %v, want the canvas to the left of the panel, which begins at %d", size, edge)
	}
	paper, ink := color.RGBA{0xf7, 0xf5, 0xf0, 255}, color.RGBA{0x1f, 0x1e, 0x1b, 255}
	live, cells := 0, map[image.Point]bool{}
	for y := range 800 {
		for x := range size.X {
			switch c := picture.At(x, y); {
			case near(c, ink):
				live++
				cells[image.Point{X: x / 24, Y: y / 24}] = true
			case !near(c, paper):
				t.Fatalf("pixel %d,%d is %v, neither ink nor paper", x, y, c)
			}
		}
	}
	if want := 5 * 24 * 24; live < want-100 || live > want+100 {
		t.Errorf("%d pixels of ink, want 5 cells of 24×24", live)
	}

	do(t, ctx, chromedp.Click(chromedp.CSS("#rle")))
	if p, err := pattern.Read(bytes.NewReader(next()), "saved.rle"); err != nil || p.Cells.Population() != 5 ||
		p.Rule != "B3/S23" {
		t.Errorf("the saved pattern: %+v, %v", p, err)
	}

	// A film is made of the generations to come, and the universe stays where it is.
	for id, number := range map[string]string{"film-size": "240", "film-frames": "12", "film-speed": "10"} {
		do(t, ctx, chromedp.SetValue(chromedp.CSS("#"+id), number))
	}
	value[any](t, ctx, `gif.scrollIntoView({block: "center"}); null`)
	shot(t, ctx, "keep")
	do(t, ctx, chromedp.Click(chromedp.CSS("#gif")))
	film, err := gif.DecodeAll(bytes.NewReader(next()))
	if err != nil {
		t.Fatal(err)
	}
	if n, longer := len(film.Image), max(film.Config.Width, film.Config.Height); n != 12 || longer < 200 || longer > 240 ||
		film.LoopCount != 0 || film.Delay[0] != 10 {
		t.Fatalf("%d pictures of %d×%d, loops %d", n, film.Config.Width, film.Config.Height, film.LoopCount)
	}
	for i, delay := range film.Delay {
		if delay != film.Delay[0] {
			t.Errorf("picture %d is shown for %d hundredths of a second, the first for %d", i, delay, film.Delay[0])
		}
	}
	first := 0
	for y := range film.Config.Height {
		for x := range film.Config.Width {
			if near(film.Image[0].At(x, y), ink) {
				first++
			}
		}
	}
	// The picture has parts of 40 or 41 cells of 24 pixels in a row.
	if pixels := film.Config.Width / (size.X/24 + 1); first != 5*pixels*pixels {
		t.Errorf("the first picture has %d pixels of ink, want 5 cells of %d×%[2]d", first, pixels)
	}
	atRest(t, ctx, 0, 5)
	until(t, ctx, `undo.disabled && !gif.disabled`)
}

// TestSharp: every pixel on the screen is that of the picture that is saved, wherever the camera is. Cells of
// whole pixels are squares of their own colour.
func TestSharp(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 5), "127.0.0.1:0", web.Options{})
	for _, scale := range []float64{1, 2, 1.5} {
		do(t, ctx, chromedp.EmulateViewport(1280, 800, chromedp.EmulateScale(scale)))
		open(t, ctx, s.url()+fmt.Sprintf("?%v", scale))
		next := kept(t, ctx)
		for _, id := range []string{"ages", "grid"} { // the browser remembers them from the scale before
			if value[bool](t, ctx, "document.getElementById('"+id+"').checked") {
				do(t, ctx, chromedp.Click(chromedp.CSS("#"+id)))
			}
		}
		for _, c := range []struct {
			key    string
			dx, dy float64
		}{{"f", 0, 0}, {"8", 0, 0}, {"8", 13, 7}, {"3", -5, 3}, {"2", 1, 1}, {"1", 31, -40}, {"[", 5, 5}} {
			do(t, ctx, chromedp.KeyEvent(c.key))
			settled(t, ctx)
			do(t, ctx, chromedp.DragAndDropXY(500, 400, 500+c.dx, 400+c.dy, 2))
			settled(t, ctx)
			do(t, ctx, chromedp.Click(chromedp.CSS("#png")))
			saved, err := png.Decode(bytes.NewReader(next()))
			if err != nil {
				t.Fatal(err)
			}
			shown, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			screen, err := png.Decode(bytes.NewReader(shown))
			if err != nil {
				t.Fatal(err)
			}
			// The picture ends where the panel begins.
			if a, b := saved.Bounds().Max, screen.Bounds().Max; a.Y != b.Y || a.X >= b.X || a.X < int(800*scale) {
				t.Fatalf("the picture is %v, the screen %v", saved.Bounds(), screen.Bounds())
			}
			differ, colours := 0, map[color.Color]int{}
			for y := int(100 * scale); y < int(600*scale); y++ { // between the controls
				for x := int(100 * scale); x < int(800*scale); x++ {
					if !near(saved.At(x, y), screen.At(x, y)) {
						differ++
					}
					colours[screen.At(x, y)]++
				}
			}
			if differ > 0 {
				shot(t, ctx, fmt.Sprintf("sharp-%v-%s", scale, c.key))
				t.Errorf("scale %v, key %s, dragged by %v, %v: %d pixels on the screen differ from the picture", scale, c.key, c.dx,
					c.dy, differ)
			}
			if strings.Contains("238", c.key) && (len(colours) < 2 || len(colours) > 3) {
				t.Errorf("scale %v, key %s: %d colours, want those of cells, of paper and of what is beyond", scale, c.key,
					len(colours))
			}
		}
	}
}

// TestDensities looks at a universe from afar: a quarter of it full, the rest empty.
func TestDensities(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 1), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	// The full rows of 1024 cells, 1024 of them, in a torus of 2048².
	rle := "#CXRLE Pos=-1024,-1024\nx = 1024, y = 1024, rule = B/S012345678:T2048,2048\n"
	for range 1024 {
		rle += "1024o$"
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#text"), rle+"!"),
		chromedp.Click(chromedp.CSS("#paste button[type=submit]")))
	atRest(t, ctx, 0, 1<<20)
	next := kept(t, ctx)
	do(t, ctx, chromedp.Click(chromedp.CSS("#ages")), chromedp.Click(chromedp.CSS("#png")))
	picture, err := png.Decode(bytes.NewReader(next()))
	if err != nil {
		t.Fatal(err)
	}
	ink, paper, beyond := 0, 0, 0
	for y := range 800 {
		for x := range picture.Bounds().Dx() {
			switch c := picture.At(x, y); {
			case near(c, color.RGBA{0x1f, 0x1e, 0x1b, 255}):
				ink++
			case near(c, color.RGBA{0xf7, 0xf5, 0xf0, 255}):
				paper++
			case near(c, color.RGBA{0xe8, 0xe4, 0xda, 255}):
				beyond++
			}
		}
	}
	if other := 800*picture.Bounds().Dx() - ink - paper - beyond; ink < 50_000 || paper < 29*ink/10 || paper > 31*ink/10 ||
		other > 8000 {
		t.Errorf("%d pixels of ink, %d of paper, %d beyond, %d others: want a quarter of a square", ink, paper, beyond, other)
	}
}

// TestDrop drops a file on the page.
func TestDrop(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 1), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](fmt.Sprintf(`{ const d = new DataTransfer(); d.items.add(new File([%q], "gun.rle"));
			document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); } null`,
			"x = 4, y = 4, rule = B3/S23\nbo$o$3o!"))(ctx, target)
		return err
	}))
	atRest(t, ctx, 0, 5)
}
