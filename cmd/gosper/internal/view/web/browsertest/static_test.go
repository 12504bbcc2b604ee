package browsertest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/asset"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/static"
)

// pageFolder has the page's files, made once for all tests; empty: no test wanted them.
var pageFolder string

var writePage = sync.OnceValue(func() (err error) {
	if pageFolder, err = os.MkdirTemp("", "gosper-page"); err == nil {
		_, err = static.Write(context.Background(), pageFolder, 1)
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

// TestPrograms: the program is fetched gzipped from servers that do not pack files, and packed from those that do.
func TestPrograms(t *testing.T) {
	if err := writePage(); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(pageFolder))
	sendAs := func(w http.ResponseWriter, r *http.Request, name, coding string) {
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Type", "application/octet-stream") // as servers do that do not know the type
		http.ServeFile(w, r, filepath.Join(pageFolder, name))
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"plain": {files.ServeHTTP, "gosper.wasm.gz"},
		"brotli": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/gosper.wasm" {
				sendAs(w, r, "gosper.wasm.br", "br")
				return
			}
			files.ServeHTTP(w, r)
		}, "gosper.wasm"},
		"says that it is gzip": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/gosper.wasm.gz" {
				sendAs(w, r, "gosper.wasm.gz", "gzip")
				return
			}
			files.ServeHTTP(w, r)
		}, "gosper.wasm.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := browser(t)
			fetched := make(chan string, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if name := r.URL.Path[1:]; r.Method == "GET" && strings.HasPrefix(name, "gosper.wasm") {
					fetched <- name
				}
				c.serve(w, r)
			}))
			t.Cleanup(server.Close)
			open(t, ctx, server.URL+"/#pattern=acorn")
			atRest(t, ctx, 0, 7)
			if got := <-fetched; got != c.want || len(fetched) > 0 {
				t.Errorf("the page has fetched %s and %d more, want %s", got, len(fetched), c.want)
			}
		})
	}
}

// TestWeight: who opens the page without a server fetches less than 2 MB, from a server that sends what is packed best.
// All files of that page count.
func TestWeight(t *testing.T) {
	if testing.Short() {
		t.Skip("packing takes a minute")
	}
	if err := writePage(); err != nil {
		t.Fatal(err)
	}
	const most = 2_000_000
	files, err := filepath.Glob(filepath.Join(pageFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sizes, total := map[string]int{}, 0
	for _, path := range files {
		if name := filepath.Base(path); filepath.Ext(name) != ".br" && filepath.Ext(name) != ".gz" {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sizes[name] = len(asset.Brotli(content, static.Best))
			total += sizes[name]
		}
	}
	t.Logf("%d bytes as brotli, %d of them the program: %v", total, sizes["gosper.wasm"], sizes)
	if len(sizes) < 8 || total > most {
		t.Errorf(
			"the page's %d files have %d bytes as brotli, %d of them the program, and %d are allowed: see what has been linked (go list -deps, and what package static leaves out)", len(sizes), total, sizes["gosper.wasm"], most)
	}
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
	// Very wide rules have an engine of their own here, too. The reference's counts.
	do(t, ctx, pasted("x = 120, y = 120, rule = R100,C0,M1,S10350..15740,B9350..12360,NM\n"+strings.Repeat("120o$", 119)+
		"120o!"))
	atRest(t, ctx, 0, 120*120)
	do(t, ctx, chromedp.KeyEvent(" "))
	atRest(t, ctx, 1, 24372)
	do(t, ctx, chromedp.KeyEvent("i"))
	until(t, ctx, `statistics.textContent.includes("running sums")`)
}

// TestStaticVolume: the page without a server runs volumes, too. docs/three-dimensions.md has the population.
func TestStaticVolume(t *testing.T) {
	ctx := browser(t)
	files := statically(t, nil)
	do(t, ctx, chromedp.EmulateViewport(700, 500),
		chromedp.Navigate(files.URL+"/#rule=3D4,5/5:T64,48,40&density=0.12&seed=7&generation=30"))
	until(t, ctx, `window.universe && universe.dataset.painted > 0 && universe.dataset.generation === "30"`)
	atRest(t, ctx, 30, 2688)
	shot(t, ctx, "static-volume")
}

// TestDocumentation opens pages of the documentation's site, in which universes run without a server.
func TestDocumentation(t *testing.T) {
	axeScript(t)
	ctx := browser(t)
	if err := writePage(); err != nil {
		t.Fatal(err)
	}
	site := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "run", "./site", "--page", pageFolder, "--out", site)
	build.Dir = "../../../../../../packaging"
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(site)))
	t.Cleanup(server.Close)
	for _, name := range []string{"index", "gallery", "tutorial"} {
		do(t, ctx, chromedp.Navigate(server.URL+"/"+name+".html"))
		const life = `document.querySelector("gosper-life")`
		value[any](t, ctx, life+`.scrollIntoView({block: "center"}); null`)
		until(t, ctx, life+`.population > 0 && `+life+`.generation === 0`)
		value[any](t, ctx, life+`.shadowRoot.querySelector("button[aria-label='Play']").click(); null`)
		until(t, ctx, life+`.generation > 20`)
		shot(t, ctx, "site-"+name)
		axe(t, ctx)(name)
	}
}
