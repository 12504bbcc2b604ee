package ensemble

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
)

// ObjectSum is what a job knows of one kind of object: sums over its universes, from which shares and their errors follow exactly. The
// row without a code is about all objects together.
type ObjectSum struct {
	Place
	Code     string `json:"apgcode"`
	Soups    uint64 `json:"soups"`    // that left at least one
	Count    uint64 `json:"count"`    // sum of the numbers of each soup
	Squares  uint64 `json:"squares"`  // sum of their squares
	Products uint64 `json:"products"` // sum of their products with the soup's number of all objects
}

// Object is the row of one kind of object in the ash of all soups of a place. Its share is the ratio of sums over soups, and the error of
// that takes soups as the units, for the objects of one soup are not independent (W. G. Cochran, Sampling Techniques, ratio estimates).
type Object struct {
	Place
	Code      string  `parquet:"apgcode" json:"apgcode"`
	Name      string  `parquet:"name" json:"name"` // empty: none that is common
	Universes uint64  `parquet:"universes" json:"universes" unit:"universes"`
	Soups     uint64  `parquet:"soups" json:"soups" unit:"soups"` // that left at least one
	Count     uint64  `parquet:"count" json:"count" unit:"objects"`
	Share     float64 `parquet:"share" json:"share" unit:"1"`             // of all objects
	Error     float64 `parquet:"share_error" json:"share_error" unit:"1"` // standard error of the share
}

// objectSums is sums by code.
type objectSums map[string]*ObjectSum

func (s objectSums) add(code string, n, total uint64) {
	row := s[code]
	if row == nil {
		row = &ObjectSum{Code: code}
		s[code] = row
	}
	row.Soups++
	row.Count, row.Squares, row.Products = row.Count+n, row.Squares+n*n, row.Products+n*total
}

// rows is the sums by code.
func (s objectSums) rows(place Place) []ObjectSum {
	var rows []ObjectSum
	for _, row := range s {
		row.Place = place
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b ObjectSum) int { return cmp.Compare(a.Code, b.Code) })
	return rows
}

// count puts the soups of a job on the unbounded plane and counts what they settle into.
func (m *measurement) count(ctx context.Context, universes []*universe) error {
	counter, err := census.NewCounter(m.at.rule, census.Limits{})
	if err != nil {
		return err
	}
	t := m.at.topology
	g, err := grid.New(t.W, t.H, 1)
	if err != nil {
		return err
	}
	m.objects = objectSums{}
	for _, u := range universes {
		if err := soup.Fill(ctx, g, t.W, t.H, u.seed, m.at.density, 1, nil); err != nil {
			return err
		}
		cells, err := census.CellsOf(g)
		if err != nil {
			return err
		}
		tally := counter.Count(cells)
		var total uint64
		for _, n := range tally.Objects {
			total += uint64(n)
		}
		for code, n := range tally.Objects {
			m.objects.add(code, uint64(n), total)
		}
		if total > 0 {
			m.objects.add("", total, total)
		}
		u.objects = &total
	}
	return nil
}

// merge adds the sums of a job.
func (s objectSums) merge(rows []ObjectSum) {
	for _, r := range rows {
		row := s[r.Code]
		if row == nil {
			s[r.Code] = &r
			continue
		}
		row.Soups, row.Count = row.Soups+r.Soups, row.Count+r.Count
		row.Squares, row.Products = row.Squares+r.Squares, row.Products+r.Products
	}
}

// census is the objects of the sums of so many universes of a place, the commonest first.
func (s objectSums) census(place Place, universes int) []Object {
	var objects []Object
	n, all := float64(universes), s[""]
	for _, sum := range s.rows(place) {
		if sum.Code == "" {
			continue
		}
		o := Object{Place: place, Code: sum.Code, Name: census.Name(sum.Code), Universes: uint64(universes), Soups: sum.Soups, Count: sum.Count}
		o.Share = float64(sum.Count) / float64(all.Count)
		if universes > 1 {
			residuals := float64(sum.Squares) - float64(2*o.Share*float64(sum.Products)) + float64(o.Share*o.Share*float64(all.Squares))
			o.Error = math.Sqrt(max(residuals, 0)*n/(n-1)) / float64(all.Count)
		}
		objects = append(objects, o)
	}
	slices.SortStableFunc(objects, func(a, b Object) int { return cmp.Compare(b.Count, a.Count) })
	return objects
}
