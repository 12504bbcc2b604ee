//go:build amd64 || arm64

package tree

import "unsafe"

// These functions ask the processor for memory that will be read soon, and do not wait for it. Go has no such
// instruction. A plain read keeps the processor from going on once it has some 250 other instructions to
// finish. n is at least 1.

// entriesAhead asks for the entry at which the search for each of the hashes at n places begins.
//
//go:noescape
func entriesAhead(entries *uint32, hashes *uint64, places *uint8, n int, shift uint64)

// nodesAhead asks for the nodes at n places of a list.
//
//go:noescape
func nodesAhead(nodes *node, refs *Ref, places *uint8, n int)

// quartersAhead reads the nodes at n places of a list and asks for their quarters, which are nodes or leaves of
// that many bytes.
//
//go:noescape
func quartersAhead(squares unsafe.Pointer, bytes uintptr, nodes *node, refs *Ref, places *int, n int)
