package census

import "github.com/gosper-life/gosper/internal/jit"

// vectors reports whether gather8 and scatter8 can run.
var vectors = jit.HasAVX512()

// gather8 is tile.gather for eight tiles at once: near has their neighbours and themselves by direction. It stores 44 rows of eight words.
//
//go:noescape
func gather8(dst *uint64, near *[9][8]*rows)

// scatter8 is tile.scatter for eight tiles at once: after and before are the 32 rows of eight words of the tiles, mask the bits of them that
// are the tiles' own.
//
//go:noescape
func scatter8(next *[8]*rows, after, before *uint64, mask uint64, changed, live *[3][8]uint64)
