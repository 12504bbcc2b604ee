package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// clusterFlags ask for the clusters of the last generation.
type clusterFlags struct {
	Clusters     *component.Connectivity `placeholder:"8|6|4|26|18" help:"Find the connected clusters of cells in state 1. 4: cells touch if they share an edge. 8: also if they share a corner. 6: on the triangular lattice, so also up left and down right. In three dimensions 6: they share a face; 18: also an edge; 26: also a corner."`
	ClusterSizes string                  `placeholder:"FILE" help:"Write the number of clusters of each size: .csv .parquet .jsonl, - for CSV on standard output (needs --clusters)."`
}

// check refuses flags whose result could not be found or written at the end.
func (f *clusterFlags) check(t topology.Topology) error {
	switch {
	case f.Clusters == nil && f.ClusterSizes != "":
		return errors.New("--cluster-sizes needs --clusters, such as --clusters 8")
	case f.Clusters == nil:
		return nil
	case t.Kind != topology.Unbounded && !t.Bounded():
		return fmt.Errorf("--clusters: %v is infinite in only one direction; want a bounded universe or the unbounded plane",
			t)
	case f.Clusters.Fits(t) != nil:
		return fmt.Errorf("--clusters: %w", f.Clusters.Fits(t))
	case f.ClusterSizes == "" || output.IsStream(f.ClusterSizes):
		return nil
	}
	return result.CheckPath(f.ClusterSizes)
}

// sizesFormat is a name that gives the format of the file of sizes. A stream is CSV unless its name says
// something else.
func (f *clusterFlags) sizesFormat() string {
	if output.IsStream(f.ClusterSizes) && result.CheckPath(f.ClusterSizes) != nil {
		return ".csv"
	}
	return f.ClusterSizes
}

// clusterSummary is the report of gosper run about clusters.
type clusterSummary struct {
	Connectivity int     `json:"connectivity"`
	Count        uint64  `json:"count"`
	Cells        uint64  `json:"cells"` // in state 1
	Largest      uint64  `json:"largest"`
	Spans        string  `json:"span"` // directions in which a cluster spans the universe: see component.Span
	Seconds      float64 `json:"seconds"`
}

// clusterSize is a row of the file of sizes.
type clusterSize struct {
	Size     uint64 `parquet:"size" json:"size"` // cells
	Clusters uint64 `parquet:"clusters" json:"clusters"`
}

// foundClusters are the clusters of a universe.
type foundClusters struct {
	summary *clusterSummary
	sizes   []clusterSize
}

// find finds the clusters of the universe in its present state.
func (f *clusterFlags) find(e sim.Engine, t topology.Topology) (foundClusters, error) {
	if e.Info().Background != 0 {
		return foundClusters{}, errors.New("the background is alive in this generation: its cluster has no size")
	}
	start := time.Now()
	found, err := sim.Clusters(e, t, *f.Clusters)
	if err != nil {
		return foundClusters{}, err
	}
	s := summaryOf(found, *f.Clusters, time.Since(start))
	var rows []clusterSize
	for size, n := range found.Sizes.All() {
		rows = append(rows, clusterSize{size, n})
	}
	return foundClusters{s, rows}, nil
}

// summaryOf describes clusters that were found in some time.
func summaryOf(found component.Clusters, c component.Connectivity, took time.Duration) *clusterSummary {
	return &clusterSummary{
		Connectivity: c.Neighbours(), Count: found.Sizes.Count(), Cells: found.Sizes.Cells(),
		Largest: found.Sizes.Largest(), Spans: found.Span.String(), Seconds: took.Seconds(),
	}
}

// String is the text for people.
func (s *clusterSummary) String() string {
	text := fmt.Sprintf("%s (%d-connected)", number.Grouped(s.Count), s.Connectivity)
	if s.Count > 0 {
		text += ", the largest of " + number.Count(s.Largest, "cell")
	}
	if s.Spans != component.SpanNone.String() {
		text += ", spanning " + s.Spans
	}
	return text
}
