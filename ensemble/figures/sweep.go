package figures

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/figure"
)

// names are the axes that quantities are drawn against, as they were asked for.
func (v View) names() []string {
	if v.Against == "" {
		return nil
	}
	return strings.Split(v.Against, ",")
}

// drawAverages draws the averages over time against the parameter in which the places differ. If they do not differ, it
// draws only the quantities that have a number, against that number.
func drawAverages(rows []ensemble.Average, v View) []Drawing {
	if v.Against == "generation" {
		v.Against = ""
	}
	if places, _ := grouped(rows); v.Against == "" && len(rows) > 0 && !differ(places) {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r ensemble.Average) bool {
			return r.Quantity == v.Quantity || !strings.Contains(r.Quantity, " ")
		})
	}
	if len(rows) == 0 {
		return nil
	}
	drawings := drawSummary(asSummary(rows), v, overTime(rows))
	for i := range drawings {
		drawings[i].Name = "average-" + drawings[i].Name
	}
	return drawings
}

// asSummary returns averages over time as rows of one time.
func asSummary(rows []ensemble.Average) []ensemble.Summary {
	var list []ensemble.Summary
	for _, r := range rows {
		list = append(list, ensemble.Summary{
			Place: r.Place, Generation: r.Last, Quantity: r.Quantity, Universes: r.Universes, Mean: r.Mean, Error: r.Error,
			Low: r.Low, High: r.High,
		})
	}
	return list
}

func overTime(rows []ensemble.Average) string {
	if slices.ContainsFunc(rows, func(r ensemble.Average) bool {
		return r.First != rows[0].First || r.Last != rows[0].Last
	}) {
		return "averaged over time"
	}
	return fmt.Sprintf("averaged over generations %d to %d", rows[0].First, rows[0].Last)
}

// drawMaps draws every quantity against two axes, as heat maps: at the last generation, and averaged over time.
func drawMaps(d ensemble.Data, v View) ([]Drawing, error) {
	if len(d.Summary)+len(d.Averages) == 0 {
		return nil, errors.New("heat maps are drawn of a summary or of averages")
	}
	var drawings []Drawing
	if len(d.Summary) > 0 {
		last, when := atLast(d.Summary, generationOf)
		maps, err := mapsOf(last, v, when)
		if err != nil {
			return nil, err
		}
		drawings = maps
	}
	if len(d.Averages) > 0 {
		maps, err := mapsOf(asSummary(d.Averages), v, overTime(d.Averages))
		if err != nil {
			return nil, err
		}
		for _, m := range maps {
			m.Name = "average-" + m.Name
			drawings = append(drawings, m)
		}
	}
	return drawings, nil
}

// mapsOf draws rows of one time.
func mapsOf(rows []ensemble.Summary, v View, times string) ([]Drawing, error) {
	names := v.names()
	if len(names) != 2 || names[0] == names[1] || slices.Contains(names, "generation") {
		return nil, fmt.Errorf(
			"quantities against %q: want one axis, or two different ones of density, size and the parameters of rules and starts", v.Against)
	}
	places, _ := grouped(rows)
	x, y := View{Against: names[0]}.against(places, 1), View{Against: names[1]}.against(places, 1)
	for _, p := range places {
		if rest, first := x.drop(y.drop(p)), x.drop(y.drop(places[0])); rest != first {
			return nil, fmt.Errorf(
				"a heat map against %s has one place for each pair of values, and the data have %s and %s: choose rules with --rule", v.Against, describe(first), describe(rest))
		}
	}
	byQuantity := map[string][]ensemble.Summary{}
	var quantities []string
	for _, r := range rows {
		if byQuantity[r.Quantity] == nil {
			quantities = append(quantities, r.Quantity)
		}
		byQuantity[r.Quantity] = append(byQuantity[r.Quantity], r)
	}
	var drawings []Drawing
	for _, q := range quantities {
		w := wordingOf(q)
		m := mapOf(perCell(byQuantity[q], w), x, y)
		m.Title, m.X, m.Y = w.title+" "+times+about(places), x.axis(places), y.axis(places)
		m.Scale = figure.Axis{Label: w.axis}
		drawings = append(drawings, Drawing{Name: strings.ReplaceAll(q, " ", "-"), Map: m})
	}
	return drawings, nil
}

func describe(p ensemble.Place) string {
	words := []string{p.Rule, p.Topology}
	if p.Start != "" && p.Start != "soup" {
		words = append(words, p.Start)
	}
	if p.StartDensity > 0 {
		words = append(words, fmt.Sprintf("density %v", p.StartDensity))
	}
	return strings.Join(words, " ")
}

// mapOf returns the means of rows, by two dimensions of their places.
func mapOf(rows []ensemble.Summary, x, y *dimension) *figure.HeatMap {
	m := &figure.HeatMap{}
	most := 0.0
	for _, r := range rows {
		m.Xs, m.Ys = append(m.Xs, x.of(r.Place)), append(m.Ys, y.of(r.Place))
		if r.Error != nil {
			most = max(most, *r.Error)
		}
	}
	slices.Sort(m.Xs)
	slices.Sort(m.Ys)
	m.Xs, m.Ys = slices.Compact(m.Xs), slices.Compact(m.Ys)
	for range m.Ys {
		m.Values = append(m.Values, slices.Repeat([]float64{math.NaN()}, len(m.Xs)))
	}
	for _, r := range rows {
		i, _ := slices.BinarySearch(m.Ys, y.of(r.Place))
		k, _ := slices.BinarySearch(m.Xs, x.of(r.Place))
		m.Values[i][k] = r.Mean
	}
	universes := universesOf(rows, func(s *ensemble.Summary) uint64 { return uint64(s.Universes) })
	m.Note = fmt.Sprintf("Means over %d universes.", slices.Max(universes))
	if most > 0 {
		m.Note = fmt.Sprintf("Means over %d universes; their standard errors are at most %.2g.", slices.Max(universes), most)
	}
	return m
}
