// Package summary has the tables and numbers that the pages of several papers share: where rows are from, how far apart two runs are.
package summary

import (
	"fmt"
	"math"
	"strings"
)

// Significant prints a number with three significant digits, more where it has more before the point and less than seven; "" where
// there is none.
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
