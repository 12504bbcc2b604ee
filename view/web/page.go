package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
)

// The page is TypeScript without a framework; what esbuild makes of it is committed, so that go build needs no other tool.
//
//go:generate go tool -modfile=../../tools.mod esbuild page/main.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/page.js --log-level=warning
//go:generate go tool -modfile=../../tools.mod esbuild page/page.css --minify --charset=utf8 --outfile=built/page.css --log-level=warning

//go:embed page/index.html page/icon.svg built/page.js built/page.css
var files embed.FS

// asset is a file of the page. There are no others: no path of a request ever reaches a file system.
type asset struct {
	kind string
	body []byte
	tag  string
}

func newAsset(name, kind string) asset {
	body, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	hash := sha256.Sum256(body)
	return asset{kind, body, `"` + hex.EncodeToString(hash[:8]) + `"`}
}

// ServeHTTP implements http.Handler.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.tag)
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(a.body)
}
