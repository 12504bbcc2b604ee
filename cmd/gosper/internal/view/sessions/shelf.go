package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Shelf describes the folder for sessions that nobody watches, and its limits. Without a shelf these sessions are
// dropped.
type Shelf struct {
	Dir   string      // the folder, made if it does not exist; empty: nothing is kept
	Most  int         // sessions
	Bytes uint64      // of all of them; a quarter of that for one
	Warn  func(error) // is told what could not be kept or brought back
}

// shelf is a folder with a checkpoint of each session that is kept. A session's file stays while people are in
// it again, in case the server is killed, and is replaced when they have left.
type shelf struct {
	Shelf
	each  int               // sessions of one person
	claim *atomicfile.Claim // no other server keeps sessions there
	past  *past

	mu   sync.Mutex
	kept map[string]*kept // by name
	lost map[string]bool  // names whose files could not be read; these files are left alone
}

// kept is a session's file. It does not change; another one takes its place.
type kept struct {
	note
	path       string
	size       uint64
	at         time.Time // when it was written
	target     uint64    // where the universe was to run to; 0 if it was not playing
	rule       string    // with the suffix of a bounded grid
	generation uint64
	population uint64
	broken     error // why it was not brought back when that was last tried; nil if it was, or nobody has tried
}

// door holds the rights of access to a session.
type door struct {
	Name   string `json:"name"`
	Owner  string `json:"owner"` // who made it
	Edit   string `json:"edit"`  // the keys
	Watch  string `json:"watch"`
	Listed bool   `json:"listed"`
}

// note holds the settings of a kept session, beside its universe. It is stored as JSON in a fact of the checkpoint's
// header.
type note struct {
	door
	Engine string        `json:"engine"` // if somebody has chosen one
	Speed  session.Speed `json:"speed"`
	Edited bool          `json:"edited"`
	Soup   *soupNote     `json:"soup"` // what the universe was filled with; null without a soup
	// Universe is that of session.Status, empty in files of earlier versions.
	Universe string `json:"universe"`
}

// soupNote is a session.Soup in writing.
type soupNote struct {
	W, H    int
	Seed    uint64 `json:",string"`
	Density float64
	Start   string
	Cells   string
}

const factSession = "session"

// openShelf opens the folder and lists the kept sessions. It returns nil if no folder is given.
func openShelf(o Shelf, each int, gone *past) (*shelf, error) {
	if o.Dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil { // there are keys in the files
		return nil, atomicfile.PathFirst(err)
	}
	claim, err := atomicfile.Hold(filepath.Join(o.Dir, "server"), false)
	if errors.Is(err, atomicfile.ErrHeld) {
		return nil, fmt.Errorf("%s: another server keeps its universes there", o.Dir)
	} else if err != nil {
		return nil, atomicfile.PathFirst(err)
	}
	s := &shelf{Shelf: o, each: each, claim: claim, past: gone, kept: map[string]*kept{}, lost: map[string]bool{}}
	files, err := os.ReadDir(o.Dir)
	if err != nil {
		claim.Release()
		return nil, atomicfile.PathFirst(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), prefix) || !strings.HasSuffix(f.Name(), suffix) {
			continue
		}
		k, err := peek(filepath.Join(o.Dir, f.Name()))
		if err != nil {
			o.Warn(err)
			s.lost[nameOf(f.Name())] = true
			continue
		}
		s.kept[k.Name] = k
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trim(nil)
	return s, nil
}

// close lets another server have the folder.
func (s *shelf) close() {
	if s != nil {
		s.claim.Release()
	}
}

// peek looks at a session's file.
func peek(path string) (*kept, error) {
	var h checkpoint.Header
	info, err := os.Stat(path)
	if err == nil {
		err = h.Peek(path)
	}
	if err != nil {
		return nil, atomicfile.PathFirst(err)
	}
	k := &kept{path: path, size: uint64(info.Size()), at: info.ModTime()}
	if err := json.Unmarshal([]byte(h.Facts[factSession]), &k.note); err != nil || fileOf(k.Name) != filepath.Base(path) ||
		k.Edit == "" || k.Watch == "" {
		return nil, fmt.Errorf("%s: this is no universe that gosper serve has kept", path)
	}
	k.describe(h)
	return k, nil
}

// describe makes the description of a kept session from the header of its file.
func (k *kept) describe(h checkpoint.Header) {
	k.Soup = nil // it may be large
	k.rule, k.generation, k.population = h.Rule, h.Generation, h.Population
	if t, err := topology.Parse(h.Topology); err == nil {
		k.rule += t.Suffix()
	}
	if k.target = 0; h.Target > h.Generation {
		k.target = h.Target
	}
}

const (
	prefix = "u-"
	suffix = ".ckpt"
)

// fileOf is the name of a session's file. It differs for names that differ in case alone, also where
// the file system takes these for the same: an equals sign stands before each letter that was a
// capital one.
//
//	Ada-2     u-=ada-2.ckpt
//	ADA-2     u-=a=d=a-2.ckpt
func fileOf(name string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, c := range []byte(name) {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('=')
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String() + suffix
}

// nameOf is the name of the session that has this file.
func nameOf(file string) string {
	var b strings.Builder
	upper := false
	for _, c := range []byte(strings.TrimSuffix(strings.TrimPrefix(file, prefix), suffix)) {
		switch {
		case c == '=':
			upper = true
			continue
		case upper:
			c -= 'a' - 'A'
		}
		b.WriteByte(c)
		upper = false
	}
	return b.String()
}

// isLost reports whether there is a file of this name that could not be read.
func (s *shelf) isLost(name string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[name]
}

// retry reads a file again that could not be read.
func (s *shelf) retry(name string) {
	if !s.isLost(name) {
		return
	}
	k, err := peek(filepath.Join(s.Dir, fileOf(name)))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		delete(s.lost, name)
		s.kept[k.Name] = k
	case errors.Is(err, fs.ErrNotExist):
		delete(s.lost, name)
	}
}

// find returns a kept session by its name, or nil. A nil shelf has no sessions.
func (s *shelf) find(name string) *kept {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[name]
}

// number is the number of sessions that are kept.
func (s *shelf) number() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.kept)
}

// mark remembers why a session was not brought back; nil if it was.
func (s *shelf) mark(k *kept, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[k.Name] == k {
		again := *k
		again.broken = why
		s.kept[k.Name] = &again
	}
}

// keep writes the universe of a session. target is where it was to run to; 0 if it was not playing.
func (s *shelf) keep(ctx context.Context, d door, of *session.Session, target uint64) error {
	st := of.Status()
	k := &kept{
		note: note{door: d, Engine: st.Chosen, Speed: st.Speed}, path: filepath.Join(s.Dir, fileOf(d.Name)),
		at: time.Now(),
	}
	err := of.Keep(ctx, func(cells grid.Source, from session.Origin) error {
		k.Universe = from.Universe
		if k.Edited = from.Edited; from.Soup != nil {
			p := from.Soup
			k.Soup = &soupNote{p.W, p.H, p.Seed, p.Density, p.Start.String(), p.Cells}
		}
		text, err := json.Marshal(k.note)
		if err != nil {
			return err
		}
		h := checkpoint.Header{
			Rule: from.Config.Rule.String(), Topology: from.Config.Topology.String(), Generation: from.Generation,
			Target: max(from.Generation, target),
			Name:   from.Meta.Name, Author: from.Meta.Author, Comments: from.Meta.Comments,
			Facts: map[string]string{factSession: string(text), origin.FactRepeat: "--resume " + shell.Quote(k.path)},
		}
		if err := atomicfile.Write(k.path, true, func(w io.Writer) error {
			return checkpoint.Encode(&limited{w, &k.size, s.Bytes / 4}, h, cells)
		}); err != nil {
			return err
		}
		k.describe(h)
		k.population = st.Population
		return nil
	})
	if errors.Is(err, atomicfile.ErrUnsynced) {
		return fmt.Errorf("the universe %s is kept: %w", d.Name, atomicfile.PathFirst(err))
	}
	if err != nil {
		return fmt.Errorf("the universe %s is not kept: %w", d.Name, atomicfile.PathFirst(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[d.Name] = k
	s.trim(k)
	return nil
}

var errTooLarge = errors.New("a quarter of what all may take")

// limited counts the bytes that are written, and refuses more than most of them.
type limited struct {
	w    io.Writer
	size *uint64
	most uint64
}

func (l *limited) Write(p []byte) (int, error) {
	if *l.size += uint64(len(p)); *l.size > l.most {
		return 0, fmt.Errorf("it takes more than %d MiB, %w", l.most>>20, errTooLarge)
	}
	return l.w.Write(p)
}

// trim removes files until the others are within the limits, the oldest first and none that has just
// been written. s.mu is held. There are three limits: on sessions, on bytes, and on the sessions of
// one person. If only the last one is exceeded, only that person loses a file.
func (s *shelf) trim(fresh *kept) {
	for {
		number, total, of := 0, uint64(0), map[string]int{}
		for _, k := range s.kept {
			number++
			total += k.size
			of[k.Owner]++
		}
		var oldest *kept
		for _, k := range s.kept {
			if (number > s.Most || total > s.Bytes || of[k.Owner] > s.each) && k != fresh &&
				(oldest == nil || k.at.Before(oldest.at)) {
				oldest = k
			}
		}
		if oldest == nil {
			return
		}
		if err := os.Remove(oldest.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Warn(atomicfile.PathFirst(err))
		}
		delete(s.kept, oldest.Name)
		s.past.remember(oldest.Name, "newer ones are kept in its place")
	}
}

// all are the sessions that are kept and can be brought back.
func (s *shelf) all() (list []*kept) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept {
		if k.broken == nil {
			list = append(list, k)
		}
	}
	return list
}

// origin reads a session's file. A reset of the universe goes back to the first cells of a soup that nobody has
// changed, otherwise to the cells of the file, as long as that has so few bytes that it may stay in memory.
func (k *kept) origin(ctx context.Context, base sim.Config, mostCopy uint64) (session.Origin, error) {
	u, err := (&origin.Flags{Resume: k.path}).Origin(ctx, nil)
	if err != nil {
		return session.Origin{}, err
	}
	var n note
	if err := json.Unmarshal([]byte(u.Facts[factSession]), &n); err != nil {
		return session.Origin{}, fmt.Errorf("%s: %w", k.path, err)
	}
	base.Rule, base.Topology, base.Outlook = u.Config.Rule, u.Config.Topology, u.Config.Outlook
	from := session.Origin{Config: base, Generation: u.Generation, Meta: u.Meta, Edited: n.Edited, Universe: n.Universe}
	if n.Soup != nil {
		start, err := soup.ParseStart(n.Soup.Start)
		if err != nil {
			return session.Origin{}, fmt.Errorf("%s: %w", k.path, err)
		}
		from.Soup = &session.Soup{
			W: n.Soup.W, H: n.Soup.H, Seed: n.Soup.Seed, Density: n.Soup.Density, Start: start,
			Cells: n.Soup.Cells,
		}
	}
	var again []byte // the file
	switch {
	case from.Soup != nil && !n.Edited:
		first, err := session.FromStart(ctx, base, *from.Soup)
		if err != nil {
			return session.Origin{}, fmt.Errorf("%s: %w", k.path, err)
		}
		from.First, from.Bytes = &first, first.Bytes
	case k.size <= mostCopy:
		if again, err = os.ReadFile(k.path); err != nil {
			return session.Origin{}, err
		}
		from.Bytes = uint64(len(again))
	}
	load := u.Load // works once
	from.Load = func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
		if first := load; first != nil {
			load = nil
			return first(ctx, e, progress)
		}
		if again == nil {
			return errors.New("this universe was too large for its first cells to be kept, too")
		}
		file, err := checkpoint.Read(bytes.NewReader(again), int64(len(again)))
		if err != nil {
			return err
		}
		return file.Restore(e)
	}
	return from, nil
}
