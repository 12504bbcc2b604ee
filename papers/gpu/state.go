package gpu

import "github.com/gosper-life/gosper/internal/nvml"

// State is how a GPU runs, as far as NVIDIA's management library tells; what it does not is zero.
type State struct {
	Driver     string
	ClockMHz   int     // of the multiprocessors, at this moment
	PowerLimit float64 // watts
}

// State asks for it.
func (d *Device) State() State {
	var s State
	lib, err := nvml.Open()
	if err != nil {
		return s
	}
	s.Driver, _ = lib.DriverVersion()
	if managed, err := lib.Device(d.BusID); err == nil {
		s.ClockMHz, _ = managed.Clock()
		s.PowerLimit, _ = managed.PowerLimit()
	}
	return s
}
