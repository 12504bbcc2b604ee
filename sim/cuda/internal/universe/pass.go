package universe

import (
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/device"
	"github.com/gosper-life/gosper/sim/cuda/internal/stream"
)

// Pass is the kernel of a schedule, compiled for a device.
type Pass struct {
	schedule  stream.Schedule
	kernel    device.Kernel
	ringBytes int // of a strip, for the rows that it remembers for long
}

// Compile makes the kernel of a schedule.
func Compile(dev device.Device, f *warpprog.Program, s stream.Schedule) (*Pass, error) {
	var m ptx.Module
	const name = "stream"
	k := &Pass{schedule: s, ringBytes: stream.Write(&m, name, f, s)}
	mod, err := dev.Load(m.String())
	if err != nil {
		return nil, err
	}
	shared := k.ringBytes
	if k.outside() {
		shared = 0
	}
	k.kernel, err = mod.Kernel(name, shared)
	return k, err
}

// outside reports whether rings lie in the device's memory, as shared memory does not hold them.
func (k *Pass) outside() bool { return k.ringBytes > stream.SharedBytes }

// Resources are the registers and the bytes of spilled registers of a thread.
func (k *Pass) Resources() (registers, spilled int) { return k.kernel.Resources() }

// Resident is the number of strips that a multiprocessor should hold at once.
func (k *Pass) Resident() int {
	if k.outside() {
		return min(k.kernel.Resident(), mostOutside)
	}
	return k.kernel.Resident()
}

// mostOutside is the number of strips a multiprocessor is given whose rings take the device's memory.
const mostOutside = 4
