package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// summary is the report of gosper run.
type summary struct {
	Rule        string  `json:"rule"`
	Width       int     `json:"width"` // of the bounding box on the unbounded plane
	Height      int     `json:"height"`
	Depth       *int    `json:"depth"` // layers; null in two dimensions
	Topology    string  `json:"topology"`
	Generation  uint64  `json:"generation"`
	Generations uint64  `json:"generations"` // that were run
	Reason      string  `json:"reason"`      // why the run ended: a run.Reason, or reasonFailed
	Period      *uint64 `json:"period"`      // of a stable universe, in generations; null if it is not stable
	// the generation from which the universe is stable; null if it is not stable, or if the generation is not known
	Lifespan *uint64 `json:"lifespan"`
	Leaving  int     `json:"leaving"` // groups of its cells that do not repeat but fly away forever
	// of all but finitely many cells; population counts those in another state, and is null if workers that are lost had
	// them
	Background uint8    `json:"background"`
	Population *big.Int `json:"population"`
	// from state 0 on, in the bounding box on the unbounded plane; null for two states, or if cells are too far
	// apart to look at each
	States []uint64 `json:"cells_by_state"`
	Hash   *string  `json:"hash"` // null if there is none; see hashOf
	Engine string   `json:"engine"`
	Device string   `json:"device"`
	Plan   string   `json:"plan"`
	// the engine that ran up to some generation; null: this one ran all
	Replaced       *string  `json:"replaced"`
	ReplacedAt     *uint64  `json:"replaced_generation"` // that generation
	Seconds        float64  `json:"seconds"`
	CellsPerSecond *float64 `json:"cells_per_second"` // null if unbounded, or if no generation was run
	Seed           *string  `json:"seed"`             // of what chance made at the start; null if nothing
	Density        *float64 `json:"density"`          // of a soup or another start that has one; else null
	energy.Use
	Clusters *clusterSummary `json:"clusters"` // null unless asked for
	Out      []string        `json:"out"`      // files written
	Repeat   string          `json:"repeat"`   // a command that runs the same again

	nothing  bool   // stays: all groups leave
	unhashed string // why there is no hash; empty if none was wanted
	cells    uint64 // 0 if unbounded
	rests    bool   // cells at rest are not computed
}

// reasonFailed means that an output could not be written. It is added to the reasons of package sim.
const reasonFailed run.Reason = "failed"

// summary reads the universe for the report.
func (r *running) summary(ctx context.Context, kind string, files []string) (*summary, error) {
	u, e, info := r.start, r.engine, r.engine.Info()
	box, err := e.Extent()
	if err != nil {
		return nil, err
	}
	population, err := sim.Population(e)
	if err != nil {
		return nil, err
	}
	plan := info.Plan
	if r.result.Leapt > 0 {
		plan = sim.WithLeap(plan)
	}
	s := &summary{
		Rule: u.Config.Rule.String(), Width: box.W, Height: box.H, Topology: u.Config.Topology.String(),
		Generation: e.Generation(), Generations: r.result.Generations, Reason: string(r.result.Reason),
		Leaving:    r.result.Leaving,
		Population: population, Engine: info.Engine, Device: info.Device, Plan: plan,
		Seconds: r.result.Stepping.Seconds(), Use: r.energy, Out: append([]string{}, files...),
		Background: info.Background,
		rests:      strings.Contains(info.Plan, ",tiles,"),
	}
	if t := u.Config.Topology; t.Volume() {
		s.Height, s.Depth = t.LayerRows(), console.Known(t.D)
	}
	if r.result.Reason == run.ReasonStable {
		s.nothing = r.result.Nothing
		s.Period, s.Lifespan = &r.result.Period, r.result.Lifespan
	}
	if was := r.result.Replaced; was != nil {
		s.Replaced, s.ReplacedAt = &was.Engine, &was.Generation
	}
	if r.result.CellsPerSecond > 0 {
		s.CellsPerSecond = &r.result.CellsPerSecond
	}
	if u.Seed != "" {
		s.Seed = &u.Seed
		if u.Start.HasDensity() {
			s.Density = &u.Density
		}
	}
	if u.Config.Topology.Bounded() {
		s.cells = uint64(box.W) * uint64(box.H)
	}
	if u.Config.Rule.States > 2 {
		far, err := isFar(e)
		if err != nil {
			return nil, err
		}
		if !far {
			if s.States, err = grid.StateCounts(e, u.Config.Rule.States); err != nil {
				return nil, err
			}
			// as the cells are held: see package background
			s.States[0], s.States[info.Background] = s.States[info.Background], s.States[0]
		}
	}
	hashing, stop := lastContext(ctx)
	defer stop()
	hash, err := hashOf(hashing, e, kind, u.Config.Rule.States, !u.Config.Topology.Bounded())
	switch {
	case err != nil && errors.Is(err, hashing.Err()):
		s.unhashed, err = cancelled, nil
	case hash != "":
		s.Hash = &hash
	case kind != "none":
		s.unhashed = tooWide
	}
	return s, err
}

// print writes the summary for people.
func (s *summary) print(c *console.Console) {
	c.Printf("%s on %s, generation %s%s\n", s.Rule, s.place(), number.Grouped(s.Generation), s.ending())
	if s.Population != nil {
		c.Printf("  population  %s%s\n", number.GroupedBig(s.Population), s.shares())
	}
	if s.Background != 0 {
		c.Printf("  background  state %d: the population counts the cells that are in another\n", s.Background)
	}
	if s.Clusters != nil {
		c.Printf("  clusters    %s\n", s.Clusters)
	}
	if hash := cmp.Or(console.Text(s.Hash), s.unhashed); hash != "" {
		c.Printf("  hash        %s\n", hash)
	}
	c.Printf("  engine      %s, %s%s\n", s.Engine, s.Plan, s.replacing())
	c.Printf("  time        %s for %s%s\n",
		number.Seconds(time.Duration(s.Seconds*float64(time.Second))), number.Count(s.Generations, "generation"), s.speed())
	if used := s.Use.String(); used != "" {
		c.Printf("  energy      %s\n", used)
	}
	if len(s.Out) > 0 {
		c.Printf("  wrote       %s\n", strings.Join(s.Out, ", "))
	}
	c.Printf("repeat with: %s\n", s.Repeat)
}

func (s *summary) place() string {
	switch {
	case s.cells > 0:
		return s.Topology
	case s.Topology == (topology.Topology{}).String():
		return fmt.Sprintf("the unbounded plane (%d×%d cells in use)", s.Width, s.Height)
	}
	return fmt.Sprintf("%s (%d×%d cells in use)", s.Topology, s.Width, s.Height)
}

func (s *summary) ending() string {
	switch run.Reason(s.Reason) {
	case run.ReasonStable:
		return s.stable()
	case run.ReasonExtinct:
		return ", extinct"
	case run.ReasonInterrupted:
		return ", interrupted"
	case run.ReasonSpace:
		return ", at the end of the coordinates"
	case run.ReasonTimeout:
		return ", out of time"
	case reasonFailed:
		return ", ended because an output could not be written"
	}
	return ""
}

// stable describes a stable universe: since when it is, and its period or motion.
func (s *summary) stable() string {
	text := ", stable"
	if s.Lifespan != nil {
		text += " from generation " + number.Grouped(*s.Lifespan) + " on"
	}
	if *s.Period == 1 {
		text += ": nothing changes"
	} else {
		text += ": it repeats every " + number.Count(*s.Period, "generation")
	}
	switch {
	case s.Leaving == 0:
		return text
	case s.nothing:
		text += ", but flies away"
	default:
		text += ", except for cells that fly away"
	}
	if s.Leaving == 1 {
		return text
	}
	return text + fmt.Sprintf(" in %d groups", s.Leaving)
}

func (s *summary) shares() string {
	var parts []string
	if s.cells > 0 {
		parts = append(parts, fmt.Sprintf("%.4g %%", 100*float64(s.Population.Uint64())/float64(s.cells)))
	}
	for state, n := range s.States {
		if state != int(s.Background) && n > 0 && len(s.States) <= 16 {
			parts = append(parts, fmt.Sprintf("state %d: %s", state, number.Grouped(n)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// replacing describes the engine that this one has replaced.
func (s *summary) replacing() string {
	if s.Replaced == nil {
		return ""
	}
	return fmt.Sprintf("; up to generation %s %s", number.Grouped(*s.ReplacedAt), *s.Replaced)
}

func (s *summary) speed() string {
	switch g := float64(s.Generations); {
	case s.CellsPerSecond != nil && s.rests:
		return ", " + number.Rate(*s.CellsPerSecond, "cells") + ", counting cells at rest, which are not computed"
	case s.CellsPerSecond != nil:
		return ", " + number.Rate(*s.CellsPerSecond, "cells")
	case g > 0 && s.Seconds > 0:
		return ", " + number.Rate(g/s.Seconds, "generations")
	}
	return ""
}
