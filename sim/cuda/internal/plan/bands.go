package plan

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/topology"
)

// exchangeCost is the cost of an exchange, about 60 µs, as the number of tables of words that a GPU computes in
// that time.
const exchangeCost = 1e9

// Exchanged returns the number of passes between two exchanges of bands of the given height (see Height). With more
// passes an exchange costs less for each of them, but more rows are computed twice: the two costs are made equal.
// Where the universe closes with rows turned, and the rule does not turn with them, rows have to be exchanged after
// each generation.
func (p Plan) Exchanged(f *warpprog.Program, t topology.Topology, rows int) int {
	reach := p.Depth * f.Radius
	if !WrapsRows(t) && t.Kind != topology.Plane && p.Depth == 1 {
		return 1
	}
	// of reach rows, in tables
	work := compile.WarpTables(f, p.Words) * float64(p.Depth) * float64(reach) * float64(t.W) * float64(Deep(t))
	best := int(math.Sqrt(exchangeCost * 32 / work))
	return max(1, min(best, rows/(8*reach), 64))
}

// Divisible returns an error if a universe cannot be divided into n bands of rows.
func (p Plan) Divisible(f *warpprog.Program, t topology.Topology, n int) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{
			Engine: devices.Engine, What: fmt.Sprintf("topology %v on %d GPUs", t, n),
			Why: fmt.Sprintf(why, args...),
		}
	}
	switch reach := p.Depth * f.Radius; {
	case n == 1:
	case p.Patches:
		return refuse("patches stay in the registers of one GPU")
	case len(f.Chances()) > 0 && !WrapsRows(t) && t.Kind != topology.Plane:
		return refuse("random bits of rows that are turned beyond an edge are not divided: use one GPU")
	case p.Chunk > 0:
		return refuse("bands keep two copies of their rows: leave out chunk=%d", p.Chunk)
	case !t.KeepsRows():
		return refuse("rows that continue in other rows cannot be divided: use one GPU")
	case t.Volume() && t.D/n < reach:
		return refuse("a band of %d layers is too small: passes need %d layers above and below", t.D/n, reach)
	case t.H/n < reach:
		return refuse("a band of %d rows is too small: passes need %d rows above and below", t.H/n, reach)
	}
	return nil
}
