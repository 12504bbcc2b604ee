// Package plot holds the commands gosper plot and gosper ensemble plot, which draw figures from files of results.
package plot

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/figures"
	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/rule"
)

// axesFlags change how figures are drawn.
type axesFlags struct {
	Log   string `enum:",x,y,xy,none" default:"" placeholder:"AXES" help:"Logarithmic axes: x, y, xy or none. Default: depends on the quantity."`
	Title string `placeholder:"TEXT" help:"Title of the figure. Default: a description of the data."`
}

func (a axesFlags) apply(d *figures.Drawing) {
	x, y, title := &d.Figure.X, &d.Figure.Y, &d.Figure.Title
	if d.Map != nil {
		x, y, title = &d.Map.X, &d.Map.Y, &d.Map.Title
	}
	if a.Log != "" {
		x.Log, y.Log = strings.Contains(a.Log, "x"), strings.Contains(a.Log, "y")
	}
	*title = cmp.Or(a.Title, *title)
}

// viewFlags choose what figures show of an ensemble.
type viewFlags struct {
	Against string   `placeholder:"AXIS" help:"Horizontal axis: generation; or, at the last generation, density, size or a parameter of the rules such as T; or two of these for a heat map (T,density). Default: depends on the data."`
	Rule    []string `sep:"none" placeholder:"R" help:"Rule to draw; may be repeated. Default: all."`

	Generation *uint64 `placeholder:"N" help:"Draw only the samples of this generation, such as cluster sizes then. Default: all, or the last one."`
}

func (f viewFlags) view() (figures.View, error) {
	v := figures.View{Against: f.Against, Generation: f.Generation}
	for _, text := range f.Rule {
		r, err := rule.Parse(text)
		if err != nil {
			return v, err
		}
		v.Rules = append(v.Rules, r.String())
	}
	return v, nil
}

// Command is gosper plot.
type Command struct {
	File      string `arg:"" help:"File of results: .parquet, .csv or .jsonl."`
	Out       string `placeholder:"FILE" help:"Figure to write, .png, .svg or .pdf. Default: the file's name with the suffix .png."`
	Quantity  string `placeholder:"Q" help:"Quantity of a summary or series to draw. Default: density of a summary, population of a series."`
	X         string `placeholder:"COLUMN" help:"Draw any table of numbers against this column. --quantity names the columns to draw, separated by commas; default: all others."`
	Error     string `placeholder:"COLUMN" help:"With --x: the column of the standard errors of a single quantity."`
	viewFlags `embed:""`
	axesFlags `embed:""`
	output.StyleFlags
	Quiet bool `short:"q" help:"Do not print the name of the figure."`
	JSON  bool `name:"json" help:"Print one JSON object that names the figure."`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Examples:

    gosper plot soups/summary.parquet --quantity activity --out activity.svg
    gosper plot soups/summary.parquet --against size --log xy
    gosper plot soups/averages.parquet --quantity binder --against T
    gosper plot soups/summary.parquet --against T,density --out phases.png
    gosper plot soups/clusters.parquet --generation 100
    gosper plot gun.csv
    gosper plot soups/averages.parquet --quantity binder --out binder.pdf --width 86
    gosper plot measured.csv --x temperature --quantity heat --error heat_error

The command draws the tables of gosper ensemble (summary, averages, clusters, census, survival, lifespans), of gosper census, and the series of gosper run.
gosper ensemble plot draws all figures of an ensemble at once. With --x, the file may be any table, of this or another program.`
}

// Run implements the command.
func (cmd *Command) Run(c *console.Console) error {
	out := cmd.Out
	if out == "" {
		out = strings.TrimSuffix(cmd.File, filepath.Ext(cmd.File)) + ".png"
	}
	if err := figure.CheckPath(out); err != nil {
		return console.Bad(err)
	}
	view, err := cmd.view()
	if err != nil {
		return console.Bad(err)
	}
	style, err := cmd.Read()
	if err != nil {
		return console.Bad(err)
	}
	d, err := cmd.drawing(view)
	if err != nil {
		return console.Bad(err)
	}
	cmd.apply(&d)
	if err := output.Writable(out, true); err != nil {
		return console.Bad(err)
	}
	if err := d.SaveAs(out, style); err != nil {
		return err
	}
	switch {
	case cmd.JSON:
		return c.PrintJSON(drawn{[]string{out}})
	case !cmd.Quiet:
		c.Printf("%s\n", out)
	}
	return nil
}

// drawn is the report of the commands that draw figures.
type drawn struct {
	Out []string `json:"out"` // files written
}

// seriesRow is one row of a file that gosper run --series writes.
type seriesRow struct {
	Generation uint64   `parquet:"generation" json:"generation"`
	Population *float64 `parquet:"population" json:"population"`
	Births     *float64 `parquet:"births" json:"births"`
	Deaths     *float64 `parquet:"deaths" json:"deaths"`
	X          *float64 `parquet:"x" json:"x"`
	Y          *float64 `parquet:"y" json:"y"`
	Width      *float64 `parquet:"width" json:"width"`
	Height     *float64 `parquet:"height" json:"height"`
}

// drawing recognises the kind of a table by its columns, and draws it.
func (cmd *Command) drawing(view figures.View) (figures.Drawing, error) {
	switch {
	case cmd.X != "":
		return cmd.columns()
	case cmd.Error != "":
		return figures.Drawing{}, errors.New("--error names a column of a table that is drawn with --x")
	}
	if rows, err := result.Read[ensemble.Summary](cmd.File); err == nil && len(rows) > 0 && rows[0].Quantity != "" {
		return cmd.quantity(ensemble.Data{Summary: rows}, view, "")
	}
	if rows, err := result.Read[ensemble.Average](cmd.File); err == nil && len(rows) > 0 && rows[0].Samples > 0 {
		return cmd.quantity(ensemble.Data{Averages: rows}, view, "average-")
	}
	if rows, err := result.Read[seriesRow](cmd.File); err == nil && len(rows) > 0 {
		return drawSeries(rows, nil, cmp.Or(cmd.Quantity, "population"))
	}
	if rows, counts, err := countedSeries(cmd.File); err == nil {
		return drawSeries(rows, counts, cmp.Or(cmd.Quantity, "population"))
	}
	if cmd.Quantity != "" {
		return figures.Drawing{}, fmt.Errorf("%s is neither a summary nor a series: it has no quantities to choose from",
			cmd.File)
	}
	if rows, err := result.Read[census.Row](cmd.File); err == nil && len(rows) > 0 && rows[0].Code != "" {
		return drawObjects(rows)
	}
	data, err := cmd.table()
	if err != nil {
		return figures.Drawing{}, err
	}
	drawings, err := figures.Draw(data, view)
	switch {
	case err != nil:
		return figures.Drawing{}, fmt.Errorf("%s: %w", cmd.File, err)
	case len(drawings) == 0:
		return figures.Drawing{}, fmt.Errorf(
			"%s: lifespans are drawn against density or size, and the file has fewer than two values of either", cmd.File)
	}
	return drawings[0], nil
}

// quantity draws the wanted quantity of a table. Names of drawings begin with prefix.
func (cmd *Command) quantity(d ensemble.Data, view figures.View, prefix string) (figures.Drawing, error) {
	quantity := cmp.Or(cmd.Quantity, "density")
	there := slices.ContainsFunc(d.Summary, func(s ensemble.Summary) bool { return s.Quantity == quantity }) ||
		slices.ContainsFunc(d.Averages, func(a ensemble.Average) bool { return a.Quantity == quantity })
	if there && strings.Contains(quantity, " ") {
		view.Quantity = quantity
	}
	drawings, err := figures.Draw(d, view)
	if err != nil {
		return figures.Drawing{}, fmt.Errorf("%s: %w", cmd.File, err)
	}
	drawing, err := choose(drawings, prefix, quantity)
	if err != nil && there {
		return figures.Drawing{}, fmt.Errorf(
			"%s: averages of %s are drawn against density, size or a parameter of the rules, and the file has one value of each",
			cmd.File, quantity)
	}
	return drawing, err
}

// table reads a table of an ensemble that has only one figure.
func (cmd *Command) table() (ensemble.Data, error) {
	if rows, err := result.Read[ensemble.ClusterSize](cmd.File); err == nil && len(rows) > 0 && rows[0].Size > 0 {
		return ensemble.Data{Clusters: rows}, nil
	}
	if rows, err := result.Read[ensemble.Survival](cmd.File); err == nil && len(rows) > 0 && rows[0].AtRisk > 0 {
		return ensemble.Data{Survival: rows}, nil
	}
	if rows, err := result.Read[ensemble.Object](cmd.File); err == nil && len(rows) > 0 && rows[0].Code != "" {
		return ensemble.Data{Census: rows}, nil
	}
	rows, err := result.Read[ensemble.Lifespan](cmd.File)
	if err == nil {
		return ensemble.Data{Lifespans: rows}, nil
	}
	if result.CheckPath(cmd.File) != nil || !output.Exists(cmd.File) {
		return ensemble.Data{}, err
	}
	return ensemble.Data{}, fmt.Errorf(
		"%s holds no table that can be drawn; want the summary, averages, clusters, census, survival or lifespans of an ensemble, the census of gosper census, or the series of a run", cmd.File)
}

// drawObjects draws the shares of the commonest objects of gosper census.
func drawObjects(rows []census.Row) (figures.Drawing, error) {
	var objects []ensemble.Object
	for _, r := range rows {
		objects = append(objects, ensemble.Object{Code: r.Code, Share: r.Share, Error: r.Error})
	}
	drawings, err := figures.Draw(ensemble.Data{Census: objects}, figures.View{})
	if err != nil {
		return figures.Drawing{}, err
	}
	drawings[0].Figure.Title = "Census"
	return drawings[0], nil
}

// choose finds the drawing of a quantity. Names of drawings are names of files, with dashes in place
// of spaces.
func choose(drawings []figures.Drawing, prefix, quantity string) (figures.Drawing, error) {
	var names []string
	for _, d := range drawings {
		name := strings.TrimPrefix(d.Name, prefix)
		if name == strings.ReplaceAll(quantity, " ", "-") {
			return d, nil
		}
		names = append(names, name)
	}
	return figures.Drawing{}, fmt.Errorf("unknown quantity %q; the file has %s", quantity, strings.Join(names, ", "))
}

// drawSeries draws a quantity of a series: one that all have, or how often a pattern occurs.
func drawSeries(rows []seriesRow, counts map[string][]*float64, quantity string) (figures.Drawing, error) {
	of := map[string]func(r seriesRow) *float64{
		"population": func(r seriesRow) *float64 { return r.Population },
		"births":     func(r seriesRow) *float64 { return r.Births },
		"deaths":     func(r seriesRow) *float64 { return r.Deaths },
		"width":      func(r seriesRow) *float64 { return r.Width },
		"height":     func(r seriesRow) *float64 { return r.Height },
	}[quantity]
	if of == nil && counts[quantity] == nil {
		known := append([]string{"population", "births", "deaths", "width", "height"}, slices.Sorted(maps.Keys(counts))...)
		return figures.Drawing{}, fmt.Errorf("unknown quantity %q; the series has %s", quantity, strings.Join(known, ", "))
	}
	s := figure.Series{Line: true}
	for i, r := range rows {
		var v *float64
		if of != nil {
			v = of(r)
		} else {
			v = counts[quantity][i]
		}
		if v != nil {
			s.X, s.Y = append(s.X, float64(r.Generation)), append(s.Y, *v)
		}
	}
	return figures.Drawing{Figure: figure.Figure{
		Title: strings.ToUpper(quantity[:1]) + quantity[1:], X: figure.Axis{Label: "generation"},
		Y:      figure.Axis{Label: quantity},
		Series: []figure.Series{s},
	}}, nil
}

// usualColumns is the number of columns a series has before those of the patterns that it counts.
const usualColumns = 8

// countedSeries reads a series that counts patterns: its rows, and its further columns by their names. A number
// that is not known is nil.
func countedSeries(path string) ([]seriesRow, map[string][]*float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	usual := result.Columns[seriesRow]()
	if len(records) < 2 || len(records[0]) <= usualColumns || !slices.Equal(records[0][:usualColumns], usual) {
		return nil, nil, errors.New("no series of counts")
	}
	var rows []seriesRow
	counts := map[string][]*float64{}
	for _, record := range records[1:] {
		numbers := make([]*float64, len(record))
		for i, field := range record {
			if n, err := strconv.ParseFloat(field, 64); err == nil {
				numbers[i] = &n
			} else if field != "" || i == 0 {
				return nil, nil, err
			}
		}
		rows = append(rows, seriesRow{
			uint64(*numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
			numbers[6], numbers[7],
		})
		for i, name := range records[0][usualColumns:] {
			counts[name] = append(counts[name], numbers[usualColumns+i])
		}
	}
	return rows, counts, nil
}
