package tiles

import "github.com/gosper-life/gosper/internal/jit"

// spreadLanes is the number of lanes spread fills, spreadRows the fewest rows.
const (
	spreadLanes = 4
	spreadRows  = 4
)

// hasSpread reports whether this processor runs spread.
func hasSpread() bool { return jit.HasAVX2() }

// spread stores rows of four sources side by side, one in each lane. A row is stride words further than the one above.
//
//go:noescape
func spread(dst *uint64, from *[spreadLanes]source, stride, rows uintptr)
