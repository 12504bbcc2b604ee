package plan

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
)

// Programs are the programs of a rule, by the words of a lane and by whether they have a lead.
type Programs map[programKind]*warpprog.Program

type programKind struct {
	words int
	lead  bool
}

// Choose picks the plan of a configuration, except for the rows of a strip and the stages.
func (ps Programs) Choose(cfg sim.Config) (Plan, error) {
	words := wordsFor(cfg.Topology)
	if cfg.Volume() {
		words = ps.wordsForVolume(cfg)
	}
	if cfg.Rule.Random() {
		words = min(2, words, noise.MostWords(ps.get(cfg.Rule, 1, false).Chances()))
	}
	f, err := ps.Of(cfg, Plan{Words: words, Depth: maxDepth * ptx.Lanes}) // too deep for any strip
	if err != nil {
		return Plan{}, err
	}
	return choose(f, cfg.Rule, cfg.Topology, words), nil
}

// wordsForVolume is the number of words that takes the least work for each word of a volume. It is 1 if more take too
// many registers.
func (ps Programs) wordsForVolume(cfg sim.Config) int {
	t := cfg.Topology
	best, least := 1, math.Inf(1)
	for _, words := range []int{1, 2, 4} {
		f := ps.get(cfg.Rule, words, false)
		remembered, longest, most := 0, 1, words
		for _, d := range f.Delay {
			if d > warpprog.LongestInRegisters { // lanes of few words leave room for more strips
				most = 2
				continue
			}
			remembered, longest = remembered+d, max(longest, d)
		}
		if words > most || words > 1 && (words*len(f.Entering()) > enteringRegisters || words*remembered > stateRegisters) {
			continue
		}
		s, groups := Plan{Depth: 1, Words: words}.OfStrips(t), (t.W+32*words-1)/(32*words)
		if 2*s.Halo(f) >= ptx.Lanes {
			continue
		}
		lanes := ptx.Lanes * s.Warps(f, groups, Deep(t), 1, 1)
		each := compile.WarpTables(f, words)
		if longestTurn(f, words) < longest { // rows move from register to register after each turn
			each += float64(remembered+len(f.Entering())) / 2
		}
		work := float64(lanes) * (each*float64(words) + rowWork)
		if words == 4 { // their registers leave room for half of the strips: measured on an H200
			work *= 1.1
		}
		if work < least {
			best, least = words, work
		}
	}
	return best
}

// Of returns the program of a configuration's rule for a plan.
func (ps Programs) Of(cfg sim.Config, p Plan) (*warpprog.Program, error) {
	f := ps.get(cfg.Rule, p.Words, false)
	if p.Recompute {
		again, ok := f.Recomputed()
		if !ok {
			return nil, &sim.Unsupported{
				Engine: devices.Engine, What: fmt.Sprintf("plan %v", p),
				Why: "the rule has no long delays that could be recomputed",
			}
		}
		f = again
	}
	if n := f.Tables(); n > largestProgram {
		return nil, &sim.Unsupported{
			Engine: devices.Engine, What: cfg.Rule.String(), Why: fmt.Sprintf("it takes %d tables for a cell; the limit is %d",
				n, largestProgram),
		}
	}
	if p.leads(f, cfg.Topology) {
		f = ps.get(cfg.Rule, p.Words, true)
	}
	return f, nil
}

// get compiles a rule at its first use.
func (ps Programs) get(r rule.Rule, words int, lead bool) *warpprog.Program {
	kind := programKind{words, lead}
	if ps[kind] == nil {
		ps[kind] = compile.Warp(r, words, lead)
	}
	return ps[kind]
}
