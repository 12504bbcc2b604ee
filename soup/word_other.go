//go:build !amd64

package soup

func words(dst []uint64, z, limit uint64) { portable(dst, z, limit) }
