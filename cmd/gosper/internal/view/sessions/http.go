package sessions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
)

// Below is the path of sessions: Below + NAME is the session with a name, and Below itself is the list.
const Below = "/u/"

// Handler answers requests below Below. The page of a name is the same whether there is such a session or not;
// its socket lets people in.
func (s *Sessions) Handler() http.Handler {
	mux := http.NewServeMux()
	web.HandleSessions(mux, Below)
	mux.HandleFunc("GET "+Below+"{name}/socket", s.serveSocket)
	mux.HandleFunc("GET "+Below+"list.json", s.serveList)
	return s.guard.Wrap(mux)
}

// serveSocket lets a browser into a session, for as long as its connection lasts.
func (s *Sessions) serveSocket(w http.ResponseWriter, r *http.Request) {
	address := s.addressOf(r)
	room, pass, err := s.enter(r.Context(), visit{
		name: r.PathValue("name"), key: guard.Secret(r, guard.Key), member: s.isMember(r),
		person: cmp.Or(browserOf(guard.Secret(r, guard.Person)), address), address: address,
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
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s.listing())
}

// listing is the list: the sessions that its editors have put there, also those that are kept, by name.
func (s *Sessions) listing() []listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []listed{}
	for _, r := range s.byName {
		if st := r.session.Status(); r.Listed {
			list = append(list, listed{
				r.Name, st.Rule, strconv.FormatUint(st.Generation, 10),
				strconv.FormatUint(st.Population, 10), st.Playing, r.inside,
			})
		}
	}
	for _, k := range s.shelf.listed() {
		if s.byName[k.Name] == nil {
			list = append(list, listed{
				k.Name, k.rule, strconv.FormatUint(k.generation, 10),
				strconv.FormatUint(k.population, 10), false, 0,
			})
		}
	}
	slices.SortFunc(list, func(a, b listed) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// browserOf names a browser by its secret, which cannot be found from the name; empty if it has none.
func browserOf(secret string) string {
	if secret == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:16])
}

// addressOf is the address that a request comes from.
func (s *Sessions) addressOf(r *http.Request) string {
	if s.opts.Proxied {
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
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		network, _ := ip.Prefix(64) // an IPv6 address has at least 64 bits
		return network.String()
	}
	return ip.String()
}
