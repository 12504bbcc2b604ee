package sums

import (
	"math"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
)

// TestSizesThatDoNotFit: sums of squares that 64 bits do not hold are refused, and the largest that they hold are not.
func TestSizesThatDoNotFit(t *testing.T) {
	var table Sizes
	if err := table.Add(&ensemble.SizeSum{Size: 5, SizeSums: ensemble.SizeSums{Squares: math.MaxUint64 - 1}}); err != nil {
		t.Error(err)
	}
	if err := table.Add(&ensemble.SizeSum{Size: 5, SizeSums: ensemble.SizeSums{Squares: 1}}); err != nil {
		t.Error(err)
	}
	if err := table.Add(&ensemble.SizeSum{Size: 5, SizeSums: ensemble.SizeSums{Squares: 1}}); err == nil ||
		!strings.Contains(err.Error(), "clusters of 5 cells add up to more than 64 bits:") {
		t.Errorf("got %v", err)
	}
}
