//go:build !linux

package bands

import "github.com/gosper-life/gosper/sim/cpu/internal/layout"

// universeWords returns n zeroed words for a universe.
func universeWords(n int) []uint64 { return layout.AlignedWords(n) }
