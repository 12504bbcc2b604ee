package fit

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/internal/scaling"
)

// density is the only quantity besides a rule's parameters that curves can be drawn against.
const density = "density"

// sharesFrom ends the names of quantities that are shares of sizes from 2^K on.
const sharesFrom = "_from"

// measured is a row of a table: a mean over universes with its error, and where it was measured.
type measured struct {
	ensemble.Place
	scaling.Number
}

// curve is the measurements of one place at several values of an axis, which its place lacks.
type curve struct {
	scaling.Curve
	place ensemble.Place
}

// curvesOf makes curves of a quantity against a parameter of the rules or starts, or against their density. It makes
// one curve for each size and for each combination of the other values that differ. It takes averages over time if
// the tables have them, else the last generation. Without a parameter it takes the only one that differs. Rules and
// starts that lack it are left out.
func curvesOf(d ensemble.Data, quantity, against string) (curves []curve, axis string, err error) {
	rows := rowsOf(d, quantity)
	if len(rows) == 0 {
		return nil, "", fmt.Errorf("quantity %q is not there, or has no errors; there are %s", quantity,
			strings.Join(quantities(d), ", "))
	}
	if against == "" {
		if against, err = differing(rows); err != nil {
			return nil, "", err
		}
	}
	at := map[ensemble.Place]int{}
	for _, row := range rows {
		x, place := row.StartDensity, row.Place
		if against == density {
			place.StartDensity = 0
		} else {
			n := notationsOf(place)
			v, ok := n.Parameter(against)
			if !ok {
				continue
			}
			n = n.Without(against)
			x, place.Rule, place.Start = v, n.Rule, n.Start
		}
		if _, known := at[place]; !known {
			at[place] = len(curves)
			curves = append(curves, curve{scaling.Curve{Name: nameOf(place, against)}, place})
		}
		c := &curves[at[place]]
		c.Points = append(c.Points, scaling.Point{X: x, Y: row.Number})
	}
	if len(curves) == 0 {
		return nil, "", lacking(notationsOf(rows[0].Place), against)
	}
	for _, c := range curves {
		c.Sort()
	}
	return curves, against, nil
}

func notationsOf(p ensemble.Place) scaling.Notations {
	return scaling.Notations{Rule: p.Rule, Start: p.Start}
}

// lacking is the error for an ensemble without such a parameter.
func lacking(n scaling.Notations, parameter string) error {
	if of, isStart := strings.CutPrefix(parameter, scaling.OfStart); isStart {
		return fmt.Errorf("start %s has no parameter %q", n.Start, of)
	}
	return fmt.Errorf("rule %s has no parameter %q", n.Rule, parameter)
}

// nameOf says what all points of a curve have in common.
func nameOf(p ensemble.Place, against string) string {
	name := p.Rule + " on " + p.Topology
	other := p.Start != "" && p.Start != "soup"
	if other {
		name += " from " + p.Start
	}
	if against != density && p.StartDensity != 0.5 && !(other && p.StartDensity == 0) {
		name += fmt.Sprintf(" from density %v", p.StartDensity)
	}
	return name
}

// pointsOf are the curves alone.
func pointsOf(curves []curve) (all []scaling.Curve) {
	for _, c := range curves {
		all = append(all, c.Curve)
	}
	return all
}

// rowsOf returns the values of a quantity at each place: averages over time if there are any,
// otherwise those of the last generation.
func rowsOf(d ensemble.Data, quantity string) (rows []measured) {
	for _, r := range d.Averages {
		if r.Quantity == quantity && r.Error != nil {
			rows = append(rows, measured{r.Place, scaling.Number{Value: r.Mean, Error: *r.Error}})
		}
	}
	if len(rows) > 0 {
		return rows
	}
	last := map[ensemble.Place]uint64{}
	for _, r := range d.Summary {
		last[r.Place] = max(last[r.Place], r.Generation)
	}
	for _, r := range d.Summary {
		if r.Quantity == quantity && r.Error != nil && r.Generation == last[r.Place] {
			rows = append(rows, measured{r.Place, scaling.Number{Value: r.Mean, Error: *r.Error}})
		}
	}
	return rows
}

func quantities(d ensemble.Data) (names []string) {
	for _, r := range d.Summary {
		if !slices.Contains(names, r.Quantity) {
			names = append(names, r.Quantity)
		}
	}
	return names
}

// differing is the only parameter that differs between rows.
func differing(rows []measured) (string, error) {
	var all []scaling.Notations
	var found []string
	for _, row := range rows {
		all = append(all, notationsOf(row.Place))
		if row.StartDensity != rows[0].StartDensity && !slices.Contains(found, density) {
			found = append(found, density)
		}
	}
	for _, name := range scaling.Parameters(all) {
		first, _ := all[0].Parameter(name)
		if slices.ContainsFunc(all, func(n scaling.Notations) bool { v, _ := n.Parameter(name); return v != first }) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", errors.New("no parameter of the rules or starts differs, nor the density")
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("several parameters differ: name one of %s", strings.Join(found, ", "))
}

// seriesOf reads a quantity of each universe in a folder of merged tables, from one time to another, or the
// ratio of two ("squares/live"). Generation 0 has no logarithm, and is left out.
func seriesOf(dir, quantity string, from, to uint64) (places []ensemble.Place, series []scaling.Series, err error) {
	over, under, ratio := strings.Cut(quantity, "/")
	places, series, err = readEach(dir, over, from, to)
	if err != nil || !ratio {
		return places, series, err
	}
	_, divisors, err := readEach(dir, under, from, to)
	if err != nil {
		return nil, nil, err
	}
	for i := range series {
		series[i].Under = divisors[i].Over
	}
	return places, series, nil
}

// readEach reads a quantity from the tables that have it for each universe: samples or values.
func readEach(dir, quantity string, from, to uint64) ([]ensemble.Place, []scaling.Series, error) {
	samples, err := table[ensemble.Sample](dir, "samples")
	if err != nil {
		return nil, nil, err
	}
	each := eachUniverse{from: from, to: to}
	for _, r := range samples {
		if v, ok := valueOf(r, quantity); ok {
			each.add(r.Place, r.Index, float64(r.Generation), v)
		}
	}
	if len(each.places) == 0 {
		values, err := table[ensemble.Value](dir, "values")
		if err != nil {
			return nil, nil, err
		}
		for _, r := range values {
			if r.Quantity == quantity {
				each.add(r.Place, r.Index, float64(r.Generation), r.Value)
			}
		}
	}
	if len(each.places) == 0 {
		return nil, nil, fmt.Errorf(
			"%s has no %s of each universe in this range: it takes the tables of samples and values, which --samples none leaves out",
			dir, quantity)
	}
	places, series := each.whole()
	return places, series, nil
}

// numberedOf reads a quantity that has a number, like "mutual 1", "mutual 2", …, of each universe. The series are
// along the number, or along 2^K if the quantity is a share of sizes from 2^K on. Number 0 has no logarithm, and is
// left out. The values are sums over the generations of the averages over time if there are some, else those of the
// last generation. Without such a quantity there are no places.
func numberedOf(dir string, d ensemble.Data, quantity string, from, to uint64) ([]ensemble.Place, []scaling.Series,
	error,
) {
	first, last := uint64(0), uint64(0)
	for _, r := range d.Summary {
		last = max(last, r.Generation)
	}
	first = last
	if len(d.Averages) > 0 {
		first, last = d.Averages[0].First, d.Averages[0].Last
	}
	values, err := table[ensemble.Value](dir, "values")
	if err != nil {
		return nil, nil, err
	}
	each := eachUniverse{from: from, to: to}
	for _, r := range values {
		text, numbered := strings.CutPrefix(r.Quantity, quantity+" ")
		k, err := strconv.ParseUint(text, 10, 32)
		if !numbered || err != nil || r.Generation < first || r.Generation > last {
			continue
		}
		x := float64(k)
		if strings.HasSuffix(quantity, sharesFrom) {
			x = math.Exp2(x)
		}
		each.add(r.Place, r.Index, x, r.Value)
	}
	places, series := each.whole()
	if strings.HasSuffix(quantity, sharesFrom) {
		for i := range series {
			series[i] = reached(series[i])
		}
	}
	return places, series, nil
}

// reached leaves out the sizes that fewer than two universes reach: their mean is 0, or has no error.
func reached(s scaling.Series) scaling.Series {
	kept := scaling.Series{Over: make([][]float64, len(s.Over))}
	for column, x := range s.X {
		universes := 0
		for _, values := range s.Over {
			if values[column] > 0 {
				universes++
			}
		}
		if universes < 2 {
			continue
		}
		kept.X = append(kept.X, x)
		for u, values := range s.Over {
			kept.Over[u] = append(kept.Over[u], values[column])
		}
	}
	return kept
}

// eachUniverse collects the values of universes, place by place, for numbers x from one to another.
type eachUniverse struct {
	from, to uint64 // to is 0 if there is no last one
	places   []ensemble.Place
	series   []scaling.Series
	at       map[ensemble.Place]int
	columns  []map[float64]int // of each place: where an x is
}

// add adds to the value of a universe at x. Points without a logarithm, or outside the given range, are left out.
func (e *eachUniverse) add(p ensemble.Place, index uint64, x, value float64) {
	if x < float64(max(e.from, 1)) || e.to > 0 && x > float64(e.to) {
		return
	}
	i, known := e.at[p]
	if !known {
		if e.at == nil {
			e.at = map[ensemble.Place]int{}
		}
		i = len(e.places)
		e.at[p], e.places, e.series = i, append(e.places, p), append(e.series, scaling.Series{})
		e.columns = append(e.columns, map[float64]int{})
	}
	s := &e.series[i]
	column, known := e.columns[i][x]
	if !known {
		column, s.X = len(s.X), append(s.X, x)
		e.columns[i][x] = column
	}
	for uint64(len(s.Over)) <= index {
		s.Over = append(s.Over, nil)
	}
	for len(s.Over[index]) <= column {
		s.Over[index] = append(s.Over[index], 0)
	}
	s.Over[index][column] += value
}

// whole returns the series without universes that are missing, as in tables of an ensemble that is not done.
func (e *eachUniverse) whole() ([]ensemble.Place, []scaling.Series) {
	for i := range e.series {
		e.series[i].Over = slices.DeleteFunc(e.series[i].Over, func(v []float64) bool { return v == nil })
	}
	return e.places, e.series
}

// valueOf is a column of a sample.
func valueOf(s ensemble.Sample, quantity string) (float64, bool) {
	switch {
	case quantity == density:
		return s.Density, true
	case quantity == "population":
		return float64(s.Population), true
	case quantity == "activity" && s.Activity != nil:
		return *s.Activity, true
	}
	return 0, false
}

func table[T any](dir, name string) ([]T, error) {
	for _, ext := range result.Formats {
		rows, err := result.Read[T](filepath.Join(dir, name+ext))
		if !errors.Is(err, fs.ErrNotExist) {
			return rows, err
		}
	}
	return nil, nil
}

// countsOf returns the numbers of clusters of each size at the last generation of each place, without the
// largest of each universe, and their variances over universes.
func countsOf(d ensemble.Data) (places []ensemble.Place, counts [][]scaling.Count) {
	last := uint64(0)
	for _, r := range d.Clusters {
		last = max(last, r.Generation)
	}
	at := map[ensemble.Place]int{}
	for _, r := range d.Clusters {
		if r.Generation != last {
			continue
		}
		i, known := at[r.Place]
		if !known {
			i = len(places)
			at[r.Place], places, counts = i, append(places, r.Place), append(counts, nil)
		}
		n, universes := float64(r.Clusters-r.Largest), float64(r.Universes)
		counts[i] = append(counts[i], scaling.Count{
			Size: float64(r.Size), Number: n,
			Variance: (float64(r.SquaresRest) - n*n/universes) * universes / (universes - 1),
		})
	}
	return places, counts
}
