package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/internal/scaling"
	"github.com/gosper-life/gosper/topology"
)

// CollapseCommand is gosper ensemble collapse.
type CollapseCommand struct {
	Dirs       []string `arg:"" name:"dir" help:"Folders of merged ensembles with different rules, sizes, starts or densities."`
	Quantity   string   `required:"" placeholder:"Q" help:"Quantity of the curves, such as binder, abs_magnetisation or percolating."`
	Against    string   `placeholder:"AXIS" help:"Axis: density, a parameter of the rules such as T, or a parameter of the starts such as start_length. Default: the only one that differs."`
	Generation *uint64  `placeholder:"N" help:"Use the samples of this generation. Default: averages over time, else the last generation."`
	From       *float64 `placeholder:"X" help:"Leave out points below this value of the axis."`
	To         *float64 `placeholder:"X" help:"Leave out points above this value of the axis."`
	LeastSize  float64  `placeholder:"L" help:"Leave out smaller sizes."`
	Critical   *float64 `placeholder:"X" help:"The critical value of the axis. Default: find it."`
	InverseNu  *float64 `placeholder:"N" help:"1/ν. Default: find it."`
	BetaOverNu *float64 `placeholder:"N" help:"β/ν of an order parameter, -γ/ν of a susceptibility, 0 of a cumulant or probability. Default: find it."`
	Out        string   `placeholder:"FILE" help:"Figure of the common curve, .png, .svg or .pdf."`
	Residuals  string   `placeholder:"FILE" help:"Figure of the distances of points from the curve of the other sizes, in units of their errors, .png, .svg or .pdf."`
	output.StyleFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*CollapseCommand) Help() string {
	return `Examples:

    gosper ensemble collapse ising --quantity binder --beta-over-nu 0
    gosper ensemble collapse ising closer large --quantity binder --beta-over-nu 0
    gosper ensemble collapse ising --quantity abs_magnetisation --out collapse.png
    gosper ensemble collapse square --quantity percolating --critical 0.592746 --beta-over-nu 0
    gosper ensemble collapse ising --quantity binder --beta-over-nu 0 --residuals residuals.png

Near a critical point x, measurements y of systems of L×L cells, or of another shape of L² cells, are on one curve if L^(β/ν) y is drawn against (x − x_c) L^(1/ν). The command
finds the x_c and the exponents for which the points fit one curve best. Values that are given as flags stay as they are. Averages over time
are used if the ensemble has them, else the last generation.

Quality S is the mean square distance of points from the curve of the other sizes, in units of their errors. It is about 1 if the points are on one curve, and far above 1 if not (Houdayer and Hartmann, Phys. Rev. B 70, 014418 (2004)). Then leave out small sizes (--least-size) or points far from x_c (--from, --to). Errors
are those of the parametric bootstrap: the standard deviation over 100 repetitions, each point drawn from the normal distribution of its standard error.
They take points as independent, which those of --paired ensembles are not. Points without an error, because nothing varies, are left out.`
}

// collapse is one that was found, in JSON.
type collapse struct {
	Name            string    `json:"name"`
	Sizes           []float64 `json:"sizes"`
	Critical        float64   `json:"critical"`
	CriticalError   float64   `json:"critical_error"`
	InverseNu       float64   `json:"inverse_nu"`
	InverseNuError  float64   `json:"inverse_nu_error"`
	BetaOverNu      float64   `json:"beta_over_nu"`
	BetaOverNuError float64   `json:"beta_over_nu_error"`
	Quality         float64   `json:"quality"`
	Points          int       `json:"points"`
	Compared        int       `json:"points_compared"`
	LeftOut         int       `json:"points_left_out"`

	Residuals []residual `json:"residuals"`
}

// residual is the distance of a point from the curve of the other sizes, in units of the error.
type residual struct {
	Size     float64 `json:"size"`
	X        float64 `json:"x"`
	Scaled   float64 `json:"scaled"`
	Residual float64 `json:"residual"`
}

type collapses struct {
	Quantity  string     `json:"quantity"`
	Against   string     `json:"against"`
	Collapses []collapse `json:"collapses"`
	Out       []string   `json:"out"`
}

// Run implements the command.
func (cmd *CollapseCommand) Run(c *console.Console) error {
	if cmd.InverseNu != nil && !(*cmd.InverseNu > 0) {
		return console.Badf("--inverse-nu %v: want a number above 0", *cmd.InverseNu)
	}
	figures := slices.DeleteFunc([]string{cmd.Out, cmd.Residuals}, func(path string) bool { return path == "" })
	for _, path := range figures {
		if err := figure.CheckPath(path); err != nil {
			return console.Bad(err)
		}
	}
	style, err := cmd.Read()
	if err != nil {
		return console.Bad(err)
	}
	data, err := readAt(cmd.Generation, cmd.Dirs...)
	if err != nil {
		return console.Bad(err)
	}
	curves, axis, err := curvesOf(data, cmd.Quantity, cmd.Against)
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", list(cmd.Dirs), err))
	}
	groups := cmd.groups(curves, axis)
	if len(groups) == 0 {
		return console.Badf("--least-size %v: %s has smaller sizes only", cmd.LeastSize, list(cmd.Dirs))
	}
	if len(figures) > 0 && len(groups) > 1 {
		return console.Badf("%s has %d different models, densities or topologies, and a figure shows one: leave out --out and "+
			"--residuals", list(cmd.Dirs), len(groups))
	}
	for _, path := range figures {
		if err := output.Writable(path, true); err != nil {
			return console.Bad(err)
		}
	}
	report := collapses{cmd.Quantity, axis, []collapse{}, []string{}}
	for _, g := range groups {
		found, err := scaling.Collapsed(g.curves, [...]*float64{cmd.Critical, cmd.InverseNu, cmd.BetaOverNu})
		if err != nil {
			return console.Bad(fmt.Errorf("%s: %s: %w", list(cmd.Dirs), g.name, err))
		}
		report.Collapses = append(report.Collapses, g.report(&found))
		if cmd.Out != "" {
			if err := cmd.figure(g, &found, axis).SaveAs(cmd.Out, style); err != nil {
				return err
			}
			report.Out = append(report.Out, cmd.Out)
		}
		if cmd.Residuals != "" {
			if err := cmd.residuals(g, &found, axis).SaveAs(cmd.Residuals, style); err != nil {
				return err
			}
			report.Out = append(report.Out, cmd.Residuals)
		}
	}
	if cmd.JSON {
		return c.PrintJSON(report)
	}
	for _, r := range report.Collapses {
		var sizes []string
		for _, size := range r.Sizes {
			sizes = append(sizes, sizeName(size))
		}
		c.Printf("%s, L = %s\n", r.Name, strings.Join(sizes, ", "))
		c.Printf("  %-9s  %s\n", axis+"_c", numberText(scaling.Number{Value: r.Critical, Error: r.CriticalError},
			cmd.Critical))
		c.Printf("  1/ν        %s\n", numberText(scaling.Number{Value: r.InverseNu, Error: r.InverseNuError}, cmd.InverseNu))
		c.Printf("  β/ν        %s\n", numberText(scaling.Number{Value: r.BetaOverNu, Error: r.BetaOverNuError},
			cmd.BetaOverNu))
		c.Printf("  quality    S = %.2f of %d points; %d of %d could be compared", r.Quality, r.Points, r.Compared, r.Points)
		if r.LeftOut > 0 {
			c.Printf(", %d without error left out", r.LeftOut)
		}
		c.Printf("\n")
	}
	for _, path := range report.Out {
		c.Printf("  wrote      %s\n", path)
	}
	return nil
}

// numberText writes a number that was fitted or given.
func numberText(n scaling.Number, given *float64) string {
	if given != nil {
		return fmt.Sprintf("%v, given", *given)
	}
	return text(n)
}

// group is the curves that differ only in their size.
type group struct {
	name    string
	curves  []scaling.Sized
	leftOut int // points without an error
}

// groups returns groups of curves that may collapse onto one, without the curves and points that are left out.
func (cmd *CollapseCommand) groups(curves []curve, axis string) (groups []*group) {
	at := map[ensemble.Place]*group{}
	for _, c := range curves {
		size := c.place.Side()
		if size < cmd.LeastSize {
			continue
		}
		key := c.place // of all systems of this shape
		t, err := topology.Parse(c.place.Topology)
		if err == nil && t.Shift == 0 {
			key.Topology = t.Kind.String()
		}
		shape := max(gcd(key.Width, key.Height), 1)
		if key.Topology += " of L×L cells"; t.Volume() {
			shape = gcd(gcd(t.W, t.LayerRows()), t.D)
			key.Topology = fmt.Sprintf("%s of L×L×L cells", t.Kind)
			if t.W != t.D || t.LayerRows() != t.D {
				key.Topology += fmt.Sprintf(", %d:%d:%d", t.W/shape, t.LayerRows()/shape, t.D/shape)
			}
			key.Width, key.Height = shape, shape
		}
		key.Width, key.Height = key.Width/shape, key.Height/shape
		g := at[key]
		if g == nil {
			name := key
			if key.Width != key.Height {
				name.Topology += fmt.Sprintf(", %d:%d", key.Width, key.Height)
			}
			g = &group{name: nameOf(name, axis)}
			at[key], groups = g, append(groups, g)
		}
		points := slices.DeleteFunc(c.Points, func(p scaling.Point) bool {
			return cmd.From != nil && p.X < *cmd.From || cmd.To != nil && p.X > *cmd.To
		})
		all := len(points)
		points = slices.DeleteFunc(points, func(p scaling.Point) bool { return !(p.Y.Error > 0) })
		g.leftOut += all - len(points)
		g.curves = append(g.curves, scaling.Sized{Curve: scaling.Curve{Name: c.Name, Points: points}, Size: size})
	}
	for _, g := range groups {
		slices.SortStableFunc(g.curves, func(a, b scaling.Sized) int { return cmp.Compare(a.Size, b.Size) })
	}
	return groups
}

func (g *group) report(found *scaling.Collapse) collapse {
	at := found.At
	r := collapse{
		g.name,
		[]float64{},
		at[scaling.Critical].Value, at[scaling.Critical].Error, at[scaling.InverseNu].Value, at[scaling.InverseNu].Error,
		at[scaling.BetaOverNu].Value, at[scaling.BetaOverNu].Error, found.Quality, 0, found.Terms, g.leftOut,
		[]residual{},
	}
	for _, f := range found.Residuals {
		r.Residuals = append(r.Residuals, residual{f.Size, f.X, f.Scaled, f.Value})
	}
	for _, c := range g.curves {
		r.Sizes = append(r.Sizes, c.Size)
		r.Points += len(c.Points)
	}
	return r
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func sizeName(size float64) string { return fmt.Sprintf("%.4g", size) }

// residuals draws the distances of points from the curve of the other sizes.
func (cmd *CollapseCommand) residuals(g *group, found *scaling.Collapse, axis string) figure.Figure {
	f := figure.Figure{
		Title: fmt.Sprintf("Residuals of %s, %s", cmd.Quantity, g.name),
		Note: fmt.Sprintf("Distances from the straight line through the neighbours of the other sizes, divided by the error of both. "+
			"The mean of their squares is S = %.2f. Points beside those of no other size are left out.", found.Quality),
		X: figure.Axis{Label: fmt.Sprintf("(%s − %s_c) L^(1/ν)", axis, axis)},
		Y: figure.Axis{Label: "residual, standard errors"},
	}
	for _, c := range g.curves {
		s := figure.Series{Name: "L = " + sizeName(c.Size), Points: true}
		for _, r := range found.Residuals {
			if r.Size == c.Size {
				s.X, s.Y = append(s.X, r.Scaled), append(s.Y, r.Value)
			}
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// figure draws the scaled points.
func (cmd *CollapseCommand) figure(g *group, found *scaling.Collapse, axis string) figure.Figure {
	f := figure.Figure{
		Title: fmt.Sprintf("%s of %s on one curve", cmd.Quantity, g.name),
		Note: fmt.Sprintf(
			"Bars are standard errors over universes. %s_c = %s; 1/ν = %s; β/ν = %s; quality S = %.2f (Houdayer and Hartmann 2004; 1 is good).",
			axis, numberText(found.At[scaling.Critical], cmd.Critical), numberText(found.At[scaling.InverseNu], cmd.InverseNu),
			numberText(found.At[scaling.BetaOverNu], cmd.BetaOverNu), found.Quality),
		X: figure.Axis{Label: fmt.Sprintf("(%s − %s_c) L^(1/ν)", axis, axis)},
		Y: figure.Axis{Label: cmd.Quantity + " L^(β/ν)"},
	}
	for _, c := range g.curves {
		s := figure.Series{Name: "L = " + sizeName(c.Size), Points: true}
		for _, p := range c.Points {
			scaled := found.Scaled(p, c.Size)
			s.X, s.Y, s.Err = append(s.X, scaled.X), append(s.Y, scaled.Y.Value), append(s.Err, scaled.Y.Error)
		}
		f.Series = append(f.Series, s)
	}
	return f
}
