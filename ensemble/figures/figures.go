// Package figures makes the standard figures from an ensemble's tables: quantities against time, density or
// size, correlations, cluster sizes, the census, survival and lifespans. It decides what a figure shows;
// package figure draws it.
package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/internal/scaling"
	"github.com/gosper-life/gosper/topology"
)

// Drawing is a figure and the name of a file for it, without an extension. Map takes the figure's place where a
// quantity is drawn against two axes.
type Drawing struct {
	Name   string
	Figure figure.Figure
	Map    *figure.HeatMap
}

// SaveAs draws it into a file, as figure.Figure.SaveAs does.
func (d Drawing) SaveAs(path string, style figure.Style) error {
	if d.Map != nil {
		return d.Map.SaveAs(path, style)
	}
	return d.Figure.SaveAs(path, style)
}

// View says which part of an ensemble figures show, and how.
type View struct {
	Rules []string // as in the tables; empty for all
	// horizontal axis for quantities: generation, density, size or a parameter of rules or starts; two with a
	// comma for a heat map; empty to choose automatically
	Against string
	// the only sample to draw; nil for all, or for the last one if a figure shows one
	Generation *uint64
	// one of the quantities that have a number, like "correlation 3", to draw as others are; empty to draw all of
	// them against their numbers
	Quantity string
}

// axes lists the possible horizontal axes for quantities: time, or the density of the soups or the size at the
// last time.
var axes = []string{"generation", "density", "size"}

// Draw returns the standard figures of merged data. They show every quantity against time, or against density or size
// if there is only one time. They also show the correlations and the cluster sizes at the last time, the kinetics of
// cluster sizes, the census, the share of universes that have not settled, and lifespans against density or size. It is
// an error if the data do not contain a rule.
func Draw(d ensemble.Data, v View) ([]Drawing, error) {
	if v.Generation != nil {
		var err error
		if d, err = d.At(*v.Generation); err != nil {
			return nil, err
		}
	}
	for _, r := range v.Rules {
		if !slices.ContainsFunc(notationsIn(d), func(n scaling.Notations) bool { return n.Rule == r }) {
			return nil, fmt.Errorf("rule %s is not in the data", r)
		}
	}
	if len(v.Rules) > 0 {
		only(&d, func(n scaling.Notations) bool { return slices.Contains(v.Rules, n.Rule) })
	}
	for _, name := range v.names() {
		if slices.Contains(axes, name) {
			continue
		}
		all := notationsIn(d)
		has := func(n scaling.Notations) bool { _, has := n.Parameter(name); return has }
		if !slices.ContainsFunc(all, has) {
			return nil, fmt.Errorf("quantities against %q: want one of %s", name,
				strings.Join(append(slices.Clone(axes), scaling.Parameters(all)...), ", "))
		}
		only(&d, has)
	}
	if len(v.names()) > 1 {
		return drawMaps(d, v)
	}
	drawings := append(drawSummary(d.Summary, v, ""), drawAverages(d.Averages, v)...)
	if len(d.Clusters) > 0 {
		drawings = append(drawings, drawClusters(d.Clusters))
	}
	drawings = append(drawings, drawKinetics(d.Clusters, d.Kinetics)...)
	if len(d.Census) > 0 {
		drawings = append(drawings, drawCensus(d.Census))
	}
	if len(d.Survival) > 0 {
		drawings = append(drawings, drawSurvival(d.Survival))
	}
	return append(drawings, drawLifespans(d.Lifespans, v)...), nil
}

// only leaves the rows of some rules and starts.
func only(d *ensemble.Data, keep func(n scaling.Notations) bool) {
	d.Summary, d.Clusters, d.Census = those(d.Summary, keep), those(d.Clusters, keep), those(d.Census, keep)
	d.Kinetics = those(d.Kinetics, keep)
	d.Averages, d.Survival, d.Lifespans = those(d.Averages, keep), those(d.Survival, keep), those(d.Lifespans, keep)
}

func those[T ensemble.Row](rows []T, keep func(n scaling.Notations) bool) []T {
	var kept []T
	for _, row := range rows {
		if keep(notationsOf(row.At())) {
			kept = append(kept, row)
		}
	}
	return kept
}

// dimension is a number in which places may differ.
type dimension struct {
	name  string // one of Axes
	label string
	of    func(p ensemble.Place) float64
	drop  func(p ensemble.Place) ensemble.Place // returns the place without this number
}

var dimensions = []dimension{
	{
		"density", "density of the soups",
		func(p ensemble.Place) float64 { return p.StartDensity },
		func(p ensemble.Place) ensemble.Place { p.StartDensity = 0; return p },
	},
	{
		"size", "size L, root of the number of cells",
		ensemble.Place.Side,
		func(p ensemble.Place) ensemble.Place {
			if t, err := topology.Parse(p.Topology); err == nil {
				p.Topology = t.Kind.String()
			}
			p.Width, p.Height = 0, 0
			return p
		},
	},
}

// axis returns the axis for this dimension and these places. Sizes that differ by much are logarithmic.
func (d *dimension) axis(places []ensemble.Place) figure.Axis {
	least, most := math.Inf(1), 0.0
	for _, p := range places {
		least, most = min(least, d.of(p)), max(most, d.of(p))
	}
	return figure.Axis{Label: d.label, Log: d.name == "size" && most >= 4*least}
}

func (d *dimension) differs(places []ensemble.Place) bool {
	return slices.ContainsFunc(places, func(p ensemble.Place) bool { return d.of(p) != d.of(places[0]) })
}

// alone reports whether places differ only in this dimension.
func (d *dimension) alone(places []ensemble.Place) bool {
	return len(places) > 1 && !slices.ContainsFunc(places, func(p ensemble.Place) bool {
		return d.drop(p) != d.drop(places[0])
	})
}

// against returns the dimension for the horizontal axis, or nil for time.
func (v View) against(places []ensemble.Place, times int) *dimension {
	name := v.Against
	if name == "" && times > 1 {
		name = "generation"
	}
	for i := range dimensions {
		if name == dimensions[i].name {
			return &dimensions[i]
		}
	}
	switch name {
	case "generation":
		return nil
	case "": // the one with the most values
		best := &dimensions[0]
		for i := range dimensions {
			if d := &dimensions[i]; d.values(places) > best.values(places) {
				best = d
			}
		}
		if d := swept(places); d != nil && d.values(places) > best.values(places) {
			best = d
		}
		return best
	}
	return parameter(name, places)
}

// values is the number of different values of places.
func (d *dimension) values(places []ensemble.Place) int {
	seen := map[float64]bool{}
	for _, p := range places {
		seen[d.of(p)] = true
	}
	return len(seen)
}

// labels describes how places differ, in as few words as possible for a legend.
func labels(places []ensemble.Place) func(p ensemble.Place) string {
	differs := func(of func(p ensemble.Place) string) bool {
		return slices.ContainsFunc(places, func(p ensemble.Place) bool { return of(p) != of(places[0]) })
	}
	area := func(p ensemble.Place) string { return p.Topology }
	if !differs(func(p ensemble.Place) string {
		return p.Topology[:min(1, len(p.Topology))] + strconv.FormatBool(strings.ContainsAny(p.Topology, "+-*"))
	}) {
		area = func(p ensemble.Place) string {
			t, _ := topology.Parse(p.Topology)
			if !t.Volume() {
				t = topology.Topology{W: p.Width, H: p.Height}
			}
			return t.Size()
		}
	}
	var parts []func(p ensemble.Place) string
	for _, of := range []func(p ensemble.Place) string{
		func(p ensemble.Place) string { return p.Rule },
		area,
		func(p ensemble.Place) string { return p.Start },
		func(p ensemble.Place) string { return fmt.Sprintf("density %v", p.StartDensity) },
	} {
		if differs(of) {
			parts = append(parts, of)
		}
	}
	return func(p ensemble.Place) string {
		var words []string
		for _, of := range parts {
			words = append(words, of(p))
		}
		return strings.Join(words, ", ")
	}
}

// about describes what all places have in common, for a title.
func about(places []ensemble.Place) string {
	p := places[0]
	var words []string
	if !slices.ContainsFunc(places, func(q ensemble.Place) bool { return q.Rule != p.Rule }) {
		words = append(words, p.Rule)
	}
	if !slices.ContainsFunc(places, func(q ensemble.Place) bool { return q.Topology != p.Topology }) {
		words = append(words, p.Topology)
	}
	text := strings.Join(words, " on ")
	if p.Start != "" && p.Start != "soup" && !slices.ContainsFunc(places, func(q ensemble.Place) bool {
		return q.Start != p.Start
	}) {
		text = strings.TrimPrefix(text+" from "+p.Start, " ")
	}
	if text == "" {
		return ""
	}
	return ", " + text
}

// grouped returns the places in order, and the rows of each.
func grouped[T ensemble.Row](rows []T) (places []ensemble.Place, groups map[ensemble.Place][]T) {
	groups = map[ensemble.Place][]T{}
	for _, row := range rows {
		p := row.At()
		if groups[p] == nil {
			places = append(places, p)
		}
		groups[p] = append(groups[p], row)
	}
	return places, groups
}

// atLast returns the rows of the last generation of each place, and says which that is.
func atLast[T ensemble.Row](rows []T, generation func(row *T) uint64) (last []T, when string) {
	ends := map[ensemble.Place]uint64{}
	for i := range rows {
		p := rows[i].At()
		ends[p] = max(ends[p], generation(&rows[i]))
	}
	least, most := uint64(math.MaxUint64), uint64(0)
	for i := range rows {
		if g := generation(&rows[i]); g == ends[rows[i].At()] {
			last, least, most = append(last, rows[i]), min(least, g), max(most, g)
		}
	}
	if least != most {
		return last, fmt.Sprintf("at the last generations, %d to %d", least, most)
	}
	return last, fmt.Sprintf("at generation %d", most)
}

// setSeries adds the series of places to a figure. Names distinguish them. If there are many and they differ
// only in a number, colours from a scale do.
func setSeries(f *figure.Figure, places []ensemble.Place, of func(p ensemble.Place) figure.Series) {
	const few = 6
	var scale *dimension
	for i := range dimensions {
		if d := &dimensions[i]; len(places) > few && d.alone(places) {
			scale = d
			f.Scale = d.axis(places)
		}
	}
	name := labels(places)
	for _, p := range places {
		s := of(p)
		if scale != nil {
			value := scale.of(p)
			s.Value = &value
		} else {
			s.Name = name(p)
		}
		f.Series = append(f.Series, s)
	}
}

// setSeriesAgainst adds series to a figure in which the points of places are drawn against a dimension.
func setSeriesAgainst(f *figure.Figure, d *dimension, places []ensemble.Place,
	of func(p ensemble.Place) (y float64, err *float64, ok bool),
) {
	f.X = d.axis(places)
	joined := map[ensemble.Place]figure.Series{}
	var kinds []ensemble.Place
	sorted := slices.Clone(places)
	slices.SortStableFunc(sorted, func(a, b ensemble.Place) int { return cmp.Compare(d.of(a), d.of(b)) })
	for _, p := range places {
		if kind := d.drop(p); !joined[kind].Line {
			joined[kind] = figure.Series{Line: true, Points: true}
			kinds = append(kinds, kind)
		}
	}
	for _, p := range sorted {
		if y, err, ok := of(p); ok {
			joined[d.drop(p)] = with(joined[d.drop(p)], d.of(p), y, err)
		}
	}
	setSeries(f, kinds, func(kind ensemble.Place) figure.Series { return joined[kind] })
}

// with adds a point. One without an error gets an error of zero.
func with(s figure.Series, x, y float64, err *float64) figure.Series {
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	e := 0.0
	if err != nil {
		e = *err
	}
	s.Err = append(s.Err, e)
	return s
}

// spreadOut reports whether times are better distributed on a logarithmic axis: on a linear axis, half of them
// would be in the first eighth.
func spreadOut(series []figure.Series) bool {
	var times []float64
	for _, s := range series {
		for _, x := range s.X {
			if x > 0 {
				times = append(times, x)
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	n := len(times)
	return n >= 5 && times[n/2] < times[n-1]/8
}

// wide reports whether values are better distributed on a logarithmic axis: all are positive, and the largest is more
// than a hundred times the smallest.
func wide(series []figure.Series) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, y := range s.Y {
			least, most = min(least, y), max(most, y)
		}
	}
	return least > 0 && most > 100*least && !math.IsInf(most, 1)
}

// errorNote explains the errors in a figure.
func errorNote(kind string, universes []int) string {
	least, most := slices.Min(universes), slices.Max(universes)
	switch {
	case most == 0: // a census counts soups, not universes
		return "± 1 standard error."
	case most == 1:
		return "One universe each: no errors."
	case least == most:
		return fmt.Sprintf("± 1 standard error over %d universes%s.", most, kind)
	}
	return fmt.Sprintf("± 1 standard error over %d to %d universes%s.", least, most, kind)
}

// universesOf returns the numbers of universes in rows.
func universesOf[T any](rows []T, of func(row *T) uint64) []int {
	var list []int
	for i := range rows {
		list = append(list, int(of(&rows[i])))
	}
	return list
}

// drawSummary makes one figure for every quantity. The rows are of generations, or of averages when times.
func drawSummary(rows []ensemble.Summary, v View, times string) []Drawing {
	byQuantity, numbered := map[string][]ensemble.Summary{}, map[string]bool{}
	var quantities []string
	for _, s := range rows {
		name, _, _ := strings.Cut(s.Quantity, " ")
		if v.Quantity != "" {
			if s.Quantity != v.Quantity {
				continue
			}
			name = v.Quantity
		}
		if byQuantity[name] == nil {
			quantities = append(quantities, name)
		}
		byQuantity[name] = append(byQuantity[name], s)
		numbered[name] = numbered[name] || name != s.Quantity
	}
	var drawings []Drawing
	for _, q := range quantities {
		draw := drawQuantity
		switch {
		case q == "two_time_cells" || q == "two_time_density":
			draw = drawLags
		case numbered[q]:
			draw = drawCorrelation
		}
		drawings = append(drawings, Drawing{Name: strings.ReplaceAll(q, " ", "-"), Figure: draw(q, byQuantity[q], v, times)})
	}
	return drawings
}

func generationOf(s *ensemble.Summary) uint64 { return s.Generation }

// drawQuantity draws a quantity against time or a dimension of its places.
func drawQuantity(name string, rows []ensemble.Summary, v View, times string) figure.Figure {
	w := wordingOf(name)
	rows = perCell(rows, w)
	universes := universesOf(rows, func(s *ensemble.Summary) uint64 { return uint64(s.Universes) })
	places, groups := grouped(rows)
	generations := 0 // of the place that has the most
	for _, p := range places {
		generations = max(generations, len(groups[p]))
	}
	f := figure.Figure{Title: w.title + about(places), X: figure.Axis{Label: "generation"}, Y: figure.Axis{Label: w.axis}}
	if d := v.against(places, generations); d != nil {
		last, when := atLast(rows, generationOf)
		_, groups = grouped(last)
		f.Title = w.title + " " + cmp.Or(times, when) + about(places)
		f.Note = errorNote("", universes)
		setSeriesAgainst(&f, d, places, func(p ensemble.Place) (float64, *float64, bool) {
			if len(groups[p]) == 0 {
				return 0, nil, false
			}
			return groups[p][0].Mean, groups[p][0].Error, true
		})
		f.Y.Log = wide(f.Series)
		return f
	}
	setSeries(&f, places, func(p ensemble.Place) figure.Series {
		s := figure.Series{Line: true, Points: generations == 1}
		for _, row := range groups[p] {
			s = with(s, float64(row.Generation), row.Mean, row.Error)
		}
		return s
	})
	f.Note = errorNote(" (bands)", universes)
	f.X.Log, f.Y.Log = spreadOut(f.Series), wide(f.Series)
	return f
}

// perCell divides quantities that are drawn so by the numbers of cells.
func perCell(rows []ensemble.Summary, w wording) []ensemble.Summary {
	if w.per == 0 {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		cells := float64(rows[i].Width) * float64(rows[i].Height) / w.per
		rows[i].Mean /= cells
		if e := rows[i].Error; e != nil {
			share := *e / cells
			rows[i].Error = &share
		}
	}
	return rows
}

// drawCorrelation draws a function of distance, or of another number, at the last time. Shares of sizes from 2^K on are
// drawn against 2^K.
func drawCorrelation(kind string, rows []ensemble.Summary, _ View, times string) figure.Figure {
	rows, when := atLast(rows, generationOf)
	places, groups := grouped(rows)
	f := figure.Figure{
		Title: wordingOf(kind).title + " " + cmp.Or(times, when) + about(places),
		Note:  errorNote("", universesOf(rows, func(s *ensemble.Summary) uint64 { return uint64(s.Universes) })),
		X:     figure.Axis{Label: cmp.Or(alongs[kind], "number")}, Y: figure.Axis{Label: wordingOf(kind).axis},
	}
	sizes := strings.HasSuffix(kind, "_from")
	f.X.Log, f.Y.Log = sizes, sizes
	setSeries(&f, places, func(p ensemble.Place) figure.Series {
		s := figure.Series{Line: true, Points: true}
		for _, row := range groups[p] {
			if r, err := strconv.Atoi(strings.TrimPrefix(row.Quantity, kind+" ")); err == nil {
				x := float64(r)
				if sizes {
					x = math.Exp2(x)
				}
				s = with(s, x, row.Mean, row.Error)
			}
		}
		return s
	})
	f.Y.Log = f.Y.Log || wide(f.Series)
	return f
}

// drawClusters draws the number of clusters for each cell by size at the last generation, in bins that grow by
// a fifth and are divided by the number of sizes in them. If there is only one place, it also draws the numbers
// without the largest cluster of each universe.
func drawClusters(rows []ensemble.ClusterSize) Drawing {
	rows, when := atLast(rows, func(c *ensemble.ClusterSize) uint64 { return c.Generation })
	places, groups := grouped(rows)
	f := figure.Figure{
		Title: "Clusters " + when + about(places),
		Note: errorNote("", universesOf(rows, func(c *ensemble.ClusterSize) uint64 { return c.Universes })) +
			" Bins grow by a fifth and add the variances of the sizes in them.",
		X: figure.Axis{Label: "size s, cells", Log: true},
		Y: figure.Axis{Label: "n(s) = clusters of size s / (W·H·universes)", Log: true},
	}
	all := func(p ensemble.Place) figure.Series {
		return binned(groups[p], func(c *ensemble.ClusterSize) (uint64, *float64) { return c.Clusters, c.Error })
	}
	if len(places) > 1 {
		setSeries(&f, places, all)
		return Drawing{Name: "cluster-sizes", Figure: f}
	}
	whole := all(places[0])
	rest := binned(rows, func(c *ensemble.ClusterSize) (uint64, *float64) { return c.Clusters - c.Largest, c.ErrorRest })
	whole.Name, rest.Name = "all clusters", "without the largest of each universe"
	f.Series = []figure.Series{whole, rest}
	return Drawing{Name: "cluster-sizes", Figure: f}
}

// binned returns the cluster sizes of one place and time in bins, for a part of the clusters with its error.
// The error of a bin adds the variances of the sizes in it, as if their numbers in a universe were independent.
func binned(rows []ensemble.ClusterSize, part func(c *ensemble.ClusterSize) (clusters uint64,
	err *float64),
) figure.Series {
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

// drawCensus draws the shares of the commonest objects, for the places that fit side by side.
func drawCensus(rows []ensemble.Object) Drawing {
	const mostObjects, mostPlaces = 14, 8
	places, groups := grouped(rows)
	total := map[string]float64{}
	var codes []string
	for _, row := range rows {
		if _, known := total[row.Code]; !known {
			codes = append(codes, row.Code)
		}
		total[row.Code] += row.Share
	}
	slices.SortStableFunc(codes, func(a, b string) int { return cmp.Compare(total[b], total[a]) })
	f := figure.Figure{
		Title: "Census" + about(places), Y: figure.Axis{Label: "share of objects", Log: true},
		Categories: codes[:min(mostObjects, len(codes))],
		Note:       errorNote("", universesOf(rows, func(o *ensemble.Object) uint64 { return o.Universes })),
	}
	name := labels(places)
	if len(places) > mostPlaces {
		f.Note += fmt.Sprintf(" The first %d of %d combinations of rule, size, start and density.", mostPlaces, len(places))
		places = places[:mostPlaces]
	}
	for _, p := range places {
		b := figure.Bars{Name: name(p), Values: make([]float64, len(f.Categories)), Err: make([]float64, len(f.Categories))}
		for _, row := range groups[p] {
			if i := slices.Index(f.Categories, row.Code); i >= 0 {
				b.Values[i] = row.Share
				if row.Error != nil { // one soup has none: its bars have no length
					b.Err[i] = *row.Error
				}
			}
		}
		f.Bars = append(f.Bars, b)
	}
	return Drawing{Name: "census", Figure: f}
}

// drawSurvival draws the share of universes that have not settled against time.
func drawSurvival(rows []ensemble.Survival) Drawing {
	places, groups := grouped(rows)
	f := figure.Figure{
		Title: "Universes that have not settled (Kaplan–Meier)" + about(places),
		X:     figure.Axis{Label: "generation"}, Y: figure.Axis{Label: "share of universes"},
	}
	var universes []int
	setSeries(&f, places, func(p ensemble.Place) figure.Series {
		universes = append(universes, int(groups[p][0].AtRisk))
		s := with(figure.Series{Line: true}, 0, 1, nil)
		before, errBefore := 1.0, 0.0
		for _, row := range groups[p] { // steps
			s = with(s, float64(row.Time), before, &errBefore)
			s = with(s, float64(row.Time), row.Share, &row.Error)
			before, errBefore = row.Share, row.Error
		}
		return s
	})
	f.Note = errorNote(" (bands, Greenwood's formula)", universes)
	return Drawing{Name: "survival", Figure: f}
}

// drawLifespans draws the mean transient against density or size, if there are several.
func drawLifespans(rows []ensemble.Lifespan, v View) []Drawing {
	places, groups := grouped(rows)
	if v.Against == "generation" {
		v.Against = ""
	}
	if len(places) == 0 || v.Against == "" && !differ(places) {
		return nil
	}
	f := figure.Figure{
		Title: "Lifespan of soups" + about(places),
		Note:  errorNote("", universesOf(rows, func(l *ensemble.Lifespan) uint64 { return l.Universes })),
		Y:     figure.Axis{Label: fmt.Sprintf("mean generations until settled, at most %d", rows[0].Cap)},
	}
	setSeriesAgainst(&f, v.against(places, 1), places, func(p ensemble.Place) (float64, *float64, bool) {
		return groups[p][0].Restricted, groups[p][0].Error, true
	})
	return []Drawing{{Name: "lifespan", Figure: f}}
}
