//go:build page

package cpu

import (
	"context"

	"github.com/gosper-life/gosper/sim"
)

// openVolume refuses: the program of a page without a server cannot show volumes, and is smaller without their engine.
func openVolume(_ context.Context, cfg sim.Config, _ int) (sim.Engine, error) {
	return nil, &sim.Unsupported{Engine: "cpu", What: cfg.Topology.String(), Why: "a page shows two dimensions"}
}
