package run

import (
	"context"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/grid"
)

// hashLargest is the number of cells in a bounding box above which an infinite universe gets no hash of bytes. Two gliders that have flown apart for
// ten million generations would keep a run from ending for hours.
const hashLargest = 1 << 38

// Texts printed in place of a hash.
const (
	tooWide   = "not computed: the bounding box is too large for a hash of bytes"
	cancelled = "not computed: interrupted"
)

// lastHash is the longest time that a hash may delay the end of an interrupted run.
const lastHash = 2 * time.Second

// lastContext returns ctx, or a context with a short deadline if ctx is done.
func lastContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), lastHash)
}

// hashOf returns a hash of the kind that --hash names, in hex. It is empty for none, and if computing it would take too long.
func hashOf(ctx context.Context, src grid.Source, kind string, states int, unbounded bool) (string, error) {
	if kind == "none" {
		return "", nil
	}
	box, err := src.Extent()
	if err != nil {
		return "", err
	}
	var sum grid.Digest
	switch {
	case kind == "bytes" && unbounded && grid.Product(uint64(box.W), uint64(box.H)) > hashLargest:
		return "", nil
	case kind == "bytes":
		sum, err = grid.BytesHash(ctx, src)
	default:
		sum, err = grid.StateHash(ctx, src, states, unbounded)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum), nil
}
