// Package asset serves the files of a page from memory.
package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// Asset is a file of the page. No other files are served, so a request's path never reaches a file system.
type Asset struct {
	kind   string
	body   []byte
	zipped []byte // body, gzipped
	tag    string
}

// Of makes an asset of a kind, as in Content-Type.
func Of(kind string, body []byte) Asset {
	hash := sha256.Sum256(body)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(body) // writing to memory never fails
	z.Close()
	return Asset{kind, body, zipped.Bytes(), `"` + hex.EncodeToString(hash[:8]) + `"`}
}

// Body is the file's content.
func (a Asset) Body() []byte { return a.body }

// ServeHTTP implements http.Handler.
func (a Asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
