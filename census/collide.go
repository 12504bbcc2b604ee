package census

import "github.com/gosper-life/gosper/sim/cpu/sparse"

// mover is an object that flies away, or stands: the box it has kept to in a period or more, and how far it moves in each period.
type mover struct {
	sparse.Box
	dx, dy, period int
}

// flying is a glider that was struck out, as it flies on.
func flying(g *sparse.Glider, generation int) mover {
	x, y := g.Place(generation)
	return mover{sparse.Box{Left: x - 1, Top: y - 1, Right: x + 3, Bottom: y + 3}, g.DX, g.DY, 4}
}

// apart is how far boxes must stay apart: two cells, so that no cell has neighbours in both.
const apart = 2

// meets reports whether two boxes will come near each other, if both go on as they do. That is so when, seen from one of them, the other
// crosses its columns and its rows at the same time: with relative speed v and the distances lo and hi to go until they touch and until they
// have passed, between lo/v and hi/v along each axis. Those that fly side by side never come nearer than they are.
func (m mover) meets(o mover) bool {
	// Speeds in cells per m.period·o.period generations.
	vx, vy := m.dx*o.period-o.dx*m.period, m.dy*o.period-o.dy*m.period
	if vx == 0 && vy == 0 {
		return false
	}
	x0, x1, ok := meeting(o.Left-m.Right-apart, o.Right-m.Left+apart, vx)
	if !ok {
		return false
	}
	y0, y1, ok := meeting(o.Top-m.Bottom-apart, o.Bottom-m.Top+apart, vy)
	return ok && x0.atMost(y1) && y0.atMost(x1)
}

// ratio is a point in time; with a denominator of 0 it never comes.
type ratio struct{ over, under int }

func (a ratio) atMost(b ratio) bool {
	if a.under == 0 || b.under == 0 {
		return b.under == 0
	}
	return a.over*b.under <= b.over*a.under
}

// meeting is from when to when, from now on, something at speed v is between lo and hi from where it began; ok is false where never.
func meeting(lo, hi, v int) (from, to ratio, ok bool) {
	if v < 0 {
		lo, hi, v = -hi, -lo, -v
	}
	if v == 0 {
		return ratio{0, 1}, ratio{}, lo <= 0 && hi >= 0
	}
	return ratio{max(lo, 0), v}, ratio{hi, v}, hi >= 0
}
