package browsertest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/static"
)

// TestStatic opens the page from a plain file server: the universe runs in the browser.
func TestStatic(t *testing.T) {
	ctx := browser(t)
	dir := t.TempDir()
	if _, err := static.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	files := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer files.Close()
	open(t, ctx, files.URL+"/#pattern=acorn")
	atRest(t, ctx, 0, 7)
	shot(t, ctx, "static")
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#generation"), "5206"), chromedp.Click(chromedp.CSS("#jump button")))
	atRest(t, ctx, 5206, 633)
	// At full speed the page is heard, too.
	value[any](t, ctx, `for (let i = 0; i < 40; i++) document.getElementById("faster").click(); null`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "true" && Number(readout.dataset.generation) > 6000`)
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	until(t, ctx, `readout.dataset.playing === "false"`)
	do(t, ctx, chromedp.KeyEvent("z"))
	until(t, ctx, `readout.dataset.generation === "0"`)
	do(t, ctx, pasted("x = 3, y = 1, rule = WireWorld\n3C!"))
	atRest(t, ctx, 0, 3)
}
