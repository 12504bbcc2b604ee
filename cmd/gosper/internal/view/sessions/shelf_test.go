package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/soup"
)

// warnings collects what the owner of a server is told.
type warnings struct {
	mu   sync.Mutex
	told []string
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, err.Error())
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

// keeping makes sessions that are kept in a folder. Nothing may go wrong unless the test takes the warnings.
func keeping(t *testing.T, dir string, change func(*Options)) *Sessions {
	t.Helper()
	w := &warnings{}
	t.Cleanup(func() {
		if told := w.all(); len(told) > 0 {
			t.Errorf("warnings: %q", told)
		}
	})
	return start(t, func(o *Options) {
		o.Shelf = Shelf{Dir: dir, Most: 100, Bytes: 1 << 30, Warn: w.add}
		if change != nil {
			change(o)
		}
	})
}

// rests has everybody leave, and time pass until a session is dropped.
func rests(t *testing.T, s *Sessions, r *room) {
	t.Helper()
	s.leave(r)
	s.sweep(t.Context(), time.Now().Add(2*s.opts.Idle))
	until(t, "it is closed", func() bool { return errors.Is(r.session.Play(t.Context()), session.ErrClosed) })
}

// state is the cells and the generation of a session.
func state(t *testing.T, s *session.Session) (hash string) {
	t.Helper()
	if err := s.Keep(t.Context(), func(cells grid.Source, from session.Origin) error {
		sum, err := grid.StateHash(t.Context(), cells, from.Config.Rule.States, !from.Config.Topology.Bounded())
		hash = fmt.Sprintf("%d %x", from.Generation, sum)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return hash
}

// goOn runs a session to a generation.
func goOn(t *testing.T, s *session.Session, generation uint64) {
	t.Helper()
	if err := errors.Join(s.Jump(t.Context(), generation), s.Idle(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// soupOf is the origin of a soup under a rule.
func soupOf(t *testing.T, text, start string) session.Origin {
	t.Helper()
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		t.Fatal(err)
	}
	first, err := soup.ParseStart(start)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r}
	if suffix != nil {
		cfg.Topology = *suffix
	}
	o, err := session.FromStart(t.Context(), cfg, session.Soup{
		W: 40, H: 30, Seed: 1<<63 + 7, Density: 0.4, Start: first,
		Cells: "bo$2bo$3o!",
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestBroughtBack: a session that was dropped, or whose server has ended, is as it was, and goes on as it would have.
func TestBroughtBack(t *testing.T) {
	cases := map[string]struct {
		rule, start string
		generation  uint64
		then        func(ctx context.Context, s *session.Session) error
	}{
		"gun":        {"", "", 30, nil},
		"torus":      {"B3/S23:T64,48", "soup", 11, nil},
		"plane":      {"B3/S23", "soup", 5, nil},
		"states":     {"345/2/4:T50,40", "soup", 9, nil},
		"chance":     {"B3/S23~flip=0.01:T40,40", "soup", 12, nil},
		"pattern":    {"B3/S23:T60,60", "pattern~flip=0.05", 4, nil},
		"background": {"B0123/S", "soup", 3, nil}, // alive at odd generations
		"radius":     {"R2,C2,S8,11-15,18-22,B4,9,13-15,18-21:T64,64", "soup", 3, nil},
		"edited": {"B3/S23:T64,64", "soup", 6, func(ctx context.Context, s *session.Session) error {
			return s.Edit(ctx, []session.Cell{{X: 1, Y: 2, State: 1}, {X: 2, Y: 2, State: 1}, {X: 3, Y: 2, State: 1}})
		}},
		"rule": {"B3/S23:T64,64", "soup", 6, func(ctx context.Context, s *session.Session) error {
			return s.SetRule(ctx, "B36/S23")
		}},
		"tree": {"", "", 1 << 15, nil},
	}
	for name, c := range cases {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprint(name, restart), func(t *testing.T) {
				t.Parallel()
				ctx, dir := t.Context(), t.TempDir()
				s := keeping(t, dir, nil)
				r, pass := come(t, s, visit{name: "Mine", member: true, person: "a"})
				pass.List(true)
				u := r.session
				until(t, "the gun plays", func() bool { return u.Status().Playing })
				if name == "tree" {
					open := r.opener("hashlife")
					if err := u.SetEngine(ctx, "hashlife", open); err != nil {
						t.Fatal(err)
					}
				}
				if c.rule != "" {
					if err := u.Load(ctx, soupOf(t, c.rule, c.start)); err != nil {
						t.Fatal(err)
					}
				}
				if err := errors.Join(u.Pause(ctx), u.SetSpeed(ctx, session.Speed{Step: 4, PerSecond: 17})); err != nil {
					t.Fatal(err)
				}
				goOn(t, u, max(c.generation, u.Status().Generation))
				if c.then != nil {
					if err := c.then(ctx, u); err != nil {
						t.Fatal(err)
					}
				}
				before, was := u.Status(), state(t, u)
				if restart {
					s.Close()
					s = keeping(t, dir, nil)
				} else {
					rests(t, s, r)
				}
				if list := s.listing(""); len(list) != 1 || list[0].Name != "Mine" || list[0].Rule != before.Rule ||
					list[0].Generation != fmt.Sprint(before.Generation) || list[0].Population == "" {
					t.Errorf("the list: %+v", list)
				}
				if _, _, err := s.enter(ctx, visit{name: "Mine"}); err != errStranger {
					t.Errorf("a stranger: %v", err)
				}
				if _, p := come(t, s, visit{name: "Mine", key: r.Watch}); !p.Watch || p.About().Fresh || p.About().EditKey != "" ||
					!p.About().Listed {
					t.Errorf("who watches is told %+v", p.About())
				}
				back, p := come(t, s, visit{name: "Mine", key: r.Edit})
				if a := p.About(); a.Fresh || a.Watch || a.EditKey != r.Edit || a.WatchKey != r.Watch || back == r {
					t.Errorf("who edits is told %+v", a)
				}
				if err := back.session.Ready(ctx); err != nil {
					t.Fatal(err)
				}
				until(t, "it has its speed", func() bool { return back.session.Status().Speed == before.Speed })
				if got := state(t, back.session); got != was {
					t.Errorf("it comes back as %s, and was %s", got, was)
				}
				after := back.session.Status()
				if after.Universe != before.Universe || before.Universe == "" {
					t.Errorf("it comes back as the universe %q, and was %q", after.Universe, before.Universe)
				}
				if after.Rule != before.Rule || after.Generation != before.Generation || after.Name != before.Name ||
					after.Edited != before.Edited ||
					after.Chosen != before.Chosen || after.Engine.Engine != before.Engine.Engine || after.Playing ||
					after.Topology != before.Topology {
					t.Errorf("it comes back as %+v,\nand was %+v", after, before)
				}
				if a, b := after.Soup, before.Soup; (a == nil) != (b == nil) ||
					a != nil && (a.W != b.W || a.H != b.H || a.Seed != b.Seed || a.Density != b.Density ||
						a.Start.String() != b.Start.String() || a.Cells != b.Cells) {
					t.Errorf("it comes back as the soup %+v, and was %+v", a, b)
				}
				// The same universe that has never been away.
				oracle := keeping(t, "", nil)
				o, _ := come(t, oracle, visit{name: "oracle", member: true})
				until(t, "the gun plays", func() bool { return o.session.Status().Playing })
				if c.rule != "" {
					if err := o.session.Load(ctx, soupOf(t, c.rule, c.start)); err != nil {
						t.Fatal(err)
					}
				}
				if err := o.session.Pause(ctx); err != nil {
					t.Fatal(err)
				}
				if name == "tree" {
					if err := o.session.SetEngine(ctx, "hashlife", o.opener("hashlife")); err != nil {
						t.Fatal(err)
					}
				}
				goOn(t, o.session, before.Generation)
				if c.then != nil {
					if err := c.then(ctx, o.session); err != nil {
						t.Fatal(err)
					}
				}
				for _, u := range []*session.Session{o.session, back.session} {
					goOn(t, u, before.Generation+7)
				}
				if got, want := state(t, back.session), state(t, o.session); got != want {
					t.Errorf("it goes on to %s, want %s", got, want)
				}
				// Back at the start: that of the soup, else where it was kept.
				if err := back.session.Reset(ctx); err != nil {
					t.Fatal(err)
				}
				want := was
				if c.rule != "" && c.then == nil {
					if err := o.session.Reset(ctx); err != nil {
						t.Fatal(err)
					}
					want = state(t, o.session)
				}
				if got := state(t, back.session); got != want || back.session.Status().Edited != before.Edited {
					t.Errorf("it starts again at %s, want %s; %+v", got, want, back.session.Status())
				}
			})
		}
	}
}

// opener opens an engine for a session that it has chosen.
func (r *room) opener(engine string) session.Opener {
	return func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, engine, cfg) }
}

// TestPlaysOn: a universe that was playing when everybody left, or when the server ended, plays on when somebody
// comes back, and stops at the planned generation. A paused universe stays paused.
func TestPlaysOn(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	s := keeping(t, dir, nil)
	rooms := map[string]*room{}
	for _, name := range []string{"plays", "jumps", "paused"} {
		r, _ := come(t, s, visit{name: name, member: true, person: "a"})
		rooms[name] = r
		until(t, "the gun plays", func() bool { return r.session.Status().Generation > 0 })
	}
	if err := errors.Join(rooms["jumps"].session.Jump(ctx, 1<<50), rooms["paused"].session.Pause(ctx)); err != nil {
		t.Fatal(err)
	}
	s.leave(rooms["plays"])
	s.sweep(ctx, time.Now().Add(2*pauseAfter)) // paused and kept, and there is a file in case the server is killed
	if st := rooms["plays"].session.Status(); st.Playing || s.Kept() != 1 {
		t.Errorf("after a while alone: %+v, %d kept", st, s.Kept())
	}
	s.Close()
	s = keeping(t, dir, nil)
	if got := s.Kept(); got != 3 {
		t.Fatalf("%d are kept, want 3", got)
	}
	refused(t, s, visit{name: "plays", key: "x", member: true, person: "a"}, web.Refused, "private")
	refused(t, s, visit{name: "plays", member: true, person: "a"}, web.Refused, "private")
	for name, target := range map[string]uint64{"plays": sim.Forever, "jumps": 1 << 50} {
		r, _ := come(t, s, visit{name: name, key: rooms[name].Watch})
		until(t, name+" goes on", func() bool {
			st := r.session.Status()
			return st.Playing && st.Target == target && st.Generation > rooms[name].session.Status().Generation
		})
	}
	r, _ := come(t, s, visit{name: "paused", key: rooms["paused"].Edit})
	if err := r.session.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond)
	if st := r.session.Status(); st.Playing || st.Generation != rooms["paused"].session.Status().Generation {
		t.Errorf("what was paused: %+v", st)
	}
}

// TestShelfLimits: the oldest universes are deleted first, of a person who has too many, then of all. A universe that
// is too large is not kept, and its earlier file stays.
func TestShelfLimits(t *testing.T) {
	dir := t.TempDir()
	warned := &warnings{}
	limits := func(o *Options) {
		o.Most, o.Each = 4, 2
		o.Shelf = Shelf{Dir: dir, Most: 3, Bytes: 40 << 10, Warn: warned.add}
	}
	s := keeping(t, dir, limits)
	keys := map[string]string{}
	kept := func() (names []string) {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasPrefix(f.Name(), ".") {
				names = append(names, strings.TrimSuffix(strings.TrimPrefix(f.Name(), "u-"), ".ckpt"))
			}
		}
		return names
	}
	visits := func(name, person string) {
		t.Helper()
		r, _ := come(t, s, visit{name: name, key: keys[name], member: true, person: person})
		if err := r.session.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		keys[name] = r.Edit
		rests(t, s, r)
	}
	want := func(names ...string) {
		t.Helper()
		if got := kept(); fmt.Sprint(got) != fmt.Sprint(names) || s.Kept() != len(names) {
			t.Errorf("kept: %v, of which %d are known, want %v", got, s.Kept(), names)
		}
	}
	visits("a1", "a")
	visits("a2", "a")
	visits("a1", "a") // the newer one now
	visits("a3", "a")
	want("a1", "a3")
	visits("b1", "b")
	visits("c1", "c")
	want("a3", "b1", "c1")
	refused(t, s, visit{name: "a1", member: true, person: "a", key: keys["a1"]}, web.Gone,
		"newer ones are kept in its place")
	// A universe of 128² cells takes 2 KiB. The limits are 40 KiB in all and 10 KiB for one universe.
	r, _ := come(t, s, visit{name: "c1", key: keys["c1"], person: "c"})
	if err := errors.Join(r.session.Ready(t.Context()),
		r.session.Load(t.Context(), soupOf(t, "B3/S23:T1024,1024", "soup"))); err != nil {
		t.Fatal(err)
	}
	rests(t, s, r)
	if told := warned.all(); len(told) != 1 ||
		told[0] != "the universe c1 is not kept: it takes more than 0 MiB, a quarter of what all may take" {
		t.Errorf("of a large universe: %q", told)
	}
	want("a3", "b1", "c1")
	r, _ = come(t, s, visit{name: "c1", key: keys["c1"], person: "c"})
	if err := r.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := r.session.Status(); st.Rule != "B3/S23" {
		t.Errorf("what was kept before: %+v", st)
	}
	s.Close()
	// Fewer are kept from now on.
	s = keeping(t, dir, func(o *Options) { limits(o); o.Shelf.Most = 1 })
	want("c1")
}

// TestBadFiles: files that are not sessions are left alone. A session that cannot be read keeps its name, and a
// visitor gets a message of one line.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	s := keeping(t, dir, nil)
	r, _ := come(t, s, visit{name: "mine", member: true, person: "a"})
	if err := r.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	late, _ := come(t, s, visit{name: "late", member: true, person: "b"})
	if err := late.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	path, latePath := filepath.Join(dir, "u-mine.ckpt"), filepath.Join(dir, "u-late.ckpt")
	whole, err := os.ReadFile(path)
	wholeLate, errLate := os.ReadFile(latePath)
	if err != nil || errLate != nil {
		t.Fatal(err, errLate)
	}
	for name, content := range map[string][]byte{
		"u-mine.ckpt": whole[:len(whole)-40], "u-other.ckpt": whole,
		"u-text.ckpt": []byte("x = 3, y = 3, rule = B3/S23\n3o!\n"), "u-empty.ckpt": nil, "u-late.ckpt": nil,
		"notes.txt": []byte("u"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	warned := &warnings{}
	s = keeping(t, dir, func(o *Options) { o.Shelf.Warn = warned.add })
	if told := strings.Join(warned.all(), "\n"); s.Kept() != 1 || len(warned.all()) != 4 ||
		strings.Count(told, "no universe that gosper serve has kept") != 1 ||
		strings.Count(told, "not a gosper checkpoint") != 3 {
		t.Errorf("%d are kept; %s", s.Kept(), told)
	}
	r, _ = come(t, s, visit{name: "mine", key: r.Edit})
	if err := r.session.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
	refused(t, s, visit{name: "text", key: "some key"}, web.Refused, "cannot be brought back")
	refused(t, s, visit{name: "late", key: late.Edit}, web.Refused, "cannot be brought back")
	refused(t, s, visit{name: "empty", member: true, person: "b"}, web.Refused, "cannot be brought back")
	until(t, "it is known", func() bool { return s.shelf.find("mine").broken != nil && len(warned.all()) == 5 })
	until(t, "nobody is in it", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.byName) == 0
	})
	if got := warned.all()[4]; !strings.HasPrefix(got, "the universe mine is not brought back: ") ||
		!strings.Contains(got, "checksum") || strings.Contains(got, "\n") {
		t.Error(got)
	}
	refused(t, s, visit{name: "mine", member: true, person: "b"}, web.Refused, "private")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if listed := s.shelf.all(); len(listed) != 0 {
		t.Errorf("%d are on the list", len(listed))
	}
	// As soon as the files can be read, the universes come back.
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(latePath, wholeLate, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"mine": r.Edit, "late": late.Edit} {
		back, _ := come(t, s, visit{name: name, key: key})
		if err := back.session.Ready(t.Context()); err != nil {
			t.Errorf("a file that can be read again, of %s: %v", name, err)
		}
	}
	until(t, "it is known", func() bool { return s.shelf.find("mine").broken == nil })
	if _, err := New(Options{
		Most: 1, Each: 1, Memory: 1 << 30,
		Shelf: Shelf{Dir: dir, Most: 1, Bytes: 1 << 20},
	}); err == nil ||
		!strings.Contains(err.Error(), "another server keeps its universes there") {
		t.Errorf("a second server: %v", err)
	}
	if _, err := New(Options{
		Most: 1, Each: 1, Memory: 1 << 30,
		Shelf: Shelf{Dir: path, Most: 1, Bytes: 1 << 20},
	}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file as folder: %v", err)
	}
}

// TestOwnerIsToldWhy opens the page of a kept universe whose file is damaged: the page is told that it cannot
// be brought back, and not that the server ends.
func TestOwnerIsToldWhy(t *testing.T) {
	dir := t.TempDir()
	s := keeping(t, dir, nil)
	r, _ := come(t, s, visit{name: "mine", member: true, person: "a"})
	if err := r.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	path := filepath.Join(dir, "u-mine.ckpt")
	if info, err := os.Stat(path); err != nil || os.Truncate(path, info.Size()-40) != nil {
		t.Fatal(err)
	}
	s = keeping(t, dir, func(o *Options) { o.Shelf.Warn = func(error) {} })
	c := dial(t, s.Handler(), "/u/mine/socket", "key."+r.Edit)
	var err error
	for err == nil {
		_, _, err = c.conn.Read(t.Context())
	}
	var ended websocket.CloseError
	if !errors.As(err, &ended) || ended.Code != websocket.StatusPolicyViolation ||
		!strings.Contains(ended.Reason, "cannot be brought back") {
		t.Errorf("it ends with %v", err)
	}
}

// TestNotDroppedUntilKept takes the folder away while a universe is to be kept. It stays, and is kept when the
// folder is back.
func TestNotDroppedUntilKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	w := &warnings{}
	s := keeping(t, dir, func(o *Options) { o.Shelf.Warn = w.add })
	r, _ := come(t, s, visit{name: "mine", member: true, person: "a"})
	if err := r.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.leave(r)
	if err := os.Rename(dir, dir+"2"); err != nil {
		t.Skip(err)
	}
	later := time.Now().Add(2 * s.opts.Idle)
	s.sweep(t.Context(), later)
	s.sweep(t.Context(), later)
	if n := len(w.all()); n != 2 || s.byName["mine"] != r {
		t.Errorf("%d warnings: %v; it is there: %v", n, w.all(), s.byName["mine"] == r)
	}
	if err := os.Rename(dir+"2", dir); err != nil {
		t.Fatal(err)
	}
	s.sweep(t.Context(), later)
	if s.Kept() != 1 || s.byName["mine"] != nil {
		t.Errorf("%d are kept, it is there: %v", s.Kept(), s.byName["mine"] != nil)
	}
}

// TestFiles: every name has a file of its own, on every file system, inside the folder.
func TestFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(nameForm().String())
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		if a != b && strings.EqualFold(fileOf(a), fileOf(b)) {
			t.Fatalf("%s and %s are both %s", a, b, fileOf(a))
		}
		if back := nameOf(fileOf(a)); back != a {
			t.Fatalf("%s comes back as %s", a, back)
		}
		if f := fileOf(a); filepath.Base(f) != f || len(f) > 100 || strings.ToLower(f) != f {
			t.Fatalf("%s is %s", a, f)
		}
	})
}

// TestEndsMeanwhile: a server that ends while it keeps a session keeps it nevertheless.
func TestEndsMeanwhile(t *testing.T) {
	dir := t.TempDir()
	s := keeping(t, dir, nil)
	r, _ := come(t, s, visit{name: "mine", member: true, person: "a"})
	until(t, "the gun plays", func() bool { return r.session.Status().Playing })
	if err := r.session.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	goOn(t, r.session, r.session.Status().Generation+500)
	was := state(t, r.session)
	s.leave(r)
	ended, end := context.WithCancel(t.Context())
	end()
	s.sweep(ended, time.Now().Add(2*s.opts.Idle))
	s.Close()
	s = keeping(t, dir, nil)
	r, _ = come(t, s, visit{name: "mine", member: true, person: "a", key: r.Edit})
	if err := r.session.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if is := state(t, r.session); is != was {
		t.Errorf("the session is %s, it was %s", is, was)
	}
}

// TestComeAndGo: people come and leave while sessions are kept and dropped, and never find another universe
// than theirs.
func TestComeAndGo(t *testing.T) {
	s := keeping(t, t.TempDir(), func(o *Options) { o.Idle, o.Each, o.Most = time.Millisecond, 8, 8 })
	ctx, stop := context.WithCancel(t.Context())
	var following, people sync.WaitGroup
	following.Go(func() { s.Follow(ctx) })
	for i := range 4 {
		people.Go(func() {
			name, key, reached := fmt.Sprint("u", i), "", uint64(0)
			for range 25 {
				r, _, err := s.enter(ctx, visit{name: name, key: key, member: true, person: name})
				if err != nil {
					t.Error(err)
					return
				}
				if key == "" {
					key = r.Edit
				}
				if err := r.session.Ready(ctx); err != nil {
					t.Error(err)
				} else if g := r.session.Status().Generation; g < reached {
					t.Errorf("%s was at generation %d, and comes back at %d", name, reached, g)
				} else {
					reached = g
				}
				if err := r.session.Step(ctx, 3); err != nil {
					t.Error(err)
				}
				s.leave(r)
				time.Sleep(time.Duration(i) * time.Millisecond)
			}
		})
	}
	people.Wait()
	stop()
	following.Wait()
}
