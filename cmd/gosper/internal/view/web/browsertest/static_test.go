package browsertest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/static"
)

// pageFolder has the page's files, made once for all tests; empty: no test wanted them.
var pageFolder string

var writePage = sync.OnceValue(func() (err error) {
	if pageFolder, err = os.MkdirTemp("", "gosper-page"); err == nil {
		_, err = static.Write(context.Background(), pageFolder)
	}
	return err
})

// statically serves the page's files as any server does, and others beside them.
func statically(t *testing.T, beside map[string]string) *httptest.Server {
	t.Helper()
	if err := writePage(); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(pageFolder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := beside[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			io.WriteString(w, text)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// TestStatic opens the page from a plain file server: the universe runs in the browser.
func TestStatic(t *testing.T) {
	ctx := browser(t)
	files := statically(t, nil)
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
