package gpu

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestKeepsWhatWasPut(t *testing.T) {
	c := newCache(filepath.Join(t.TempDir(), "made", "when needed"), 1000)
	k := keyOf("text", "GPU", "driver")
	if _, ok := c.get(k); ok {
		t.Error("an empty cache has code")
	}
	c.put(k, []byte("code"))
	if code, ok := c.get(k); string(code) != "code" || !ok {
		t.Errorf("got %q, %v", code, ok)
	}
	if _, ok := c.get(keyOf("text", "GPU", "another driver")); ok {
		t.Error("the machine does not matter")
	}
	if keyOf("b", "a") == keyOf("ab") || keyOf("c", "a", "b") == keyOf("c", "ab") {
		t.Error("parts of a key run together")
	}
	c.drop(k)
	if _, ok := c.get(k); ok {
		t.Error("dropped code is still there")
	}
}

func TestDamagedFilesDoNotCount(t *testing.T) {
	c := newCache(t.TempDir(), 1000)
	k := keyOf("text")
	c.put(k, []byte("code"))
	whole, err := os.ReadFile(c.path(k))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(c.path(k), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, ok := c.get(k); ok {
			t.Errorf("%d of %d bytes gave %q", n, len(whole), code)
		}
	}
}

func TestDropsWhatWasUsedLongestAgo(t *testing.T) {
	c := newCache(t.TempDir(), 1000)
	keys := []key{keyOf("0"), keyOf("1"), keyOf("2"), keyOf("3")}
	for i, k := range keys[:3] {
		c.put(k, bytes.Repeat([]byte{byte(i)}, 268)) // 300 bytes with the checksum
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(c.path(k), old, old); err != nil {
			t.Fatal(err)
		}
	}
	c.get(keys[0])
	c.put(keys[3], make([]byte, 268))
	for i, want := range []bool{true, false, true, true} {
		if _, ok := c.get(keys[i]); ok != want {
			t.Errorf("code %d: %v", i, ok)
		}
	}
	c.put(keyOf("large"), make([]byte, 2000))
	if _, ok := c.get(keyOf("large")); ok {
		t.Error("code larger than the cache was kept")
	}
}

// Where nothing can be written, and where there is no cache at all, nothing is kept and nothing fails.
func TestNowhereToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*cache{newCache(filepath.Join(file, "below"), 1000), nil} {
		c.put(keyOf("text"), []byte("code"))
		c.drop(keyOf("text"))
		if _, ok := c.get(keyOf("text")); ok {
			t.Error("code from nowhere")
		}
	}
}
