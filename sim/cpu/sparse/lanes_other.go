//go:build !amd64

package sparse

// copiedAtOnce is the number of lanes that are copied by one call.
const copiedAtOnce = 1

// hasCopiers reports whether this processor runs gather and scatter.
func hasCopiers() bool { return false }

func gather(*uint64, *group, uintptr, uintptr, uintptr) { panic("sparse: no code to copy lanes") }

func scatter(*group, uintptr, *uint64, *uint64, uintptr, uintptr) {
	panic("sparse: no code to copy lanes")
}
