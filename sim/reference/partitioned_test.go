package reference_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/sim"
)

// parts are the cells of a torus as LifeViewer defines them, independently of package rule: a cell has a part on each
// side.
type parts [][]struct{ below, left, above, right bool }

func newParts(w, h int) parts {
	p := make(parts, h)
	for y := range p {
		p[y] = make([]struct{ below, left, above, right bool }, w)
	}
	return p
}

// partsOf makes parts of the states in rows.
func partsOf(rows [][]uint8) parts {
	p := newParts(len(rows[0]), len(rows))
	for y, row := range rows {
		for x, s := range row {
			c := &p[y][x]
			c.below, c.left, c.above, c.right = s&1 != 0, s&2 != 0, s&4 != 0, s&8 != 0
		}
	}
	return p
}

// states are the sums of 1 below, 2 left, 4 above and 8 right.
func (p parts) states() [][]uint8 {
	rows := make([][]uint8, len(p))
	for y, row := range p {
		rows[y] = make([]uint8, len(row))
		for x, c := range row {
			for value, is := range map[uint8]bool{1: c.below, 2: c.left, 4: c.above, 8: c.right} {
				if is {
					rows[y][x] += value
				}
			}
		}
	}
	return rows
}

// crossed exchanges the two parts at each edge between cells.
func (p parts) crossed() parts {
	h, w := len(p), len(p[0])
	q := newParts(w, h)
	for y, row := range p {
		for x, c := range row {
			q[(y+1)%h][x].above = c.below
			q[(y+h-1)%h][x].below = c.above
			q[y][(x+1)%w].left = c.right
			q[y][(x+w-1)%w].right = c.left
		}
	}
	return q
}

// stepped is a generation: the parts cross the edges, and the table says what becomes of each cell.
func stepped(rows [][]uint8, table []int) [][]uint8 {
	next := partsOf(rows).crossed().states()
	for _, row := range next {
		for x, s := range row {
			row[x] = uint8(table[s])
		}
	}
	return next
}

func partitionedNotation(table []int) string {
	return "2PCA4," + strings.Trim(strings.ReplaceAll(fmt.Sprint(table), " ", ","), "[]")
}

// cellsOf reads all cells of a universe of a size.
func cellsOf(e sim.Engine, w, h int) [][]uint8 {
	rows := make([][]uint8, h)
	for y := range rows {
		rows[y] = make([]uint8, w)
		for x := range rows[y] {
			rows[y][x] = uint8(state(e, x, y))
		}
	}
	return rows
}

// ran advances cells on a torus by a rule.
func ran(t *testing.T, notation string, rows [][]uint8, generations uint64) [][]uint8 {
	t.Helper()
	h, w := len(rows), len(rows[0])
	e := mustOpen(t, notation, fmt.Sprintf(":T%d,%d", w, h))
	defer e.Close()
	for y, row := range rows {
		for x, s := range row {
			set(e, x, y, s)
		}
	}
	if _, err := e.Step(t.Context(), generations); err != nil {
		t.Fatal(err)
	}
	return cellsOf(e, w, h)
}

func sameRows(a, b [][]uint8) bool { return slices.EqualFunc(a, b, slices.Equal[[]uint8]) }

func randomRows(rng *rand.Rand, w, h int) [][]uint8 {
	rows := make([][]uint8, h)
	for y := range rows {
		rows[y] = make([]uint8, w)
		for x := range rows[y] {
			rows[y][x] = uint8(rng.IntN(16) * rng.IntN(2))
		}
	}
	return rows
}

// Random tables, reversible or not, on tori of awkward sizes.
func TestPartitioned(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 5))
	for _, size := range [][2]int{{1, 1}, {1, 5}, {2, 2}, {7, 1}, {3, 4}, {65, 3}, {13, 17}} {
		for i := range 8 {
			table := rng.Perm(16)
			if i%2 == 1 {
				for k := range table {
					table[k] = rng.IntN(16)
				}
			}
			start := randomRows(rng, size[0], size[1])
			want := start
			for range 5 {
				want = stepped(want, table)
			}
			if got := ran(t, partitionedNotation(table), start, 5); !sameRows(got, want) {
				t.Errorf("%s on %v: %v becomes %v, want %v", partitionedNotation(table), size, start, got, want)
			}
		}
	}
}

// Morita's and Prentice's rules keep the number of parts. They are reversible: between two exchanges of the parts at
// each edge, the rule with the inverse table leads back.
func TestPartitionedIsReversible(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1992))
	count := func(rows [][]uint8) (n int) {
		for _, row := range rows {
			for _, s := range row {
				n += bits.OnesCount8(s)
			}
		}
		return n
	}
	for i := range 12 {
		named, ok := catalogue.Lookup(fmt.Sprintf("PCA_%d", i+1))
		if !ok {
			t.Fatalf("PCA_%d is not in the catalogue", i+1)
		}
		inverse, seen := make([]int, 16), map[int]bool{}
		for from, field := range strings.Split(named.Notation, ",")[1:] {
			var to int
			if _, err := fmt.Sscan(field, &to); err != nil {
				t.Fatal(err)
			}
			inverse[to], seen[to] = from, true
		}
		start := randomRows(rng, 19, 14)
		end := ran(t, named.Name, start, 23)
		if keeps := i < 10; keeps != (count(start) == count(end)) {
			t.Errorf("%s: %d parts become %d", named.Name, count(start), count(end))
		}
		back := ran(t, partitionedNotation(inverse), partsOf(end).crossed().states(), 23)
		reversible := named.Name != "PCA_11"
		if (len(seen) == 16) != reversible {
			t.Errorf("%s leads to %d states", named.Name, len(seen))
		}
		if led := sameRows(partsOf(back).crossed().states(), start); led != reversible {
			t.Errorf("%s leads back: %v, want %v", named.Name, led, reversible)
		}
	}
}

// Spaceships of PCA_4 with the speeds that were published with them (conwaylife.com forums, topic 4098, September
// 2019).
func TestPartitionedShips(t *testing.T) {
	for _, ship := range []struct {
		rows   []string // A is state 1
		dx, dy int
		period uint64
	}{
		{[]string{"F.C", ".E."}, -1, 0, 27},
		{[]string{"A.O", ".D."}, 0, 2, 244},
		{[]string{"A...H", ".....", "H.A..", ".B.D."}, 1, 1, 394},
		{[]string{"...D", "D...", ".F.D", "....", ".B.."}, 4, 0, 1318},
	} {
		const w, h, left, top = 40, 36, 18, 16
		at := func(dx, dy int) [][]uint8 {
			rows := newParts(w, h).states()
			for y, row := range ship.rows {
				for x, c := range row {
					if c != '.' {
						rows[top+dy+y][left+dx+x] = uint8(c - '@')
					}
				}
			}
			return rows
		}
		if got := ran(t, "PCA_4", at(0, 0), ship.period); !sameRows(got, at(ship.dx, ship.dy)) {
			t.Errorf("%v is not moved by %d,%d after %d generations", ship.rows, ship.dx, ship.dy, ship.period)
		}
	}
}
