package ensemble

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/figure"
)

// Drawing is a figure and the name of a file for it, without an extension.
type Drawing struct {
	Name   string
	Figure figure.Figure
}

// Draw is the standard figures of merged data: every quantity against time, or against the density of the soups where there is one time
// only; the correlation and the cluster sizes at the last time; the share of universes that have not settled; and lifespans against
// density.
func (d Data) Draw() []Drawing {
	drawings := DrawSummary(d.Summary)
	if len(d.Clusters) > 0 {
		drawings = append(drawings, DrawClusters(d.Clusters))
	}
	if len(d.Census) > 0 {
		drawings = append(drawings, DrawCensus(d.Census))
	}
	if len(d.Survival) > 0 {
		drawings = append(drawings, DrawSurvival(d.Survival))
	}
	return append(drawings, DrawLifespans(d.Lifespans)...)
}

// labels says what tells places apart: a legend in as few words as do.
func labels(places []Place) func(p Place) string {
	differs := func(of func(p Place) string) bool {
		return slices.ContainsFunc(places, func(p Place) bool { return of(p) != of(places[0]) })
	}
	area := func(p Place) string { return p.Topology }
	if !differs(func(p Place) string {
		return p.Topology[:min(1, len(p.Topology))] + strconv.FormatBool(strings.ContainsAny(p.Topology, "+-*"))
	}) {
		area = func(p Place) string { return fmt.Sprintf("%d×%d", p.Width, p.Height) }
	}
	var parts []func(p Place) string
	for _, of := range []func(p Place) string{
		func(p Place) string { return p.Rule },
		area,
		func(p Place) string { return fmt.Sprintf("density %v", p.StartDensity) },
	} {
		if differs(of) {
			parts = append(parts, of)
		}
	}
	return func(p Place) string {
		var words []string
		for _, of := range parts {
			words = append(words, of(p))
		}
		return strings.Join(words, ", ")
	}
}

// about is a title's account of what all places share.
func about(places []Place) string {
	p := places[0]
	var words []string
	if !slices.ContainsFunc(places, func(q Place) bool { return q.Rule != p.Rule }) {
		words = append(words, p.Rule)
	}
	if !slices.ContainsFunc(places, func(q Place) bool { return q.Topology != p.Topology }) {
		words = append(words, p.Topology)
	}
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, " on ")
}

// grouped is the rows of each place, in order, and the places.
func grouped[T any](rows []T, place func(*T) Place) (places []Place, groups map[Place][]T) {
	groups = map[Place][]T{}
	for i := range rows {
		p := place(&rows[i])
		if groups[p] == nil {
			places = append(places, p)
		}
		groups[p] = append(groups[p], rows[i])
	}
	return places, groups
}

// wording is what an axis says of a quantity.
var wording = map[string]string{
	"density": "density", "population": "population", "births": "births a generation", "deaths": "deaths a generation",
	"activity": "share of cells that change", "entropy": "entropy, bits a cell", "clusters": "clusters", "largest": "cells of the largest cluster",
	"percolating": "share of universes with a spanning cluster", "percolating_x": "share of universes with a cluster spanning x",
	"percolating_y": "share of universes with a cluster spanning y", "percolating_both": "share of universes spanned in x and y",
	"entropy_miller_madow": "entropy (Miller–Madow), bits a cell", "second_moment": "sum of squared cluster sizes",
	"second_moment_rest": "sum of squared cluster sizes, without the largest",
	"correlation":        "Correlation within universes", "connected": "Connected correlation",
}

// DrawSummary is one figure for every quantity, and one for the correlation.
func DrawSummary(rows []Summary) []Drawing {
	places, groups := grouped(rows, func(s *Summary) Place { return s.Place })
	var drawings []Drawing
	var quantities []string
	for _, s := range rows {
		if name, _, _ := strings.Cut(s.Quantity, " "); !slices.Contains(quantities, name) {
			quantities = append(quantities, name)
		}
	}
	for _, q := range quantities {
		if q == "correlation" || q == "connected" {
			drawings = append(drawings, drawCorrelation(q, places, groups))
			continue
		}
		f := figure.Figure{Title: capital(q) + about(places), X: figure.Axis{Label: "generation"}, Y: figure.Axis{Label: wording[q]}}
		for _, p := range places {
			s := figure.Series{Line: true}
			for _, row := range groups[p] {
				if row.Quantity == q {
					s = with(s, float64(row.Generation), row.Mean, row.Error)
				}
			}
			f.Series = append(f.Series, s)
		}
		name := labels(places)
		if !slices.ContainsFunc(f.Series, func(s figure.Series) bool { return len(s.X) > 1 }) {
			f = againstDensity(f, places)
		} else {
			for i, p := range places {
				f.Series[i].Name = name(p)
			}
		}
		drawings = append(drawings, Drawing{q, f})
	}
	return drawings
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func with(s figure.Series, x, y float64, err *float64) figure.Series {
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	e := 0.0
	if err != nil {
		e = *err
	}
	s.Err = append(s.Err, e)
	return s
}

// againstDensity turns series of one point a place into series against the density of the soups.
func againstDensity(f figure.Figure, places []Place) figure.Figure {
	f.X = figure.Axis{Label: "density of the soups"}
	var kinds []Place // places without their density
	joined := map[Place]figure.Series{}
	for i, p := range places {
		kind := p
		kind.StartDensity = 0
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		s := joined[kind]
		for k := range f.Series[i].X {
			s = with(s, p.StartDensity, f.Series[i].Y[k], &f.Series[i].Err[k])
		}
		joined[kind] = s
	}
	f.Series = nil
	name := labels(kinds)
	for _, kind := range kinds {
		s := joined[kind]
		s.Name, s.Line, s.Points = name(kind), true, true
		f.Series = append(f.Series, s)
	}
	return f
}

// drawCorrelation is correlations against distance, of one of both kinds, at the last time.
func drawCorrelation(kind string, places []Place, groups map[Place][]Summary) Drawing {
	last := uint64(0)
	for _, rows := range groups {
		for _, row := range rows {
			last = max(last, row.Generation)
		}
	}
	f := figure.Figure{
		Title: fmt.Sprintf("%s at generation %d", wording[kind], last) + about(places),
		X:     figure.Axis{Label: "distance"}, Y: figure.Axis{Label: wording[kind]},
	}
	name := labels(places)
	for _, p := range places {
		s := figure.Series{Name: name(p), Line: true, Points: true}
		for _, row := range groups[p] {
			distance, ok := strings.CutPrefix(row.Quantity, kind+" ")
			r, err := strconv.Atoi(distance)
			if ok && err == nil && row.Generation == last {
				s = with(s, float64(r), row.Mean, row.Error)
			}
		}
		f.Series = append(f.Series, s)
	}
	return Drawing{kind, f}
}

// DrawClusters is the number of clusters a cell by size at the last generation, in bins that grow by a fifth and are divided by the
// number of sizes in them. Errors are standard errors over universes of single sizes, and by adding variances where a bin holds several.
// Where there is one place, the numbers without the largest cluster of each universe stand beside them.
func DrawClusters(rows []ClusterSize) Drawing {
	last := uint64(0)
	for _, row := range rows {
		last = max(last, row.Generation)
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(c ClusterSize) bool { return c.Generation != last })
	places, groups := grouped(rows, func(c *ClusterSize) Place { return c.Place })
	f := figure.Figure{
		Title: fmt.Sprintf("Clusters at generation %d", last) + about(places),
		X:     figure.Axis{Label: "size s, cells", Log: true}, Y: figure.Axis{Label: "n(s), clusters a cell", Log: true},
	}
	name := labels(places)
	for _, p := range places {
		s := binned(groups[p], func(c *ClusterSize) (uint64, *float64) { return c.Clusters, c.Error })
		s.Name = name(p)
		f.Series = append(f.Series, s)
	}
	if len(places) == 1 {
		f.Series[0].Name = "all clusters"
		s := binned(rows, func(c *ClusterSize) (uint64, *float64) { return c.Clusters - c.Largest, c.ErrorRest })
		s.Name = "without the largest of each universe"
		f.Series = append(f.Series, s)
	}
	return Drawing{"cluster-sizes", f}
}

// binned is the cluster sizes of one place and time in bins, of a part of the clusters with its error.
func binned(rows []ClusterSize, part func(c *ClusterSize) (clusters uint64, err *float64)) figure.Series {
	s := figure.Series{Points: true}
	for from := uint64(1); len(rows) > 0; {
		to := from + from/5 // the bin is from … to
		scale := float64(rows[0].Width) * float64(rows[0].Height) * float64(rows[0].Universes)
		var sum, variance float64
		for len(rows) > 0 && rows[0].Size <= to {
			clusters, e := part(&rows[0])
			sum += float64(clusters) / scale
			if e != nil {
				variance += *e * *e
			}
			rows = rows[1:]
		}
		if sum > 0 {
			sizes := float64(to - from + 1)
			err := math.Sqrt(variance) / sizes
			s = with(s, math.Sqrt(float64(from)*float64(to)), sum/sizes, &err)
		}
		from = to + 1
	}
	return s
}

// DrawCensus is the shares of the commonest objects.
func DrawCensus(rows []Object) Drawing {
	const most = 14
	places, groups := grouped(rows, func(o *Object) Place { return o.Place })
	total := map[string]float64{}
	var codes []string
	for _, row := range rows {
		if _, known := total[row.Code]; !known {
			codes = append(codes, row.Code)
		}
		total[row.Code] += row.Share
	}
	slices.SortStableFunc(codes, func(a, b string) int { return cmp.Compare(total[b], total[a]) })
	f := figure.Figure{Title: "Census" + about(places), Y: figure.Axis{Label: "share of objects", Log: true}, Categories: codes[:min(most, len(codes))]}
	name := labels(places)
	for _, p := range places {
		b := figure.Bars{Name: name(p), Values: make([]float64, len(f.Categories)), Err: make([]float64, len(f.Categories))}
		for _, row := range groups[p] {
			if i := slices.Index(f.Categories, row.Code); i >= 0 {
				b.Values[i], b.Err[i] = row.Share, row.Error
			}
		}
		f.Bars = append(f.Bars, b)
	}
	return Drawing{"census", f}
}

// DrawSurvival is the share of universes that have not settled against time.
func DrawSurvival(rows []Survival) Drawing {
	places, groups := grouped(rows, func(s *Survival) Place { return s.Place })
	f := figure.Figure{
		Title: "Universes that have not settled (Kaplan–Meier)" + about(places),
		X:     figure.Axis{Label: "generation"}, Y: figure.Axis{Label: "share"},
	}
	name := labels(places)
	for _, p := range places {
		s := with(figure.Series{Name: name(p), Line: true}, 0, 1, nil)
		before, errBefore := 1.0, 0.0
		for _, row := range groups[p] { // steps
			s = with(s, float64(row.Time), before, &errBefore)
			s = with(s, float64(row.Time), row.Share, &row.Error)
			before, errBefore = row.Share, row.Error
		}
		f.Series = append(f.Series, s)
	}
	return Drawing{"survival", f}
}

// DrawLifespans is the mean transient against density, where there are several.
func DrawLifespans(rows []Lifespan) []Drawing {
	places, groups := grouped(rows, func(l *Lifespan) Place { return l.Place })
	if len(places) < 2 {
		return nil
	}
	f := figure.Figure{Title: "Lifespan of soups" + about(places), Y: figure.Axis{Label: fmt.Sprintf("mean generations until settled, at most %d", rows[0].Cap)}}
	for _, p := range places {
		f.Series = append(f.Series, with(figure.Series{}, 0, groups[p][0].Restricted, groups[p][0].Error))
	}
	return []Drawing{{"lifespan", againstDensity(f, places)}}
}
