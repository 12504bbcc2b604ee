package census

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// wideRules have objects of all kinds in their soups. They differ in radius, neighbourhood, weights, states and
// symmetry.
var wideRules = []string{
	"R2,C0,M0,S7..12,B8..11,NM", "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21", "R2,C2,S4-7,B6,NN", "R2,C2,S3-6,B8-9,NH",
	"R2,C2,S1-2,B3-4,N3", "R2,C2,S2-3,B3-4,NX", "R2,C3,S5-11,B10-12", "R2,C3,S2-3,B6-7,NN", "R3,C2,S6-13,B14-17,N2",
	"R3,C2,S4-8,B9-13,N*", "R4,C0,M1,S24..38,B22..31,NM", "R5,C0,M1,S34..58,B34..45,NM", "R2,C2,S3-6,B6-8,N@2eeb3d",
	"R2,C2,S4-10,B12-13,NW1220010221220110211101100", "R2,C2,S13-20,B17-20,NG",
}

// rulesWithB0 have objects in their soups. On a live plane the first one is Life; under all others the plane is live at
// odd generations.
var rulesWithB0 = []string{
	"B0123478/S01234678", "B01245/S0125", "B02/S", "B0134/S1", "B0156/S0", "B01267/S4", "B01234/S012357",
	"B01c2aei5eaknj6icaekn/S1c2cen3iyj", "B0135/S01H", "B02/S2H", "B013/S2V", "B0123/S02V", "R2,C2,S1-3,B0-6,N3",
	"R2,C2,S3,B0-2,5-7,NX",
}

// settledSoup runs a soup until it is done. It returns nil if that does not settle.
func (c *Counter) settledSoup(root string, i uint64) *soup {
	return c.settledFrom(Soup(root, i, Symmetry{}))
}

// settledFrom runs cells until they are done. It returns nil if they do not settle.
func (c *Counter) settledFrom(cells []Cell) *soup {
	s := &soup{cells: cells}
	s.start(c.gliders, c.every)
	for !c.advance(s) {
		c.batch.Pass([]*sparse.Universe{&s.Universe}, c.batch.Generations())
	}
	if s.endless {
		return nil
	}
	return s
}

// farBrain is Brian's Brain whose neighbours are radius cells away.
func farBrain(radius int) string {
	side := 2*radius + 1
	weights := bytes.Repeat([]byte("0"), side*side)
	for i := range 9 {
		weights[i/3*radius*side+i%3*radius] = '1'
	}
	weights[len(weights)/2] = '0'
	return fmt.Sprintf("R%d,C3,S,B2,NW%s", radius, weights)
}

// TestWidePassing lets two spaceships of every radius fly past each other. At a distance of twice the radius, a cell
// between them has neighbours in both, and nothing is left on the reference engine. One cell farther apart they pass,
// and the census ends before they do.
func TestWidePassing(t *testing.T) {
	const far, near = 1600, 24 // columns between them for each cell of the radius
	for radius := 1; radius <= 6; radius++ {
		c, err := NewCounter(parseRule(t, farBrain(radius)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, apart := range []int{2 * radius, 2*radius + 1} {
			pair := func(distance int) (cells []Cell) {
				for i := range 4 { // two live cells before two that are dying, and their mirror images
					x, y, age := i%2*radius, i/2*radius, uint8(1-i%2)
					cells = append(cells, Cell{X: x, Y: y, Age: age},
						Cell{X: distance*radius - x, Y: y + radius + apart, Age: age})
				}
				return cells
			}
			after := afterOnReference(t, parseRule(t, farBrain(radius)), pair(near), 0, near)
			if met := len(after) == 0; met != (apart == 2*radius) {
				t.Fatalf("radius %d, %d apart: %v", radius, apart, after)
			}
			s := c.settledFrom(pair(far))
			if s == nil {
				t.Fatalf("radius %d, %d apart: endless", radius, apart)
			}
			if len(s.found) != len(after)/4 || (s.Generation() < far/2) != (len(after) > 0) {
				t.Errorf("radius %d, %d apart: %d objects at generation %d", radius, apart, len(s.found), s.Generation())
			}
		}
	}
}

// TestWideObjects takes censuses of wide rules and of those with B0. It runs every object of a code on the reference
// engine, generation by generation: it must come back after the period that the code says, and not before. If the plane
// is live at odd generations, it does not come back there.
func TestWideObjects(t *testing.T) {
	kinds, live := map[Kind]int{}, 0
	for _, text := range slices.Concat(wideRules, rulesWithB0) {
		s := Search{
			Rule: parseRule(t, text), Root: "wide", Soups: 40, Limits: Limits{Generations: 1200, Population: 2000},
		}
		found, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCounter(s.Rule, s.Limits)
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		for _, n := range found.Counts {
			code, err := ParseCode(n.Code, s.Rule.States)
			if err != nil || looked == 12 {
				continue // it has no cells, or it is one of many
			}
			looked++
			kinds[code.Kind]++
			period := code.Number
			if code.Kind == StillLife {
				period = 1
			}
			if c.turns > 1 {
				live++
			}
			o := c.Identify(code.Cells)
			if o.Code != n.Code || o.Kind != code.Kind || o.Period != period {
				t.Errorf("%s of %s is identified as %+v", n.Code, text, o)
			}
			cells, least := sorted(code.Cells), len(code.Cells)
			phases := c.phases(cells, period)
			for k := 1; k <= period; k++ {
				cells = afterOnReference(t, s.Rule, cells, k-1, 1)
				dx, dy, back := displacement(sorted(code.Cells), cells)
				back = back && k%c.turns == 0
				if back != (k == period) || back && (dx != o.DX || dy != o.DY || (dx != 0 || dy != 0) != (o.Kind == Spaceship)) {
					t.Fatalf("%s of %s after %d generations: back %v, moved by %d, %d", n.Code, text, k, back, dx, dy)
				}
				if k < period && !slices.Equal(phases[k], cells) {
					t.Fatalf("%s of %s after %d generations: %v, want %v", n.Code, text, k, phases[k], cells)
				}
				if k%c.turns == 0 {
					least = min(least, len(cells))
				}
			}
			if mod := c.Traits(code.Cells, o).Mod; period%mod != 0 || mod%c.turns != 0 {
				t.Errorf("%s of %s is there again after %d generations", n.Code, text, mod)
			}
			if o.least != least {
				t.Errorf("%s of %s has %d cells in its smallest phase, want %d", n.Code, text, o.least, least)
			}
		}
		if looked == 0 {
			t.Errorf("%s has no objects: %v", text, found.Counts)
		}
	}
	if kinds[StillLife] < 50 || kinds[Oscillator] < 30 || kinds[Spaceship] < 4 || live < 60 {
		t.Errorf("objects by kind: %v; %d on a plane that is live at times", kinds, live)
	}
}

// TestWideSeparation divides the ash of soups of wide rules and of those with B0 into objects, and runs each of them
// alone, cell by cell. Together they must remain the same as the whole ash, which also runs on the reference engine.
func TestWideSeparation(t *testing.T) {
	several, near, live := 0, 0, 0
	for _, text := range slices.Concat(wideRules, rulesWithB0) {
		c, err := NewCounter(parseRule(t, text), Limits{Generations: 1200, Population: 2000, Period: 400})
		if err != nil {
			t.Fatal(err)
		}
		c.gliders = false // they belong to the ash
		for i := range uint64(12) {
			s := c.settledSoup("apart", i)
			if s == nil {
				continue
			}
			objects := map[string]int{}
			for _, number := range s.found {
				objects[c.codes[number]]++
			}
			var groups [][]Cell
			got := map[string]int{}
			c.eachZone(t, s, func(cells []Cell, period, dx, dy int) {
				for _, o := range c.divide(cells, period, dx, dy) {
					got[o.Code]++
				}
				apart := c.groups(cells, period, dx, dy)
				if len(apart) == 0 {
					groups = append(groups, cells)
				}
				for _, group := range apart {
					groups = append(groups, group)
					near++
					live += c.turns - 1
				}
			})
			if !maps.Equal(got, objects) {
				t.Errorf("%s, soup %d: objects %v, and when it is divided again %v", text, i, objects, got)
			}
			whole := s.Cells()
			if len(groups) > 1 {
				several++
			}
			after := afterOnReference(t, parseRule(t, text), whole, 0, 24)
			for k := range 24 {
				if together := sorted(slices.Concat(groups...)); !slices.Equal(together, sorted(whole)) {
					t.Fatalf("%s, soup %d: after %d generations the objects are %v, and the ash %v", text, i, k, together, whole)
				}
				for n := range groups {
					groups[n] = c.local.After(groups[n], k)
				}
				whole = c.local.After(whole, k)
			}
			if !slices.Equal(sorted(whole), after) {
				t.Fatalf("%s, soup %d: after 24 generations the ash is %v, want %v", text, i, sorted(whole), after)
			}
		}
	}
	if several < 40 || near < 30 || live < 10 {
		t.Errorf("%d soups left several objects, %d of these were so close that a cell sees two, %d of them on a live plane",
			several, near, live)
	}
}

// eachZone calls do for every zone of a soup that has settled, with its period and how far it moves.
func (c *Counter) eachZone(t *testing.T, s *soup, do func(cells []Cell, period, dx, dy int)) {
	t.Helper()
	type moving struct {
		cells          []Cell
		period, dx, dy int
	}
	var zones []moving
	for generations, longest := 0, shortEnvelope; generations < longest; {
		generations, zones = longest, nil
		c.batch.Envelope(&s.Universe, generations)
		if !c.zones.Load(&s.Universe) {
			t.Fatal("the map is too large")
		}
		c.zones.Zones(nil, func(cells []Cell, _ sparse.Box) {
			period, dx, dy := c.period(cells, c.limits.Period)
			if period == 0 {
				t.Fatalf("%v: zone %v does not come back", c.rule, cells)
			}
			longest = max(longest, period)
			zones = append(zones, moving{cells, period, dx, dy})
		})
	}
	for _, z := range zones {
		do(z.cells, z.period, z.dx, z.dy)
	}
}
