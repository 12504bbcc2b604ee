//go:build !js

// Package guard says whose requests are answered.
package guard

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

// Guard holds who is let in.
type Guard struct {
	Token   string // secret that viewers must give; empty for none
	AnyHost bool   // without a token, answer to other host names than localhost
}

// Wrap sets the headers. Without a token it also refuses requests for any host name that is not this machine's own.
//
// Without a token everybody who reaches the port is let in, and a browser on this machine reaches it for any
// page that it shows. The socket's origin check stops such pages as long as they have another name. A page can
// also make its own name resolve to 127.0.0.1 (DNS rebinding). Such a request is recognised by its Host header.
func (g Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		if g.Token == "" && !g.AnyHost && !isLoopback(r.Host) {
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

// The subprotocols of the socket. A browser can add nothing to a socket's request except names of subprotocols,
// so secrets are sent among them, in base64url.
const (
	Protocol = "gosper.1"
	Token    = "token."  // the server's
	Key      = "key."    // that of a session
	Person   = "person." // one by which a browser is told from others; see package sessions
)

// Admits reports whether a request carries the token, as a bearer token or among the socket's subprotocols.
func (g Guard) Admits(r *http.Request) bool {
	if g.Token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return Same(given, g.Token)
	}
	return Same(Secret(r, Token), g.Token)
}

// Admit answers requests that carry the token, if there is one.
func (g Guard) Admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.Admits(r) {
			Refuse(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Refuse answers a request without the token.
func Refuse(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
}

// Secret returns the subprotocol of a socket's request that begins with a prefix, Token or Key, without the prefix. It
// is empty if no subprotocol does.
func Secret(r *http.Request, prefix string) string {
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",") {
		if code, ok := strings.CutPrefix(strings.TrimSpace(name), prefix); ok {
			given, err := base64.RawURLEncoding.DecodeString(code)
			if err != nil {
				return ""
			}
			return string(given)
		}
	}
	return ""
}

// Same compares secrets. It takes the same time for every wrong one, of any length.
func Same(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// Address is the address that a request comes from. If it is proxied, a proxy that is trusted has written it into a
// header.
func Address(r *http.Request, proxied bool) string {
	if proxied {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if last := strings.TrimSpace(hops[len(hops)-1]); last != "" { // earlier ones come from the sender
			return networkOf(last)
		}
	}
	return networkOf(r.RemoteAddr)
}

// networkOf is an address without its port, and since people have a network of IPv6 addresses each, that network.
func networkOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() && !ip.IsLoopback() {
		network, _ := ip.Prefix(64) // an IPv6 address has at least 64 bits
		return network.String()
	}
	return ip.String()
}
