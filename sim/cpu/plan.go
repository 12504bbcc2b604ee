package cpu

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Plan is a schedule: how a universe is advanced, never what comes out.
type Plan struct {
	Code    Code
	Tiles   bool // tiles of the unbounded plane; otherwise row bands of a bounded universe
	Slabs   int  // slabs of rows side by side in a vector
	Depth   int  // generations a pass
	Threads int  // goroutines; a bounded universe has one band of rows for each
}

// Code is what executes the rule's program.
type Code string

const (
	Portable Code = "portable" // Go loops over words
	AVX2     Code = "avx2"     // machine code made at run time
	AVX512   Code = "avx512"
)

// lanes is the words of a vector.
func (c Code) lanes() int {
	switch c {
	case AVX512:
		return 8
	case AVX2:
		return 4
	}
	return 1
}

// available reports, as an error, why this machine cannot run such code.
func (c Code) available() error {
	switch err := jit.Available(); {
	case c == Portable:
		return nil
	case c != AVX2 && c != AVX512:
		return fmt.Errorf("the code must be %s, %s or %s", Portable, AVX2, AVX512)
	case err != nil:
		return err
	case c == AVX2 && !jit.HasAVX2() || c == AVX512 && !jit.HasAVX512():
		return fmt.Errorf("this processor has no %s", c)
	}
	return nil
}

// fastestCode is the best code this machine can run.
func fastestCode() Code {
	for _, c := range []Code{AVX512, AVX2} {
		if c.available() == nil {
			return c
		}
	}
	return Portable
}

// String prints a plan as ParsePlan reads it.
func (p Plan) String() string {
	shape := "bands"
	if p.Tiles {
		shape = "tiles"
	}
	return fmt.Sprintf("%s,%s,slabs=%d,depth=%d,threads=%d", p.Code, shape, p.Slabs, p.Depth, p.Threads)
}

// ParsePlan reads a plan: "avx512,bands,slabs=1,depth=6,threads=2".
func ParsePlan(s string) (Plan, error) {
	parts := strings.SplitN(s, ",", 3)
	var p Plan
	if len(parts) == 3 {
		p.Code, p.Tiles = Code(parts[0]), parts[1] == "tiles"
		fmt.Sscanf(parts[2], "slabs=%d,depth=%d,threads=%d", &p.Slabs, &p.Depth, &p.Threads)
	}
	if p.String() != s {
		return Plan{}, fmt.Errorf("plan %q is not of the form %v", s, Plan{Code: Portable, Slabs: 1, Depth: 2, Threads: 1})
	}
	return p, nil
}

// valid reports, as an error, why a plan cannot serve a rule on a topology. It is the only place that refuses.
func (p Plan) valid(r rule.Rule, t topology.Topology) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: "cpu", What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	if err := p.Code.available(); err != nil {
		return refuse("%v", err)
	}
	switch {
	case p.Tiles != (t.Kind == topology.Unbounded):
		return refuse("tiles are for the unbounded plane, bands for all others")
	case p.Depth < 1 || p.Depth > maxDepth:
		return refuse("the depth must be 1 to %d", maxDepth)
	case p.Slabs < 1 || p.Code.lanes()%p.Slabs != 0 || p.Tiles && p.Slabs != 1:
		return refuse("the slabs must divide the words of a vector, %d, and be 1 for tiles", p.Code.lanes())
	case p.Slabs > t.H && !p.Tiles:
		return refuse("the slabs must be 1 to the height, %d", t.H)
	case p.Threads < 1 || !p.Tiles && p.Threads*p.Slabs > t.H:
		return refuse("the threads times the slabs must be 1 to the height, %d", t.H)
	case p.Depth > 1 && !p.Tiles && !ghostsFollow(r, t):
		return refuse("the depth must be 1 on %v: a row does not hold the cells beside it, or edges turn them", t)
	}
	return nil
}

const maxDepth = 16

// ghostsFollow reports whether cells beyond the edges evolve by the rule like the cells they are copies of, so that they may be
// advanced for several generations, and the cells to the left and right can be had from each row alone.
func ghostsFollow(r rule.Rule, t topology.Topology) bool {
	if !rowLocal(t) {
		return false
	}
	for _, s := range t.Gluings() {
		if !r.Invariant(s) {
			return false
		}
	}
	return true
}

// choose picks a plan. Rows of 16 to 64 vectors keep the levels of a pass in the first-level cache. Programs with running sums
// compute so much that one generation a pass is enough; tiles take 6 generations, which the periods of the oscillators common in
// ash divide.
func choose(r rule.Rule, p *logic.Program, t topology.Topology, threads int) Plan {
	plan := Plan{Code: fastestCode(), Slabs: 1, Depth: 1, Threads: threads}
	if len(p.Ops) > longestCode {
		plan.Code = Portable
	}
	if t.Kind == topology.Unbounded {
		plan.Code = Portable
		plan.Tiles, plan.Depth = true, max(1, 6/radius(p))
		return plan
	}
	if p.Warm == 0 && ghostsFollow(r, t) {
		plan.Depth = 6
	}
	for lanes := plan.Code.lanes(); plan.Slabs < lanes && 2*plan.Slabs*16 <= t.H; plan.Slabs *= 2 {
		if t.W*plan.Slabs >= 16*64*lanes {
			break
		}
	}
	const least = 1 << 15 // cells a band needs to be worth a goroutine
	rows := t.H / plan.Slabs
	plan.Threads = max(1, min(threads, rows/(8*(1+p.Up)), t.H*t.W/least))
	return plan
}

// longestCode is how many ops a program may have to be compiled.
const longestCode = 4000
