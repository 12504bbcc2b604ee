// Package summary has the tables and numbers that the pages of several papers share: where rows are from, how
// far apart two runs are.
package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/papers/experiment"
)

// wide is the spread from which a rate is marked.
const wide = 0.3

// Rate prints the cells a second of a row. It adds the spread of the realisations, from the shortest to the longest as
// a share of the mean, if that is three tenths or more: such a rate depends on what else the machine did.
func Rate(m experiment.Measurement) string {
	return Significant(&m.CellsPerSec) + Mark(m)
}

// Mark returns the mark of a number that comes from a row: " (spread N %)" if the realisations differ by three
// tenths of their mean or more, otherwise "".
func Mark(m experiment.Measurement) string {
	if len(m.Each) == 0 || m.Seconds <= 0 {
		return ""
	}
	if spread := (slices.Max(m.Each) - slices.Min(m.Each)) / m.Seconds; spread >= wide {
		return fmt.Sprintf(" (spread %.0f %%)", 100*spread)
	}
	return ""
}

// Significant prints a number with three significant digits, or with all digits before the point if it has up to six
// of them. It returns "" for nil.
func Significant(v *float64) string {
	switch {
	case v == nil:
		return ""
	case math.Abs(*v) >= 1000 && math.Abs(*v) < 1e6:
		return fmt.Sprintf("%.0f", *v)
	default:
		return strings.Replace(fmt.Sprintf("%.3g", *v), "e+", "e", 1)
	}
}
