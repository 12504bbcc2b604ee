package cuda

import (
	"fmt"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Plan is how a universe is advanced, never what comes out.
type Plan struct {
	Depth  int // generations a pass
	Words  int // words of 32 cells in a lane: 1, 2 or 4
	Unroll int // rows a turn of the loop
	Stages int // parts of the warm-up of a strip
	Kept   int // long pasts kept in registers
	Rows   int // rows of a strip
}

// String prints a plan as ParsePlan reads it.
func (p Plan) String() string {
	return fmt.Sprintf("stream,depth=%d,words=%d,unroll=%d,stages=%d,kept=%d,rows=%d",
		p.Depth, p.Words, p.Unroll, p.Stages, p.Kept, p.Rows)
}

// ParsePlan reads a plan: "stream,depth=12,words=2,unroll=3,stages=1,kept=0,rows=280".
func ParsePlan(s string) (Plan, error) {
	var p Plan
	_, err := fmt.Sscanf(s, "stream,depth=%d,words=%d,unroll=%d,stages=%d,kept=%d,rows=%d",
		&p.Depth, &p.Words, &p.Unroll, &p.Stages, &p.Kept, &p.Rows)
	if err != nil || p.String() != s {
		return Plan{}, fmt.Errorf("plan %q is not of the form %v", s, Plan{Depth: 12, Words: 2, Unroll: 3, Stages: 1, Rows: 280})
	}
	return p, nil
}

const (
	maxDepth  = 32
	maxUnroll = 64
	maxRows   = 1 << 28
)

// valid reports, as an error, why a plan cannot serve a rule on a topology.
func (p Plan) valid(f *flow, r rule.Rule, t topology.Topology) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: Name, What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	switch {
	case p.Words != 1 && p.Words != 2 && p.Words != 4:
		return refuse("the words must be 1, 2 or 4")
	case p.Depth < 1 || p.Depth > maxDepth:
		return refuse("the depth must be 1 to %d", maxDepth)
	case p.Unroll < 1 || p.Unroll > maxUnroll || p.Stages < 1 || p.Stages > maxDepth || p.Kept < 0:
		return refuse("unroll must be 1 to %d, stages 1 to %d", maxUnroll, maxDepth)
	case p.Rows < 1 || p.Rows > maxRows:
		return refuse("the rows must be 1 to %d", maxRows)
	case p.Depth > 1 && !ghostsFollow(r, t):
		return refuse("the depth must be 1, since the edges of %v turn the cells beyond them", t)
	case t.Kind == topology.Plane && p.Depth*(f.up+1) > 32:
		return refuse("on a plane the depth times %d must be at most 32", f.up+1)
	case 2*(schedule{depth: p.Depth, words: p.Words}).halo(f) >= lanes:
		return refuse("a strip of %d columns is too narrow for %d generations of radius %d", 32*lanes*p.Words, p.Depth, f.radius)
	}
	return nil
}

// ghostsFollow reports whether cells beyond the edges evolve by the rule like the cells they are copies of, so that they may be
// advanced for several generations. Where a cross-surface or sphere has its corners, neighbourhoods are torn: never there.
func ghostsFollow(r rule.Rule, t topology.Topology) bool {
	if t.Kind == topology.Cross || t.Kind == topology.Sphere {
		return false
	}
	for _, s := range t.Gluings() {
		if !r.Invariant(s) {
			return false
		}
	}
	return true
}

const (
	stateRegisters  = 170  // of the 255 of a thread, those for what is remembered
	bodyLimit       = 5000 // instructions of a turn of the loop: it should stay in the instruction cache
	largestProgram  = 6000 // tables
	residentStrips  = 6    // strips on a multiprocessor that keep its logic pipes busy
	shortestSharing = 8    // rows: shorter strips would mostly warm up
)

// wordsFor is the number of interleaved words that suits a universe: wrapped rows must be whole groups.
func wordsFor(t topology.Topology) int {
	if wrapsColumns(t, 2) || !wrapsColumns(t, 1) {
		return 2
	}
	return 1
}

// leads reports whether strips had better look to the right only: then one group is lost where it would be one on either side.
func (p Plan) leads(f *flow, t topology.Topology) bool {
	ring := wrapsColumns(t, p.Words) && t.W == 32*lanes*p.Words
	return t.Kind != topology.Plane && !ring && 2*p.Depth*f.radius <= 32*p.Words
}

// choose picks the plan but for the rows of a strip.
func choose(f *flow, r rule.Rule, t topology.Topology, words int) Plan {
	p := Plan{Depth: 1, Words: words, Unroll: 3, Stages: 1}
	remembered, longest, shared := f.planes, 1, false
	for _, d := range f.delay {
		if d > longestInRegisters {
			shared = true
			continue
		}
		remembered += d
		longest = max(longest, d)
	}
	p.Unroll = max(p.Unroll, longest)
	if !shared && ghostsFollow(r, t) {
		p.Depth = max(1, min(12, stateRegisters/(words*remembered)))
	}
	if t.Kind == topology.Plane {
		p.Depth = min(p.Depth, 32/(f.up+1))
	}
	size := f.tables() * words
	p.Depth = max(1, min(p.Depth, bodyLimit/(size*p.Unroll)))
	p.Unroll = max(1, min(p.Unroll, bodyLimit/size))
	return p
}

// stripRows balances strips: short ones are many, long ones waste little on warming up.
func stripRows(height, across, multiprocessors, warmUp int) int {
	best, cost := height, 0
	for down := 1; down <= max(1, height/shortestSharing) && down <= 64*multiprocessors; down++ {
		rows := (height + down - 1) / down
		each := (across*((height+rows-1)/rows) + multiprocessors - 1) / multiprocessors
		c := (rows + warmUp) * max(each, residentStrips)
		if cost == 0 || c < cost {
			best, cost = rows, c
		}
	}
	return best
}
