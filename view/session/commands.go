package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Cell is the state of a cell.
type Cell struct {
	X, Y  int
	State uint8
}

// MaxEdit is the most cells that one Edit changes.
const MaxEdit = 1 << 20

// furthest is the largest coordinate of a cell that an Edit changes: differences of two do not overflow.
const furthest = 1 << 60

// begin loads the first universe or another one in place of the present.
func (s *Session) begin(ctx context.Context, from Origin) error {
	if err := s.replace(ctx, from); err != nil {
		return err
	}
	s.origin, s.base, s.edited = from, nil, false
	s.series = series{}
	s.loaded++
	return nil
}

// replace opens an engine for an origin, loads it, and only then lets go of the present one. It pauses.
func (s *Session) replace(ctx context.Context, from Origin) error {
	e, err := s.open(ctx, from.Config)
	if err != nil {
		return err
	}
	if err := from.Load(ctx, e); err != nil {
		return errors.Join(err, e.Close())
	}
	e.SetGeneration(from.Generation)
	if s.engine != nil {
		if err := s.engine.Close(); err != nil {
			return errors.Join(err, e.Close())
		}
	}
	s.engine, s.info, s.config = e, e.Info(), from.Config
	s.playing, s.unkept, s.failure = false, false, ""
	s.meter.chunk, s.meter.block, s.meter.slow = 1, 0, false
	s.counted = counted{}
	s.probe = probe{activity: -1}
	s.series.cut(from.Generation)
	return nil
}

// Load replaces the universe by another and pauses.
func (s *Session) Load(ctx context.Context, from Origin) error {
	return s.do(ctx, func() error {
		snap := s.snapshot()
		if err := s.begin(ctx, from); err != nil {
			return err
		}
		s.remember(snap)
		return nil
	})
}

// remember makes snap, the universe before a change that has succeeded, what Undo goes back to.
func (s *Session) remember(snap *snapshot) {
	if snap == nil {
		s.history.forget()
		return
	}
	s.history.push(entry{whole: snap})
}

// Reset goes back to the start: what was loaded, or what had been drawn before the first generation.
func (s *Session) Reset(ctx context.Context) error {
	return s.do(ctx, func() error { return s.reset(ctx) })
}

func (s *Session) reset(ctx context.Context) error {
	snap := s.snapshot()
	err := error(nil)
	if s.base != nil {
		err = s.restore(ctx, s.base)
	} else if err = s.replace(ctx, s.origin); err == nil {
		s.edited = false
	}
	if err != nil {
		return err
	}
	s.remember(snap)
	return nil
}

// SetRule goes on with another rule. The cells stay; those in states the rule has not get its highest. A bounded-grid suffix changes
// the topology, too: cells keep their place in the coordinates of pattern files, and those outside are dropped.
func (s *Session) SetRule(ctx context.Context, text string) error {
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return err
	}
	return s.do(ctx, func() error { return s.setRule(ctx, r, suffix) })
}

func (s *Session) setRule(ctx context.Context, r rule.Rule, suffix *topology.Topology) error {
	old, engine := s.config, s.engine
	next := Origin{Config: old}
	next.Config.Rule = r
	if suffix != nil {
		next.Config.Topology = *suffix
	}
	next.Generation = engine.Generation()
	if s.background() != 0 {
		return errors.New("the background is alive: step to a generation where it is dead, or load something")
	}
	x0, y0 := pattern.Corner(old.Topology)
	x1, y1 := pattern.Corner(next.Config.Topology)
	next.Load = func(ctx context.Context, e sim.Engine) error {
		reduced := reduce{engine, uint8(r.States - 1), old.Rule.States}
		parts, err := grid.Occupied(engine)
		if err != nil {
			return err
		}
		for _, part := range parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := grid.Copy(e, reduced, part, part.X+x0-x1, part.Y+y0-y1); err != nil {
				return err
			}
		}
		return nil
	}
	snap := s.snapshot()
	if err := s.replace(ctx, next); err != nil {
		return err
	}
	s.edited = true
	s.remember(snap)
	return nil
}

// reduce is a source without states above highest, which become highest.
type reduce struct {
	grid.Source
	highest uint8
	states  int // of the source
}

// ReadRow implements grid.Source.
func (r reduce) ReadRow(dst []uint64, plane, x, y, n int) error {
	if err := r.Source.ReadRow(dst, plane, x, y, n); err != nil || r.states <= int(r.highest)+1 {
		return err
	}
	words := (n + 63) / 64
	planes := make([]uint64, r.Planes()*words)
	for k := range r.Planes() {
		if err := r.Source.ReadRow(planes[k*words:(k+1)*words], k, x, y, n); err != nil {
			return err
		}
	}
	for i := range words {
		// above: the cells whose state is above highest, found from the top plane down.
		above, equal := uint64(0), ^uint64(0)
		for k := r.Planes() - 1; k >= 0; k-- {
			bits := planes[k*words+i]
			if r.highest>>k&1 == 0 {
				above |= equal & bits
				equal &^= bits
			} else {
				equal &= bits
			}
		}
		if r.highest>>plane&1 != 0 {
			dst[i] |= above
		} else {
			dst[i] &^= above
		}
	}
	return nil
}

// Edit gives cells new states, in the order given; those outside a bounded universe are dropped. Undo takes all of an Edit back.
func (s *Session) Edit(ctx context.Context, cells []Cell) error {
	if len(cells) > MaxEdit {
		return fmt.Errorf("%d cells at once: want at most %d", len(cells), MaxEdit)
	}
	return s.do(ctx, func() error {
		states := s.config.Rule.States
		for _, c := range cells {
			switch {
			case int(c.State) >= states:
				return fmt.Errorf("state %d: the rule has states 0 to %d", c.State, states-1)
			case min(c.X, c.Y) < -furthest || max(c.X, c.Y) > furthest:
				return fmt.Errorf("the cell %d,%d is too far away", c.X, c.Y)
			}
		}
		old, err := s.write(cells)
		s.history.push(entry{cells: old})
		s.edited, s.unkept = true, false
		return err
	})
}

// write changes cells and returns what they were, those changed before an error too. Cells of a row that are close together are written
// at once: an engine may take as long for one cell as for a row.
func (s *Session) write(cells []Cell) (old []Cell, err error) {
	s.counted.valid, s.probe.armed = false, false
	order := make([]int, len(cells))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(cells[i].Y, cells[j].Y), cmp.Compare(cells[i].X, cells[j].X))
	})
	const together = 1 << 12
	planes := s.engine.Planes()
	row := make([][]uint64, planes)
	defer func() { slices.Reverse(old) }()
	for from := 0; from < len(order); {
		first := cells[order[from]]
		to := from + 1
		for to < len(order) && cells[order[to]].Y == first.Y && cells[order[to]].X-first.X < together {
			to++
		}
		n := cells[order[to-1]].X - first.X + 1
		for k := range row {
			row[k] = make([]uint64, (n+63)/64)
			if err := s.engine.ReadRow(row[k], k, first.X, first.Y, n); err != nil {
				return old, err
			}
		}
		for _, i := range order[from:to] {
			word, bit := (cells[i].X-first.X)>>6, (cells[i].X-first.X)&63
			was := Cell{X: cells[i].X, Y: cells[i].Y}
			for k := range row {
				was.State |= uint8(row[k][word]>>bit&1) << k
				row[k][word] = row[k][word]&^(1<<bit) | uint64(cells[i].State>>k&1)<<bit
			}
			old = append(old, was)
		}
		for k := range row {
			if err := s.engine.WriteRow(row[k], k, first.X, first.Y, n); err != nil {
				return old, err
			}
		}
		from = to
	}
	return old, nil
}

// ErrNothing is what Undo returns when there is nothing to take back.
var ErrNothing = errors.New("there is nothing to undo")

// Undo takes back the last edit, load, change of rule, reset, or all generations since the last of these, and pauses. Universes
// whose cells take more than 64 MiB have only edits taken back, until they are stepped.
func (s *Session) Undo(ctx context.Context) error {
	return s.do(ctx, func() error {
		s.playing = false
		e, ok := s.history.pop()
		switch {
		case !ok:
			return ErrNothing
		case e.whole != nil:
			return s.restore(ctx, e.whole)
		}
		_, err := s.write(e.cells)
		return err
	})
}

// Read calls f with the present cells and what a pattern file should say of them, for saving. The universe waits meanwhile.
func (s *Session) Read(ctx context.Context, f func(cells grid.Source, meta pattern.Meta) error) error {
	return s.do(ctx, func() error {
		var src grid.Source = s.engine
		cfg := s.config
		if s.background() != 0 {
			return errors.New("a universe whose background is alive cannot be saved")
		}
		if !cfg.Topology.Bounded() {
			tiles, err := grid.TilesOf(s.engine)
			if err != nil {
				return err
			}
			src = tiles
		}
		meta := s.origin.Meta
		meta.X, meta.Y = pattern.Corner(cfg.Topology)
		meta.HasPosition, meta.States = true, cfg.Rule.States
		meta.Rule, meta.Generation = cfg.Rule.String()+cfg.Topology.Suffix(), s.engine.Generation()
		return f(src, meta)
	})
}

// background is the state of all but finitely many cells.
func (s *Session) background() uint8 {
	if cfg := s.config; cfg.Topology.Bounded() || !cfg.Rule.BirthOnEmpty() {
		return 0
	}
	return s.engine.Info().Background
}
