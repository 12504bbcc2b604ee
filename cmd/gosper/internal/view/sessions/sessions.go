// Package sessions holds many universes at once, each a session of package session with a name, a server of
// package web, and links of its own: one lets people edit, one lets them watch. A session is private unless one
// of its editors puts it on the list.
//
// A visitor with the right to make sessions makes one by opening the address of an unused name. Each session gets an
// equal part of the memory, and the engines take turns, so what one person does neither stops nor slows others more
// than it must.
package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/guard"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
)

// gun is a glider gun, which sessions begin with.
func gun(cfg sim.Config) (session.Origin, error) {
	known, _ := builtin.Lookup("gosper-gun")
	p, err := pattern.Read(strings.NewReader(known.RLE), known.Name+".rle")
	if err != nil {
		return session.Origin{}, err
	}
	p.Name = known.Name
	return session.FromPattern(context.Background(), p, "", cfg)
}

// Options limit the sessions of a server.
type Options struct {
	Most      int           // sessions at the same time
	Each      int           // the largest number of these for one person; one address gets at most half of all
	Memory    uint64        // bytes, of all together
	Idle      time.Duration // after which a session that nobody watches is dropped
	Strangers bool          // let people without the token make sessions, too
	Web       web.Options   // of the server: the sessions have the same token, and the limits that are not theirs
	Open      func(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error)
	Engine    string // the name of the engine that sessions begin with
	Shelf     Shelf  // where they are kept that are not watched
}

// Sessions are the universes of a server beside its first one.
type Sessions struct {
	opts  Options
	guard guard.Guard
	turns *turns
	shelf *shelf // nil: sessions that nobody watches are dropped
	past  *past
	ended context.Context
	end   context.CancelFunc

	mu     sync.Mutex
	byName map[string]*room
}

// A room is one session and who may come in. What happens to it while nobody watches:
//
//	somebody watches ──▶ alone for a minute: paused, and written to the shelf ──▶ alone for Options.Idle: dropped
//	       ▲                                   │                                          │
//	       └────────── somebody comes ─────────┘                                          ▼
//	       └────────── somebody comes: it is read from the shelf ◀──────────────── kept on the shelf
type room struct {
	door
	address string // of who made it, or has brought it back
	session *session.Session
	server  *web.Server

	// The mutex of Sessions guards the fields below, and door.Listed.
	inside int       // viewers
	left   time.Time // when the last one left
	target uint64    // where it was to run to when it was paused; 0 if it was not
	asleep bool      // nobody has come since it was paused and kept
	unkept string    // why it could not be kept; empty if it was, or nobody has tried
}

const (
	// pauseAfter is the time for which a universe runs on while nobody watches.
	pauseAfter = time.Minute
	sweepEvery = 5 * time.Second
)

// LeastMemory is the bytes that each session needs.
const LeastMemory = 8 << 20

// Parts of a session's memory. The rest is for the universe that is loaded while the present one runs, with its
// pattern.
const (
	universePart = 4 // of cells, or of the engine's memory of them
	copiesPart   = 4 // of undo and the timeline
	patternPart  = 8 // of the file that was opened
)

// New makes a server's sessions. At first it has no sessions.
func New(opts Options) (*Sessions, error) {
	if share := opts.Memory / uint64(opts.Most); share < LeastMemory {
		return nil, fmt.Errorf("--sessions-memory: %d MiB for %d sessions: each needs %d MiB", opts.Memory>>20, opts.Most,
			LeastMemory>>20)
	}
	if opts.Web.Common == nil {
		opts.Web.Common = web.NewCommon()
	}
	gone := &past{started: time.Now(), words: map[string]string{}}
	shelf, err := openShelf(opts.Shelf, opts.Each, gone)
	if err != nil {
		return nil, fmt.Errorf("--sessions-dir: %w", err)
	}
	s := &Sessions{
		opts: opts, shelf: shelf, past: gone, guard: guard.Guard{Token: opts.Web.Token, AnyHost: opts.Web.AnyHost},
		turns:  newTurns(runtime.GOMAXPROCS(0)),
		byName: map[string]*room{},
	}
	s.ended, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Terms are those of the server's first universe, whose engine takes turns with those of the sessions.
func (s *Sessions) Terms() session.Terms {
	return session.Terms{Turn: s.turns.place(cmp.Or(s.opts.Web.Base.Threads, s.turns.threads))}
}

// Close keeps and ends all sessions.
func (s *Sessions) Close() {
	s.end()
	s.mu.Lock()
	all := s.byName
	s.byName = map[string]*room{}
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, r := range all {
		ending.Go(func() {
			r.server.Close() // waits for viewers to say goodbye
			s.mu.Lock()
			r.pause(context.Background())
			asleep, d, target := r.asleep, r.door, r.target
			s.mu.Unlock()
			if !asleep {
				s.keepLast(d, r.session, target)
			}
			r.close()
		})
	}
	ending.Wait()
	s.shelf.close()
}

// Kept is the number of sessions that are kept.
func (s *Sessions) Kept() int { return s.shelf.number() }

func (r *room) close() {
	r.server.Close()
	r.session.Close()
}

// Follow pauses, keeps and drops sessions that nobody watches, until ctx is done.
func (s *Sessions) Follow(ctx context.Context) {
	ticker := time.NewTicker(min(sweepEvery, s.opts.Idle))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			s.sweep(ctx, now)
		}
	}
}

// sweep looks for sessions that nobody watches.
func (s *Sessions) sweep(ctx context.Context, now time.Time) {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.byName))
	s.mu.Unlock()
	for _, r := range all {
		s.look(ctx, r, now)
	}
}

// look pauses and keeps a session that nobody watches, and drops it in the end.
func (s *Sessions) look(ctx context.Context, r *room, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	alone := now.Sub(r.left)
	if r.inside > 0 || alone < min(pauseAfter, s.opts.Idle) {
		return
	}
	if !r.asleep {
		r.pause(ctx)
		left, d, target := r.left, r.door, r.target
		s.mu.Unlock() // writing takes a while
		again, err := s.keep(ctx, d, r.session, target)
		s.mu.Lock()
		if r.unkept = ""; errors.Is(err, errTooLarge) {
			r.unkept = "it was too large to be kept"
		}
		if ctx.Err() != nil {
			return // the server ends, and Close keeps it
		}
		if again {
			return // it stays, and is tried again
		}
		r.asleep = r.inside == 0 && r.left.Equal(left) // else somebody has come in the meantime
	}
	if r.asleep && alone >= s.opts.Idle {
		s.past.remember(r.Name, cmp.Or(r.unkept, fmt.Sprintf("nobody had watched it for %v", s.opts.Idle)))
		s.drop(r)
	}
}

// pause makes a session stand, and remembers where it was to run to. The mutex of Sessions is held.
func (r *room) pause(ctx context.Context) {
	if st := r.session.Status(); st.Playing && r.session.Pause(ctx) == nil {
		r.target = st.Target
	}
}

// keep writes a session to the shelf, if there is one, and warns of a failure. again is true if it failed and may
// succeed later.
func (s *Sessions) keep(ctx context.Context, d door, of *session.Session, target uint64) (again bool, err error) {
	if s.shelf == nil {
		return false, nil
	}
	err = s.shelf.keep(ctx, d, of, target)
	// the first universe is not there yet, or the server ends
	if err == nil || errors.Is(err, session.ErrMaking) || ctx.Err() != nil {
		return false, err
	}
	s.opts.Shelf.Warn(err)
	return !errors.Is(err, errTooLarge) && !errors.Is(err, session.ErrClosed), err
}

// keepLast is keep at the end of the server, when nothing comes later: it tries twice. If the first try has kept the
// universe but could not make it safe from a loss of power, a failure of the second one changes nothing.
func (s *Sessions) keepLast(d door, of *session.Session, target uint64) {
	again, first := s.keep(context.Background(), d, of, target)
	if !again {
		return
	}
	err := s.shelf.keep(context.Background(), d, of, target)
	switch {
	case err == nil:
		s.opts.Shelf.Warn(fmt.Errorf("the universe %s is kept: the second try succeeded", d.Name))
	case !errors.Is(first, atomicfile.ErrUnsynced):
		s.opts.Shelf.Warn(err)
	}
}

// drop ends a session. s.mu is held.
func (s *Sessions) drop(r *room) {
	if s.byName[r.Name] == r {
		delete(s.byName, r.Name)
		go r.close()
	}
}

// refusal is the reason for not letting a visitor in.
type refusal struct {
	why   web.Ending
	words string
}

func (r *refusal) Error() string { return r.words }

// errStranger refuses who has neither the server's token nor a session's key.
var errStranger = &refusal{web.Refused, "the token is missing or wrong"}

// errNotBroughtBack is the error for a kept universe with an unreadable file.
var errNotBroughtBack = &refusal{
	web.Refused,
	"this universe is kept, but it cannot be brought back: who runs the server is told why",
}

// visit is a request to come in.
type visit struct {
	name   string // of the session
	key    string // empty for none
	member bool   // they may make sessions, and watch those on the list
	// Sessions are counted by browser, if the browser identifies itself, because a whole school can share one address.
	// One person can have many browsers, so the number of sessions from one address is also limited. A client could
	// leave out the header, or invent addresses in it.
	person, address string
}

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`) })

// enter lets a visitor into the session with a name. The session may be running or kept on disk. If it does not
// exist, enter makes it. The caller calls leave.
func (s *Sessions) enter(ctx context.Context, v visit) (*room, web.Pass, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.member || v.key != "" {
		s.shelf.retry(v.name)
	}
	r, k, pass := s.byName[v.name], s.shelf.find(v.name), web.Pass{}
	var d *door
	switch {
	case r != nil:
		d = &r.door
	case k != nil:
		d = &k.door
	}
	edits, fresh := false, false
	switch {
	case s.ended.Err() != nil:
		return nil, pass, &refusal{web.GoingAway, "the server ends"}
	// Keys are compared in constant time: how long a refusal takes must not tell how much of a key is
	// right.
	case d != nil && guard.Same(v.key, d.Edit):
		edits = true
	case d != nil && (guard.Same(v.key, d.Watch) || v.member && d.Listed):
		pass.Watch = true
	case d == nil && s.shelf.isLost(v.name) && (v.member || v.key != ""):
		return nil, pass, errNotBroughtBack
	// The answers to strangers are the same whether there is such a session or not, so they cannot
	// find names.
	case !v.member:
		return nil, pass, errStranger
	case d != nil:
		return nil, pass, &refusal{web.Refused, "this universe is private: ask for a link, or choose another name"}
	case v.key != "":
		return nil, pass, &refusal{web.Gone, s.past.why(v.name, v.key)}
	default:
		edits, fresh = true, true
	}
	if r == nil {
		var err error
		if fresh {
			r, err = s.make(v)
		} else {
			r, err = s.bringBack(k, v.address)
		}
		if err != nil {
			return nil, pass, err
		}
	}
	if edits {
		pass.List = func(listed bool) { s.list(r, listed) }
	}
	pass.About = func() web.About { return s.about(r, pass.Watch, fresh) }
	r.inside++
	r.asleep = false
	if target := r.target; target != 0 {
		r.target = 0
		go r.resume(context.WithoutCancel(ctx), target)
	}
	return r, pass, nil
}

// resume continues a session that was paused because nobody watched it.
func (r *room) resume(ctx context.Context, target uint64) {
	if target == sim.Forever {
		r.session.Play(ctx) // if it fails, a viewer sees it stand, and why
	} else {
		r.session.Jump(ctx, target)
	}
}

// leave is called when a viewer has left.
func (s *Sessions) leave(r *room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.inside--
	r.left = time.Now()
}

func (s *Sessions) list(r *room, listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Listed = listed
}

func (s *Sessions) about(r *room, watch, fresh bool) web.About {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := web.About{Name: r.Name, Fresh: fresh, Watch: watch, Listed: r.Listed}
	if !watch {
		a.EditKey, a.WatchKey = r.Edit, r.Watch
	}
	return a
}

// make makes a session, if the limits allow it. s.mu is held.
func (s *Sessions) make(v visit) (*room, error) {
	if !nameForm().MatchString(v.name) {
		return nil, &refusal{web.Refused, "a name has 1 to 40 letters, digits, - and _, and begins with a letter or a digit"}
	}
	d := door{Name: v.name, Owner: v.person, Edit: newKey(v.name, time.Now()), Watch: newKey(v.name, time.Now())}
	r, err := s.open(note{door: d}, v.address, func(_ context.Context, base sim.Config) (session.Origin, error) {
		return gun(base)
	})
	if err != nil {
		return nil, err
	}
	go func() { // begin with something alive
		if r.session.Ready(s.ended) == nil {
			r.session.Play(s.ended)
		}
	}()
	return r, nil
}

// bringBack makes a session of one that was kept, if the limits allow it. It tries this also if it has failed before,
// because a disk may be back. s.mu is held.
func (s *Sessions) bringBack(k *kept, address string) (*room, error) {
	r, err := s.open(k.note, address, func(ctx context.Context, base sim.Config) (session.Origin, error) {
		return k.origin(ctx, base, s.share()/patternPart)
	})
	if err != nil {
		return nil, err
	}
	go func() {
		switch err := r.session.Ready(s.ended); {
		case s.ended.Err() != nil:
		case err != nil:
			s.shelf.mark(k, err)
			s.opts.Shelf.Warn(fmt.Errorf("the universe %s is not brought back: %w", k.Name, err))
			r.server.CloseFor(errNotBroughtBack.why, errNotBroughtBack.words)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.drop(r)
		default:
			s.shelf.mark(k, nil)
			r.session.SetSpeed(s.ended, k.Speed)
			if k.target != 0 {
				r.resume(s.ended, k.target)
			}
		}
	}()
	return r, nil
}

// share is the memory of each session.
func (s *Sessions) share() uint64 { return s.opts.Memory / uint64(s.opts.Most) }

// open starts a session, if the limits allow it. s.mu is held.
func (s *Sessions) open(n note, address string, find func(ctx context.Context, base sim.Config) (session.Origin,
	error),
) (*room, error) {
	own, near := 0, 0
	for _, r := range s.byName {
		if r.Owner == n.Owner {
			own++
		}
		if r.address == address && address != "" {
			near++
		}
	}
	switch {
	case own >= s.opts.Each:
		return nil, &refusal{web.Refused, fmt.Sprintf("you have made as many universes here as each person may: %d", own)}
	case near >= (s.opts.Most+1)/2:
		return nil, &refusal{
			web.Refused,
			fmt.Sprintf("%d universes are open from your address, half of those that this server holds", near),
		}
	case len(s.byName) >= s.opts.Most:
		return nil, &refusal{web.Refused, fmt.Sprintf("there are already %d universes, the most this server holds",
			len(s.byName))}
	}
	options := s.opts.Web
	options.Sessions, options.Ensemble = false, nil
	options.MaxCells = min(cmp.Or(options.MaxCells, 1<<32), 8*s.share()/universePart)
	options.MaxPattern = s.share() / patternPart
	// Each session gets a quarter of the threads, so that a few engines can run at the same time and no engine takes all
	// threads.
	options.Base.Threads = max(1, cmp.Or(options.Base.Threads, s.turns.threads)/4)
	options.Base.Memory = s.share() / universePart
	options.Open = s.opener(2 * s.share() / universePart)
	r := &room{door: n.door, address: address}
	terms := session.Terms{Turn: s.turns.place(options.Base.Threads), Copies: s.share() / copiesPart, Chosen: n.Engine}
	if s.opts.Engine == "" || s.opts.Engine == sim.Auto {
		terms.Rival = func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
			return options.Open(ctx, hashlife.Name, cfg)
		}
	}
	r.session = session.StartOn(s.ended, terms, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return options.Open(ctx, cmp.Or(n.Engine, s.opts.Engine), cfg)
	}, func(ctx context.Context) (session.Origin, error) { return find(ctx, options.Base) })
	r.server = web.New(r.session, options)
	s.byName[r.Name] = r
	return r, nil
}

// opener opens engines that take at most the given number of bytes.
func (s *Sessions) opener(most uint64) func(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error) {
	return func(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error) {
		e, err := s.opts.Open(ctx, engine, cfg)
		if err != nil {
			return nil, err
		}
		if info := e.Info(); info.Bytes > most {
			e.Close()
			return nil, fmt.Errorf("the engine %s takes %d MiB for this universe: here it may take %d", info.Engine,
				info.Bytes>>20, most>>20)
		}
		return e, nil
	}
}
