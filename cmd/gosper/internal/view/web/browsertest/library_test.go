package browsertest

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// search replaces what stands in the library's field.
func search(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		// it selects its text when it has the focus again
		if _, err := chromedp.Evaluate[any](`library.blur(); null`)(ctx, target); err != nil {
			return err
		}
		_, err := chromedp.SendKeys(chromedp.CSS("#library"), text)(ctx, target)
		return err
	})
}

// TestLibrary finds patterns by words, by keys and pointer, and those of a folder of one's own.
func TestLibrary(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
	do(t, ctx, scheme("light"))
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	value[any](t, ctx, `window.colours = (item) => {
		const c = item.querySelector("canvas");
		const bytes = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		const all = new Set();
		for (let i = 0; i < bytes.length; i += 4) all.add("#" + [...bytes.slice(i, i + 3)].map((b) => b.toString(16).padStart(2, "0")).join(""));
		return [...all].sort();
	}; null`)
	const items = `document.querySelectorAll("#library-list li")`
	do(t, ctx, press("V", "KeyV", 8))
	until(t, ctx, `document.activeElement === library`)
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#library"), "spaceship c/3"))
	until(t, ctx, items+`.length > 2 && [...`+items+
		`].every((i) => i.textContent.includes("c/3")) && library.ariaExpanded === "true"`)
	until(t, ctx, `[...`+items+`].slice(0, 3).every((i) => i.querySelector("canvas[aria-hidden=true]").width === 44)`)
	shot(t, ctx, "library-light")

	// Kinds, with pictures of what is in view only.
	value[any](
		t, ctx, `document.getElementById("library-kind").value = "gun"; document.getElementById("library-kind").dispatchEvent(new Event("change")); null`)
	until(t, ctx, items+`.length > 4 && [...`+items+`].every((i) => i.textContent.includes("Gun of"))`)
	do(t, ctx, scheme("dark"))
	until(t, ctx, `colours(`+items+`[0]).join(" ") === "#131311 #ece8df"`)
	shot(t, ctx, "library-guns-dark")
	value[any](t, ctx, `document.getElementById("library-kind").value = ""; null`)
	do(t, ctx, scheme("light"), search("life"))
	until(t, ctx, `colours(`+items+`[0]).join(" ") === "#1f1e1b #f7f5f0"`)
	do(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.Click(chromedp.CSS("#library")))
	until(t, ctx, items+`.length > 100 && colours(`+items+`[0]).length > 1`)
	if n := value[int](t, ctx, `[...`+items+`].filter((i) => colours(i).length > 1).length`); n > 20 {
		t.Errorf("%d pictures are drawn, of which most are not in view", n)
	}
	do(t, ctx, chromedp.KeyEvent(kb.ArrowUp)) // to the last
	until(t, ctx, `colours([...`+items+`].at(-1)).length > 1`)

	do(t, ctx, search("rpent"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.title.startsWith("rpentomino") || document.title.startsWith("R-pentomino")`)
	do(t, ctx, search("no such thing"), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `notice.textContent.includes("no such thing")`)

	folder := filepath.Join(t.TempDir(), "mine")
	for name, text := range map[string]string{
		"tubs/tub.rle": "x = 3, y = 3, rule = B3/S23\nbo$obo$bo!", "line.cells": "OOOOOOOOOO\n", "notes.txt": "no pattern\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{folder}))
	until(t, ctx, `document.getElementById("library-note").textContent.startsWith("2 patterns of mine")`)
	do(t, ctx, search("mine/"))
	until(t, ctx, items+`.length === 2 && [...`+items+`].every((i) => colours(i).length === 2)`)
	do(t, ctx, chromedp.EmulateViewport(360, 740, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch))
	until(t, ctx, `devicePixelRatio === 2`)
	do(t, ctx, search("c/4"))
	until(t, ctx, items+`.length > 5 && `+items+`[0].querySelector("canvas").width === 88`)
	shot(t, ctx, "library-phone")
	do(t, ctx, chromedp.EmulateViewport(1280, 800))
	do(t, ctx, search("tubs/"), chromedp.KeyEvent(kb.Enter))
	atRest(t, ctx, 0, 4)
	do(t, ctx, search("line.c"))
	until(t, ctx, items+`.length === 1`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#library-list li")))
	atRest(t, ctx, 0, 10)
}

// TestArchives: a zip archive's pattern is opened under the rule beside it; of several patterns the library has
// them. Rule files are chosen.
func TestArchives(t *testing.T) {
	ctx := browser(t)
	s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{Rules: true})
	open(t, ctx, s.url())
	atRest(t, ctx, 0, 5)
	dir := t.TempDir()
	write := func(name string, files map[string]string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		var content bytes.Buffer
		z := zip.NewWriter(&content)
		for name, text := range files {
			f, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const table = "n_states:3\nneighborhood:vonNeumann\nsymmetries:none\n1,0,0,0,0,2\n"
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{write("one.zip", map[string]string{
		"rules/BrowserOne.table": table, "a/three.rle": "x = 5, y = 1, rule = BrowserOne\nAA.AB!", "notes.txt": "",
	})}))
	atRest(t, ctx, 0, 4)
	until(t, ctx, `document.getElementById("rule-name").textContent === "BrowserOne"`)
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#file"),
		[]string{write("two.zip", map[string]string{"dot.rle": "o!", "line.cells": "OOO\n"})}))
	until(t, ctx, `document.getElementById("library-note").textContent.startsWith("2 patterns of the archive")`)
	do(t, ctx, search("dot.r"), chromedp.KeyEvent(kb.Enter))
	atRest(t, ctx, 0, 1)
	rule := filepath.Join(dir, "any.rule")
	if err := os.WriteFile(rule, []byte("@RULE BrowserTwo\n@TABLE\n"+table), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{rule}))
	until(t, ctx, `document.getElementById("rule-name").textContent === "BrowserTwo"`)
	do(t, ctx, chromedp.SetUploadFiles(chromedp.CSS("#file"),
		[]string{write("none.zip", map[string]string{"notes.txt": "none"})}))
	until(t, ctx, `notice.textContent.includes("no pattern")`)

	// The examples of how rules are written are rules.
	do(t, ctx, press("r", "KeyR", 0))
	until(t, ctx, `!panel.hidden`)
	value[any](
		t, ctx, `document.activeElement.blur(); notice.textContent = ""; document.getElementById("notation").closest("details").open = true; null`)
	n := value[int](t, ctx, `document.querySelectorAll("#notation button").length`)
	for i := range n {
		example := fmt.Sprintf(`document.querySelectorAll("#notation button")[%d]`, i)
		value[any](t, ctx, example+`.click(); null`)
		until(t, ctx, `(rule.value + " " + document.getElementById("rule-note").textContent).includes(`+example+
			`.textContent.split(":")[0])`)
	}
	shot(t, ctx, "notation")
}
