// Package plan chooses how a universe is advanced on a GPU: which program, how many generations in a pass, how
// many rows in a strip, and how much memory. Every plan gives the same cells.
package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/topology"
)

// Plan describes how a universe is advanced. It never changes the result.
type Plan struct {
	Patches   bool // the universe stays in registers, in patches: see package patches; only Depth, Words and Rows are used
	Depth     int  // generations a pass, or between two exchanges of patches
	Words     int  // words of 32 cells in a lane: 1, 2 or 4
	Unroll    int  // rows a turn of the loop
	Stages    int  // parts of the warm-up of a strip
	Kept      int  // long pasts kept in registers
	Rows      int  // rows of a strip, or of a lane of a patch
	Drawn     bool // random bits are drawn where they are needed, in registers, instead of in planes beside the cells
	Recompute bool // read old rows again instead of remembering what was computed from them (warpprog.Program.Recomputed)
	Block     int  // warps of a block; 0 is 1
	// Chunk is the rows of a chunk, or the layers of a volume's, if one buffer holds both copies of the universe; 0 if
	// each has its own.
	Chunk int
}

// String prints a plan as Parse reads it.
func (p Plan) String() string {
	if p.Patches {
		return fmt.Sprintf(patchesFormat, p.Depth, p.Words, p.Rows)
	}
	s := fmt.Sprintf(planFormat, p.Depth, p.Words, p.Unroll, p.Stages, p.Kept, p.Rows)
	if p.Drawn {
		s += drawnSuffix
	}
	if p.Recompute {
		s += recomputeSuffix
	}
	if p.Block > 0 {
		s += fmt.Sprintf(blockFormat, p.Block)
	}
	if p.Chunk > 0 {
		s += fmt.Sprintf(chunkFormat, p.Chunk)
	}
	return s
}

// The kinds of plans.
const (
	OfPatches = "patches"
	OfStrips  = "stream"
)

const (
	// The first word names the kind of pass: patches stay in registers, or the rows of a strip are streamed
	// through a wavefront. Rows of measurements contain it.
	patchesFormat   = "patches,depth=%d,words=%d,rows=%d"
	planFormat      = "stream,depth=%d,words=%d,unroll=%d,stages=%d,kept=%d,rows=%d"
	drawnSuffix     = ",drawn"
	recomputeSuffix = ",recompute"
	blockFormat     = ",warps=%d"
	chunkFormat     = ",chunk=%d"
)

// Parse reads a plan: "stream,depth=12,words=2,unroll=3,stages=1,kept=0,rows=280", optionally followed by
// ",drawn", ",recompute", ",warps=4" or ",chunk=4096", in this order, or "patches,depth=8,words=4,rows=10". If no plan
// can have these numbers, the error is a *sim.Unsupported.
func Parse(s string) (Plan, error) {
	var p Plan
	fields := []any{&p.Depth, &p.Words, &p.Unroll, &p.Stages, &p.Kept, &p.Rows}
	format := planFormat
	if p.Patches = strings.HasPrefix(s, "patches,"); p.Patches {
		format, fields = patchesFormat, []any{&p.Depth, &p.Words, &p.Rows}
	}
	if p.Drawn = strings.Contains(s, drawnSuffix); p.Drawn {
		format += drawnSuffix
	}
	if p.Recompute = strings.Contains(s, recomputeSuffix); p.Recompute {
		format += recomputeSuffix
	}
	if strings.Contains(s, ",warps=") {
		format, fields = format+blockFormat, append(fields, &p.Block)
	}
	if strings.Contains(s, ",chunk=") {
		format, fields = format+chunkFormat, append(fields, &p.Chunk)
	}
	_, err := fmt.Sscanf(s, format, fields...)
	if err != nil || p.String() != s {
		return Plan{}, fmt.Errorf("plan %q is not of the form %v", s,
			Plan{Depth: 12, Words: 2, Unroll: 3, Stages: 1, Rows: 280})
	}
	return p, p.sane()
}

const (
	maxDepth  = 32
	maxUnroll = 64
	maxRows   = 1 << 28

	mostPatchWords = 96 // of cells in a lane: its registers hold not many more
)

// OfStrips is the part of a plan that a kernel needs to know.
func (p Plan) OfStrips(t topology.Topology) wavefront.Plan {
	return wavefront.Plan{
		Depth: p.Depth, Words: p.Words, Unroll: p.Unroll, Stages: p.Stages, Kept: p.Kept,
		Ring: ring(t, p.Words), Plane: t.Kind == topology.Plane, Volume: t.Volume(), Drawn: p.Drawn,
		Block: p.Block,
	}
}

// sane returns an error for the first number that no plan can have.
func (p Plan) sane() error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: devices.Engine, What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	switch {
	case p.Words != 1 && p.Words != 2 && p.Words != 4:
		return refuse("the words must be 1, 2 or 4")
	case p.Depth < 1 || p.Depth > maxDepth:
		return refuse("the depth must be 1 to %d", maxDepth)
	case p.Patches && (p.Rows < 1 || p.Rows*p.Words > mostPatchWords):
		return refuse("the rows must be 1 to %d", mostPatchWords/p.Words)
	case p.Patches:
	case p.Unroll < 1 || p.Unroll > maxUnroll || p.Stages < 1 || p.Stages > maxDepth || p.Kept < 0:
		return refuse("unroll must be 1 to %d, stages 1 to %d, kept 0 or more", maxUnroll, maxDepth)
	case p.Block < 0 || p.Block > leastResident:
		return refuse("the warps of a block must be 1 to %d", leastResident)
	case p.Rows < 1 || p.Rows > maxRows || p.Chunk > maxRows:
		return refuse("the rows, of a chunk too, must be 1 to %d", maxRows)
	}
	return nil
}

// Valid returns an error if a plan cannot run a rule on a topology.
func (p Plan) Valid(f *warpprog.Program, r rule.Rule, t topology.Topology) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: devices.Engine, What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	if p.Patches {
		if _, ok := p.PatchGrid(f, t); !ok {
			return refuse(
				"%v on %v does not divide into patches whose cells around them, the depth times the radius, are in the patches beside them", r, t)
		}
		return nil
	}
	switch {
	case t.Volume() && (p.Depth > 1 || p.Stages > 1):
		return refuse("volumes need depth=1 and stages=1, since a warp stays at its row of each layer")
	case t.Volume() && p.layerBytes(f, t) > math.MaxInt32:
		return refuse("a layer of %d bytes is too large: want less than 2 GiB", p.layerBytes(f, t))
	case p.Depth > 1 && !haloFollows(r, t):
		return refuse("the depth must be 1, since the edges of %v turn the cells beyond them", t)
	case p.Drawn && !p.drawable(f, t):
		return refuse("this rule's random bits cannot be drawn in the pass: leave out drawn")
	case p.Words > noise.MostWords(f.Chances()):
		return refuse("the bits of probabilities beyond 1/32 lie in rows of one word a lane: want words=1")
	case p.Drawn && p.Block > 1:
		return refuse("a block that draws random bits has one warp")
	case r.Random() && (p.Stages > 1 || p.Recompute || p.Chunk > 0):
		return refuse("random bits come in one stage: want stages=1 without recompute and chunk")
	case p.Recompute && p.Depth > 1:
		return refuse("recompute needs depth=1: only the rows of the first generation can be read again")
	case 2*p.OfStrips(t).Halo(f) >= ptx.Lanes:
		return refuse("a strip of %d columns is too narrow for %d generations of radius %d", 32*ptx.Lanes*p.Words, p.Depth,
			f.Radius)
	}
	return nil
}

// layerBytes is the distance from a layer of a volume to the next.
func (p Plan) layerBytes(f *warpprog.Program, t topology.Topology) uint64 {
	l := p.Layout(f, t, t.H)
	return uint64(l.Stride) * uint64(Deep(t))
}

// drawable reports whether a pass can draw its random bits: those of whole words of columns, and of rows that
// are found by counting. Frequent bits are drawn in lanes of one word, those of one rare probability in lanes
// of two words, for all rows of a turn.
func (p *Plan) drawable(f *warpprog.Program, t topology.Topology) bool {
	plane := t.Kind == topology.Plane
	switch {
	case t.Volume():
		return false
	case !plane && !(WrapsColumns(t, p.Words) && WrapsRows(t)):
		return false
	case noise.Frequent(f.Chances()):
		return p.Words == 1
	}
	short := !slices.ContainsFunc(f.Delay, func(d int) bool { return d > warpprog.LongestInRegisters })
	return noise.OneRare(f.Chances()) && p.Words == 2 && short && p.Depth*p.Unroll <= ptx.Lanes && p.Unroll <= t.H &&
		(plane || noise.Segments(t.W/64))
}

// haloFollows reports whether cells beyond the edges evolve by the rule like the cells they are copies of, so
// that they may be advanced for several generations. They never do on cross-surfaces and spheres, because
// neighbourhoods at the corners are incomplete. In a volume a strip has no halo of the rows around it.
func haloFollows(r rule.Rule, t topology.Topology) bool {
	if t.Volume() {
		return false
	}
	across, down := t.Join(topology.Vertical), t.Join(topology.Horizontal)
	if across == topology.Turn || across == topology.Mirror && down == topology.Mirror {
		return false
	}
	for _, s := range t.Gluings() {
		if !r.Invariant(s) {
			return false
		}
	}
	return true
}

// longestTurn is the number of rows of a turn that a lane loads ahead in a volume, where several rows enter together.
func longestTurn(f *warpprog.Program, words int) int {
	return max(1, enteringRegisters/(len(f.Entering())*words))
}

const (
	stateRegisters    = 170 // registers for remembered rows, of the 255 of a thread
	keptRegisters     = 100 // those for long pasts
	enteringRegisters = 50  // those for rows of cells that are loaded ahead in a volume
	// warps of a block in a volume: they are mostly at rows beside each other and share what they load
	volumeBlock = 4
	// The most layers of a strip in a volume. Strips at rows beside each other drift apart on their way through the
	// layers. Then the rows that one has read have left the cache before the other reads them: measured on an H200
	// at 2048³, strips of 2048 layers took 1.09 times as long as those of 228.
	mostLayers     = 400
	rowWork        = 10   // instructions for a row of a strip other than tables and moves
	bodyLimit      = 5000 // instructions of a turn of the loop: it should stay in the instruction cache
	largestProgram = 6000 // tables
	deepest        = 12   // generations a pass: more only wait for registers
	// those with random bits, whose rows take more memory traffic than the cells saved by deeper passes
	noisy   = 8
	noisier = 4 // those with bits of frequent cells

	// The greatest probability for which a pass draws rare bits. Strips draw the points of their segments twice;
	// with more points, planes are faster.
	showery = random.One / 90
)

// wordsFor is the number of interleaved words that suits a universe. If the universe is one strip closed to a
// ring, no lane should be wasted, and wrapped rows must be whole groups.
func wordsFor(t topology.Topology) int {
	for _, words := range []int{1, 2, 4} {
		if closed(t, words) {
			return words
		}
	}
	if WrapsColumns(t, 2) || !WrapsColumns(t, 1) {
		return 2
	}
	return 1
}

// closed reports whether a universe is one strip closed to a ring.
func closed(t topology.Topology, words int) bool {
	return WrapsColumns(t, words) && t.W == 32*ptx.Lanes*words
}

// ring is the number of lanes that hold a row as a ring, or 0: a whole warp, or in a narrow volume a part of it.
func ring(t topology.Topology, words int) int {
	groups := t.W / (32 * words)
	narrow := t.Volume() && WrapsColumns(t, words) && t.W <= widestPart && ptx.Lanes%groups == 0
	if closed(t, words) || narrow {
		return groups
	}
	return 0
}

// widestPart is the most columns of a row that is a ring of a part of a warp. The plans of wider volumes were measured
// without.
const widestPart = 128

// choose picks a plan, except for the rows of a strip and the stages. Its numbers were the fastest on an H200.
func choose(f *warpprog.Program, r rule.Rule, t topology.Topology, words int) Plan {
	p := Plan{Depth: 1, Words: words, Unroll: 3, Stages: 1}
	remembered, longest, ring, rings, long := f.Planes, 1, 0, 0, 0
	for _, d := range f.Delay {
		if d > warpprog.LongestInRegisters {
			ring, rings, long = max(ring, d), rings+d, long+1
			continue
		}
		remembered += d
		longest = max(longest, d)
	}
	most := deepest
	if ring > 0 { // a turn is as long as the longest past, so that each row is moved only once
		most = int(turnLimit / (compile.WarpTables(f, words) * float64(words*max(3, ring))))
	}
	// Two generations a pass that keep all of their past in registers are faster than one that keeps a part of it
	// elsewhere: measured with two words a lane.
	deep := words == 2 && most > 1 && 2*words*(remembered+rings) <= stateRegisters && haloFollows(r, t) &&
		len(f.Chances()) == 0
	if ring > 0 && !deep {
		p.chooseRings(f, remembered, ring, rings)
	} else {
		remembered, longest, p.Kept = remembered+rings, max(longest, ring), long
		p.Unroll = max(p.Unroll, longest)
		if len(f.Chances()) > 0 && slices.ContainsFunc(f.Given(), func(p circuit.Parity) bool { return p.Row }) {
			p.Unroll += p.Unroll & 1 // then the parity of rows is the same in all turns
		}
		if haloFollows(r, t) {
			p.Depth = min(most, stateRegisters/(words*remembered))
		}
		if chances := f.Chances(); len(chances) > 0 {
			p.Depth = min(p.Depth, noisy)
			if words == 1 {
				p.Depth = min(p.Depth, noisier)
			}
		}
		if t.Kind == topology.Plane {
			p.Depth = min(p.Depth, max(1, 32/(f.Up+1))) // see insideRow
		}
		if t.H <= 4096 && t.W <= 4096 { // strips are short: a deep pass would mostly warm up
			p.Depth = min(p.Depth, 8)
		}
	}
	// most of a strip would be lost at its sides
	if t.Volume() {
		p.Unroll = min(p.Unroll, longestTurn(f, p.Words))
		if 4*ptx.Lanes*p.Words*(rings+long*p.Unroll)*volumeBlock <= wavefront.SharedBytes/3 {
			p.Block = volumeBlock
		}
	}
	for 2*p.OfStrips(t).Halo(f) > ptx.Lanes/2 && p.Words < 4 && !r.Random() {
		p.Words *= 2
	}
	size := f.Tables() * p.Words
	p.Depth = max(1, min(p.Depth, bodyLimit/max(1, size*p.Unroll)))
	p.Unroll = max(1, min(p.Unroll, bodyLimit/max(1, size)))
	if chances := f.Chances(); noise.OneRare(chances) {
		if chances[0].Most > showery {
			return p
		}
		if p.Depth*p.Unroll < ptx.Lanes && p.Depth > 1 {
			p.Unroll = ptx.Lanes / p.Depth // a lane draws a row of a generation
		}
	}
	p.Drawn = p.drawable(f, t)
	return p
}

// chooseRings picks the words of a lane, and how many long pasts are kept in registers instead of in rings in
// shared memory. Both decide how many strips fit on a multiprocessor. A past in registers needs long turns,
// because it is moved once in each turn.
func (p *Plan) chooseRings(f *warpprog.Program, remembered, longest, all int) {
	strips := wavefront.SharedBytes / (4 * ptx.Lanes * all) // of one word
	least := leastStrips
	if f.Drifts { // lanes of one word would lose too many columns at the sides
		least = wideStrips
	}
	if strips < least && len(f.Chances()) == 0 && p.chooseRecompute(f, remembered) {
		return
	}
	switch {
	case strips >= 28:
		p.Unroll = turnFor(longest, 4, 7, 5, 6)
	case strips >= wideStrips || p.Words == 1:
		p.Kept = min(2, keptRegisters/(p.Words*longest))
	default:
		p.Words = 1
		p.Kept = min(3, keptRegisters/longest)
	}
	switch {
	case f.Tables() > 200:
		p.Kept, p.Unroll = 0, 3
	case p.Kept > 0 && strips < 28:
		p.Unroll = turnFor(longest, 7, 8, 9, 10, 11, 6, 5)
	}
}

// chooseRecompute picks a plan that reads old rows again, if the rule has any.
func (p *Plan) chooseRecompute(f *warpprog.Program, remembered int) bool {
	again, ok := f.Recomputed()
	if !ok {
		return false
	}
	p.Recompute = true
	halo := wavefront.Plan{Depth: 1, Words: 2}.Halo(f)
	if p.Words < 4 && 2*halo > ptx.Lanes/4 && 4*remembered <= stateRegisters { // columns matter more than registers
		p.Words, p.Unroll = 4, 1
	}
	for p.Unroll > 1 && compile.WarpTables(again, p.Words)*float64(p.Words*p.Unroll) > turnLimit {
		p.Unroll--
	}
	return true
}

const (
	leastStrips = 5  // strips of one word that a multiprocessor must hold for its shared memory to be worth what it saves
	wideStrips  = 12 // those for lanes of two words

	// turnLimit is the most work of a turn that reads old rows again, or that has long pasts in registers, in
	// tables. At radius 110 it has 1674 and goes on as at smaller ones; at radius 200 it had 2082 and lost a
	// third, which it gets back with 1388.
	turnLimit = 1900
)

// turnFor is the length of a turn, of those offered, that leaves the fewest slots of a ring unused.
func turnFor(ring int, turns ...int) int {
	unused := func(turn int) int { return (turn - ring%turn) % turn }
	return slices.MinFunc(turns, func(a, b int) int { return unused(a) - unused(b) })
}

// Settle picks the rows of a strip and the stages, for a number of universes that advance together, for GPUs with the
// given height each (see Height), and with multiprocessors that hold the given number of strips.
func (p *Plan) Settle(f *warpprog.Program, t topology.Topology, universes, height, multiprocessors, resident int) {
	s, groups := p.OfStrips(t), (t.W+32*p.Words-1)/(32*p.Words)
	warps := func(rows int) int { return universes * s.Warps(f, groups, Deep(t), height, rows) }
	warmUp := p.Depth * (f.Radius + f.Up)
	lone := 0.3
	if p.Depth >= 4 { // generations that do not wait for each other
		lone = 0.1
	}
	uneven := 0.0
	if t.Kind == topology.Plane { // strips at the edges take longer
		uneven = 0.13
	}
	fewest := 1
	if t.Volume() {
		fewest = max(1, (height+mostLayers-1)/mostLayers)
	}
	p.Rows = stripRows(height, fewest, warps, multiprocessors, resident, warmUp, lone, uneven)
	p.Stages = 1
	if p.Depth >= 4 && p.Rows < 50*p.Depth && len(f.Chances()) == 0 {
		p.Stages = 2
	}
}

// Deep passes keep their past rows in registers. A multiprocessor has 65,536 registers, which limits the number of
// strips that it holds.
const (
	leastResident = 8  // where threads have 255 of them
	mostResident  = 32 // more blocks do not fit
)

// LikelyStages returns the number of stages that Settle will pick, if that does not depend on the number of strips
// that a multiprocessor holds. Otherwise it returns 1. The kernel has to be compiled to know how many those are, and
// should be the one that is used.
func (p Plan) LikelyStages(f *warpprog.Program, t topology.Topology, height, multiprocessors int) int {
	if p.Depth < 4 {
		return 1
	}
	for resident := leastResident; resident <= mostResident; resident++ {
		q := p
		if q.Settle(f, t, 1, height, multiprocessors, resident); q.Stages == 1 {
			return 1
		}
	}
	return 2
}

// schedulers is the number of warp schedulers of a multiprocessor.
const schedulers = 4

// mostRounds is the largest number of rounds of strips for a universe. In a round a GPU runs all the strips that it
// holds. More would not distribute them more evenly.
const mostRounds = 16

// stripRows balances strips. Many short strips are distributed evenly; few long ones waste little time on warming up.
// Strips run in rounds. In a round each multiprocessor runs as many strips as it holds. A round takes as long as the
// scheduler with the most strips. Two strips hide each other's waiting, so a single strip takes longer by the share
// lone. If strips are uneven, a single round takes longer by the share uneven, and several rounds by less. warps
// returns the number of strips for a given number of rows of a strip. The height is divided into fewest parts or more.
func stripRows(height, fewest int, warps func(rows int) int, multiprocessors, resident, warmUp int, lone,
	uneven float64,
) int {
	round := func(strips int) float64 {
		return float64((strips+schedulers-1)/schedulers) + lone
	}
	best, cost := height, math.Inf(1)
	for down := fewest; down <= height; down++ {
		rows := (height + down - 1) / down
		all := warps(rows)
		if down > fewest && all > mostRounds*resident*multiprocessors {
			break
		}
		each := (all + multiprocessors - 1) / multiprocessors
		time := float64(each/resident) * round(resident)
		if rest := each % resident; rest > 0 {
			time += round(rest)
		}
		if c := float64(rows+warmUp) * time * (1 + uneven/max(1, float64(each)/float64(resident))); c < cost {
			best, cost = rows, c
		}
	}
	return best
}

// leads reports whether strips should look to the right only. Then they lose one group instead of one on each
// side. In a volume every row that enters would have to be moved to the right.
func (p Plan) leads(f *warpprog.Program, t topology.Topology) bool {
	return !p.Patches && t.Kind != topology.Plane && !p.Recompute && len(f.Chances()) == 0 && !closed(t, p.Words) &&
		!t.Volume() && 2*p.Depth*f.Radius <= 32*p.Words
}
