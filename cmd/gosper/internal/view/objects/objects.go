// Package objects finds the objects among the cells of a universe: where they are, and what the census calls them.
package objects

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
	"github.com/gosper-life/gosper/topology"
)

// MaxCells is the most live cells that Find takes.
const MaxCells = 1 << 18

// limits are those of a single object. They are short, because somebody waits.
var limits = census.Limits{Generations: 600, Population: 1 << 12, Box: 1 << 11, Period: 300}

// soon is the number of generations a group of cells has to come back. Most that come back at all do; the
// others wait for patience.
const soon = 60

// patience is the number of groups that do not come back soon and are looked at for longer. If there are more,
// the universe has not settled yet, and to look at each would take minutes.
const patience = 16

// Object is an object and where it is.
type Object struct {
	census.Object           // Kind is census.Unstable for cells that do not come back
	Box           grid.Rect // of its cells; it may reach over the right and the lower edge of a torus
}

// Find finds the objects among the live and dying cells of a universe at a generation. It fails if the rule has no
// census, or none at the generation, or for too many cells.
//
// Cells that have a neighbour in common are looked at together. If they are several objects side by side, each
// of which would go on alone, these are listed. Cells that do not come back are joined with others of that kind
// close by, because some oscillators fall into pieces for some generations.
func Find(
	ctx context.Context, r rule.Rule, on topology.Topology, generation uint64, cells []census.Cell,
) ([]Object, error) {
	if len(cells) > MaxCells {
		return nil, fmt.Errorf("%d live cells: objects are found among at most %d; select a part", len(cells), MaxCells)
	}
	if r.BirthOnEmpty() && on.Bounded() {
		return nil, fmt.Errorf("rule %v: with B0, objects are found on the unbounded plane, not on %v", r, on)
	}
	counter, err := census.NewCounter(r, limits)
	if err != nil {
		return nil, err
	}
	if err := counter.CheckGeneration(generation); err != nil {
		return nil, err
	}
	f := &finder{counter: counter, radius: r.Radius(), known: map[string]census.Object{}, apart: map[string]bool{}}
	if on.Kind == topology.Torus {
		f.w, f.h = on.W, on.H
	}
	var found []Object
	var restless []census.Cell
	for _, group := range f.groups(cells, 2*f.radius) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o := f.identify(group); periodic(o) {
			found = append(found, f.split(group, o)...)
		} else {
			restless = append(restless, group...)
		}
	}
	joined := f.groups(restless, 6*f.radius)
	for _, group := range joined {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o := f.identify(group)
		if o.Kind == census.Unstable && len(joined) <= patience {
			o = settled(f.counter.Identify(group))
		}
		found = append(found, Object{o, boxOf(group)})
	}
	return found, nil
}

// finder caches the objects that it has identified.
type finder struct {
	counter *census.Counter
	radius  int // of the rule
	w, h    int // of a torus, on which cells are neighbours over the edges; else 0
	known   map[string]census.Object
	apart   map[string]bool // whether a group is several objects
}

// groups puts cells together that are at most reach columns and rows from each other. On a torus, the cells of
// a group may lie beyond its edges.
func (f *finder) groups(cells []census.Cell, reach int) [][]census.Cell {
	left := make(map[place]uint8, len(cells)) // the ages of cells
	for _, c := range cells {
		left[f.placeOf(c.X, c.Y)] = c.Age
	}
	var groups [][]census.Cell
	for _, c := range cells {
		if _, is := left[f.placeOf(c.X, c.Y)]; !is {
			continue
		}
		delete(left, f.placeOf(c.X, c.Y))
		group := []census.Cell{c}
		for i := 0; i < len(group); i++ {
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					x, y := group[i].X+dx, group[i].Y+dy
					at := f.placeOf(x, y)
					if age, is := left[at]; is {
						delete(left, at)
						group = append(group, census.Cell{X: x, Y: y, Age: age})
					}
				}
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// place is the place where a cell is, on a torus within it.
type place struct{ x, y int }

func (f *finder) placeOf(x, y int) place {
	if f.w == 0 {
		return place{x, y}
	}
	return place{(x%f.w + f.w) % f.w, (y%f.h + f.h) % f.h}
}

// identify names a group of cells as one object if it comes back soon, or dies.
func (f *finder) identify(group []census.Cell) census.Object {
	name := shapeOf(group)
	o, ok := f.known[name]
	if ok {
		return o
	}
	if o, ok = f.counter.IdentifySoon(group, soon); !ok {
		o = census.Object{Kind: census.Unstable}
	}
	f.known[name] = o
	return o
}

// settled calls everything unstable that is not known to come back, to grow or to die.
func settled(o census.Object) census.Object {
	if o.Kind == census.Unknown {
		return census.Object{Kind: census.Unstable}
	}
	return o
}

// split returns the objects of a group that comes back: itself, or the clusters of cells in it that see each other if
// these are objects of their own.
func (f *finder) split(group []census.Cell, whole census.Object) []Object {
	clusters := f.groups(group, f.radius)
	several, ok := f.apart[shapeOf(group)]
	if !ok {
		several = len(clusters) > 1 && f.goApart(group, clusters)
		f.apart[shapeOf(group)] = several
	}
	if !several {
		return []Object{{whole, boxOf(group)}}
	}
	var parts []Object
	for _, cluster := range clusters {
		parts = append(parts, Object{f.identify(cluster), boxOf(cluster)})
	}
	return parts
}

// goApart reports whether a group is the objects that its clusters are.
func (f *finder) goApart(group []census.Cell, clusters [][]census.Cell) bool {
	want := map[string]int{}
	for _, cluster := range clusters {
		o := f.identify(cluster)
		if !periodic(o) {
			return false
		}
		want[o.Code]++
	}
	tally := f.counter.Count(group)
	if len(tally.Objects) != len(want) {
		return false
	}
	for code, n := range want {
		if tally.Objects[code] != n {
			return false
		}
	}
	return !tally.Endless
}

// periodic reports whether an object comes back.
func periodic(o census.Object) bool {
	return o.Kind == census.StillLife || o.Kind == census.Oscillator || o.Kind == census.Spaceship
}

// shapeOf is a text that groups have in common which differ by their place only.
func shapeOf(group []census.Cell) string {
	box := boxOf(group)
	cells := slices.Clone(group)
	slices.SortStableFunc(cells, sparse.ByRow)
	text := make([]byte, 0, 9*len(cells))
	for _, c := range cells {
		text = binary.LittleEndian.AppendUint32(text, uint32(c.X-box.X))
		text = binary.LittleEndian.AppendUint32(text, uint32(c.Y-box.Y))
		text = append(text, c.Age)
	}
	return string(text)
}

func boxOf(cells []census.Cell) grid.Rect {
	lo, hi := cells[0], cells[0]
	for _, c := range cells {
		lo.X, lo.Y = min(lo.X, c.X), min(lo.Y, c.Y)
		hi.X, hi.Y = max(hi.X, c.X), max(hi.Y, c.Y)
	}
	return grid.Rect{X: lo.X, Y: lo.Y, W: hi.X - lo.X + 1, H: hi.Y - lo.Y + 1}
}
