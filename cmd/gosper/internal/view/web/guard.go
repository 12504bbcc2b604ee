//go:build !js

package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// headers are the headers of every answer. The page may use only files and sockets of its own origin.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self';" +
		" base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-cache",
}

// guard sets the headers. Without a token it also refuses requests for any host name that is not this machine's own.
//
// Without a token everybody who reaches the port is let in, and a browser on this machine reaches it for any page that it shows. The socket's origin
// check stops such pages as long as they have another name. A page can also make its own name resolve to 127.0.0.1 (DNS rebinding). Such a request is
// recognised by its Host header.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		if s.opts.Token == "" && !s.opts.AnyHost && !isLoopback(r.Host) {
			http.Error(w, "this server answers requests to localhost only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback reports whether a host, with or without a port, is a name of this machine for itself.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// The subprotocols of the socket. A browser can add nothing to a socket's request except names of subprotocols, so the token is sent as one of them,
// in base64url.
const (
	protocol    = "gosper.1"
	tokenPrefix = "token."
)

// admitted reports whether a request carries the token, as a bearer token or among the socket's subprotocols.
func (s *Server) admitted(r *http.Request) bool {
	if s.opts.Token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.isToken(given)
	}
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",") {
		if code, ok := strings.CutPrefix(strings.TrimSpace(name), tokenPrefix); ok {
			given, err := base64.RawURLEncoding.DecodeString(code)
			return err == nil && s.isToken(string(given))
		}
	}
	return false
}

// isToken takes the same time for every wrong token, of any length.
func (s *Server) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.opts.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
