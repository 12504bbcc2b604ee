package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/grid"
)

// The most cells of which hashes are computed. A hash of bytes takes time for every cell of the bounding box: two
// gliders that have flown apart for ten million generations would keep a run from ending for hours.
const (
	mostBytes = 1 << 38 // of an infinite universe
	mostCells = 1 << 50 // of a bounded universe
)

// Texts printed in place of a hash.
const (
	tooWide   = "not computed: the universe is too large for such a hash"
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

// hashOf returns a hash of the kind that --hash names, in hex. It is empty for none, and if computing it would
// take too long.
func hashOf(ctx context.Context, src grid.Source, kind string, states int, unbounded bool) (string, error) {
	if kind == "none" {
		return "", nil
	}
	box, err := src.Extent()
	if err != nil {
		return "", err
	}
	var sum grid.Digest
	cells := grid.Product(uint64(box.W), uint64(box.H))
	switch {
	case kind == "bytes" && (cells > mostCells || unbounded && cells > mostBytes):
		return "", nil
	case kind == "bytes":
		sum, err = grid.BytesHash(ctx, src)
	default:
		sum, err = grid.StateHash(ctx, src, states, unbounded)
	}
	if errors.Is(err, grid.ErrTooLarge) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum), nil
}
