package roofline

import (
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
)

// Plan is the part of a cpu engine's plan that a bound depends on.
type Plan struct {
	Code    Code
	Depth   int // generations of one pass over memory
	Threads int
}

// ParsePlan reads a plan as sim.Info gives it: "avx512,bands,slabs=1,depth=6,threads=2". It returns false for
// plans that do not run vector code.
func ParsePlan(plan string) (s Plan, ok bool) {
	code, rest, _ := strings.Cut(plan, ",")
	s.Code = Code(code)
	for part := range strings.SplitSeq(rest, ",") {
		name, number, _ := strings.Cut(part, "=")
		n, _ := strconv.Atoi(number)
		switch name {
		case "depth":
			s.Depth = n
		case "threads":
			s.Threads = n
		}
	}
	return s, s.Code.Bits() > 0 && s.Depth > 0 && s.Threads > 0
}

// Work is the work that a program must do, however well it is run.
type Work struct {
	Bits         int     `json:"vector_bits"`       // cells of a vector
	Tables       int     `json:"vector_tables"`     // three-input tables for that many cells
	Operations   int     `json:"vector_operations"` // operations of one or two inputs for that many cells
	BytesPerCell float64 `json:"bytes_per_cell"`    // read and written, for one generation
}

// WorkOf returns the work of a program under a plan. Logic is the number of its tables; for avx2 it is the
// fewest two-input operations that make each table. Memory is one read and one write of every plane in a pass
// of Depth generations.
func WorkOf(p *rowprog.Program, s Plan) Work {
	w := Work{Bits: s.Code.Bits(), BytesPerCell: 2 * float64(p.Planes) / 8 / float64(s.Depth)}
	for _, op := range p.Ops {
		switch {
		case op.Kind != rowprog.Table || op.Once:
		case s.Code == AVX2:
			w.Operations += twoInputOperations(op.Imm)
		case op.N == 3:
			w.Tables++
		default:
			w.Operations++
		}
	}
	return w
}

// Bound is the most cells a second that are possible.
type Bound struct {
	Logic  float64 `json:"logic_cells_per_second"`
	Memory float64 `json:"memory_cells_per_second"`
	Cells  float64 `json:"cells_per_second"` // the smaller of the two
	Binds  string  `json:"binds"`            // which of the two it is: logic or memory
}

// Bound returns the bound for these rates of logic and this many bytes a second.
func (w Work) Bound(r Rates, bandwidth float64) Bound {
	b := Bound{Logic: w.LogicLimit(r), Memory: bandwidth / w.BytesPerCell}
	b.Cells, b.Binds = b.Logic, "logic"
	if b.Memory < b.Logic {
		b.Cells, b.Binds = b.Memory, "memory"
	}
	return b
}

// LogicLimit is the number of cells a second if there is nothing but logic to do.
func (w Work) LogicLimit(r Rates) float64 {
	operations := float64(w.Operations)
	if w.Tables+w.Operations == 0 {
		operations = 1 // a rule may need no operation
	}
	seconds := operations / r.Operations
	if w.Tables > 0 {
		seconds += float64(w.Tables) / r.Tables
	}
	return float64(w.Bits) / seconds
}
