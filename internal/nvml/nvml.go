// Package nvml reads the energy and power of NVIDIA GPUs from the driver's management library, called without
// cgo. If the library or the GPU's meter is missing, Open or Energy returns an error that wraps
// ErrNotAvailable. It never reports zero instead.
package nvml

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
)

// ErrNotAvailable means that this machine or GPU does not report its energy.
var ErrNotAvailable = errors.New("not available")

// Library is the loaded management library.
type Library struct {
	deviceByBusID, energy, power, clock, powerLimit, driverVersion, errorString uintptr
}

var loaded = sync.OnceValues(func() (*Library, error) { return load(libraries...) })

// Open returns the machine's management library, which is loaded and initialised at the first call.
func Open() (*Library, error) { return loaded() }

// load opens the library by one of its names and finds its functions.
func load(names ...string) (*Library, error) {
	lib, err := dynlib.Open(names...)
	if err != nil {
		return nil, fmt.Errorf("%w: no NVIDIA management library", ErrNotAvailable)
	}
	l := &Library{}
	var initialise uintptr
	for name, to := range map[string]*uintptr{
		"nvmlInit_v2":                         &initialise,
		"nvmlDeviceGetHandleByPciBusId_v2":    &l.deviceByBusID,
		"nvmlDeviceGetTotalEnergyConsumption": &l.energy,
		"nvmlDeviceGetPowerUsage":             &l.power,
		"nvmlDeviceGetClockInfo":              &l.clock,
		"nvmlDeviceGetEnforcedPowerLimit":     &l.powerLimit,
		"nvmlSystemGetDriverVersion":          &l.driverVersion,
		"nvmlErrorString":                     &l.errorString,
	} {
		if *to, err = lib.Symbol(name); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotAvailable, err)
		}
	}
	if code := dynlib.Call(initialise); code != 0 {
		return nil, l.failure("nvmlInit_v2", code)
	}
	return l, nil
}

func (l *Library) failure(call string, code uintptr) error {
	text := "unknown error"
	if p := dynlib.Call(l.errorString, code); p != 0 {
		text = dynlib.String(p)
	}
	return fmt.Errorf("%w: %s: %s", ErrNotAvailable, call, text)
}

// DriverVersion returns the version of NVIDIA's driver, such as "580.159.04".
func (l *Library) DriverVersion() (string, error) {
	text := make([]byte, 96)
	if code := dynlib.Call(l.driverVersion, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text))); code != 0 {
		return "", l.failure("nvmlSystemGetDriverVersion", code)
	}
	return dynlib.Text(text), nil
}

// Device is a GPU.
type Device struct {
	lib    *Library
	handle uintptr
}

// Device returns a GPU by its PCI bus id, as the CUDA driver prints it. The two libraries may number GPUs differently.
func (l *Library) Device(busID string) (*Device, error) {
	id, handle := append([]byte(busID), 0), new(uintptr)
	code := dynlib.Call(l.deviceByBusID, uintptr(unsafe.Pointer(&id[0])), uintptr(unsafe.Pointer(handle)))
	if code != 0 {
		return nil, l.failure("nvmlDeviceGetHandleByPciBusId_v2", code)
	}
	return &Device{l, *handle}, nil
}

// Energy is the energy in joules that the GPU has used since the driver was loaded. The meter is updated about
// ten times a second.
func (d *Device) Energy() (joules float64, err error) {
	millijoules := new(uint64)
	if code := dynlib.Call(d.lib.energy, d.handle, uintptr(unsafe.Pointer(millijoules))); code != 0 {
		return 0, d.lib.failure("nvmlDeviceGetTotalEnergyConsumption", code)
	}
	return float64(*millijoules) / 1000, nil
}

// Power is the present power of the GPU in watts.
func (d *Device) Power() (watts float64, err error) {
	milliwatts := new(uint32)
	if code := dynlib.Call(d.lib.power, d.handle, uintptr(unsafe.Pointer(milliwatts))); code != 0 {
		return 0, d.lib.failure("nvmlDeviceGetPowerUsage", code)
	}
	return float64(*milliwatts) / 1000, nil
}

// powerLimit is the most power that the GPU may use, in watts.
func (d *Device) powerLimit() (watts float64, err error) {
	milliwatts := new(uint32)
	if code := dynlib.Call(d.lib.powerLimit, d.handle, uintptr(unsafe.Pointer(milliwatts))); code != 0 {
		return 0, d.lib.failure("nvmlDeviceGetEnforcedPowerLimit", code)
	}
	return float64(*milliwatts) / 1000, nil
}

// clockSM is the clock of the multiprocessors in nvmlClockType_t.
const clockSM = 1

// clock is the present clock of the multiprocessors, in MHz.
func (d *Device) clock() (int, error) {
	mhz := new(uint32)
	if code := dynlib.Call(d.lib.clock, d.handle, clockSM, uintptr(unsafe.Pointer(mhz))); code != 0 {
		return 0, d.lib.failure("nvmlDeviceGetClockInfo", code)
	}
	return int(*mhz), nil
}

// State describes how a GPU runs. Values that the library does not report are zero.
type State struct {
	Driver     string
	ClockMHz   int     // of the multiprocessors, at this moment
	PowerLimit float64 // watts
}

// StateOf returns the state of the GPU with a PCI bus id.
func StateOf(busID string) (s State) {
	lib, err := Open()
	if err != nil {
		return s
	}
	s.Driver, _ = lib.DriverVersion()
	if d, err := lib.Device(busID); err == nil {
		s.ClockMHz, _ = d.clock()
		s.PowerLimit, _ = d.powerLimit()
	}
	return s
}
