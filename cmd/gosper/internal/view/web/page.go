//go:build !js

package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/offer"
)

// The page is TypeScript without a framework; what esbuild makes of it is committed, so that go build needs no other tool.
//
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/main.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/page.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/worker.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/worker.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/embed.ts --bundle --minify --format=esm --loader:.css=text --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/embed.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/page.css --minify --charset=utf8 --outfile=built/page.css --log-level=warning

//go:embed page/index.html page/embed.html page/icon.svg built/page.js built/page.css built/worker.js built/embed.js
var files embed.FS

// asset is a file of the page. No other files are served, so a request's path never reaches a file system.
type asset struct {
	kind   string
	body   []byte
	zipped []byte // body, gzipped
	tag    string
}

func newAsset(name, kind string) asset {
	body, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return assetOf(kind, body)
}

func assetOf(kind string, body []byte) asset {
	hash := sha256.Sum256(body)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(body) // writing to memory never fails
	z.Close()
	return asset{kind, body, zipped.Bytes(), `"` + hex.EncodeToString(hash[:8]) + `"`}
}

// ServeHTTP implements http.Handler.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.body
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = a.zipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// Static returns the files of a page without a server by their names, and those of the element that other pages show universes in. engines are what the
// page offers to choose from.
func Static(engines []string) map[string][]byte {
	page := map[string][]byte{"catalogue.json": offer.JSON(engines)}
	for _, name := range []string{
		"page/index.html", "page/icon.svg", "built/page.js", "built/page.css", "built/worker.js", "page/embed.html", "built/embed.js",
	} {
		page[path.Base(name)] = newAsset(name, "").body
	}
	return page
}

// takesGzip reports whether the client accepts gzip.
func takesGzip(r *http.Request) bool {
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, quality, _ := strings.Cut(strings.TrimSpace(name), ";")
		if coding == "gzip" {
			return strings.Trim(quality, " q=0.") != "" || quality == ""
		}
	}
	return false
}
