//go:build !js

package diskcache

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"
)

func TestKeepsWhatWasPut(t *testing.T) {
	c := New(filepath.Join(t.TempDir(), "made", "when needed"), ".kept", 1000)
	k := KeyOf("GPU", "driver", "text")
	if _, ok := c.Get(k); ok {
		t.Error("an empty cache has code")
	}
	c.Put(k, []byte("code"))
	if code, ok := c.Get(k); string(code) != "code" || !ok {
		t.Errorf("got %q, %v", code, ok)
	}
	if _, ok := c.Get(KeyOf("GPU", "another driver", "text")); ok {
		t.Error("the machine does not matter")
	}
	if KeyOf("a", "b") == KeyOf("ab") || KeyOf("a", "b", "c") == KeyOf("ab", "c") {
		t.Error("parts of a key run together")
	}
	c.Drop(k)
	if _, ok := c.Get(k); ok {
		t.Error("dropped code is still there")
	}
}

func TestDamagedFilesDoNotCount(t *testing.T) {
	c := New(t.TempDir(), ".kept", 1000)
	k := KeyOf("text")
	c.Put(k, []byte("code"))
	whole, err := os.ReadFile(c.path(k))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(c.path(k), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, ok := c.Get(k); ok {
			t.Errorf("%d of %d bytes gave %q", n, len(whole), code)
		}
	}
}

func TestDropsWhatWasUsedLongestAgo(t *testing.T) {
	c := New(t.TempDir(), ".kept", 1000)
	keys := []Key{KeyOf("0"), KeyOf("1"), KeyOf("2"), KeyOf("3")}
	for i, k := range keys[:3] {
		c.Put(k, bytes.Repeat([]byte{byte(i)}, 268)) // 300 bytes with the checksum
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(c.path(k), old, old); err != nil {
			t.Fatal(err)
		}
	}
	c.Get(keys[0])
	c.Put(keys[3], make([]byte, 268))
	for i, want := range []bool{true, false, true, true} {
		if _, ok := c.Get(keys[i]); ok != want {
			t.Errorf("code %d: %v", i, ok)
		}
	}
	c.Put(KeyOf("large"), make([]byte, 2000))
	if _, ok := c.Get(KeyOf("large")); ok {
		t.Error("code larger than the cache was kept")
	}
}

// If the folder is not writable, or if there is no cache at all, nothing is kept and nothing fails.
func TestNowhereToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Cache{New(filepath.Join(file, "below"), ".kept", 1000), nil} {
		c.Put(KeyOf("text"), []byte("code"))
		c.Drop(KeyOf("text"))
		if _, ok := c.Get(KeyOf("text")); ok {
			t.Error("code from nowhere")
		}
	}
}

// Only a program whose source is known keeps what its source made.
func TestProgram(t *testing.T) {
	revision, changed := debug.BuildSetting{Key: "vcs.revision", Value: "abc"},
		debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"(devel)", nil, ""},
		{"", nil, ""},
		{"v1.2.3", nil, "v1.2.3"},
		{"(devel)", []debug.BuildSetting{revision}, "(devel) abc"},
		{"v1.2.4-0.2026", []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}, "v1.2.4-0.2026 abc"},
		{"v1.2.4-0.2026+dirty", []debug.BuildSetting{revision, changed}, ""},
	} {
		if got := program(&debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.version, c.settings, got, c.want)
		}
	}
}
