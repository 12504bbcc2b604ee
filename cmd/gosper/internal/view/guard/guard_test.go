package guard

import (
	"net/http/httptest"
	"testing"
)

// TestProxy: behind a proxy, the address is the one that the proxy adds, not one that the client sent.
func TestProxy(t *testing.T) {
	for _, c := range []struct {
		proxied bool
		header  []string
		want    string
	}{
		{false, []string{"192.0.2.9"}, "192.0.2.1"},
		{true, nil, "192.0.2.1"},
		{true, []string{""}, "192.0.2.1"},
		{true, []string{"192.0.2.9"}, "192.0.2.9"},
		{true, []string{"10.0.0.1, 192.0.2.9"}, "192.0.2.9"},
		{true, []string{"10.0.0.1", "10.0.0.2,192.0.2.9:80 "}, "192.0.2.9"},
		{true, []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
	} {
		r := httptest.NewRequest("GET", "/u/", nil)
		r.RemoteAddr = "192.0.2.1:5"
		r.Header["X-Forwarded-For"] = c.header
		if got := Address(r, c.proxied); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1", "[::ffff:192.0.2.1]:5": "192.0.2.1", "[2001:db8:1:2:3::4]:5": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:5": "fe80::/64", "pipe": "pipe", "x:1": "x", "192.0.2.1": "192.0.2.1", "2001:db8::1": "2001:db8::/64",
		"[2001:db8::1]": "2001:db8::/64", "[::1]:5": "::1",
	} {
		if got := networkOf(address); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
}
