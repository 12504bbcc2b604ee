// Package batch is the contract for many small universes that advance together: an ensemble's thousands of
// soups of one rule and one size, each with its own seed and density.
//
// A Batch is not a sim.Engine with one more dimension. Nobody edits or watches one of ten thousand universes. A
// question, such as for populations or cluster sizes, is put to all of them at once. Universe i of a batch goes
// through exactly the states that an engine of package sim goes through if it is loaded with the same cells.
package batch

import (
	"context"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Batch advances many universes. It is not safe for concurrent use. Universes are numbered from 0.
type Batch interface {
	// Fill makes universe i the soup of soups[i], at generation 0, exactly as soup.Fill does. There must be as
	// many soups as universes. Under a rule with chance that names no seed, the soup's seed is also that of the
	// universe's random bits (rule.Rule.WithSeed).
	Fill(ctx context.Context, soups []Soup) error
	// Write puts the cells of g, which has the size of a universe, into universe i. It does not change the generation.
	Write(i int, g *grid.Grid) error
	// Read stores the cells of universe i in g, which has the size of a universe.
	Read(i int, g *grid.Grid) error
	// Step advances all universes by n generations. If it returns an error, for instance ctx.Err(), universes may
	// be at different generations. Then they must be filled again.
	Step(ctx context.Context, n uint64) error
	// Generation counts from Fill, or from the creation of the batch.
	Generation() uint64
	// SetGeneration tells the batch the generation of cells just written, for universes that go on: chance and
	// alternating rules depend on it.
	SetGeneration(g uint64)
	// Populations stores in dst[i] the number of cells of universe i that are not in state 0, for all universes.
	Populations(ctx context.Context, dst []uint64) error
	// Clusters finds the clusters of cells in state 1 in all universes and stores the number of each size in dst.
	// Clusters continue across edges that the topology joins.
	Clusters(ctx context.Context, c component.Connectivity, dst *Histograms) error
	Info() sim.Info
	Close() error
}

// Spanner is a Batch that finds the spans of clusters on the device that stores its cells.
type Spanner interface {
	// Spans stores in dst, for each universe, the directions in which its clusters of cells in state 1 span it. It is
	// not for component.Six.
	Spans(ctx context.Context, c component.Connectivity, dst []component.Span) error
}

// Config says what to simulate. All universes start dead.
type Config struct {
	Rule rule.Rule
	// Rules is one rule for each universe, where they differ; nil if all have Rule. The batch has then a method
	// Choose(rules []rule.Rule) error, which gives the universes other rules of the same kind and neighbourhood.
	// Engines that cannot do that return *sim.Unsupported.
	Rules     []rule.Rule
	Topology  topology.Topology // of each universe
	Universes int
	Threads   int    // 0 means all cores
	Device    string // what follows ":" in the engine's name
	// Shared asks for universes that share vectors or a kernel launch. If each universe would need an engine of
	// its own, the error is a *sim.Unsupported. With one thread it is then better to run one engine for one
	// universe after another.
	Shared bool
}

// Soup is the start of a universe: the arguments of soup.Fill.
type Soup struct {
	Seed    uint64
	Density float64 // 0 to 1
}
