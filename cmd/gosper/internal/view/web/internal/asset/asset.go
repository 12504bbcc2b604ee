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
	"sync"

	"github.com/andybalholm/brotli"
)

// Asset is a file of the page. No other files are served, so a request's path never reaches a file system.
type Asset struct {
	kind    string
	body    []byte
	codings map[string]func() []byte // body, compressed when it is first asked for
	tag     string
}

// Of makes an asset of a kind, as in Content-Type.
func Of(kind string, body []byte) Asset {
	hash := sha256.Sum256(body)
	return Asset{kind, body, map[string]func() []byte{
		"br": sync.OnceValue(func() []byte {
			return Brotli(body, Best)
		}), "gzip": sync.OnceValue(func() []byte { return Gzip(body) }),
	}, `"` + hex.EncodeToString(hash[:8]) + `"`}
}

// Gzip compresses a file as browsers have always taken it.
func Gzip(body []byte) []byte {
	var zipped bytes.Buffer
	z, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is known
	z.Write(body)                                              // writing to memory never fails
	z.Close()
	return zipped.Bytes()
}

// Best is the quality of brotli at which files are smallest.
const Best = brotli.BestCompression

// Brotli compresses a file as browsers take it from servers that they trust (https, localhost).
func Brotli(body []byte, quality int) []byte {
	var packed bytes.Buffer
	const window = 24 // bits: 16 MiB, the largest that browsers take
	w := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: quality, LGWin: window})
	w.Write(body) // writing to memory never fails
	w.Close()
	return packed.Bytes()
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
	if coding := codingOf(r); coding != "" {
		h.Set("Content-Encoding", coding)
		body = a.codings[coding]()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// codingOf is the best coding that the client accepts: br, gzip, or "" for none.
func codingOf(r *http.Request) (best string) {
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, quality, _ := strings.Cut(strings.TrimSpace(name), ";")
		if strings.Trim(quality, " q=0.") == "" && quality != "" {
			continue
		}
		switch {
		case coding == "br":
			return coding
		case coding == "gzip":
			best = coding
		}
	}
	return best
}
