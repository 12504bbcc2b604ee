package sparse

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
)

// copiedAtOnce is the number of lanes that are copied by one call. Vectors of eight lanes take two.
const copiedAtOnce = 4

// hasCopiers reports whether this processor runs gather and scatter.
func hasCopiers() bool { return jit.HasAVX2() }

// The assembly code is for blocks of 8 rows and a reach of 6. With others this does not compile.
const _ = uint(blockRows-8) + uint(8-blockRows) + uint(reach-6) + uint(6-reach)

// Each vector is loaded from one cache line. If tiles straddle cache lines, this does not compile.
const _ = -(unsafe.Sizeof(tile{}) % 64) - firstSide%64

// gather stores the parts in four lanes of a group, from a lane on, with the rows and columns within reach of
// them. A row is stride words further than the one above.
//
//go:noescape
func gather(dst *uint64, parts *group, lane, stride, blocks uintptr)

// scatter stores the next state of the parts in four lanes of a group, from a lane on, in the other sides of
// the tiles. It says where it differs from the state before.
//
//go:noescape
func scatter(parts *group, lane uintptr, after, before *uint64, stride, blocks uintptr)
