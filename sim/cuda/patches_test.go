package cuda

import (
	"testing"

	"github.com/gosper-life/gosper/sim/simtest"
)

var patchCases = []simtest.Case{
	{Rule: "B3/S23", Topology: "T64,64", Plan: "patches,depth=8,words=2,rows=2"},
	{Rule: "B3/S23", Topology: "T128,128", Plan: "patches,depth=4,words=2,rows=2"},
	{Rule: "B3/S23", Topology: "T128,61", Plan: "patches,depth=8,words=4,rows=3"},
	{Rule: "B3/S23", Topology: "T256,100", Plan: "patches,depth=12,words=4,rows=4"},
	{Rule: "B3/S23", Topology: "T96,37", Plan: "patches,depth=5,words=1,rows=1"},
	{Rule: "B3/S23", Topology: "T64,200", Plan: "patches,depth=2,words=2,rows=5"},
	{Rule: "B3/S23", Topology: "T100,50", Plan: "patches,depth=6,words=2,rows=2"},
	{Rule: "B3/S23", Topology: "T33,40", Plan: "patches,depth=3,words=1,rows=2"},
	{Rule: "B3/S23", Topology: "T300,60", Plan: "patches,depth=8,words=4,rows=3"},
	{Rule: "B3/S23", Topology: "T131,60", Plan: "patches,depth=10,words=1,rows=2"},
	{Rule: "B36/S125", Topology: "T128,100", Plan: "patches,depth=16,words=4,rows=2"},
	{Rule: "345/2/7", Topology: "T128,70", Plan: "patches,depth=4,words=2,rows=3"},
	{Rule: "B2-a/S12", Topology: "T64,40", Plan: "patches,depth=1,words=1,rows=1"},
	{Rule: "B3/S23V", Topology: "T128,64", Plan: "patches,depth=6,words=2,rows=3"},
	{Rule: "B2/S34H", Topology: "T128,64", Plan: "patches,depth=8,words=4,rows=3"},
}

// Universes that stay in registers, in patches of every kind: one that is its own neighbour, patches of
// different widths and heights.
func TestPatches(t *testing.T) {
	t.Parallel()
	for i, c := range patchCases {
		c.Seed, c.Percent, c.Steps = uint64(i), 40, []uint64{1, 40, 3, 17}
		if err := simtest.Check(t.Context(), openHost, c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
