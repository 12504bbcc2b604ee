// Package gridtest asks sources in tests, which end where one cannot answer.
package gridtest

import "github.com/gosper-life/gosper/grid"

// T is what this needs of a test: a *testing.T and a *rapid.T have it.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Extent is that of a source.
func Extent(t T, src grid.Source) grid.Rect {
	t.Helper()
	box, err := src.Extent()
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// Population is that of a source.
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
