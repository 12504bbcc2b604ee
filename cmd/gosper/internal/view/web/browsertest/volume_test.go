package browsertest

import (
	"bytes"
	"context"
	"encoding/base64"
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

// picture returns a screenshot of the page at rest.
func picture(t *testing.T, ctx context.Context) image.Image {
	t.Helper()
	settled(t, ctx)
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
	until(t, ctx, `window.universe && universe.dataset.painted > 0 && readout.dataset.generation === "0"`)
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
	do(t, ctx, chromedp.Click(chromedp.CSS("#unclip")))
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
	where := value[string](t, ctx, `document.getElementById("on-slice").textContent`)
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

// spaceship is the example of 3D.lua's help in Golly.
const spaceship = `3D version=1 size=40 pos=19,18,18
# A 10c/10 orthogonal spaceship.
# Found by Andrew Trevorrow in April, 2018.
x=2 y=4 z=4 rule=3D4,7/5,8
$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!
`

// dropped has the page believe that its user drops a file.
func dropped(t *testing.T, ctx context.Context, file []byte) {
	t.Helper()
	value[any](t, ctx, fmt.Sprintf(`{ const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], "file"));
		dispatchEvent(new DragEvent("drop", { dataTransfer })); } null`, base64.StdEncoding.EncodeToString(file)))
}

// TestVolumeFiles: files of three dimensions are opened and saved, and a link keeps the universe and the view of it.
func TestVolumeFiles(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 64, 1), "127.0.0.1:0", web.Options{})
	do(t, ctx, chromedp.EmulateViewport(1010, 560))
	open(t, ctx, s.url())
	settled(t, ctx)
	const saidOf = `document.getElementById("readout").dataset.`
	shows := func(generation, population string) {
		t.Helper()
		until(t, ctx, saidOf+`generation === "`+generation+`" && `+saidOf+`population === "`+population+`"`)
		settled(t, ctx)
	}

	// A file that is dropped on the page of two dimensions, and what is saved of it ten generations later.
	dropped(t, ctx, []byte(spaceship))
	shows("0", "14")
	if st := s.session.Status(); st.Rule != "3D4,7/5,8:T40,40,40" {
		t.Errorf("the rule is %s", st.Rule)
	}
	next := kept(t, ctx)
	for g := range 10 {
		do(t, ctx, chromedp.KeyEvent(" "))
		until(t, ctx, fmt.Sprintf(saidOf+`generation === "%d"`, g+1))
	}
	shows("10", "14")
	do(t, ctx, chromedp.Click(chromedp.CSS("#rle")))
	p, err := pattern.Read(bytes.NewReader(next()), "")
	if err != nil {
		t.Fatal(err)
	}
	if p.Format != pattern.RLE3 || p.Rule != "3D4,7/5,8:T40,40,40" || p.Generation != 10 || p.Cells.Population() != 14 {
		t.Errorf("saved as %s: rule %s, generation %d, %d cells", p.Format, p.Rule, p.Generation, p.Cells.Population())
	}
	// The graph has the course of it, and the generation before can be gone to.
	until(t, ctx, `graph.ariaValueMax === "10"`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#back")))
	shows("9", "20")
	do(t, ctx, chromedp.KeyEvent(" "))
	shows("10", "14")

	// A picture, as large as the canvas.
	do(t, ctx, chromedp.Click(chromedp.CSS("#png")))
	image, err := png.Decode(bytes.NewReader(next()))
	if err != nil {
		t.Fatal(err)
	}
	width := value[int](t, ctx, `voxels.width`)
	inked := 0
	for y := range image.Bounds().Dy() {
		for x := range image.Bounds().Dx() {
			if image.At(x, y) != image.At(0, 0) {
				inked++
			}
		}
	}
	if image.Bounds().Dx() != width || inked < 500 {
		t.Errorf("the picture is %d pixels wide, the canvas %d, and %d are not paper", image.Bounds().Dx(), width, inked)
	}

	// An array.
	var array bytes.Buffer
	cells, err := grid.New(20, 12*10, 1)
	if err != nil {
		t.Fatal(err)
	}
	cells.Set(3, 5+12*7, 1)
	if err := pattern.Write(&array, pattern.NPY, cells, pattern.Meta{Rule: "3D4,7/5,8:T20,12,10"}); err != nil {
		t.Fatal(err)
	}
	dropped(t, ctx, array.Bytes())
	shows("0", "1")
	if st := s.session.Status(); st.Topology.Size() != "20×12×10" {
		t.Errorf("the universe is %s", st.Topology.Size())
	}

	// The link to a file has its cells, that to a soup its seed, and both have the view.
	dropped(t, ctx, []byte(spaceship))
	shows("0", "14")
	looks := func() string { return value[string](t, ctx, `location.hash.replace(/^#rle=[^&]*&/, "#rle&")`) }
	do(t, ctx, chromedp.KeyEvent("a"), chromedp.KeyEvent("s"), chromedp.KeyEvent(","), chromedp.KeyEvent("]"))
	const y1 = `document.getElementById("y1")`
	value[any](t, ctx, y1+`.value = 30, `+y1+`.dispatchEvent(new Event("change")), null`)
	settled(t, ctx)
	do(t, ctx, chromedp.Click(chromedp.CSS("#link")))
	const view = "view=30,25,1.25&colour=age&slice=z19&box=0..39,0..30,0..39"
	until(t, ctx, `location.hash.includes("rle=")`)
	if got := looks(); got != "#rle&"+view {
		t.Errorf("the link is %s, want %s", got, view)
	}
	link := value[string](t, ctx, `location.href`)
	value[any](t, ctx, `document.getElementById("notice").hidden = true, null`)
	shown := picture(t, ctx)
	shot(t, ctx, "volume-link")
	// Old cells are blue, and there are few on and behind the slice.
	blue := 0
	for y := 70; y < 480; y++ {
		for x := 60; x < 640; x++ {
			if r, _, b, _ := shown.At(x, y).RGBA(); b > r+0x2000 {
				blue++
			}
		}
	}
	if blue < 100 || blue > 2_500 {
		t.Errorf("%d pixels have the colour of the cells", blue)
	}
	do(t, ctx, chromedp.KeyEvent("f"))
	value[any](t, ctx, `document.getElementById("unclip").click(), document.getElementById("step").click(), null`)
	until(t, ctx, saidOf+`generation === "1"`)
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	until(t, ctx, `window.universe && universe.dataset.settled === "true" && `+saidOf+`generation === "0"`)
	settled(t, ctx)
	shot(t, ctx, "volume-link-again")
	if n, drawn := unlike(shown, picture(t, ctx)); n > 0 || drawn < 1_000 {
		t.Errorf("the link shows %d of %d pixels otherwise", n, drawn)
	}
	value[any](
		t, ctx, `location.hash = "#rule=3D4,5/5:T24,20,16&density=0.2&seed=7&generation=3&view=0,90,2&slice=x4", null`)
	until(t, ctx, saidOf+`generation === "3" && document.getElementById("slice-value").textContent === "x = 4"`)
	settled(t, ctx)
	value[any](t, ctx, `location.hash = "", document.getElementById("link").click(), null`)
	until(t, ctx, `location.hash.includes("seed=7")`)
	const want = "#rule=3D4,5/5:T24,20,16&density=0.2&seed=7&generation=3&view=0,90,2&slice=x4"
	if got := value[string](t, ctx, `location.hash`); got != want {
		t.Errorf("the link is %s, want %s", got, want)
	}

	// A rule of two dimensions from the list makes a soup, and one of three makes another.
	for _, rule := range []string{"HighLife", "4555"} {
		do(t, ctx, chromedp.SetValue(chromedp.CSS("#rule"), rule), chromedp.Focus(chromedp.CSS("#rule")))
		value[any](
			t, ctx, `document.getElementById("rule").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" })), null`)
		until(t, ctx, fmt.Sprintf(`document.body.classList.contains("volume") === %t && %sgeneration === "0"`,
			rule == "4555", saidOf))
		settled(t, ctx)
		if st := s.session.Status(); st.Topology.Volume() != (rule == "4555") || st.Soup == nil {
			t.Errorf("%s: the universe is %s", rule, st.Topology.Size())
		}
		value[any](t, ctx, `document.getElementById("rule").blur(), null`)
	}
}
