package sparse

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
)

// copiersOf returns the code that copies so many tiles at once, or nil.
func copiersOf(lanes int) *copiers {
	switch {
	case lanes == 8 && jit.HasAVX512():
		return &copiers{gather8, scatter8}
	case lanes == 4 && jit.HasAVX2():
		return &copiers{gather4, scatter4}
	}
	return nil
}

// The assembly code is for tiles of 32 rows. With others this does not compile.
const _ = uint(tileHeight-32) + uint(32-tileHeight)

// Each vector is loaded from one cache line. If tiles straddle cache lines, this does not compile.
const _ = -(unsafe.Sizeof(tile{}) % 64) - firstSide%64

//go:noescape
func gather8(dst *uint64, tiles *[mostLanes]*tile, now *[mostLanes]uintptr)

//go:noescape
func scatter8(tiles *[mostLanes]*tile, now *[mostLanes]uintptr, after, before *uint64, f *found)

//go:noescape
func gather4(dst *uint64, tiles *[mostLanes]*tile, now *[mostLanes]uintptr)

//go:noescape
func scatter4(tiles *[mostLanes]*tile, now *[mostLanes]uintptr, after, before *uint64, f *found)
