package gpu

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// cache is a folder of machine code that the driver's compiler has made, so that a kernel is compiled only once and not at each start. The driver
// also has a cache, but that may be turned off, too small, or in a folder that cannot be written. If anything fails here, kernels are compiled again,
// and there is no error. The nil cache is always empty.
type cache struct {
	dir  string
	most int64 // bytes
}

// key identifies the code for a text.
type key [sha256.Size]byte

// keyOf returns the key of a text compiled on a machine: its GPU, its driver and everything else that the code depends on.
func keyOf(text string, machine ...string) key {
	h := sha256.New()
	for _, part := range append(machine, text) {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return key(h.Sum(nil))
}

const (
	suffix = ".cubin"
	most   = 64 << 20 // bytes in a user's cache: some thousand kernels
)

// userCache returns the cache in the user's cache folder, $XDG_CACHE_HOME/gosper/cubins on Linux; nil if there is none.
func userCache() *cache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return newCache(filepath.Join(dir, "gosper", "cubins"), most)
}

// newCache returns a cache of at most the given bytes in a folder, which is made when something is put into it.
func newCache(dir string, most int64) *cache { return &cache{dir, most} }

func (c *cache) path(k key) string { return filepath.Join(c.dir, hex.EncodeToString(k[:])+suffix) }

// get returns what was put under a key. A damaged file counts as missing.
func (c *cache) get(k key) (code []byte, ok bool) {
	if c == nil {
		return nil, false
	}
	path := c.path(k)
	file, err := os.ReadFile(path)
	if err != nil || len(file) < sha256.Size {
		return nil, false
	}
	code = file[sha256.Size:]
	if sha256.Sum256(code) != [sha256.Size]byte(file) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // so that the least recently used files are dropped first
	return code, true
}

// put stores code under a key. If there are too many bytes, it drops the least recently used files.
func (c *cache) put(k key, code []byte) {
	if c == nil || int64(len(code)) > c.most || os.MkdirAll(c.dir, 0o777) != nil {
		return
	}
	sum := sha256.Sum256(code)
	err := atomicfile.Write(c.path(k), true, func(w io.Writer) error {
		_, err := w.Write(slices.Concat(sum[:], code))
		return err
	})
	if err == nil {
		c.trim()
	}
}

// drop removes a key whose code cannot be loaded.
func (c *cache) drop(k key) {
	if c != nil {
		_ = os.Remove(c.path(k))
	}
}

func (c *cache) trim() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == suffix {
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
