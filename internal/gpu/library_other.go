//go:build !windows

package gpu

import "os"

// libraries are the names of the driver's library; the variable's comes first.
func libraries() []string {
	if name := os.Getenv(libraryVariable); name != "" {
		return []string{name}
	}
	return []string{"libcuda.so.1", "libcuda.so"}
}
