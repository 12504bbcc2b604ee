//go:build !amd64

package sparse

// copiersOf returns the code that copies so many tiles at once, or nil.
func copiersOf(int) *copiers { return nil }
