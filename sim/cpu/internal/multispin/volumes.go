//go:build !page

package multispin

import (
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/sim/cpu/internal/volumes"
	"github.com/gosper-life/gosper/topology"
)

// ofVolumes makes the engine of a group of volumes.
func ofVolumes(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (sim.Engine, error) {
	e, err := volumes.NewMultispin(t, p, chosen)
	if err != nil {
		return nil, err
	}
	return e, nil
}
