package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// logsIn are the logs of a folder.
func logsIn(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "jobs", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// saved makes a folder with the results "result 0" … of keys k00 … and a note between them, and returns the
// text of its log.
func saved(t testing.TB, dir string, n int) []byte {
	t.Helper()
	r := open(t, dir)
	for i := range n {
		if i == n/2 {
			if err := r.Note(map[string]int{"half": i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Save(fmt.Sprintf("k%02d", i), "worker", fmt.Appendf(nil, "result\n%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	logs := logsIn(t, dir)
	if len(logs) != 1 {
		t.Fatalf("%d logs of one process", len(logs))
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDamagedLog damages a byte anywhere in a log, or cuts it anywhere: every result that is still there is
// right, all but one or two are there, and damage other than a missing end is told of, with the path.
func TestDamagedLog(t *testing.T) {
	const n = 6
	dir := t.TempDir()
	whole := saved(t, dir, n)
	path := logsIn(t, dir)[0]
	check := func(text []byte, what string, least int, damage bool) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		for _, key := range r.Keys() {
			data, err := r.Load(key)
			if err != nil || len(data) != 1 || string(data[0]) != fmt.Sprintf("result\n%c", key[2]) {
				t.Fatalf("%s: %s is %q, %v", what, key, data, err)
			}
			if by, _ := r.Worker(key); by != "worker" {
				t.Fatalf("%s: done by %q", what, by)
			}
		}
		if len(r.Keys()) < least {
			t.Fatalf("%s: only %v are left", what, r.Keys())
		}
		if damage && len(r.Keys()) < n && (len(r.damaged) == 0 || r.damaged[0].Path != path) {
			t.Fatalf("%s: %v are left and damage is %v", what, r.Keys(), r.Damaged())
		}
	}
	last := bytes.LastIndex(whole, []byte(headerBegin))
	for i := range whole {
		for _, flip := range []byte{1, whole[i] ^ '\n'} {
			if flip == 0 {
				continue
			}
			text := bytes.Clone(whole)
			text[i] ^= flip
			// A last entry whose length is damaged may also be one cut short.
			check(text, fmt.Sprintf("byte %d is %q instead of %q", i, text[i], whole[i]), n-2, i < last)
		}
	}
	for i := range whole {
		check(whole[:i], fmt.Sprintf("%d bytes are left", i), bytes.Count(whole[:i], []byte("\nresult\n"))-1, false)
		if damaged := open(t, dir).damaged; damaged != nil {
			t.Fatalf("what was cut short is taken for damage: %v", damaged)
		}
	}
}

// TestDamageIsRepaired: a job whose result is damaged has none, until it is done again in another log.
func TestDamageIsRepaired(t *testing.T) {
	dir := t.TempDir()
	text := saved(t, dir, 3)
	path := logsIn(t, dir)[0]
	text[bytes.Index(text, []byte("result\n1"))] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	at := int64(bytes.Index(text, []byte(`{"job":"k01"`)))
	if diff := cmp.Diff([]Damage{{path, at, "k01"}}, r.Damaged()); diff != "" || r.Has("k01") {
		t.Error(diff)
	}
	if err := r.Save("k01", "another", []byte("result\n1")); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Results{r, open(t, dir)} {
		if got := r.Damaged(); got != nil || len(r.Keys()) != 3 {
			t.Errorf("damage %v after it was repaired, results of %v", got, r.Keys())
		}
	}
}

// TestResultsThatDiffer: results of one job that differ are all told of, the same one only once.
func TestResultsThatDiffer(t *testing.T) {
	dir := t.TempDir()
	for _, result := range []string{"a", "b", "a"} {
		r := open(t, dir)
		if err := r.Save("k", "w", []byte(result)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := open(t, dir).Load("k")
	if diff := cmp.Diff([][]byte{[]byte("a"), []byte("b")}, data); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if logs := logsIn(t, dir); len(logs) != 3 {
		t.Errorf("logs %v", logs)
	}
}

// TestLogs keeps any results and notes.
func TestLogs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		want := map[string][]byte{}
		var notes []string
		for range rapid.IntRange(1, 3).Draw(rt, "processes") {
			r := open(t, dir)
			for range rapid.IntRange(0, 5).Draw(rt, "entries") {
				if rapid.Bool().Draw(rt, "note") {
					notes = append(notes, rapid.String().Draw(rt, "note"))
					if err := r.Note(notes[len(notes)-1]); err != nil {
						rt.Fatal(err)
					}
					continue
				}
				key := rapid.StringMatching(`[0-9a-f]{8}-[0-9]{1,3}`).Draw(rt, "key")
				if want[key] == nil {
					want[key] = append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(rt, "result")...)
				}
				if err := r.Save(key, rapid.StringMatching(`[a-z]*`).Draw(rt, "worker"), want[key]); err != nil {
					rt.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				rt.Fatal(err)
			}
		}
		r := open(t, dir)
		got := map[string][]byte{}
		for _, key := range r.Keys() {
			data, err := r.Load(key)
			if err != nil || len(data) == 0 {
				rt.Fatal(key, err)
			}
			got[key] = data[0]
		}
		if diff := cmp.Diff(want, got); diff != "" || len(r.Notes()) != len(notes) || r.Damaged() != nil {
			rt.Fatalf("%s %d of %d notes, damage %v", diff, len(r.Notes()), len(notes), r.Damaged())
		}
	})
}

// FuzzReadLog: reading any log ends, and each result that it returns as complete has the stated hash.
func FuzzReadLog(f *testing.F) {
	whole := saved(f, f.TempDir(), 2)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(append([]byte(`{"job":"k","bytes":9223372036854775807}`+"\n"), whole...))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "a.log")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := readLog(path, func(e entry) error {
			if p := (place{path, e.header, e.offset}); !e.damaged && e.header.Note == nil {
				if _, err := p.read(); err != nil {
					t.Error(err)
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// TestWait waits for a result that another goroutine saves, for an existing one, and for one that never comes.
func TestWait(t *testing.T) {
	r, err := OpenResults(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	waited := make(chan error, 1)
	go func() { waited <- r.Wait(t.Context(), "b") }()
	for _, key := range []string{"a", "b"} {
		if err := r.Save(key, "worker", []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-waited; err != nil {
		t.Errorf("a result that comes: %v", err)
	}
	if err := r.Wait(t.Context(), "a"); err != nil {
		t.Errorf("a result that is there: %v", err)
	}
	why := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := r.Wait(ctx, "c"); !errors.Is(err, why) {
		t.Errorf("a result that does not come: %v", err)
	}
}
