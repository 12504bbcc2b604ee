package bands

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
)

// Pass is the kernel of a schedule, compiled for a device.
type Pass struct {
	schedule wavefront.Schedule
	*gpu.Kernel
	ringBytes int // of a strip, for the rows that it remembers for long
}

// Compile makes the kernel of a schedule.
func Compile(dev *gpu.Device, f *warpprog.Program, s wavefront.Schedule) (*Pass, error) {
	var m ptx.Module
	const name = "stream"
	k := &Pass{schedule: s, ringBytes: wavefront.Write(&m, name, f, s)}
	shared := k.ringBytes
	if k.outside() {
		shared = 0
	}
	shared += s.DrawnBytes(f)
	var err error
	k.Kernel, err = dev.Kernel(m.String(), name, ptx.Lanes, shared)
	return k, err
}

// outside reports whether rings lie in the device's memory because they do not fit in shared memory.
func (k *Pass) outside() bool { return k.ringBytes > wavefront.SharedBytes }

// Strips is the number of strips that a multiprocessor should hold at once.
func (k *Pass) Strips() int {
	if k.outside() {
		return min(k.Resident, mostOutside)
	}
	return k.Resident
}

// mostOutside is the number of strips for a multiprocessor if their rings lie in the device's memory.
const mostOutside = 4
