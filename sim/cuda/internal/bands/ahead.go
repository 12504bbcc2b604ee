package bands

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// Kernels are compiled while others are: the tools before the universe is there, and so while its pass is
// compiled, passes of other depths as soon as it is known that a step needs them. Several GPUs find on disk
// what the first one has compiled.

// Ahead begins to compile tools for a universe on the given number of devices, and the kernel of its passes.
func Ahead(dev *gpu.Device, f *warpprog.Program, t topology.Topology, p plan.Plan, devices int, tools ...cells.Tool) {
	if !p.Patches && fills(t, p, t.H/devices) {
		tools = append(tools, cells.Halo)
	}
	for _, tool := range tools {
		dev.Ahead(toolText(tool, f.Planes, p.Words, t))
	}
}

// toolText is the text of a tool.
func toolText(t cells.Tool, planes, words int, surface topology.Topology) string {
	var m ptx.Module
	t.Write(&m, planes, words, surface)
	return m.String()
}

// Ahead begins to compile the pass of a depth.
func (u *Universe) Ahead(depth int) {
	b := u.all[0]
	if b.kernels[depth] == nil && b.ahead[depth] == nil {
		k := newPass(b.f, b.planOf(depth))
		b.ahead[depth] = k
		b.dev.Ahead(k.text)
	}
}
