package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
)

// Facts of a checkpoint.
const (
	factSeed    = "seed"
	factDensity = "density"
	factUntil   = "until"
	factRepeat  = "repeat"
	factGollyB0 = "golly_b0"
)

// header is what a checkpoint of a run of u says.
func (u *universe) header(generation, target uint64, until sim.Until) checkpoint.Header {
	facts := map[string]string{factRepeat: u.repeat, factUntil: until.String()}
	if u.seed != "" {
		facts[factSeed] = u.seed
		facts[factDensity] = strconv.FormatFloat(u.density, 'g', -1, 64)
	}
	if u.gollyB0 {
		facts[factGollyB0] = "true"
	}
	return checkpoint.Header{
		Rule: u.config.Rule.String(), Topology: u.config.Topology.String(), Generation: generation, Target: target, Facts: facts,
	}
}

func fromCheckpoint(path string) (*universe, error) {
	file, err := checkpoint.Open(path)
	if err != nil {
		return nil, tidyPathError(err)
	}
	h := file.Header
	u := &universe{config: file.Config(), generation: h.Generation, target: h.Target}
	u.seed, u.gollyB0, u.repeat = h.Facts[factSeed], h.Facts[factGollyB0] != "", h.Facts[factRepeat]
	u.load = func(_ context.Context, e sim.Engine, _ func(done, total uint64)) error {
		defer file.Close()
		return file.Restore(e)
	}
	if u.until, err = sim.ParseUntil(h.Facts[factUntil]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if u.seed != "" {
		if u.density, err = strconv.ParseFloat(h.Facts[factDensity], 64); err != nil {
			return nil, fmt.Errorf("%s: density %q in a checkpoint is no number", path, h.Facts[factDensity])
		}
	}
	return u, nil
}
