package cat

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/rule"
)

// OpenHost runs a method on a torus of w×h cells on one core of this computer. It does the arithmetic of the
// kernel in plain Go, in the same order of cells and lanes. It is for tests and for readers; its speed says
// nothing about the method.
func OpenHost(m Method, r rule.Rule, w, h int) (experiment.Stepper, error) {
	t, err := m.transitionOf(r)
	if err != nil {
		return nil, err
	}
	if m == Volume {
		return nil, fmt.Errorf("%s runs on GPUs only", m)
	}
	if err := m.checkSize(w, h, 0); err != nil {
		return nil, err
	}
	u := &hostUniverse{w: w, h: h, t: t, most: m.LaunchGenerations(t.radius, Options{})}
	switch m {
	case CAT, MMA, Cached:
		u.fragments(16)
		u.advance = u.multiply
	case Registers:
		u.fragments(16)
		u.advance = u.multiplyInLanes(2)
	case Int8:
		u.fragments(32)
		u.advance = u.multiplyInLanes(4)
	case Temporal:
		u.fragments(16)
		u.advance = u.multiplyPatches
	default:
		l, pitch := inRows(w, h, t.radius)
		u.from, u.to, u.pitch = make([]uint8, l.bytes), make([]uint8, l.bytes), pitch
		u.at = func(x, y int) int { return l.origin + y*pitch + x }
		u.advance = map[Method]func(){
			Base: u.sumEach, Base8: u.sumEach, Shared: u.sumTiles(32, 32), Coarse: u.sumTiles(64, 64),
			MCell: u.sumPairs, MCellPairs: u.sumPairs,
			Pack: u.sumPackets, Prefix: u.sumWords, Rows: u.multiplyRows, Bits: u.countBits,
		}[m]
	}
	return u, nil
}

// hostUniverse is a torus with its margin, a byte a cell in the method's order.
type hostUniverse struct {
	w, h         int
	t            transition
	from, to     []uint8
	at           func(x, y int) int // index of a cell, also in the margin
	pitch        int                // in rows
	side, across int                // of and in fragments
	most, pass   int                // generations of a pass: the largest number, and that of the next pass
	advance      func()             // a pass, from `from` to `to`
}

// fragments arranges the cells in squares, as the kernels do: all cells of a square lie together in
// memory.
func (u *hostUniverse) fragments(side int) {
	reach := ceilDiv(u.margin(), side)
	l, across := inFragments("", u.w, u.h, side, 1, u.margin())
	u.from, u.to, u.side, u.across = make([]uint8, l.bytes), make([]uint8, l.bytes), side, across
	u.at = func(x, y int) int {
		x, y = x+reach*side, y+reach*side
		return (y/side*across+x/side)*side*side + y%side*side + x%side
	}
}

// Load implements experiment.Stepper.
func (u *hostUniverse) Load(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, u.w, u.h); err != nil {
		return err
	}
	for y := range u.h {
		for x := range u.w {
			u.from[u.at(x, y)] = g.Get(x, y)
		}
	}
	return nil
}

// Store implements experiment.Stepper.
func (u *hostUniverse) Store(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, u.w, u.h); err != nil {
		return err
	}
	for y := range u.h {
		for x := range u.w {
			g.Set(x, y, u.from[u.at(x, y)])
		}
	}
	return nil
}

// Step implements experiment.Stepper.
func (u *hostUniverse) Step(n int) error {
	for done := 0; done < n; done += u.pass {
		u.pass = min(u.most, n-done)
		u.halo()
		u.advance()
		u.from, u.to = u.to, u.from
	}
	return nil
}

// Close implements experiment.Stepper.
func (u *hostUniverse) Close() error { return nil }

// margin is the width of the halo.
func (u *hostUniverse) margin() int { return u.most * u.t.radius }

// halo fills the margin from the opposite edge.
func (u *hostUniverse) halo() {
	r := u.margin()
	wrap := func(v, n int) int { return (v%n + n) % n }
	for y := -r; y < u.h+r; y++ {
		for x := -r; x < u.w+r; x++ {
			if x < 0 || x >= u.w || y < 0 || y >= u.h {
				u.from[u.at(x, y)] = u.from[u.at(wrap(x, u.w), wrap(y, u.h))]
			}
		}
	}
}
