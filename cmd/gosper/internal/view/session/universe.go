package session

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// universe holds an engine with its cells, their origin, and the measurements of them. It belongs to the goroutine of
// loop.
type universe struct {
	ctx   context.Context // done: the session is closed
	terms Terms
	start string // tells the session from all others

	open   Opener // opens the next engine; the holder of the making token may read it, too
	chosen string // the engine that somebody has chosen; empty for that which the session began with
	engine sim.Engine
	info   sim.Info   // when the engine was opened
	config sim.Config // of the engine
	tuner  run.Tuner  // of its steps while playing
	rival  *run.Rival // on the way to a target; nil if there is none

	origin   *Origin
	base     *snapshot // what Reset goes back to; nil means origin
	loads    uint64    // how many universes have been loaded
	loaded   uint64    // the number of the present one
	edited   bool      // whether cells were changed since the origin was loaded
	drawings uint64    // number of drawings so far, also of those that were undone and redone

	playing bool
	held    bool   // it must not change, because another one is being made from it
	unkept  bool   // whether it was stepped without a snapshot to go back to
	failure string // of the engine; empty if there is none

	timeline timeline
	series   series
	probe    probe
	counted  counted
}

// newUniverse returns the universe before the first one is loaded. Its ctx has to be set.
func newUniverse(t Terms, open Opener) *universe {
	u := &universe{
		terms: t, start: strconv.FormatUint(rand.Uint64(), 36), open: open, chosen: t.Chosen,
		origin: &Origin{}, probe: newProbe(),
	}
	u.engine, u.config = newVoid()
	return u
}

// name is Status.Universe.
func (u *universe) name() string {
	return cmp.Or(u.origin.Universe, u.start+"."+strconv.FormatUint(u.loaded, 10))
}

// meta returns the metadata for a file of the universe, without place, rule and generation.
func (u *universe) meta() pattern.Meta {
	m := u.origin.Meta
	m.Name = titled(m.Name, u.edited)
	return m
}

// exchanged returns cells as the engine holds them: state 0 and that of the background are exchanged.
func (u *universe) exchanged(cells []Cell) []Cell {
	empty := u.background()
	if empty == 0 {
		return cells
	}
	cells = slices.Clone(cells)
	for i := range cells {
		cells[i].State = background.Exchange(cells[i].State, empty)
	}
	return cells
}

// write changes cells, which are sorted by rows, for about a quantum. It returns the changes and the number of cells
// that are done. If only is not nil, a cell changes only if it is in that state. Cells of a row that are close together
// are written at once, because an engine may take as long for one cell as for a row.
func (u *universe) write(cells []Cell, only []uint8) (changes []change, done int, err error) {
	u.counted.valid = false
	u.probe.Disarm()
	const together = 1 << 12
	row := make([][]uint64, u.engine.Planes())
	for begin := time.Now(); done < len(cells) && (done == 0 || time.Since(begin) < quantum); {
		first, from := cells[done], done
		for done < len(cells) && cells[done].Y == first.Y && cells[done].X-first.X < together {
			done++
		}
		n := cells[done-1].X - first.X + 1
		for k := range row {
			row[k] = make([]uint64, (n+63)/64)
			if err := u.engine.ReadRow(row[k], k, first.X, first.Y, n); err != nil {
				return changes, done, err
			}
		}
		for i := from; i < done; i++ {
			c := cells[i]
			word, bit := (c.X-first.X)>>6, (c.X-first.X)&63
			old := uint8(0)
			for k := range row {
				old |= uint8(row[k][word]>>bit&1) << k
			}
			if old == c.State || u.outside(c) || only != nil && old != only[i] {
				continue
			}
			for k := range row {
				row[k][word] = row[k][word]&^(1<<bit) | uint64(c.State>>k&1)<<bit
			}
			changes = append(changes, change{c.X, c.Y, old, c.State})
		}
		for k := range row {
			if err := u.engine.WriteRow(row[k], k, first.X, first.Y, n); err != nil {
				return changes, done, err
			}
		}
	}
	return changes, done, nil
}

// outside reports whether a cell lies outside a bounded universe.
func (u *universe) outside(c Cell) bool {
	t := u.config.Topology
	return t.W > 0 && (c.X < 0 || c.X >= t.W) || t.H > 0 && (c.Y < 0 || c.Y >= t.H)
}

// background is the state of all but finitely many cells.
func (u *universe) background() uint8 {
	if cfg := u.config; cfg.Topology.Bounded() || !cfg.Rule.BirthOnEmpty() {
		return 0
	}
	return u.engine.Info().Background
}

// fail pauses for good, because the engine cannot be used any more.
func (u *universe) fail(err error) { u.failure, u.playing = err.Error(), false }

// take makes a loaded engine the session's universe, and pauses.
func (u *universe) take(e sim.Engine, from Origin) {
	u.engine, u.info, u.config = e, e.Info(), from.Config
	u.playing, u.unkept, u.failure = false, false, ""
	u.tuner = run.Tuner{}
	u.counted = counted{}
	u.probe = newProbe()
	u.timeline.next = time.Time{}
}

// changeable reports whether the universe may change: it is loaded, and no other universe is being made from it.
func (u *universe) changeable() bool { return !u.held && u.loads > 0 }

// editable refuses changes of areas that cannot be made at the moment.
func (u *universe) editable(highest uint8) error {
	states := u.config.Rule.States
	switch {
	case !u.changeable():
		return ErrMaking
	case int(highest) >= states:
		return fmt.Errorf("state %d: the rule has states 0 to %d", highest, states-1)
	}
	return nil
}

// read copies an area as the engine holds it. Cells beyond a bounded universe are dead in the copy.
func (u *universe) read(area grid.Rect) (*grid.Grid, error) {
	g, err := grid.New(area.W, area.H, u.engine.Planes())
	if err != nil {
		return nil, err
	}
	part := area
	if t := u.config.Topology; t.Bounded() {
		if part = area.Intersect(grid.Rect{W: t.W, H: t.H}); part.Empty() {
			return g, nil
		}
	}
	return g, grid.Copy(g, u.engine, part, part.X-area.X, part.Y-area.Y)
}
