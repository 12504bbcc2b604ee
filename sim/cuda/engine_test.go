package cuda

import (
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

func openHost(cfg sim.Config) (sim.Engine, error) { return open(&host{}, cfg) }

// The kernels themselves, run on the host.
func TestSuite(t *testing.T) {
	simtest.Run(t, openHost, simtest.Options{Partial: true})
}
