package sessions

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// TestWhyGone: who has a link to a universe that does not exist learns the true reason.
func TestWhyGone(t *testing.T) {
	s := start(t, nil)
	now := time.Now()
	for key, words := range map[string]string{
		newKey("mine", now.Add(-time.Hour)): "the server was restarted on " + now.Format("2 January at "),
		newKey("mine", now.Add(time.Hour)):  "has expired: nobody had watched it",
		newKey("nine", now.Add(-time.Hour)): "never been",
		"wrong":                             "never been",
		"a-b-c":                             "never been",
	} {
		refused(t, s, visit{name: "mine", key: key, member: true}, web.Gone, words)
	}
	// One that is dropped from memory.
	r, _ := come(t, s, visit{name: "mine", member: true})
	s.leave(r)
	s.sweep(t.Context(), now.Add(2*time.Hour))
	refused(t, s, visit{name: "mine", key: r.Watch}, web.Refused, "the token is missing")
	refused(t, s, visit{name: "mine", key: r.Watch, member: true}, web.Gone, "expired: nobody had watched it for 1h0m0s")
	// One that makes room for others in the folder.
	s = keeping(t, t.TempDir(), func(o *Options) { o.Shelf.Most = 1 })
	for _, name := range []string{"first", "second"} {
		r, _ := come(t, s, visit{name: name, member: true, person: name})
		if err := r.session.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.leave(r)
		s.sweep(t.Context(), time.Now().Add(2*time.Hour))
	}
	refused(t, s, visit{name: "first", key: newKey("first", now), member: true}, web.Gone, "newer ones are kept")
	// The list of reasons does not grow without bounds.
	for i := range longestPast + 1 {
		s.past.remember(strings.Repeat("x", i), "")
	}
	if n := len(s.past.words); n > longestPast {
		t.Errorf("%d reasons are kept", n)
	}
}

// TestMyUniverses: a browser that says who it is gets its own universes on the list, also private ones and those that
// are kept. Nobody else does.
func TestMyUniverses(t *testing.T) {
	s := keeping(t, t.TempDir(), nil)
	h := s.Handler()
	dial(t, h, "/u/open/socket", guard.Person+"my browser").about()
	r, _ := come(t, s, visit{name: "kept", member: true, person: browserOf("my browser")})
	if err := r.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.leave(r)
	s.sweep(t.Context(), time.Now().Add(2*time.Hour))
	until(t, "one is kept", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.byName["kept"] == nil
	})
	for secret, want := range map[string]string{"my browser": "kept open", "another": "", "": ""} {
		r := httptest.NewRequest("GET", "http://localhost/u/list.json", nil)
		r.Header.Set(personHeader, secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var list []listed
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range list {
			names = append(names, l.Name)
			if !l.Mine || l.Listed {
				t.Errorf("%q: %+v", secret, l)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q gets %q, want %q", secret, got, want)
		}
	}
}
