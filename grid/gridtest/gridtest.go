// Package gridtest reads sources in tests. A source that cannot be read ends the test.
package gridtest

import "github.com/gosper-life/gosper/grid"

// T is the part of *testing.T and *rapid.T that this package needs.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Extent returns the extent of a source.
func Extent(t T, src grid.Source) grid.Rect {
	t.Helper()
	box, err := src.Extent()
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// Population returns the population of a source.
func Population(t T, src grid.Source) uint64 {
	t.Helper()
	n, err := grid.Population(src)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Difference is grid.FirstDifference.
func Difference(t T, a, b grid.Source) (x, y int, found bool) {
	t.Helper()
	x, y, found, err := grid.FirstDifference(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return x, y, found
}
