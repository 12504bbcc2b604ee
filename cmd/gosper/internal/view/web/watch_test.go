package web

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
)

// watched is a server that lets its viewers only look.
func watched(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeSocket(w, r, Pass{Watch: true})
	}))
	t.Cleanup(h.Close)
	return h
}

// TestWatchersAreTold: the page of who only looks learns from the server which commands it may give, and that
// of others that it may give all.
func TestWatchersAreTold(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	for _, watch := range []bool{true, false} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.ServeSocket(w, r, Pass{Watch: watch, About: func() About { return About{Watch: watch} }})
		}))
		t.Cleanup(h.Close)
		_, m := dial(t, h, "").receive()
		var told struct{ Session About }
		if err := json.Unmarshal(m, &told); err != nil {
			t.Fatal(err)
		}
		want := harmless
		if !watch {
			want = nil
		}
		if !slices.Equal(told.Session.May, want) {
			t.Errorf("watch %v: a page is told %s", watch, m)
		}
	}
	for _, verb := range harmless {
		if verbs[verb] == nil {
			t.Errorf("there is no command %s", verb)
		}
	}
}

// TestWatch: a viewer who may only watch gets pictures and copies of cells, but no message of any kind changes the
// universe.
func TestWatch(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	if err := s.session.Edit(t.Context(), []session.Cell{{X: 1, Y: 1, State: 1}}); err != nil { // something to undo
		t.Fatal(err)
	}
	c := dial(t, watched(t, s), "")
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":64,"h":64}`)
	before := c.frame()
	const part = `"x":2,"y":3,"w":20,"h":20`
	fields := map[string]string{
		"step": `"n":"1"`, "jump": `"generation":"5"`, "speed": `"step":"2","perSecond":9`, "edit": `"state":1,"cells":[5,5]`,
		"rule": `"rule":"B36/S23"`,
		"soup": `"density":0.5,"seed":"3"`, "builtin": `"name":"glider"`, "engine": `"name":"cpu"`,
		"fill":    part + `,"state":1`,
		"film":    `"w":8,"h":8,"pixels":1,"every":"1","frames":2,"delay":50,"colours":["#000000","#ffffff","#ff0000"]`,
		"scatter": part + `,"density":0.5,"seed":"1"`, "turn": part + `,"how":"left"`, "copy": part, "cut": part,
		"hold":  `"text":"bo$2bo$3o!"`,
		"paste": `"x":1,"y":1,"mode":"or"`, "shrink": part, "whole": part, "list": `"on":true`,
		"view": `"x":0,"y":0,"scale":0,"w":64,"h":64`,
	}
	looks := map[string]string{ // what is answered, and with what
		"view": "", "series": "series", "places": "places", "sizes": "sized", "save": "pattern", "shrink": "area",
		"whole": "area", "copy": "clip", "objects": "objects",
	}
	for verb := range verbs {
		if verb == "ack" {
			continue // with every frame
		}
		message := `{"do":"` + verb + `"`
		if f := fields[verb]; f != "" {
			message += "," + f
		}
		c.send("%s}", message)
		want, harmless := looks[verb]
		switch {
		case !harmless:
			if got := c.problem(); got != errWatch.Error() {
				t.Errorf("%s: %q, want a refusal", verb, got)
			}
		case want != "":
			c.told(want)
		}
	}
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte("bo$2bo$3o!")); err != nil {
		t.Fatal(err)
	}
	if got := c.problem(); got != errWatch.Error() {
		t.Errorf("a file: %q, want a refusal", got)
	}
	st := s.session.Status()
	if st.Generation != 0 || st.Playing || st.Loaded != 1 || st.Drawn != 1 || st.Speed.PerSecond != 30 ||
		st.Chosen != "" || st.Rule != "B3/S23:T64,64" {
		t.Errorf("the universe has changed: %+v", st)
	}
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":63,"h":64}`)
	c.frameOf(63)
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":64,"h":64}`)
	if after := c.frameOf(64); string(after[8:]) != string(before[8:]) { // beyond the sequence number
		t.Error("the cells have changed")
	}
}

// frameOf returns the next frame with the given number of samples in a row.
func (c *client) frameOf(w uint32) []byte {
	c.t.Helper()
	for {
		if f := c.frame(); binary.LittleEndian.Uint32(f[24:]) == w {
			return f
		}
	}
}

// told waits for a message with a field.
func (c *client) told(field string) {
	c.t.Helper()
	for {
		kind, message := c.receive()
		if kind == websocket.MessageBinary {
			c.send(`{"do":"ack","sequence":%d}`, binary.LittleEndian.Uint32(message[4:]))
			continue
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(message, &m); err != nil {
			c.t.Fatal(err)
		}
		if problem := m["problem"]; problem != nil {
			c.t.Fatalf("instead of %s: %s", field, problem)
		}
		if m[field] != nil {
			return
		}
	}
}

// TestAbout: a page is told first of all what session it is, and everybody there when it is put on the list.
func TestAbout(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	listed := false
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeSocket(w, r, Pass{About: func() About {
			return About{Name: "mine", Listed: listed}
		}, List: func(on bool) { listed = on }})
	}))
	t.Cleanup(h.Close)
	a, b := dial(t, h, ""), dial(t, h, "")
	for _, c := range []*client{a, b} {
		if _, m := c.receive(); string(
			m) != `{"session":{"name":"mine","fresh":false,"watch":false,"listed":false,"editKey":"","watchKey":"","may":null}}` {
			t.Errorf("a page is told %s first", m)
		}
	}
	a.send(`{"do":"list","on":true}`)
	for _, c := range []*client{a, b} {
		if _, m := c.receive(); !strings.Contains(string(m), `"listed":true`) {
			t.Errorf("then a page is told %s", m)
		}
	}
	alone := dial(t, listening(t, newServer(t, soupOf(t, 64), Options{})), "")
	alone.send(`{"do":"list","on":true}`)
	if got := alone.problem(); !strings.Contains(got, "on no list") {
		t.Error(got)
	}
}

// TestRefuse: a page learns in words why it is not let in.
func TestRefuse(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Refuse(w, r, Gone, "it is gone")
	}))
	t.Cleanup(h.Close)
	_, _, err := dial(t, h, "").conn.Read(context.Background())
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != 4410 || closed.Reason != "it is gone" {
		t.Error(err)
	}
}
