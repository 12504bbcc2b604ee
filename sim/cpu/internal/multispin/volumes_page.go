//go:build page

package multispin

import (
	"errors"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// ofVolumes refuses: the program of a page without a server has no volumes.
func ofVolumes(topology.Topology, *rowprog.Program, plan.Plan) (sim.Engine, error) {
	return nil, errors.New("a page shows two dimensions")
}
