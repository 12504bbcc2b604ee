package soup

import (
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// TestBonds: cells are sites, bonds that follow the soup of the seed, and dead ones between, also in rows that
// are made in parts.
func TestBonds(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {130, 6}, {64, 4}, {1<<22 + 100, 2}} {
		in := Setting{W: size[0], H: size[1], States: 2, Seed: 4, Density: 0.6}
		g := start(t, "bonds", in)
		open, err := New(4, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		for y := range in.H {
			for x := range in.W {
				want := (x+y)%2 == 1 && open.Alive(uint64(y*in.W+x)) || x%2 == 0 && y%2 == 0
				if got := g.Get(x, y) == 1; got != want {
					t.Fatalf("%v: cell %d, %d is %v", size, x, y, got)
				}
			}
		}
	}
	if err := parsed(t, "bonds").Check(2, 9, 4); err == nil ||
		err.Error() != "start bonds: 9×4 cells: want an even width and height, so that bonds join the last sites to the first" {
		t.Errorf("got %v", err)
	}
}

// TestBondsPercolate compares clusters of cells, for every choice of open bonds of a torus of 2×2 sites, with walks
// along the bonds of the plane that covers it. It also checks that half of the bonds are open at the critical point.
// The square lattice is its own dual: the bonds across closed bonds go around the torus in both ways exactly if no
// open bonds go around it. Therefore, the choices with a cluster that closes on itself in two directions are as
// frequent as the choices without any cluster that closes on itself.
func TestBondsPercolate(t *testing.T) {
	const side, bonds = 2, 8
	torus, err := topology.New(topology.Torus, 2*side, 2*side)
	if err != nil {
		t.Fatal(err)
	}
	var none, cross int
	for choice := range 1 << bonds {
		open := func(x, y, down int) bool { return choice>>(2*(y*side+x)+down)&1 == 1 }
		g, err := grid.New(2*side, 2*side, 1)
		if err != nil {
			t.Fatal(err)
		}
		for y := range side {
			for x := range side {
				g.Set(2*x, 2*y, 1)
				if open(x, y, 0) {
					g.Set(2*x+1, 2*y, 1)
				}
				if open(x, y, 1) {
					g.Set(2*x, 2*y+1, 1)
				}
			}
		}
		rank, span := 0, component.Span(0)
		for from := range side * side {
			r, s := around(from%side, from/side, side, open)
			rank, span = max(rank, r), span|s
		}
		c, err := component.Label(g, torus, component.Four)
		if err != nil {
			t.Fatal(err)
		}
		if c.Span != span {
			t.Errorf("choice %b: clusters of cells span %v, bonds %v", choice, c.Span, span)
		}
		switch rank {
		case 0:
			none++
		case 2:
			cross++
		}
	}
	if none != cross || none == 0 {
		t.Errorf("%d of %d choices have no cluster that wraps, and %d have one that wraps in two directions", none, 1<<bonds,
			cross)
	}
}

// around walks the open bonds of the plane that covers a torus, from a site on: in how many independent
// directions it comes back to sites of the torus, and along which axes.
func around(x, y, side int, open func(x, y, down int) bool) (rank int, span component.Span) {
	mod := func(v int) int { return (v%side + side) % side }
	type at struct{ x, y int }
	seen := map[at]at{} // by site of the torus, where it was first reached
	var back []at
	todo := []at{{x, y}}
	seen[at{x, y}] = at{x, y}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		for _, d := range []struct {
			dx, dy, x, y, down int
		}{{1, 0, 0, 0, 0}, {-1, 0, -1, 0, 0}, {0, 1, 0, 0, 1}, {0, -1, 0, -1, 1}} {
			if !open(mod(p.x+d.x), mod(p.y+d.y), d.down) {
				continue
			}
			q := at{p.x + d.dx, p.y + d.dy}
			site := at{mod(q.x), mod(q.y)}
			if before, known := seen[site]; !known {
				seen[site] = q
				todo = append(todo, q)
			} else if before != q {
				back = append(back, at{q.x - before.x, q.y - before.y})
			}
		}
	}
	for _, v := range back {
		rank = max(rank, 1)
		if v.x != 0 {
			span |= component.SpanX
		}
		if v.y != 0 {
			span |= component.SpanY
		}
		if v.x*back[0].y != v.y*back[0].x {
			rank = 2
		}
	}
	return rank, span
}
