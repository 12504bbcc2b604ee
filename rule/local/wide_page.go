//go:build page

package local

import (
	"github.com/gosper-life/gosper/topology"
)

// Place is a cell by its columns, rows and layers from another one; y is down.
type Place struct{ DX, DY, DZ int }

// Wide is a function as a table over cells anywhere around a cell. The page without a server has none of them.
type Wide struct{}

// Wide returns nil.
func (f *Function) Wide() *Wide { return nil }

// Radius is never called, and so are the other methods.
func (*Wide) Radius() int { return 0 }

// Define is never called.
func (*Wide) Define(uint8, func(Place) uint8) uint8 { return 0 }

// Counted is never called.
func (*Wide) Counted() (birth, survival []int, ok bool) { return nil, nil, false }

func (*Wide) equal(*Wide) bool { return false }

func (*Wide) invariant(topology.Symmetry) bool { return false }
