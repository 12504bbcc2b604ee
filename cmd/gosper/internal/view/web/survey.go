package web

import (
	"context"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/objects"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/topology"
)

// sendObjects tells the viewer what objects there are.
func (v *viewer) sendObjects(ctx context.Context, area grid.Rect) error {
	list, err := objects.Of(ctx, v.server.session, area)
	if err != nil {
		return err
	}
	return v.sendJSON(ctx, map[string]any{"objects": list})
}

// sendPlaces tells the viewer where the universe is active.
func (v *viewer) sendPlaces(ctx context.Context) error {
	found, generation, err := v.server.session.Places(ctx)
	if err != nil {
		return err
	}
	at := make([][5]int, len(found))
	for i, p := range found {
		at[i] = [5]int{p.Box.X, p.Box.Y, p.Box.W, p.Box.H, int(p.Changed)}
	}
	return v.sendJSON(ctx, map[string]any{"places": map[string]any{
		"generation": strconv.FormatUint(generation, 10),
		"at":         at,
	}})
}

// sendSizes has the clusters found, shows them to all viewers, and says how large the largest is.
func (v *viewer) sendSizes(ctx context.Context) error {
	sizes, err := v.server.findSizes(ctx)
	if err != nil {
		return err
	}
	v.server.sizes.Store(sizes)
	v.server.mu.Lock()
	for v := range v.server.viewers {
		v.showSizes(sizes)
	}
	v.server.mu.Unlock()
	return v.sendJSON(ctx, map[string]any{"sized": sizes.Largest()})
}

// findSizes finds the clusters of the present universe, which stops only while its cells are copied.
func (s *Server) findSizes(ctx context.Context) (*far.Sizes, error) {
	var box grid.Rect
	var cells grid.Source
	if err := s.session.Read(ctx, func(src grid.Source, _ pattern.Meta) (err error) {
		if box, err = src.Extent(); err != nil {
			return err
		}
		if err := far.Sizeable(box); err != nil {
			return err
		}
		cells, err = grid.TilesOf(ctx, src)
		return err
	}); err != nil {
		return nil, err
	}
	return far.SizesOf(cells, box, s.session.Status().Topology.Kind == topology.Torus)
}

// showSizes sends the viewer another frame of what it sees, with these sizes.
func (v *viewer) showSizes(sizes *far.Sizes) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen.sizes = sizes
	v.stop()
	v.wake()
}
