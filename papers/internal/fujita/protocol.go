package fujita

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/papers/experiment"
)

// Paper is the paper with its protocol.
func Paper() experiment.Paper {
	return experiment.Paper{
		Name: Name, Methods: []string{string(CPU), string(Global), string(Shared), string(Register)}, Tables: Tables,
		Figures: Figures,
		Measure: func(ctx context.Context, r *experiment.Run) error {
			if r.Quick {
				return quick.measure(ctx, r)
			}
			return full.measure(ctx, r)
		},
	}
}

// sweep says how the paper's methods are measured.
type sweep struct {
	side         int
	onCPU, onGPU experiment.Protocol
}

var (
	full = sweep{
		side: printedSide,
		onCPU: experiment.Protocol{
			Time: 0.5, MostRun: printedGenerations, Least: 3, Most: 5, RelativeError: 0.02,
			EnergyTime: 0.6,
		},
		onGPU: experiment.Protocol{
			Time: 0.2, MostRun: printedGenerations, Least: 3, Most: 5, RelativeError: 0.005,
			EnergyTime: 0.6,
		},
	}
	quick = sweep{
		side:  2048,
		onCPU: experiment.Protocol{Time: 0.1, MostRun: printedGenerations, Least: 3, Most: 3},
		onGPU: experiment.Protocol{Generations: 256, Least: 3, Most: 3},
	}
)

// Generations after which a method's cells are compared with those of Gosper's own engine: on a GPU some launches of
// 16 and a part of one, on a core the number that takes seconds.
const (
	comparedOnCPU = 2
	comparedOnGPU = 33
)

// measure measures Gosper's own engine and all methods that this machine can run.
func (s sweep) measure(ctx context.Context, r *experiment.Run) error {
	cells, err := r.Soup(ctx, s.side, s.side, 0.5)
	if err != nil {
		return err
	}
	device, err := r.GPU()
	if err != nil {
		return err
	}
	methods := slices.DeleteFunc(Methods(), func(m Method) bool {
		return !r.Wants(string(m.Place)) || m.Place != CPU && device == nil
	})
	r.Expect(len(methods) + 1)
	if err := r.Gosper(ctx, experiment.Life, cells, s.onGPU); err != nil {
		return err
	}
	for _, m := range methods {
		row, protocol, compared := m.Measurement(s.side, s.side), s.onCPU, comparedOnCPU
		if m.Place != CPU {
			row.Device, protocol, compared = device.Name, s.onGPU, comparedOnGPU
			if !m.Columns {
				protocol.EnergyTime = 0 // the paper's order is enough
			}
		}
		err := r.Measure(ctx, row, cells, protocol, func() (experiment.Stepper, error) {
			return m.Open(device, s.side, s.side)
		},
			r.SameCells(ctx, cells, compared))
		if err != nil {
			return err
		}
	}
	return nil
}
