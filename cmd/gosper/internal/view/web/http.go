//go:build !js

package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/asset"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/offer"
)

// Handler answers requests.
type Handler = http.Handler

// front is the server's side that browsers ask over HTTP.
type front struct{ mux *http.ServeMux }

// open says what is found where.
func (s *Server) open() {
	s.mux = http.NewServeMux()
	s.mux.Handle("GET /{$}", newAsset("page/index.html", "text/html; charset=utf-8"))
	s.mux.Handle("GET /page.js", newAsset("built/page.js", "text/javascript; charset=utf-8"))
	s.mux.Handle("GET /page.css", newAsset("built/page.css", "text/css; charset=utf-8"))
	s.mux.Handle("GET /icon.svg", newAsset("page/icon.svg", "image/svg+xml"))
	s.mux.Handle("GET /catalogue.json", asset.Of("application/json", offer.JSON(engines())))
	s.mux.Handle("GET /stats", s.admit(http.HandlerFunc(s.serveStats)))
	s.mux.HandleFunc("GET /socket", s.serveSocket)
	if s.opts.Ensemble != nil {
		s.mux.Handle("GET /ensemble/{$}", newAsset("page/ensemble.html", "text/html; charset=utf-8"))
		s.mux.Handle("GET /ensemble.js", newAsset("built/ensemble.js", "text/javascript; charset=utf-8"))
		s.mux.Handle("GET /ensemble/data/", http.StripPrefix("/ensemble/data", s.admit(s.opts.Ensemble)))
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.guard(s.mux).ServeHTTP(w, r) }

// admit answers requests that carry the token, if there is one.
func (s *Server) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.admitted(r) {
			refuse(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) serveStats(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.Encode(s.stats())
}

func refuse(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !s.admitted(r) {
		refuse(w)
		return
	}
	v, err := s.join()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer s.leave(v)
	defer s.session.Leave(s.ctx, v.person)
	// Accept refuses origins other than the requested host.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	if conn.Subprotocol() != protocol {
		conn.Close(websocket.StatusPolicyViolation, "want the protocol "+protocol)
		return
	}
	conn.SetReadLimit(maxPattern)
	v.run(s.ctx, socket{conn})
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
	switch why {
	case Dropped:
		s.conn.CloseNow()
	case GoingAway:
		s.conn.Close(websocket.StatusGoingAway, words)
	case Broken:
		s.conn.Close(websocket.StatusInternalError, words)
	case Refused:
		s.conn.Close(websocket.StatusPolicyViolation, words)
	}
}
