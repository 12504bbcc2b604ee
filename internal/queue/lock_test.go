package queue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ownedBy makes the lock of another process.
func ownedBy(t *testing.T, path string, o Owner) {
	t.Helper()
	text, err := json.Marshal(o)
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLockOfTheDead: the lock of a dead process is taken over. On this machine that happens at once. A lock from
// another machine, or one whose process number belongs to another process by now, is taken over when it has been
// silent for long enough. An unfinished lock file is treated in the same way.
func TestLockOfTheDead(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct {
		owner    *Owner
		patience time.Duration
	}{
		"of this machine": {&Owner{Host: host, Process: 1 << 30}, time.Hour},
		"of this process": {&Owner{Host: host, Process: os.Getpid()}, time.Hour},
		"from elsewhere":  {&Owner{Host: "elsewhere", Process: 7}, 50 * time.Millisecond},
		"a number reused": {&Owner{Host: host, Process: os.Getppid()}, 50 * time.Millisecond},
		"not written":     {nil, 50 * time.Millisecond},
	} {
		path := filepath.Join(t.TempDir(), "run.lock")
		if c.owner != nil {
			ownedBy(t, path, *c.owner)
		} else if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		release, err := Lock(t.Context(), path, "soups", ThisProcess("me"), c.patience)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		release()
		if left, err := os.ReadDir(filepath.Dir(path)); len(left) > 0 || err != nil {
			t.Errorf("%s: left behind are %v, %v", name, left, err)
		}
	}
}

// TestLockOfTheLiving: a process that gives signs of life keeps its lock, on any machine, and the error names it.
func TestLockOfTheLiving(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	owner := Owner{Host: "elsewhere", Process: 7, Command: "gosper ensemble run", Started: time.Now()}
	ownedBy(t, path, owner)
	living, die := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for living.Err() == nil {
			owner.Beat++
			text, _ := json.Marshal(owner)
			os.WriteFile(path, text, 0o666)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := Lock(t.Context(), path, "soups", ThisProcess("me"), time.Hour)
	var held *Held
	if !errors.As(err, &held) || held.Owner.Process != 7 ||
		!strings.HasPrefix(err.Error(), "soups is in use by process 7 on elsewhere since ") ||
		!strings.HasSuffix(err.Error(), ": gosper ensemble run; wait for it or end it first") {
		t.Errorf("got %v", err)
	}
	die()
	<-ended
	waiting, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(waiting, path, "soups", ThisProcess("me"), time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("who waits for signs of life can be told to end: %v", err)
	}
}

// TestLockTakenOver checks that a process that was taken for dead does not remove the new owner's lock.
func TestLockTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	release, err := Lock(t.Context(), path, "soups", ThisProcess("me"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := breakLock(path, []byte("another")); err != nil || !exists(path) {
		t.Errorf("the lock of another process than was judged dead is gone; %v", err)
	}
	if err := breakLock(path, there); err != nil || exists(path) {
		t.Errorf("the lock of a dead process is there; %v", err)
	}
	ownedBy(t, path, Owner{Host: "elsewhere"})
	release()
	if !exists(path) {
		t.Error("another process's lock was removed")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
