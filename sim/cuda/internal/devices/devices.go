// Package devices opens the GPUs that a configuration names.
package devices

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/sim"
)

// Engine is the name under which the engines are registered. ":" and the numbers of the GPUs may follow it.
const Engine = "cuda"

// Open opens the GPUs of a list of numbers, "0" or "0,1,2". An empty list means the first GPU. The GPUs use
// each other's memory directly if the machine allows it. If there is no GPU, the error is a *sim.Unsupported.
func Open(list string) ([]*gpu.Device, error) {
	ordinals, err := parseList(list)
	if err != nil {
		return nil, err
	}
	devs, err := gpu.OpenAll(ordinals...)
	var none *gpu.Unavailable
	if errors.As(err, &none) {
		err = &sim.Unsupported{Engine: Engine, Why: none.Why}
	}
	return devs, err
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
			return nil, fmt.Errorf("GPUs %q: want numbers from 0, separated by commas", list)
		}
		for _, other := range ordinals {
			if other == n {
				return nil, fmt.Errorf("GPUs %q: %d occurs twice", list, n)
			}
		}
		ordinals = append(ordinals, n)
	}
	return ordinals, nil
}
