package asset

import (
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// TestCodings: a client gets the smallest coding that it takes, and what it unpacks is the file.
func TestCodings(t *testing.T) {
	body := strings.Repeat("what is well known takes little. ", 100)
	a := Of("text/plain", []byte(body))
	for accepted, want := range map[string]string{
		"":                       "",
		"zstd, identity":         "",
		"gzip":                   "gzip",
		"gzip, deflate, br":      "br",
		"br;q=0.1, gzip":         "br",
		"br;q=0, gzip;q=0.5":     "gzip",
		"gzip;q=0.0, br;q=0.000": "",
		"br;q=1.0":               "br",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", accepted)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: coded as %q, want %q", accepted, got, want)
			continue
		}
		sent := w.Body.Len()
		var plain io.Reader = w.Body
		switch want {
		case "br":
			plain = brotli.NewReader(w.Body)
		case "gzip":
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			plain = z
		}
		if text, err := io.ReadAll(plain); err != nil || string(text) != body {
			t.Errorf("%q: %d bytes, %v", accepted, len(text), err)
		}
		if want != "" && sent > len(body)/10 {
			t.Errorf("%q: %d bytes are sent for %d", accepted, sent, len(body))
		}
	}
}
