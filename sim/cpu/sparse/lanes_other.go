//go:build !amd64

package sparse

// vectors reports whether gather8 and scatter8 can run.
const vectors = false

func gather8(*uint64, *[8]*tile, *[8]uintptr) { panic("sparse: no vectors") }

func scatter8(*[8]*tile, *[8]uintptr, *uint64, *uint64, *found) { panic("sparse: no vectors") }
