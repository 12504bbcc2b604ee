package census

import "github.com/gosper-life/gosper/sim/cpu/sparse"

// mover is an object that flies away or stands still: the box that it stays in for a period or more, and how
// far it moves in each period.
type mover struct {
	sparse.Box
	DX, DY, Period int
}

// moverOf returns the mover of a removed glider at a generation.
func moverOf(g *sparse.Glider, generation int) mover {
	x, y := g.Place(generation)
	return mover{sparse.Box{Left: x - 1, Top: y - 1, Right: x + 3, Bottom: y + 3}, g.DX, g.DY, 4}
}

// glidersMeet reports whether two removed gliders will meet.
func glidersMeet(gliders []sparse.Glider) bool {
	for i := range gliders {
		for j := range i {
			a, b := &gliders[i], &gliders[j]
			if later := max(a.Generation, b.Generation); moverOf(a, later).Meets(moverOf(b, later), 1) {
				return true
			}
		}
	}
	return false
}

// Meets reports whether a cell will have neighbours in both of two boxes, if they continue, under a rule of a radius.
// In the frame of one object, the other must cross its columns and its rows at the same time. With relative speed v,
// and the distances lo and hi until they touch and until they have passed, that is between lo/v and hi/v along each
// axis. Boxes that fly side by side never come nearer.
func (m mover) Meets(o mover, radius int) bool {
	apart := 2 * radius
	// Speeds in cells per m.Period·o.Period generations.
	vx, vy := m.DX*o.Period-o.DX*m.Period, m.DY*o.Period-o.DY*m.Period
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

// ratio is a point in time. With denominator 0 that time never comes.
type ratio struct{ over, under int }

func (a ratio) atMost(b ratio) bool {
	if a.under == 0 || b.under == 0 {
		return b.under == 0
	}
	return a.over*b.under <= b.over*a.under
}

// meeting returns the interval of time, from now on, in which something at speed v is between lo and hi from
// its start. ok is false if there is none.
func meeting(lo, hi, v int) (from, to ratio, ok bool) {
	if v < 0 {
		lo, hi, v = -hi, -lo, -v
	}
	if v == 0 {
		return ratio{0, 1}, ratio{}, lo <= 0 && hi >= 0
	}
	return ratio{max(lo, 0), v}, ratio{hi, v}, hi >= 0
}
