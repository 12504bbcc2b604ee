package cells

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/topology"
)

// Tool is a kernel that works on the cells of a universe in the GPU's memory. Its value is its name in the
// module. The comment of the function that writes it lists its parameters.
type Tool string

// The tools.
const (
	Population  Tool = "population" // counts the cells not in state 0
	MakeSoup    Tool = "soup"
	Extent      Tool = "extent" // finds where cells differ from a background
	Invert      Tool = "invert"
	BlockCounts Tool = "blocks"      // count cells in blocks narrower than a group
	GroupCounts Tool = "groups"      // count cells in blocks of whole groups
	Digests     Tool = "digests"     // hashes rows of whole messages
	Join        Tool = "join"        // joins the bytes of rows
	JoinDigests Tool = "joindigests" // hashes what Join has made
	Halo        Tool = "halo"        // copies the cells beyond the edges
	Pack        Tool = "pack"        // takes plain rows
	Unpack      Tool = "unpack"      // makes plain rows
	States      Tool = "states"      // makes a byte of each cell
)

// Write adds the kernel for cells with the given numbers of planes and words of a lane to a module. Only the kernel
// Halo depends on the topology.
func (t Tool) Write(m *ptx.Module, planes, words int, surface topology.Topology) {
	switch t {
	case Population:
		writePopulation(m, planes, words)
	case MakeSoup:
		writeSoup(m, planes, words)
	case Extent:
		writeExtent(m, planes, words)
	case Invert:
		writeInvert(m)
	case BlockCounts:
		writeBlockCounts(m, planes, words)
	case GroupCounts:
		writeGroupCounts(m, planes, words)
	case Digests:
		writeDigests(m, t, words)
	case Join:
		writeJoin(m, words)
	case JoinDigests:
		writeDigests(m, t, 1) // columns are in order
	case Halo:
		writeHalo(m, surface, words)
	case Pack:
		writePack(m, words)
	case Unpack:
		writeUnpack(m, words)
	case States:
		writeStates(m, planes, words)
	}
}
