package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Results stores the results of jobs in a folder. Each process appends to a log of its own, DIR/jobs/*.log.
// Jobs that were given up are in DIR/failed/KEY.json. Several processes may share a folder, because none writes
// to another's log. Results is safe for concurrent use.
type Results struct {
	dir string

	mu      sync.Mutex
	kept    map[string][]place // by key; more than one if results of one job differ
	damaged []Damage
	notes   []Note
	own     *logWriter    // nil if nothing was saved yet
	added   chan struct{} // closed when the next result is recorded
}

// place is the position of a result.
type place struct {
	path   string
	header header
	offset int64 // of the result
}

// Damage is a damaged part of a log.
type Damage struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"`        // of the damaged entry
	Key    string `json:"job,omitempty"` // the job whose result it was; empty if that cannot be read either
}

func (d Damage) String() string {
	if d.Key == "" {
		return fmt.Sprintf("%s is damaged from byte %d on", d.Path, d.Offset)
	}
	return fmt.Sprintf("%s is damaged at byte %d: the result of job %.12s… is lost", d.Path, d.Offset, d.Key)
}

// Note is an entry of a process's log that is not a result. It is JSON that only the caller interprets.
type Note struct {
	Path string // of the log
	Data json.RawMessage
}

// OpenResults reads everything in a folder and checks it against its hashes. A missing folder holds nothing.
func OpenResults(dir string) (*Results, error) {
	r := &Results{dir: dir, kept: map[string][]place{}, added: make(chan struct{})}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), "jobs", "*"+logSuffix))
	if err != nil {
		return nil, err
	}
	for _, path := range paths { // sorted by name
		if err := r.scan(path); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// escapeGlob returns a glob pattern that matches only this path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// scan reads the index of a log: which results it has and where. The results themselves are read when
// somebody asks.
func (r *Results) scan(path string) error {
	return readLog(path, func(e entry) error {
		switch {
		case e.damaged:
			r.damaged = append(r.damaged, Damage{path, e.at, e.header.Key})
		case e.header.Note != nil:
			r.notes = append(r.notes, Note{path, e.header.Note})
		default:
			r.add(place{path, e.header, e.offset})
		}
		return nil
	})
}

// add records a result, unless the same result is recorded already.
func (r *Results) add(p place) {
	for _, other := range r.kept[p.header.Key] {
		if other.header.Hash == p.header.Hash {
			return
		}
	}
	r.kept[p.header.Key] = append(r.kept[p.header.Key], p)
	close(r.added)
	r.added = make(chan struct{})
}

// Wait returns when a job has a result, or with an error when ctx is done.
func (r *Results) Wait(ctx context.Context, key string) error {
	for {
		r.mu.Lock()
		there, added := len(r.kept[key]) > 0, r.added
		r.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-added:
		}
	}
}

// Dir returns the folder.
func (r *Results) Dir() string { return r.dir }

// Has reports whether a job has a result.
func (r *Results) Has(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.kept[key]) > 0
}

// Load returns the results of a job that differ in their bytes. That is one, unless versions of the program
// wrote them differently. The error wraps fs.ErrNotExist if there is none.
func (r *Results) Load(key string) ([][]byte, error) {
	r.mu.Lock()
	places := r.kept[key]
	r.mu.Unlock()
	var all [][]byte
	for _, p := range places {
		data, err := p.read()
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	if all == nil {
		return nil, fmt.Errorf("job %.12s…: %w", key, fs.ErrNotExist)
	}
	return all, nil
}

// read returns the result after checking it again.
func (p *place) read() ([]byte, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, p.header.Bytes)
	if _, err := f.ReadAt(data, p.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if hashOf(p.header.Key, p.header.Worker, data) != p.header.Hash {
		return nil, errors.New(Damage{p.path, p.offset, p.header.Key}.String())
	}
	return data, nil
}

// Save stores the result of a job and the worker that did it, and removes the record of an earlier failure.
func (r *Results) Save(key, worker string, result []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := header{Key: key, Worker: worker, Bytes: int64(len(result)), Hash: hashOf(key, worker, result)}
	at, err := r.append(h, result)
	if err != nil {
		return fmt.Errorf("the result of job %.12s… cannot be stored: %w", key, err)
	}
	r.add(place{r.own.file.Name(), h, at})
	if err := os.Remove(r.failure(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Note writes a note to this process's log.
func (r *Results) Note(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.append(header{Note: text, Hash: hashOf("", "", text)}, nil); err != nil {
		return fmt.Errorf("a note about this run cannot be stored: %w", err)
	}
	r.notes = append(r.notes, Note{r.own.file.Name(), text})
	return nil
}

// append writes a result to the log of this process, which is made with the first one.
func (r *Results) append(h header, result []byte) (at int64, err error) {
	if r.own == nil {
		if r.own, err = newLog(filepath.Join(r.dir, "jobs")); err != nil {
			return 0, err
		}
	}
	return r.own.append(h, result)
}

// Notes returns the notes of all processes, in the order of their logs.
func (r *Results) Notes() []Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.notes)
}

// Damaged lists the damage that was found. It leaves out results that have another copy.
func (r *Results) Damaged() []Damage {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lost []Damage
	for _, d := range r.damaged {
		if len(r.kept[d.Key]) == 0 {
			lost = append(lost, d)
		}
	}
	return lost
}

// Worker returns the worker that did a job, and the log that has the result.
func (r *Results) Worker(key string) (worker, log string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if places := r.kept[key]; len(places) > 0 {
		return places[0].header.Worker, places[0].path
	}
	return "", ""
}

// Close makes sure that everything is on disk.
func (r *Results) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own == nil {
		return nil
	}
	err := r.own.close()
	r.own = nil
	return err
}

// Keys lists the jobs that have results, sorted.
func (r *Results) Keys() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := make([]string, 0, len(r.kept))
	for key := range r.kept {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Failure is a job that was given up.
type Failure struct {
	Key    string `json:"key"`
	Error  string `json:"error"`  // of the last try
	Tries  int    `json:"tries"`  // how often it was tried
	Worker string `json:"worker"` // the worker that tried it last
}

func (r *Results) failure(key string) string { return filepath.Join(r.dir, "failed", key+".json") }

// Park stores the error of a job that is given up.
func (r *Results) Park(f Failure) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	path := r.failure(f.Key)
	if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
		err = atomicfile.Write(path, true, func(w io.Writer) error {
			_, err := w.Write(append(text, '\n'))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("the error of job %.12s… cannot be stored: %w", f.Key, err)
	}
	return nil
}

// Failures lists the jobs that were given up, by key.
func (r *Results) Failures() ([]Failure, error) {
	entries, err := os.ReadDir(filepath.Join(r.dir, "failed")) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var failures []Failure
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || strings.HasPrefix(key, ".") {
			continue
		}
		text, err := os.ReadFile(r.failure(key))
		if err != nil {
			return nil, err
		}
		var f Failure
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", r.failure(key), err)
		}
		failures = append(failures, f)
	}
	return failures, nil
}
