package objects

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
)

// mostCells is the most cells in the box around a universe whose objects are found, because the universe stops
// while they are copied.
const mostCells = 1 << 26

// mostGrowing is the most live cells that are followed to see whether they grow.
const mostGrowing = 1 << 11

// beside is the number of columns and rows around an area that are looked at, so that objects at its edges are
// seen whole.
const beside = 32

// List is the objects of a universe as a viewer wants them.
type List struct {
	Generation uint64   `json:"generation,string"`
	Kinds      []Kind   `json:"kinds"` // the commonest first
	At         [][5]int `json:"at"`    // x, y, width and height of each object, and the number of its kind
}

// Kind describes all objects of one shape.
type Kind struct {
	Code   string `json:"code"` // apgcode; empty for cells that do not come back
	Name   string `json:"name"` // empty if it has none
	Class  string `json:"class"`
	Period int    `json:"period"`
	Moves  [2]int `json:"moves"` // cells that it moves in a period, across and up or down, the greater first
	Count  int    `json:"count"`
}

// Of finds the objects in an area of a session's universe, or everywhere if the area is empty.
func Of(ctx context.Context, s *session.Session, area grid.Rect) (*List, error) {
	st := s.Status()
	if _, err := Find(ctx, st.Config.Rule, st.Topology, st.Generation, nil); err != nil {
		return nil, err // before anything is copied
	}
	cells, generation, err := liveCells(ctx, s, area)
	if err != nil {
		return nil, err
	}
	found, err := Find(ctx, st.Config.Rule, st.Topology, generation, cells)
	if err != nil {
		return nil, err
	}
	if area.Empty() && !st.Playing && !st.Topology.Bounded() {
		whole, err := growing(st.Config.Rule, cells, found)
		if err != nil {
			return nil, err
		}
		found = append(found, whole...)
	}
	if !area.Empty() {
		found = slices.DeleteFunc(found, func(o Object) bool { return o.Box.Intersect(area).Empty() })
	}
	return listOf(found, generation, st.Config.Rule), nil
}

// growing returns all cells as one object if something among them does not come back and they grow in a known way as a
// whole: as guns, puffers and breeders do. Otherwise it returns nothing.
func growing(r rule.Rule, cells []census.Cell, found []Object) ([]Object, error) {
	restless := func(o Object) bool { return o.Kind == census.Unstable }
	if len(cells) > mostGrowing || !slices.ContainsFunc(found, restless) {
		return nil, nil
	}
	o, err := census.Identify(r, cells, census.Limits{Generations: 16_000, Population: 1 << 15})
	if err != nil || o.Kind != census.LinearGrowth && o.Kind != census.QuadraticGrowth {
		return nil, err
	}
	return []Object{{o, boxOf(cells)}}, nil
}

// listOf sorts the objects of a rule by kind.
func listOf(found []Object, generation uint64, r rule.Rule) *List {
	list := &List{Generation: generation, Kinds: []Kind{}, At: make([][5]int, len(found))}
	kindOf := func(o Object) Kind {
		x, y := max(o.DX, -o.DX), max(o.DY, -o.DY)
		kind := Kind{
			Code: o.Code, Name: census.Name(r, o.Code), Class: o.Kind.String(), Period: o.Period,
			Moves: [2]int{max(x, y), min(x, y)},
		}
		return kind
	}
	counts := map[Kind]int{}
	for _, o := range found {
		kind := kindOf(o)
		if counts[kind]++; counts[kind] == 1 {
			list.Kinds = append(list.Kinds, kind)
		}
	}
	slices.SortStableFunc(list.Kinds, func(a, b Kind) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.Code, b.Code), cmp.Compare(a.Class, b.Class))
	})
	numbers := map[Kind]int{}
	for i, kind := range list.Kinds {
		numbers[kind] = i
		list.Kinds[i].Count = counts[kind]
	}
	for i, o := range found {
		list.At[i] = [5]int{o.Box.X, o.Box.Y, o.Box.W, o.Box.H, numbers[kindOf(o)]}
	}
	return list
}

// liveCells lists the live cells of the present generation in and around an area, or all if it is empty. The
// universe stops only while they are copied. State 0 and that of a live background are exchanged.
func liveCells(ctx context.Context, s *session.Session, area grid.Rect) (cells []census.Cell, generation uint64,
	err error,
) {
	var copied grid.Source
	if t := s.Status().Topology; !area.Empty() {
		area = grid.Rect{X: area.X - beside, Y: area.Y - beside, W: area.W + 2*beside, H: area.H + 2*beside}
		if t.Bounded() {
			area = area.Intersect(grid.Rect{W: t.W, H: t.H})
		}
		generation = s.Status().Generation
		if copied, _, err = s.Apart(ctx, area); err != nil {
			return nil, 0, err
		}
	} else if err := s.ReadHeld(ctx, func(src grid.Source, meta pattern.Meta) error {
		box, err := src.Extent()
		if err != nil {
			return err
		}
		if grid.Product(uint64(box.W), uint64(box.H)) > mostCells {
			return fmt.Errorf("%d×%d cells are too many to find objects in: select a part", box.W, box.H)
		}
		generation = meta.Generation
		copied, err = grid.TilesOf(ctx, src)
		return err
	}); err != nil {
		return nil, 0, err
	}
	cells, err = census.CellsOf(copied)
	for i := range cells { // area is empty where all cells were copied
		cells[i].X += area.X
		cells[i].Y += area.Y
	}
	return cells, generation, err
}
