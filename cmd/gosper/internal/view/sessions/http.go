package sessions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

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
	address := guard.Address(r, s.opts.Web.Proxied)
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
	Listed     bool   `json:"listed"` // everybody may watch it
	Mine       bool   `json:"mine"`   // the browser that asks has made it
}

func (s *Sessions) serveList(w http.ResponseWriter, r *http.Request) {
	if !s.isMember(r) {
		guard.Refuse(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s.listing(browserOf(r.Header.Get(personHeader))))
}

// personHeader is the header in which the page of the list says whose browser it is.
const personHeader = "Gosper-Person"

// listing is the list: the sessions of a browser, and those that their editors have put there, also those that are
// kept, by name.
func (s *Sessions) listing(browser string) []listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []listed{}
	add := func(d door, rule string, generation, population uint64, playing bool, viewers int) {
		mine := browser != "" && d.Owner == browser
		if mine || d.Listed {
			list = append(list, listed{
				d.Name, rule, strconv.FormatUint(generation, 10), strconv.FormatUint(population, 10), playing, viewers, d.Listed,
				mine,
			})
		}
	}
	for _, r := range s.byName {
		st := r.session.Status()
		add(r.door, st.Rule, st.Generation, st.Population, st.Playing, r.inside)
	}
	for _, k := range s.shelf.all() {
		if s.byName[k.Name] == nil {
			add(k.door, k.rule, k.generation, k.population, false, 0)
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
