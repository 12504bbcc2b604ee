package cells

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/topology"
)

// Tool is a kernel that works on the cells of a universe in the GPU's memory. Its value is its name in the module. The comment of the function that
// writes it lists its parameters.
type Tool string

// The tools.
const (
	Population  Tool = "population" // counts the cells not in state 0
	MakeSoup    Tool = "soup"
	Extent      Tool = "extent" // finds where cells differ from a background
	Invert      Tool = "invert"
	BlockCounts Tool = "blocks" // count cells in blocks narrower than a group
	GroupCounts Tool = "groups" // count cells in blocks of whole groups
	Digests     Tool = "digests"
	Halo        Tool = "halo"   // copies the cells beyond the edges
	Pack        Tool = "pack"   // takes plain rows
	Unpack      Tool = "unpack" // makes plain rows
)

// Write adds the kernel for a layout to a module. Only the kernel Halo depends on the topology.
func (t Tool) Write(m *ptx.Module, l *Layout, surface topology.Topology) {
	switch t {
	case Population:
		writePopulation(m, l.Planes, l.Words)
	case MakeSoup:
		writeSoup(m, l.Planes, l.Words)
	case Extent:
		writeExtent(m, l.Planes, l.Words)
	case Invert:
		writeInvert(m)
	case BlockCounts:
		writeBlockCounts(m, l.Planes, l.Words)
	case GroupCounts:
		writeGroupCounts(m, l.Planes, l.Words)
	case Digests:
		writeDigests(m, l.Words)
	case Halo:
		writeHalo(m, surface, l.Words)
	case Pack:
		writePack(m, l.Words)
	case Unpack:
		writeUnpack(m, l.Words)
	}
}
