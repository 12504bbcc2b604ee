package gpu

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/cu"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/device"
)

// Open returns the GPUs of a list of numbers, "0" or "0,1,2", the first one where it is empty, that reach each other's memory
// directly where the machine can. Without NVIDIA's driver it returns an *sim.Unsupported.
func Open(list string) ([]device.Device, error) {
	driver, err := cu.Open()
	if err != nil {
		return nil, &sim.Unsupported{Engine: device.Name, Why: err.Error()}
	}
	ordinals, err := parseList(list)
	if err != nil {
		return nil, err
	}
	count, err := driver.Count()
	if err != nil {
		return nil, err
	}
	for _, o := range ordinals {
		if o >= count {
			return nil, fmt.Errorf("there is no GPU %d: this machine has %d, numbered from 0", o, count)
		}
	}
	var devs []device.Device
	for _, o := range ordinals {
		g, err := newGPU(driver, o)
		if err != nil {
			device.CloseAll(devs)
			return nil, err
		}
		devs = append(devs, g)
	}
	if err := allowPeers(devs); err != nil {
		device.CloseAll(devs)
		return nil, err
	}
	return devs, nil
}

// allowPeers lets every GPU reach the memory of every other directly, where the machine can; elsewhere copies go through the host.
func allowPeers(devs []device.Device) error {
	for _, a := range devs {
		err := a.Do(func() error {
			for _, b := range devs {
				if a == b {
					continue
				}
				mine, other := a.(*gpu).dev, b.(*gpu).dev
				can, err := mine.CanAccess(other)
				if err == nil && can {
					err = mine.EnableAccess(other)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parseList reads a list of numbers of GPUs.
func parseList(list string) ([]int, error) {
	if list == "" {
		return []int{0}, nil
	}
	var ordinals []int
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1023 {
			return nil, fmt.Errorf("GPUs %q: numbers from 0 separated by commas are allowed", list)
		}
		for _, other := range ordinals {
			if other == n {
				return nil, fmt.Errorf("GPUs %q: %d is there twice", list, n)
			}
		}
		ordinals = append(ordinals, n)
	}
	return ordinals, nil
}
