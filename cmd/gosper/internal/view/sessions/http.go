package sessions

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// Below is where sessions are found: that of a name at Below + NAME, the list at Below itself.
const Below = "/u/"

// Handler answers requests below Below. The page of a name is the same whether there is such a session or not; its socket lets people in.
func (s *Sessions) Handler() http.Handler {
	mux := http.NewServeMux()
	web.HandleSessions(mux, Below)
	mux.HandleFunc("GET "+Below+"{name}/socket", s.serveSocket)
	mux.HandleFunc("GET "+Below+"list.json", s.serveList)
	return s.guard.Wrap(mux)
}

func (s *Sessions) serveSocket(w http.ResponseWriter, r *http.Request) {
	room, pass, err := s.enter(r.Context(), visit{
		name: r.PathValue("name"), key: guard.Secret(r, guard.Key), member: s.isMember(r), person: personOf(r.RemoteAddr),
	})
	var refused *refusal
	switch {
	case err == errStranger:
		guard.Refuse(w)
		return
	case errors.As(err, &refused):
		web.Refuse(w, r, refused.why, refused.words)
		return
	}
	defer s.leave(room)
	room.server.ServeSocket(w, r, pass)
}

// isMember reports whether a request's sender may make sessions and see the list.
func (s *Sessions) isMember(r *http.Request) bool { return s.opts.Strangers || s.guard.Admits(r) }

// listed is a session as the list shows it. Numbers that may exceed 2^53 are decimal strings.
type listed struct {
	Name       string `json:"name"`
	Rule       string `json:"rule"`
	Generation string `json:"generation"`
	Population string `json:"population"`
	Playing    bool   `json:"playing"`
	Viewers    int    `json:"viewers"`
}

func (s *Sessions) serveList(w http.ResponseWriter, r *http.Request) {
	if !s.isMember(r) {
		guard.Refuse(w)
		return
	}
	list := []listed{}
	for _, r := range s.rooms() {
		st := r.session.Status()
		list = append(list, listed{
			Name: r.name, Rule: st.Rule, Generation: strconv.FormatUint(st.Generation, 10), Population: strconv.FormatUint(st.Population, 10),
			Playing: st.Playing, Viewers: s.viewers(r),
		})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(list)
}

func (s *Sessions) viewers(r *room) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.inside
}

// personOf says by whom sessions are counted: by their address, and since people have a network of IPv6 addresses each, by that.
func personOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		network, _ := ip.Prefix(64) // an IPv6 address has so many bits
		return network.String()
	}
	return ip.String()
}
