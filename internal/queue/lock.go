package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Owner identifies the process that holds a lock.
type Owner struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Command string    `json:"command"`
	Started time.Time `json:"started"`
	Beat    uint64    `json:"beat"` // number of signs of life so far
}

// ThisProcess returns the owner for locks of this process. Others see it with the given command.
func ThisProcess(command string) Owner {
	o := Owner{Process: os.Getpid(), Command: command, Started: time.Now().UTC()}
	o.Host, _ = os.Hostname() // without a host name, only silence shows that the process is dead
	return o
}

// Gone reports whether the owner was a process of this machine that no longer exists.
func (o Owner) Gone() bool {
	if host, err := os.Hostname(); err != nil || host != o.Host {
		return false
	}
	return o.Process == os.Getpid() || !processLives(o.Process)
}

// Held is the error for a lock that a living process holds.
type Held struct {
	What  string // what is locked
	Owner Owner
}

func (e *Held) Error() string {
	return fmt.Sprintf("%s is in use by process %d on %s since %s: %s; wait for it or end it first",
		e.What, e.Owner.Process, e.Owner.Host, e.Owner.Started.Local().Format("2006-01-02 15:04:05"), e.Owner.Command)
}

// The holder of a lock gives a sign of life every BeatEvery. If it gives none for the patience of Lock, it
// counts as dead.
const (
	BeatEvery    = 2 * time.Second
	LockPatience = 5 * BeatEvery
)

// Lock makes this process the only one that holds the file at path, until release. It takes over the lock of a
// process that has died. If that was a process of this machine, and no other has its number, Lock does so at
// once. Otherwise it waits until there was no sign of life for as long as patience, measured only by this
// process's clock. If a living process holds the lock, the error is a *Held.
//
// The lock keeps processes from doing the same work twice. It does not protect data: if a network file system
// hangs for longer than patience, two processes may hold it.
func Lock(ctx context.Context, path, what string, me Owner, patience time.Duration) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	var seen []byte
	var since time.Time
	for {
		text, err := json.Marshal(me)
		if err != nil {
			return nil, err
		}
		// The system makes the file for one process only.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			return hold(f, me, text)
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		there, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		var owner Owner
		known := json.Unmarshal(there, &owner) == nil // false while the file is being written, or if its writer died then
		switch {
		case since.IsZero():
			seen, since = there, time.Now()
		case known && !bytes.Equal(seen, there):
			return nil, &Held{what, owner}
		}
		if known && owner.Gone() || time.Since(since) > patience {
			if err := breakLock(path, there); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(min(patience/10, 100*time.Millisecond)):
		}
	}
}

// breakLock removes a dead process's lock, unless it belongs to another process by now.
//
// Several processes may find the same dead lock. A rename moves the file in one step, and only one of them gets it. A
// slower one may get the lock of a process that has taken over in the meantime. It sees that from the text and links
// the file back under its name. A link does not replace a file, so a lock that was made since then remains.
func breakLock(path string, dead []byte) error {
	aside := fmt.Sprintf("%s.%s.dead", path, Name())
	if err := os.Rename(path, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	moved, err := os.ReadFile(aside)
	if err == nil && !bytes.Equal(moved, dead) { // another process was faster
		err = os.Link(aside, path)
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(aside))
}

// hold gives signs of life until release.
func hold(f *os.File, me Owner, text []byte) (release func(), err error) {
	path := f.Name()
	if _, err := f.Write(text); err != nil {
		f.Close()
		os.Remove(path)
		return nil, err
	}
	ended := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		ticker := time.NewTicker(BeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
			me.Beat++
			if text, err := json.Marshal(me); err == nil {
				f.WriteAt(text, 0) // if this fails, the next one makes up for it
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		beats.Wait()
		mine, err := f.Stat()
		there, err2 := os.Stat(path)
		f.Close()
		// not the file of another process that considered this one dead
		if err == nil && err2 == nil && os.SameFile(mine, there) {
			os.Remove(path)
		}
	}), nil
}
