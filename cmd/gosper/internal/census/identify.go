package census

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// IdentifyCommand is gosper identify.
type IdentifyCommand struct {
	Pattern string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	Rule    string `placeholder:"R" help:"Rule: any without chance. Default: the pattern's, else B3/S23."`
	JSON    bool   `name:"json" help:"Print one JSON object."`

	limitFlags         `embed:"" group:"Limits"`
	start.ReadingFlags `embed:"" group:"Limits"`
}

// Help is shown below the usage.
func (*IdentifyCommand) Help() string {
	return `Examples:

    gosper identify glider
    gosper identify ash.rle --json
    gosper identify xq1_03_3 --rule g3b2s
    gosper identify bosco
    gosper identify glider --rule B3/S23:T31,20

An apgcode names still lifes (xs), oscillators (xp) and spaceships (xq) by their shape, and linear growth (yl) by its population. It describes all cells together, under Generations also the dying ones. An unstable pattern has no apgcode. The command also lists the objects that the pattern consists of, or settles into.

Rules of two states and Generations, of radius up to 6, have apgcodes on the unbounded plane. A rule with B0 needs two states there, and a radius up to 3 if the plane does not stay live. Under other rules, and in universes with edges, the command says when and where the whole pattern repeats.`
}

// limitFlags set the limits at which a search gives up.
type limitFlags struct {
	Generations int `placeholder:"N" help:"Generations after which a pattern counts as endless. Default: 30000."`
	Population  int `placeholder:"N" help:"Population above which a pattern counts as endless. Default: 65536; for identify 2^20, or four times the pattern's."`
	Box         int `placeholder:"N" help:"Width or height above which a pattern counts as endless. Default: 65536; for identify at least four times the pattern's."`
	Period      int `placeholder:"N" help:"Longest period of an object. Default: 4000."`
}

// limitFlag is one of these flags as it is written on the command line.
type limitFlag struct {
	flag string
	n    int
}

func (f *limitFlags) flags() []limitFlag {
	return []limitFlag{
		{"--generations", f.Generations},
		{"--population", f.Population},
		{"--box", f.Box},
		{"--period", f.Period},
	}
}

// limits checks the flags one by one, so that the error names the flag.
func (f *limitFlags) limits() (census.Limits, error) {
	for _, limit := range f.flags() {
		if limit.n < 0 {
			return census.Limits{}, fmt.Errorf("%s %d: want 1 or more", limit.flag, limit.n)
		}
	}
	l := census.Limits{Generations: f.Generations, Population: f.Population, Box: f.Box, Period: f.Period}
	return l, l.Validate()
}

// limitArgs returns the flags that set the same limits again.
func (f *limitFlags) limitArgs() []string {
	var args []string
	for _, limit := range f.flags() {
		if limit.n != 0 {
			args = append(args, limit.flag, strconv.Itoa(limit.n))
		}
	}
	return args
}

// Without --population a pattern may grow to leastPopulation cells, or to four times as many as it has, but not beyond
// mostPopulation. A soup of a census may not: its limit belongs to the result.
const leastPopulation, mostPopulation = 1 << 20, 1 << 24

// Unless --generations is given, hashed life shows the far future of a pattern after mostWork, about two seconds. If it
// does not say enough, the pattern is followed up to longWork.
const (
	mostWork = 1 << 23
	longWork = 16 * mostWork
)

// mostBox is the largest box that a pattern may have without --box: four times as wide and high as it is, up to this.
const mostBox = 1 << 30

// identified is the report of gosper identify.
type identified struct {
	Rule   string      `json:"rule"`
	Edges  string      `json:"topology"` // as a suffix; T0 is the unbounded plane
	Code   *string     `json:"apgcode"`  // null if it is unstable
	Name   *string     `json:"name"`     // null if it has none
	Kind   census.Kind `json:"kind"`
	Period *int        `json:"period"` // null if none is known
	DX     int         `json:"dx"`     // cells to the right in one period
	DY     int         `json:"dy"`     // cells down in one period
	Speed  *string     `json:"speed"`  // null if it does not move
	Growth *growth     `json:"growth"` // null if it does not grow in a known way
	Cells  int         `json:"population"`
	// objects that it settles into, by apgcode; null in universes that a census does not take
	Ash     map[string]int `json:"ash"`
	Settles bool           `json:"settles"` // whether it settles within the limits
	Traits  *traits        `json:"traits"`  // null if it does not come back, or if a census does not take it
	// Limit is the one that ended the search: generations, population, box, period or work. It is null if it settles.
	Limit *string `json:"limit"`
	// Lifespan is the generation from which all that is left repeats or flies away; null if none is known.
	Lifespan *uint64 `json:"lifespan"`

	given  string      // the apgcode that the command was given; "" if none
	suffix string      // of the rule: the universe's edges
	later  census.Kind // its later kind in such a universe, which period, dx, dy and speed describe
	limits census.Limits
	ended  int // the generation at which the limit was reached
	steady int // the last generation up to which hashed life shows no growth; 0 if it was not asked
}

// traits holds the numbers that collectors publish about objects that come back: see census.Traits.
type traits struct {
	Rotor      *int     `json:"rotor"`      // cells; null for a spaceship
	Stator     *int     `json:"stator"`     // the same
	Volatility *float64 `json:"volatility"` // null for a spaceship
	Strict     *float64 `json:"strict_volatility"`
	Heat       float64  `json:"heat"` // cells that change in a generation, on average
	LeastHeat  int      `json:"least_heat"`
	MostHeat   int      `json:"most_heat"`
	Symmetry   *string  `json:"symmetry"` // by its name in Catagolue; null on hexagons
	Mod        int      `json:"mod"`      // generations until the first phase is there again, moved, turned or mirrored
	Image      *string  `json:"image"`    // how it then differs; null if it is only moved
}

// traitsOf describes an object that comes back.
func traitsOf(t census.Traits, o census.Object) *traits {
	out := &traits{
		Heat: t.Heat, LeastHeat: t.LeastHeat, MostHeat: t.MostHeat, Symmetry: console.Known(t.Symmetry), Mod: t.Mod,
		Image: console.Known(t.Image),
	}
	if o.Kind != census.Spaceship {
		all, strict := t.Volatility()
		out.Rotor, out.Stator, out.Volatility, out.Strict = &t.Rotor, &t.Stator, &all, &strict
	}
	return out
}

// print writes the traits, one line for each subject.
func (t *traits) print(line func(what, format string, args ...any), period int) {
	if t.Rotor != nil && period > 1 {
		line("rotor", "%s, stator %s; volatility %.3g, strict %.3g", number.Count(uint64(*t.Rotor), "cell"),
			number.Grouped(uint64(*t.Stator)), *t.Volatility, *t.Strict)
	}
	if t.MostHeat > 0 {
		line("heat", "%.4g: %d to %d cells change in a generation", t.Heat, t.LeastHeat, t.MostHeat)
	}
	text := console.Text(t.Symmetry)
	if period > 1 {
		text = strings.TrimPrefix(fmt.Sprintf("%s, mod %d", text, t.Mod), ", ")
		if t.Image != nil {
			text += ": " + *t.Image
		}
	}
	if text != "" {
		line("symmetry", "%s", text)
	}
}

// growth says how a pattern grows up to the last generation seen. It does not prove that this goes on forever.
type growth struct {
	From  int      `json:"from"`    // generation
	To    int      `json:"to"`      // the last generation seen
	Apart int      `json:"apart"`   // generations between two that were compared; 0: all were
	Cells *float64 `json:"cells"`   // more in a period; quadratic: more than in the period before; null if not known
	Power *float64 `json:"power"`   // of the time, as which it grows about, if the period is not known; else null
	Code  *string  `json:"apgcode"` // from then on; null if it is not known
	Left  *string  `json:"left"`    // the speed of this side of its box; null if it stands still or is not known
	Right *string  `json:"right"`
	Up    *string  `json:"up"`
	Down  *string  `json:"down"`
	// gun, rake, puffer, wickstretcher, breeder or spacefiller; null if it is none, or not known
	Class *string `json:"class"`
	// the generations in which it makes the objects of emits and leaves, by apgcode; all null if they are not known
	Every  *int           `json:"every"`
	Emits  map[string]int `json:"emits"`
	Leaves map[string]int `json:"leaves"`
}

// fillsFrom is the share of its box that a pattern of quadratic growth takes at least if it fills space. Breeders leave
// more of it empty.
const fillsFrom = 0.1

// classOf is a word for a pattern that grows as an object does. Quadratic growth is that of a breeder or a spacefiller.
// Without a period, a pattern that takes much of its box has no such word: it may also be chaotic.
func classOf(o census.Object, out census.Output) string {
	switch g := o.Growth; {
	case o.Kind != census.QuadraticGrowth || g.Filled == 0:
		return out.Class
	case g.Filled < fillsFrom:
		return "breeder"
	case g.Power == 0:
		return "spacefiller"
	}
	return ""
}

// growthOf describes an object's growth. It is nil if the object does not grow in a known way.
func growthOf(o census.Object, out census.Output) *growth {
	g := o.Growth
	if g == (census.Growth{}) {
		return nil
	}
	side := func(s census.Speed) *string { return console.Known(fraction(s.Cells, s.Generations)) }
	return &growth{
		From: g.From, To: g.To, Apart: g.Apart, Cells: console.Known(g.Cells), Power: console.Known(g.Power),
		Code: console.Known(g.Code), Left: side(g.Left),
		Right: side(g.Right), Up: side(g.Up), Down: side(g.Down), Class: console.Known(classOf(o, out)),
		Every: console.Known(out.Generations), Emits: out.Emits, Leaves: out.Leaves,
	}
}

// Run implements the command.
func (cmd *IdentifyCommand) Run(ctx context.Context, c *console.Console) error {
	limits, err := cmd.limits()
	if err != nil {
		return console.Bad(err)
	}
	reading := cmd.Options(1)
	reading.Squares = true
	p, err := start.OpenPattern(ctx, c, origin.Under(cmd.Pattern, cmd.Rule), reading)
	if err != nil {
		return err
	}
	r, suffix, err := rule.ParseApart(cmp.Or(cmd.Rule, p.Rule, origin.DefaultRule))
	if err != nil {
		return console.Bad(err)
	}
	if err := p.CheckStates(r.States); err != nil {
		return console.Bad(err)
	}
	edges := suffix != nil && suffix.Kind != topology.Unbounded
	src, err := p.Source()
	if err != nil {
		return console.Badf("%s: %w", cmd.Pattern, err)
	}
	n, err := grid.Population(src)
	if err != nil {
		return err
	}
	if limits.Population == 0 {
		limits.Population = int(min(max(leastPopulation, 4*n), mostPopulation))
	}
	if limits.Generations == 0 {
		limits.Work = mostWork
	}
	if limits.Box == 0 {
		limits.Box = min(max(census.DefaultLimits.Box, 4*max(p.Bounds.W, p.Bounds.H)), mostBox)
	}
	if n > uint64(limits.Population) {
		count := number.Count(n, "cell")
		if n == math.MaxUint64 {
			count = "2^64 cells or more"
		}
		return console.Badf("the pattern has %s; --population raises the limit", count)
	}
	counter, err := census.NewCounter(r, limits)
	if err != nil && (r.Random() || r.BirthOnEmpty() && !edges) {
		return console.Bad(err)
	}
	if counter == nil || edges {
		return cmd.identifyAlone(ctx, c, p, int(n), limits)
	}
	if err := counter.CheckGeneration(p.Generation); err != nil {
		return console.Badf("%s: %w", cmd.Pattern, err)
	}
	cells, err := census.CellsOf(src)
	if err != nil {
		return err
	}
	o, tally, err := follow(ctx, c, counter, cells, limits.OrDefault())
	if err != nil {
		return err
	}
	future, err := cmd.far(ctx, c, p, o, tally.Endless)
	if err != nil {
		return err
	}
	if tally.Limit == "work" && !decides(future) {
		limits.Work = longWork
		if counter, err = census.NewCounter(r, limits); err != nil {
			return err
		}
		if o, tally, err = follow(ctx, c, counter, cells, limits.OrDefault()); err != nil {
			return err
		}
	}
	found := identified{
		Rule: r.String(), Edges: topology.Topology{}.String(), Code: console.Known(o.Code),
		Name: console.Known(census.Name(r, o.Code)), Kind: o.Kind, Period: console.Known(o.Period), DX: o.DX, DY: o.DY,
		Speed:  console.Known(speedOf(o)),
		Growth: growthOf(o, tally.Output), Cells: len(cells), Ash: tally.Objects, Settles: !tally.Endless,
		Limit: console.Known(tally.Limit), ended: tally.Generation, limits: limits.OrDefault(),
	}
	if o.Kind == census.StillLife || o.Kind == census.Oscillator || o.Kind == census.Spaceship {
		found.Traits = traitsOf(counter.Traits(cells, o), o)
	}
	if found.Settles && !r.BirthOnEmpty() { // quicker than zone by zone, if all of it comes back soon
		if found.Lifespan, err = cmd.lifespan(ctx, c, p, limits.OrDefault()); err != nil {
			return err
		}
	}
	if found.Settles && found.Lifespan == nil {
		if found.Lifespan, err = lifespanOf(ctx, c, counter, cells, o, tally); err != nil {
			return err
		}
	}
	found.add(future, o)
	if _, err := census.ParseCode(cmd.Pattern, r.States); err == nil {
		found.given = cmd.Pattern
	}
	if cmd.JSON {
		return c.PrintJSON(found)
	}
	found.print(c, r)
	return nil
}

// follow describes and counts what becomes of cells within limits, and says how far it got if somebody interrupts it.
func follow(
	ctx context.Context, c *console.Console, counter *census.Counter, cells []census.Cell, limits census.Limits,
) (o census.Object, tally census.Tally, err error) {
	stop := c.Line(false).Clock("running " + number.Count(uint64(len(cells)), "cell") + " until they settle")
	o, err = console.Await(ctx, func() (o census.Object, _ error) {
		o, tally = counter.IdentifyAndCount(cells)
		return o, nil
	})
	stop()
	generation, population := counter.Reached()
	if err != nil {
		fmt.Fprintln(c.Err, "gosper:", interruption(generation, population, len(cells), limits))
	}
	return o, tally, err
}

// lifespanOf is the lifespan of a pattern that settles, as o and its tally say. It is 0 if all of it comes back.
func lifespanOf(
	ctx context.Context, c *console.Console, counter *census.Counter, cells []census.Cell, o census.Object,
	tally census.Tally,
) (*uint64, error) {
	switch o.Kind {
	case census.StillLife, census.Oscillator, census.Spaceship:
		return new(uint64), nil
	}
	defer c.Line(false).Clock("looking for the lifespan")()
	return console.Await(ctx, func() (*uint64, error) {
		n := uint64(counter.Lifespan(cells, tally))
		return &n, nil
	})
}

// interruption says how far a search got before somebody interrupted it, and which limits end it earlier.
func interruption(generation, population, cells int, l census.Limits) string {
	return fmt.Sprintf("interrupted before the pattern settled or grew in a known way: %s became %s by generation %s; "+
		"less than --generations %d, --population %d or --box %d ends the search earlier",
		number.Count(uint64(cells), "cell"), number.Grouped(uint64(population)), number.Grouped(uint64(generation)),
		l.Generations, l.Population, l.Box)
}

// print writes what is known of an object, one line each. Lines that make no sense for its kind are
// left out.
func (f *identified) print(c *console.Console, r rule.Rule) {
	line := func(what, format string, args ...any) { c.Printf("%-8s  %s\n", what, fmt.Sprintf(format, args...)) }
	if f.Ash != nil {
		line("apgcode", "%s", cmp.Or(console.Text(f.Code), "none"))
	}
	if f.given != "" && f.given != console.Text(f.Code) {
		line("", "%s is not the code of these cells", f.given)
	}
	if f.Name != nil {
		line("name", "%s", *f.Name)
	}
	if f.Growth == nil {
		line("kind", "%s", f.Kind)
	} else {
		class := ""
		if f.Growth.Class != nil {
			class = ", a " + *f.Growth.Class
		}
		line("kind", "%s so far%s", f.Kind, class)
	}
	if f.Kind == census.Unstable && f.later != census.Unknown {
		line("becomes", "%s", f.later)
	}
	switch {
	case f.Period == nil:
	case f.Growth != nil && f.Growth.Apart > 0:
		line("period", "%d, or a divisor of it", *f.Period)
	default:
		line("period", "%d", *f.Period)
	}
	if f.Speed != nil {
		line("moves", "%d,%d a period: %s", f.DX, f.DY, *f.Speed)
	}
	if f.Kind == census.Unstable && f.Lifespan != nil {
		line("lifespan", "%s", number.Count(*f.Lifespan, "generation"))
	}
	if f.Traits != nil {
		f.Traits.print(line, *f.Period)
	}
	f.printGrowth(line, r)
	line("rule", "%s%s", f.Rule, f.suffix)
	line("cells", "%s", number.Grouped(uint64(f.Cells)))
	if f.Ash != nil && (len(f.Ash) != 1 || f.Ash[console.Text(f.Code)] != 1) {
		f.printAsh(line, r)
	}
	if f.Limit != nil && f.Growth == nil {
		line("", "%s", f.unsettled())
	}
	if f.steady > 0 && f.Limit != nil {
		line("", "hashed life shows no growth up to generation %s", number.Grouped(uint64(f.steady)))
	}
}

// unsettled says which limit ended the search, and how to raise it.
func (f *identified) unsettled() string {
	l, what := f.limits, ""
	switch *f.Limit {
	case "generations":
		return fmt.Sprintf("it did not settle within %s generations into objects of periods up to %s; --generations "+
			"and --period raise the limits", number.Grouped(uint64(l.Generations)), number.Grouped(uint64(l.Period)))
	case "work":
		return fmt.Sprintf("it did not settle within %s generations, which took long; --generations runs it further",
			number.Grouped(uint64(f.ended)))
	case "population":
		what = fmt.Sprintf("more than %s cells", number.Grouped(uint64(l.Population)))
	case "box":
		what = fmt.Sprintf("a box of more than %s columns or rows", number.Grouped(uint64(l.Box)))
	case "period":
		what = fmt.Sprintf("an object with a period of more than %s", number.Grouped(uint64(l.Period)))
	}
	return fmt.Sprintf("it had %s at generation %s; --%s raises the limit", what, number.Grouped(uint64(f.ended)),
		*f.Limit)
}

// printGrowth says how many cells the pattern gets, in which generations, and where its box grows.
func (f *identified) printGrowth(line func(what, format string, args ...any), r rule.Rule) {
	g := f.Growth
	if g == nil {
		return
	}
	line("grows", "%s, from generation %s to %s, the last one seen", f.pace(), number.Grouped(uint64(g.From)),
		number.Grouped(uint64(g.To)))
	var sides []string
	for _, side := range []struct {
		name  string
		speed *string
	}{{"left", g.Left}, {"right", g.Right}, {"up", g.Up}, {"down", g.Down}} {
		if side.speed != nil {
			sides = append(sides, side.name+" "+*side.speed)
		}
	}
	if len(sides) > 0 {
		line("its box", "%s", strings.Join(sides, ", "))
	}
	if g.Every != nil {
		in := fmt.Sprintf(", in %s", number.Count(uint64(*g.Every), "generation"))
		if len(g.Emits) > 0 {
			printObjects(line, "emits", g.Emits, r, in)
		}
		if len(g.Leaves) > 0 {
			printObjects(line, "leaves", g.Leaves, r, in)
		}
	}
}

// pace says how fast the pattern grows.
func (f *identified) pace() string {
	g := f.Growth
	switch {
	case g.Power != nil:
		return fmt.Sprintf("about as t^%.2f", *g.Power)
	case f.Kind == census.Sawtooth:
		return "and falls back, higher each time"
	case g.Cells == nil:
		return "irregularly"
	}
	cells, periods := wholeCells(*g.Cells, *f.Period, f.Kind == census.QuadraticGrowth)
	if f.Kind == census.QuadraticGrowth {
		return fmt.Sprintf("by %s more than before, every %s", number.Count(cells, "cell"),
			number.Count(periods, "generation"))
	}
	return fmt.Sprintf("%s in %s", number.Count(cells, "cell"), number.Count(periods, "generation"))
}

// wholeCells is growth as a whole number of cells in the least number of generations. Quadratic growth is the
// difference between two periods, which is four times as large between pairs of periods.
func wholeCells(cells float64, period int, quadratic bool) (whole, generations uint64) {
	for k := 1; ; k++ {
		n := cells * float64(k)
		if quadratic {
			n *= float64(k)
		}
		if math.Abs(n-math.Round(n)) < 1e-6 || k == period {
			return uint64(math.Round(n)), uint64(k * period)
		}
	}
}

// printAsh lists the objects that the pattern consists of or becomes.
func (f *identified) printAsh(line func(what, format string, args ...any), r rule.Rule) {
	title := "becomes"
	if f.Kind == census.StillLife || f.Kind == census.Oscillator || f.Kind == census.Spaceship {
		title = "consists of"
	}
	if len(f.Ash) == 0 {
		line(title, "nothing")
	}
	printObjects(line, title, f.Ash, r, "")
}

// printObjects lists objects with their names, the commonest first. The first line has a note.
func printObjects(
	line func(what, format string, args ...any), title string, n map[string]int, r rule.Rule, note string,
) {
	codes := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b))
	})
	for _, code := range codes {
		name := census.Name(r, code)
		if name != "" {
			name = "  " + name
		}
		line(title, "%5d %s%s%s", n[code], code, name, note)
		title, note = "", ""
	}
}

// fraction returns a speed along one axis: c/4, 2c/5. It is "" if nothing moves.
func fraction(cells, generations int) string {
	c := "c"
	switch {
	case cells == 0:
		return ""
	case cells != 1:
		c = fmt.Sprintf("%dc", cells)
	}
	if generations > 1 {
		c = fmt.Sprintf("%s/%d", c, generations)
	}
	return c
}

// speedOf returns a spaceship's speed in the usual notation: c/4 diagonal, 2c/5 orthogonal, (2,1)c/6. It is ""
// for an object that does not move.
func speedOf(o census.Object) string {
	x, y := max(o.DX, -o.DX), max(o.DY, -o.DY)
	x, y = max(x, y), min(x, y)
	if x == 0 || o.Period == 0 {
		return ""
	}
	period := o.Period
	for d := x; d > 1; d-- {
		if x%d == 0 && y%d == 0 && period%d == 0 {
			x, y, period = x/d, y/d, period/d
		}
	}
	c := fraction(x, period)
	switch {
	case y == 0:
		return c + " orthogonal"
	case x == y:
		return c + " diagonal"
	}
	c = "c"
	if period > 1 {
		c = fmt.Sprintf("c/%d", period)
	}
	return fmt.Sprintf("(%d,%d)%s", x, y, c)
}
