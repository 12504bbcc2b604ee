package boris

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/papers/experiment"
)

// Paper is the articles with their protocol.
func Paper() experiment.Paper {
	var methods []string
	for _, v := range variants {
		methods = append(methods, string(v))
	}
	return experiment.Paper{
		Name: Name, Methods: methods, Tables: Tables, Figures: Figures,
		Measure: func(ctx context.Context, r *experiment.Run) error {
			if r.Quick {
				return quick.measure(ctx, r)
			}
			return full.measure(ctx, r)
		},
	}
}

// sweep says how the kernels are measured.
type sweep struct {
	side, sideOfCPU int // sideOfCPU without a GPU
	protocol        experiment.Protocol
}

var (
	full = sweep{PrintedSide, 16384, experiment.Protocol{
		Generations: 96, Least: 3, Most: 5, RelativeError: 0.005,
		EnergyTime: 0.6,
	}}
	quick = sweep{4096, 4096, experiment.Protocol{Generations: 96, Least: 3, Most: 3}}
)

// measure measures Gosper's own engine and, on a GPU, the kernels. Their cells are compared after all
// generations of a realisation.
func (s sweep) measure(ctx context.Context, r *experiment.Run) error {
	device, err := r.GPU()
	if err != nil {
		return err
	}
	side := s.side
	if device == nil {
		side = s.sideOfCPU
	}
	cells, err := r.Soup(ctx, side, side, 0.5)
	if err != nil {
		return err
	}
	methods := slices.DeleteFunc(Sweep(), func(m Method) bool { return device == nil || !r.Wants(string(m.Variant)) })
	r.Expect(len(methods) + 1)
	if err := r.Gosper(ctx, experiment.Life, cells, s.protocol); err != nil {
		return err
	}
	for _, m := range methods {
		row, protocol := m.Measurement(side, side), s.protocol
		row.Device = device.Name
		if !m.metered() {
			protocol.EnergyTime = 0
		}
		err := r.Measure(ctx, row, cells, protocol, func() (experiment.Stepper, error) { return m.Open(device, side, side) },
			r.SameCells(ctx, cells, s.protocol.Generations))
		if err != nil {
			return err
		}
	}
	return nil
}
