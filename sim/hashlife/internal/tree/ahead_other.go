//go:build !amd64 && !arm64

package tree

import "unsafe"

// These functions do nothing. The processor starts the reads itself, as far ahead as it can.

func entriesAhead(*uint32, *uint64, *uint8, int, uint64) {}

func nodesAhead(*node, *Ref, *uint8, int) {}

func quartersAhead(unsafe.Pointer, uintptr, *node, *Ref, *int, int) {}
