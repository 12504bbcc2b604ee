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

// exchangeCost is what an exchange costs, in tables of words that a GPU could have computed meanwhile: about 60 µs.
const exchangeCost = 1e9

// Exchanged is the number of passes between exchanges of bands of so many rows: as many as make the cost of the exchange, shared by the
// passes, equal to that of the rows computed twice. Rows that are turned where the universe closes have to be exchanged after each
// generation if the rule does not turn with them.
func (p Plan) Exchanged(f *warpprog.Program, t topology.Topology, rows int) int {
	reach := p.Depth * f.Radius
	if !WrapsRows(t) && t.Kind != topology.Plane && p.Depth == 1 {
		return 1
	}
	work := compile.WarpTables(f, p.Words) * float64(p.Depth) * float64(reach) * float64(t.W) // of reach rows, in tables
	best := int(math.Sqrt(exchangeCost * 32 / work))
	return max(1, min(best, rows/(8*reach), 64))
}

// Divisible reports, as an error, why a universe cannot be divided into n bands of rows.
func (p Plan) Divisible(f *warpprog.Program, t topology.Topology, n int) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: devices.Engine, What: fmt.Sprintf("topology %v on %d GPUs", t, n), Why: fmt.Sprintf(why, args...)}
	}
	switch reach := p.Depth * f.Radius; {
	case n == 1:
	case p.Chunk > 0:
		return refuse("bands have both copies of their rows: leave out chunk=%d", p.Chunk)
	case !ownColumns(t):
		return refuse("where rows go on in other rows at their ends they cannot be divided: use one GPU")
	case t.H/n < reach:
		return refuse("a band of %d rows is all edge: passes look at %d rows above and below", t.H/n, reach)
	}
	return nil
}

// ownColumns reports whether what lies beyond the left and right end of a row is dead or belongs to the row itself.
func ownColumns(t topology.Topology) bool {
	switch t.Kind {
	case topology.Plane:
		return true
	case topology.Torus:
		return t.Axis != topology.Vertical
	case topology.Klein:
		return t.Twist == topology.Horizontal
	}
	return false
}
