// Package diskcache keeps data on disk that takes long to make. A browser has no disk, so there every cache is nil:
// always empty.
package diskcache

// Cache would be a folder.
type Cache struct{}

// Key identifies an entry of the cache.
type Key struct{}

// KeyOf returns the only key.
func KeyOf(...string) Key { return Key{} }

// User returns no cache.
func User(name, suffix string, most int64) *Cache { return nil }

// Program is not known.
func Program() string { return "" }

// Get finds nothing.
func (*Cache) Get(Key) (data []byte, ok bool) { return nil, false }

// Put keeps nothing.
func (*Cache) Put(Key, []byte) {}

// Drop has nothing to remove.
func (*Cache) Drop(Key) {}
