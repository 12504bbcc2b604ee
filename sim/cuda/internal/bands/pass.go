package bands

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
)

// Pass is the kernel of a plan, compiled for a device.
type Pass struct {
	plan wavefront.Plan
	*gpu.Kernel
	ringBytes int    // of a strip, for the rows that it remembers for long
	text      string // until it is compiled
	shared    int    // bytes, as it is launched
}

// passName is the name of the kernel in its text.
const passName = "stream"

// newPass writes the kernel of a plan.
func newPass(f *warpprog.Program, p wavefront.Plan) *Pass {
	var m ptx.Module
	k := &Pass{plan: p, ringBytes: wavefront.Write(&m, passName, f, p)}
	k.text = m.String()
	if !k.outside() {
		k.shared = k.ringBytes * p.BlockWarps()
	}
	k.shared += p.DrawnBytes(f)
	return k
}

// compile compiles the kernel.
func (k *Pass) compile(dev *gpu.Device) (err error) {
	k.Kernel, err = dev.Kernel(k.text, passName, ptx.Lanes*k.plan.BlockWarps(), k.shared)
	k.text = ""
	return err
}

// Compile makes the kernel of a plan.
func Compile(dev *gpu.Device, f *warpprog.Program, p wavefront.Plan) (*Pass, error) {
	k := newPass(f, p)
	return k, k.compile(dev)
}

// outside reports whether rings lie in the device's memory because they do not fit in shared memory.
func (k *Pass) outside() bool { return wavefront.Outside(k.ringBytes, k.plan.BlockWarps()) }

// Strips is the number of strips that a multiprocessor should hold at once.
func (k *Pass) Strips() int {
	strips := k.Resident * k.plan.BlockWarps()
	if k.outside() {
		return min(strips, mostOutside)
	}
	return strips
}

// mostOutside is the number of strips for a multiprocessor if their rings lie in the device's memory.
const mostOutside = 4
