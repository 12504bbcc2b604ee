//go:build !js

// Package diskcache keeps data on disk that takes long to make. Later runs of the program then find it. If the cache
// fails, the data is made again, and there is no error.
package diskcache

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Cache is a folder with a file for each key. The nil cache is always empty. Several goroutines and processes
// may use it at once.
type Cache struct {
	dir    string
	suffix string
	most   int64 // bytes
}

// Key identifies an entry of the cache.
type Key [sha256.Size]byte

// KeyOf returns the key of something that depends only on these texts.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return Key(h.Sum(nil))
}

// User returns the cache of that name in the user's cache folder, $XDG_CACHE_HOME/gosper/NAME on Linux; nil if there
// is no such folder. Its files end in the suffix. most is the limit on the bytes of all files.
func User(name, suffix string, most int64) *Cache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return New(filepath.Join(dir, "gosper", name), suffix, most)
}

// New returns a cache in a folder, which is made when something is put into it.
func New(dir, suffix string, most int64) *Cache { return &Cache{dir, suffix, most} }

// Program names the source that this program was built from. It is empty where that is not known, as in tests,
// or if the source was changed since its revision: then nothing should be kept that other source might have
// made otherwise.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return program(info)
}

// program identifies the source of this program. It is empty if that was modified or is not known:
// entries of another program could then be taken for its own.
func program(info *debug.BuildInfo) string {
	const unknown = "(devel)"
	id, known := info.Main.Version, info.Main.Version != "" && info.Main.Version != unknown
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			id, known = id+" "+s.Value, true
		case "vcs.modified":
			if s.Value == "true" {
				return ""
			}
		}
	}
	if !known {
		return ""
	}
	return id
}

func (c *Cache) path(k Key) string { return filepath.Join(c.dir, hex.EncodeToString(k[:])+c.suffix) }

// Get returns the data of a key. A damaged file counts as missing.
func (c *Cache) Get(k Key) (data []byte, ok bool) {
	if c == nil {
		return nil, false
	}
	path := c.path(k)
	file, err := os.ReadFile(path)
	if err != nil || len(file) < sha256.Size {
		return nil, false
	}
	data = file[sha256.Size:]
	if sha256.Sum256(data) != [sha256.Size]byte(file) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // so that the least recently used files are dropped first
	return data, true
}

// Put keeps data under a key. If there are too many bytes, it drops the least recently used files.
func (c *Cache) Put(k Key, data []byte) {
	if c == nil || int64(len(data)) > c.most || os.MkdirAll(c.dir, 0o777) != nil {
		return
	}
	sum := sha256.Sum256(data)
	err := atomicfile.Write(c.path(k), true, func(w io.Writer) error {
		_, err := w.Write(slices.Concat(sum[:], data))
		return err
	})
	if err == nil {
		c.trim()
	}
}

// Drop removes the data of a key, because it has turned out to be useless.
func (c *Cache) Drop(k Key) {
	if c != nil {
		_ = os.Remove(c.path(k))
	}
}

// trim removes the files that were used longest ago until the others fit. Other processes may do the
// same at the same time.
func (c *Cache) trim() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == c.suffix {
			files, total = append(files, info), total+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if total <= c.most {
			return
		}
		if os.Remove(filepath.Join(c.dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}
