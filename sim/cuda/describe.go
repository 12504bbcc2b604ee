package cuda

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/nvml"
)

// GPU describes a device that the engine can use.
type GPU struct {
	Number            int    `json:"number"` // as in "cuda:1"
	Name              string `json:"name"`
	ComputeCapability string `json:"compute_capability"`
	Memory            uint64 `json:"memory"` // bytes
	Multiprocessors   int    `json:"multiprocessors"`
	ClockMHz          int    `json:"clock_mhz"` // highest
	BusID             string `json:"bus_id"`
	// of NVIDIA; "CUDA 13.0" if the management library does not report its version
	Driver string `json:"driver"`
	Usable bool   `json:"usable"` // whether the compute capability is high enough
}

// GPUs lists the machine's GPUs. Without NVIDIA's driver it returns an error that says so.
func GPUs() ([]GPU, error) {
	driver, err := gpu.Load()
	if err != nil {
		return nil, err
	}
	n, err := driver.Count()
	if err != nil {
		return nil, err
	}
	cuda, err := driver.Version()
	if err != nil {
		return nil, err
	}
	version := fmt.Sprintf("CUDA %d.%d", cuda/1000, cuda%1000/10)
	if lib, err := nvml.Open(); err == nil {
		if v, err := lib.DriverVersion(); err == nil {
			version = v
		}
	}
	var all []GPU
	for i := range n {
		p, err := driver.Properties(i)
		if err != nil {
			return nil, fmt.Errorf("GPU %d: %w", i, err)
		}
		all = append(all, GPU{
			Number: i, Name: p.Name, ComputeCapability: fmt.Sprintf("%d.%d", p.Major, p.Minor), Memory: p.Memory,
			Multiprocessors: p.Multiprocessors, ClockMHz: p.ClockKHz / 1000, BusID: p.BusID, Driver: version, Usable: p.Usable(),
		})
	}
	return all, nil
}
