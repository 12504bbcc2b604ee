package sums

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
)

// Objects holds sums by code.
type Objects map[string]*ensemble.ObjectSum

// Add adds the objects of one kind in a soup: n of total. The sums of squares and products give the
// error of the share.
func (s Objects) Add(code string, n, total uint64) {
	row := s[code]
	if row == nil {
		row = &ensemble.ObjectSum{Code: code}
		s[code] = row
	}
	row.Soups++
	row.Count, row.Squares, row.Products = row.Count+n, row.Squares+n*n, row.Products+n*total
}

// Rows returns the sums by code.
func (s Objects) Rows(place ensemble.Place) []ensemble.ObjectSum {
	var rows []ensemble.ObjectSum
	for _, row := range s {
		row.Place = place
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b ensemble.ObjectSum) int { return cmp.Compare(a.Code, b.Code) })
	return rows
}

// Merge adds the sums of a job.
func (s Objects) Merge(rows []ensemble.ObjectSum) {
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
