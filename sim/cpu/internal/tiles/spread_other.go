//go:build !amd64

package tiles

// spreadLanes is the number of lanes spread fills, spreadRows the fewest rows.
const (
	spreadLanes = 4
	spreadRows  = 4
)

// hasSpread reports whether this processor runs spread.
func hasSpread() bool { return false }

func spread(*uint64, *[spreadLanes]source, uintptr, uintptr) { panic("tiles: no code to fill lanes") }
