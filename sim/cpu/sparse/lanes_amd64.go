package sparse

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
)

// vectors reports whether gather8 and scatter8 can run.
var vectors = jit.HasAVX512()

// The assembly code is for tiles of 32 rows. With others this does not compile.
const _ = uint(tileHeight-32) + uint(32-tileHeight)

// Each vector is loaded from one cache line. If tiles straddle cache lines, this does not compile.
const _ = -(unsafe.Sizeof(tile{}) % 64) - firstSide%64

// gather8 is tile.gather for eight tiles at once; now says where their rows begin, and those of the tiles around. It stores 44 rows of eight
// words.
//
//go:noescape
func gather8(dst *uint64, tiles *[8]*tile, now *[8]uintptr)

// scatter8 is tile.scatter for eight tiles at once: after and before are the 32 rows of eight words of the tiles.
//
//go:noescape
func scatter8(tiles *[8]*tile, now *[8]uintptr, after, before *uint64, f *found)
