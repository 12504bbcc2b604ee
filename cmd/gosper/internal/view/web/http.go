//go:build !js

package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/asset"
)

// Handler answers requests.
type Handler = http.Handler

// front is the server's side that browsers ask over HTTP.
type front struct {
	mux  *http.ServeMux
	once sync.Once
}

// open registers the handlers of all addresses.
func (s *Server) open() {
	s.mux = http.NewServeMux()
	s.mux.Handle("GET /{$}", shown("<html "))
	handlePage(s.mux, "/")
	s.mux.Handle("GET /stats", s.lets().Admit(http.HandlerFunc(s.serveStats)))
	s.mux.HandleFunc("GET /socket", s.serveSocket)
	if s.opts.Ensemble != nil {
		s.mux.Handle("GET /ensemble/{$}", tables("Ensemble", "ensemble", "../"))
		s.mux.Handle("GET /ensemble.js", newAsset("built/ensemble.js", script))
		s.mux.Handle("GET /ensemble/data/", http.StripPrefix("/ensemble/data", s.lets().Admit(s.opts.Ensemble)))
	}
}

// The kinds of files.
const (
	html   = "text/html; charset=utf-8"
	script = "text/javascript; charset=utf-8"
)

// shown answers with the page. tag takes the place of "<html ".
func shown(tag string) http.Handler {
	return asset.Of(html, bytes.Replace(newAsset("page/index.html", "").Body(), []byte("<html "), []byte(tag), 1))
}

// handlePage answers for the files of the page below a path.
func handlePage(mux *http.ServeMux, below string) {
	mux.Handle("GET "+below+"page.js", newAsset("built/page.js", script))
	mux.Handle("GET "+below+"page.css", newAsset("built/page.css", "text/css; charset=utf-8"))
	mux.Handle("GET "+below+"icon.svg", newAsset("page/icon.svg", "image/svg+xml"))
	mux.Handle("GET "+below+"catalogue.json", asset.Of("application/json", offerJSON(engines())))
}

// HandleSessions answers for the page of a session at below+"{name}", for that which lists sessions at below,
// and for their files. The page of a session asks for its socket at "NAME/socket", the list for "list.json".
func HandleSessions(mux *http.ServeMux, below string) {
	handlePage(mux, below)
	mux.Handle("GET "+below+"{name}", shown(`<html data-session="" `))
	mux.Handle("GET "+below+"{$}", tables("Universes", "sessions", ""))
	mux.Handle("GET "+below+"sessions.js", newAsset("built/sessions.js", script))
}

// tables is a page of tables: the frame of such pages around one that has no more than its own part. root leads
// from its address to that of its files.
func tables(title, name, root string) asset.Asset {
	file := func(name string) string { return string(newAsset("page/"+name+".html", "").Body()) }
	page := strings.NewReplacer("{{title}}", title, "{{script}}", name+".js", "{{root}}", root, "{{main}}", file(name)).
		Replace(file("tables"))
	return asset.Of(html, []byte(page))
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.once.Do(s.open) // servers of sessions are asked for sockets only
	s.lets().Wrap(s.mux).ServeHTTP(w, r)
}

// lets says who is let in.
func (s *Server) lets() guard.Guard { return guard.Guard{Token: s.opts.Token, AnyHost: s.opts.AnyHost} }

func (s *Server) serveStats(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.Encode(s.stats())
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !s.lets().Admits(r) {
		guard.Refuse(w)
		return
	}
	var p Pass
	if s.opts.Sessions {
		p.About = func() About { return About{} }
	}
	s.ServeSocket(w, r, p)
}

// ServeSocket accepts a viewer's request for a web socket.
func (s *Server) ServeSocket(w http.ResponseWriter, r *http.Request, p Pass) {
	var over *closed
	if errors.As(context.Cause(s.ctx), &over) && over.why == GoingAway {
		http.Error(w, over.words, http.StatusServiceUnavailable)
		return
	}
	conn := accept(w, r)
	if conn == nil {
		return
	}
	defer conn.conn.CloseNow()
	p.Person, p.Address = guard.Secret(r, guard.Person), guard.Address(r, s.opts.Proxied)
	if isHere, err := netip.ParseAddr(p.Address); err == nil && isHere.IsLoopback() {
		p.Address = ""
	}
	switch err := s.attach(*conn, p); {
	case errors.As(err, &over):
		conn.Close(over.why, over.words)
	case err != nil:
		conn.Close(Busy, err.Error())
	}
}

// Refuse accepts a web socket and ends it at once, because only so a page learns why.
func Refuse(w http.ResponseWriter, r *http.Request, why Ending, words string) {
	if conn := accept(w, r); conn != nil {
		conn.Close(why, words)
	}
}

// accept makes a connection of a request for a web socket; nil if that was wrong.
func accept(w http.ResponseWriter, r *http.Request) *socket {
	// Accept refuses origins other than the requested host.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:    []string{guard.Protocol},
		CompressionMode: compression(r),
	})
	if err != nil {
		return nil
	}
	if conn.Subprotocol() != guard.Protocol {
		conn.Close(websocket.StatusPolicyViolation, "want the protocol "+guard.Protocol)
		return nil
	}
	conn.SetReadLimit(maxPattern)
	return &socket{conn}
}

// compression says how messages to a viewer are compressed. A viewer on the same machine gets them as they are, because
// compressing the frames of a volume takes longer than all other work on them. A viewer that comes through a proxy may
// be far away.
func compression(r *http.Request) websocket.CompressionMode {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && from.Addr().Unmap().IsLoopback() && r.Header.Get("Forwarded")+r.Header.Get("X-Forwarded-For") == "" {
		return websocket.CompressionDisabled
	}
	return websocket.CompressionNoContextTakeover
}

// socket is a web socket as a connection.
type socket struct{ conn *websocket.Conn }

// Receive implements Connection.
func (s socket) Receive(ctx context.Context) (text bool, message io.Reader, err error) {
	kind, message, err := s.conn.Reader(ctx)
	return kind == websocket.MessageText, message, err
}

// Send implements Connection.
func (s socket) Send(ctx context.Context, text bool, message []byte) error {
	kind := websocket.MessageBinary
	if text {
		kind = websocket.MessageText
	}
	return s.conn.Write(ctx, kind, message)
}

// Ping implements Connection.
func (s socket) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Close implements Connection.
func (s socket) Close(why Ending, words string) {
	if why == Dropped {
		s.conn.CloseNow()
		return
	}
	s.conn.Close(map[Ending]websocket.StatusCode{
		GoingAway: websocket.StatusGoingAway, Broken: websocket.StatusInternalError, Refused: websocket.StatusPolicyViolation,
		Busy: websocket.StatusTryAgainLater, Gone: 4410, // as HTTP's 410
	}[why], words)
}
