package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func get(t *testing.T, s *Server, path string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", "http://127.0.0.1:8080/", nil)
	r.URL.Path = path
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestFiles(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	for path, want := range map[string]string{
		"/": "text/html", "/page.js": "text/javascript", "/page.css": "text/css",
		"/icon.svg": "image/svg+xml", "/catalogue.json": "application/json",
	} {
		w := get(t, s, path, nil)
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), want) || w.Body.Len() < 100 {
			t.Errorf("GET %s: %d, %s, %d bytes", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len())
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy,
			"default-src 'none'; script-src 'self';") {
			t.Errorf("GET %s: content security policy %q", path, policy)
		}
		zipped := get(t, s, path, func(r *http.Request) { r.Header.Set("Accept-Encoding", "br;q=0, gzip;q=0.5") })
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatalf("GET %s, gzipped: %v", path, err)
		}
		if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, w.Body.Bytes()) ||
			zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("GET %s, gzipped: %d bytes, %v, want %d", path, len(plain), err, w.Body.Len())
		}
		if plain := get(t, s, path, func(r *http.Request) {
			r.Header.Set("Accept-Encoding", "gzip;q=0, zstd")
		}); plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("GET %s is gzipped for who does not want it", path)
		}
		again := get(t, s, path, func(r *http.Request) { r.Header.Set("If-None-Match", w.Header().Get("ETag")) })
		if again.Code != http.StatusNotModified {
			t.Errorf("GET %s again: %d, want 304", path, again.Code)
		}
	}
	for _, path := range []string{
		"/page/", "/page/main.ts", "/built/page.js", "/../server.go", "/..%2fserver.go",
		"/etc/passwd", "//etc/passwd", "/page.js/..", "/debug/pprof/",
	} {
		if w := get(t, s, path, nil); w.Code != http.StatusNotFound && w.Code/100 != 3 {
			t.Errorf("GET %s: %d, want 404", path, w.Code)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if w := get(t, s, "/", func(r *http.Request) { r.Method = method }); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s /: %d, want 405", method, w.Code)
		}
	}
}

// TestPageHasNoInlineCode checks the requirements of the content security policy.
func TestPageHasNoInlineCode(t *testing.T) {
	html, err := files.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, banned := range []string{"style=\"", "onclick", "<style", "javascript:", "https://", "http://"} {
		if strings.Contains(string(html), banned) {
			t.Errorf("the page has %s", banned)
		}
	}
	if strings.Count(string(html), "<script") != 1 {
		t.Error("want one script")
	}
}

// TestCompression: messages are compressed unless the viewer is on the same machine.
func TestCompression(t *testing.T) {
	for _, c := range []struct {
		from, header string
		want         websocket.CompressionMode
	}{
		{"127.0.0.1:4000", "", websocket.CompressionDisabled},
		{"[::1]:4000", "", websocket.CompressionDisabled},
		{"[::ffff:127.0.0.1]:4000", "", websocket.CompressionDisabled},
		{"192.168.1.2:4000", "", websocket.CompressionNoContextTakeover},
		{"127.0.0.1:4000", "X-Forwarded-For", websocket.CompressionNoContextTakeover},
		{"127.0.0.1:4000", "Forwarded", websocket.CompressionNoContextTakeover},
		{"@", "", websocket.CompressionNoContextTakeover},
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8080/socket", nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set(c.header, "192.168.1.2")
		}
		if got := compression(r); got != c.want {
			t.Errorf("from %s, %s: mode %v, want %v", c.from, c.header, got, c.want)
		}
	}
}

func TestHost(t *testing.T) {
	own := []string{
		"localhost", "localhost:8080", "LOCALHOST.:80", "127.0.0.1:8080", "127.5.5.5", "[::1]:8080", "::1",
		"gosper.localhost:80", "[::ffff:127.0.0.1]:80",
	}
	foreign := []string{
		"", "example.com", "example.com:8080", "192.168.1.2:8080", "localhost.example.com",
		"127.0.0.1.example.com", "0.0.0.0:8080", "10.0.0.1", "[::2]:80", "notlocalhost",
	}
	s := newServer(t, soupOf(t, 64), Options{})
	open := newServer(t, soupOf(t, 64), Options{AnyHost: true})
	withToken := newServer(t, soupOf(t, 64), Options{Token: "a long secret"})
	for _, host := range own {
		if w := get(t, s, "/", func(r *http.Request) { r.Host = host }); w.Code != 200 {
			t.Errorf("Host %s: %d, want 200", host, w.Code)
		}
	}
	for _, host := range foreign {
		if w := get(t, s, "/", func(r *http.Request) { r.Host = host }); w.Code != http.StatusForbidden {
			t.Errorf("Host %s without a token: %d, want 403", host, w.Code)
		}
		for _, s := range []*Server{open, withToken} {
			if w := get(t, s, "/", func(r *http.Request) { r.Host = host }); w.Code != 200 {
				t.Errorf("Host %s where any may ask: %d, want 200", host, w.Code)
			}
		}
	}
}

func TestStatsToken(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{Token: "a long secret"})
	for header, want := range map[string]int{
		"": 401, "Bearer": 401, "Bearer ": 401, "Bearer a long secre": 401, "Bearer a long secrets": 401,
		"Basic a long secret": 401, "Bearer a long secret": 200,
	} {
		w := get(t, s, "/stats", func(r *http.Request) {
			if header != "" {
				r.Header.Set("Authorization", header)
			}
		})
		if w.Code != want {
			t.Errorf("Authorization %q: %d, want %d", header, w.Code, want)
		}
		if w.Code == 401 && strings.Contains(w.Body.String(), "generation") {
			t.Errorf("Authorization %q: a refusal says %s", header, w.Body)
		}
	}
	w := get(t, s, "/stats", func(r *http.Request) { r.Header.Set("Authorization", "Bearer a long secret") })
	var got stats
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Status.Width != 64 ||
		got.Status.Rule != "B3/S23:T64,64" {
		t.Errorf("stats %+v, %v", got.Status, err)
	}
}

func TestRuleName(t *testing.T) {
	if name := ruleName("B3/S23:T64,64"); name != "Life" {
		t.Errorf("B3/S23 is called %q", name)
	}
}
