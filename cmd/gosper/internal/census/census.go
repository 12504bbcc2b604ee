// Package census holds the commands gosper census, which counts the objects that soups settle into, and gosper
// identify, which names a pattern.
package census

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
)

// Command is gosper census.
type Command struct {
	Rule     string   `arg:"" optional:"" help:"Rule of two states or Generations, of radius up to 6; B0 only with two states. Default: B3/S23."`
	Soups    uint64   `short:"n" default:"10000" placeholder:"N" help:"Soups. Default: 10000."`
	Seed     string   `placeholder:"ROOT" help:"Root of the soups' seeds: soup i is made from the SHA-256 of ROOT followed by i. Default: a random root, which the summary shows."`
	Symmetry string   `placeholder:"S" default:"C1" help:"Symmetry of the soups, by its name in Catagolue: C1, 8x32, C2_1, D4_+4, …, or inflated: iC1, … Default: C1."`
	First    uint64   `placeholder:"I" help:"Number of the first soup. Default: 0."`
	Engine   string   `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine: cpu, cuda (soups settle on a GPU, and threads name the objects), cuda:0,1,2,3 (on these GPUs), or auto. Default: auto."`
	Threads  int      `placeholder:"N" env:"GOSPER_THREADS" help:"Threads to compute with. Default: all cores."`
	Out      string   `short:"o" placeholder:"FILE" help:"Write a row for every object: .csv, .jsonl or .parquet."`
	Report   string   `placeholder:"FILE" help:"Write the census as apgsearch does for Catagolue, as text. Nothing is sent."`
	Force    bool     `help:"Replace a file that exists."`
	Top      int      `default:"20" placeholder:"N" help:"Number of objects to print, the commonest first; 0 prints all. Default: 20."`
	Find     []string `sep:"none" placeholder:"OBJ" help:"List the soups that have an object: an apgcode (xp15_4r4z4r4), the beginning of some (xq, xp15, yl*), or a pattern (pulsar, a file); may be repeated."`
	Quiet    bool     `short:"q" help:"No progress and no summary."`
	JSON     bool     `name:"json" help:"Print the summary as one JSON object, with all objects."`

	limitFlags `embed:"" group:"Limits"`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Examples:

    gosper census -n 100000 --seed n_mine
    gosper census B36/S23 --symmetry D2_+1 --json
    gosper census B2/S --generations 2000 --population 5000
    gosper census r5b34t45s34t58 -n 1000
    gosper census -n 1000000 --seed n_mine --find xp15 --find pulsar
    gosper census -n 1000000 --seed n_mine --report n_mine.txt

Each soup runs on the unbounded plane until it settles. Its ash is separated into objects, which are counted by apgcode. The result is the
same on every machine, on every engine and with any number of threads. Ctrl-C finishes the soups that have begun and reports their census.`
}

// Row is one kind of object in a census.
type Row struct {
	Code  string  `parquet:"apgcode" json:"apgcode"`
	Name  *string `parquet:"name" json:"name"` // null if it has none
	Count int64   `parquet:"count" json:"count"`
	Share float64 `parquet:"share" json:"share"` // share of all objects
	// standard error of the share, with soups as clusters; null with one soup
	Error *float64 `parquet:"share_error" json:"share_error"`
	Soup  string   `parquet:"first_soup" json:"first_soup"` // seed of the first soup that contains one
}

// summary is the report of gosper census.
type summary struct {
	Rule           string  `json:"rule"`
	Symmetry       string  `json:"symmetry"`
	Seed           string  `json:"seed"`
	First          string  `json:"first_number"` // number of the first soup
	Soups          uint64  `json:"soups"`
	Objects        uint64  `json:"objects"`
	Kinds          int     `json:"kinds"`
	Endless        uint64  `json:"endless"`     // soups that did not settle within the limits
	Engine         string  `json:"engine"`      // where soups settled
	Device         *string `json:"device"`      // the GPUs; null for cpu
	Failure        *string `json:"gpu_failure"` // why GPUs failed (others have run their soups), or null
	Seconds        float64 `json:"seconds"`
	SoupsPerSecond float64 `json:"soups_per_second"`
	Census         []Row   `json:"census"`
	Found          []find  `json:"found"` // the soups with objects of --find, in the order of their numbers

	Methuselahs  []lived   `json:"methuselahs"` // soups that take longest to settle
	Diehards     []lived   `json:"diehards"`    // soups that take longest until no cell is left
	Largest      []ash     `json:"largest_ash"`
	EndlessSoups []endless `json:"endless_soups"` // some that did not settle, those with linear growth first

	Out         []string `json:"out"` // files written
	Interrupted bool     `json:"interrupted"`
	Repeat      string   `json:"repeat"` // a command that takes the same census again
}

// find is a kind of object in a soup.
type find struct {
	Soup  string  `json:"soup"` // its name: C1/n_mine7
	Code  string  `json:"apgcode"`
	Name  *string `json:"name"`  // null if it has none
	Count uint64  `json:"count"` // in this soup
}

// lived is the lifespan of a soup.
type lived struct {
	Soup     string `json:"soup"`     // its name
	Lifespan int    `json:"lifespan"` // the generation from which all that is left repeats or flies away
}

// ash is the number of cells of the objects of a soup, each in its smallest phase.
type ash struct {
	Soup  string `json:"soup"`
	Cells int    `json:"population"`
}

// endless is a soup that did not settle within the limits.
type endless struct {
	Soup  string   `json:"soup"`
	Codes []string `json:"apgcodes"` // of linear growth, and PATHOLOGICAL for anything unknown
	Limit string   `json:"limit"`    // the one that ended it
}

// addNotable adds the soups that stand out.
func (s *summary) addNotable(n census.Notable, name func(soup uint64) string) {
	for _, l := range n.Methuselahs {
		s.Methuselahs = append(s.Methuselahs, lived{name(l.Soup), l.Lifespan})
	}
	for _, l := range n.Diehards {
		s.Diehards = append(s.Diehards, lived{name(l.Soup), l.Lifespan})
	}
	for _, a := range n.Largest {
		s.Largest = append(s.Largest, ash{name(a.Soup), a.Cells})
	}
	for _, e := range n.Endless {
		s.EndlessSoups = append(s.EndlessSoups, endless{name(e.Soup), append([]string{}, e.Codes...), e.Limit})
	}
}

// printNotable writes the first few soups that stand out, a line for each kind of which there are any.
func (s *summary) printNotable(c *console.Console) {
	line := func(title string, n int, at func(i int) string) {
		if n == 0 {
			return
		}
		var soups []string
		for i := range min(n, notablePrinted) {
			soups = append(soups, at(i))
		}
		c.Printf("%-16s %s\n", title, strings.Join(soups, ", "))
	}
	lifespans := func(title string, soups []lived) {
		line(title, len(soups), func(i int) string {
			return fmt.Sprintf("%s (%s)", soups[i].Soup, number.Count(uint64(soups[i].Lifespan), "generation"))
		})
	}
	lifespans("longest-lived:", s.Methuselahs)
	lifespans("died last:", s.Diehards)
	line("largest ash:", len(s.Largest), func(i int) string {
		return fmt.Sprintf("%s (%s)", s.Largest[i].Soup, number.Count(uint64(s.Largest[i].Cells), "cell"))
	})
	line("did not settle:", len(s.EndlessSoups), func(i int) string {
		e := s.EndlessSoups[i]
		return fmt.Sprintf("%s (%s)", e.Soup, strings.Join(append(e.Codes, "limit on "+e.Limit), ", "))
	})
}

// notablePrinted is the number of soups on a line of text; --json has all.
const notablePrinted = 3

// Run implements the command.
func (cmd *Command) Run(ctx context.Context, c *console.Console) error {
	s, err := cmd.search()
	if err != nil {
		return console.Bad(err)
	}
	if s.Find, err = finder(ctx, c, cmd.Find, s.Rule, s.Limits); err != nil {
		return console.Bad(err)
	}
	var out *output.Destination
	if cmd.Out != "" {
		if out, err = output.Open(cmd.Out, cmd.Force); err != nil {
			return console.Bad(err)
		}
		defer out.Abort()
	}
	var report *output.Destination
	var name string // of the rule
	if cmd.Report != "" {
		if name, err = catagolueRule(s.Rule); err != nil {
			return console.Bad(err)
		}
		if report, err = output.Open(cmd.Report, cmd.Force); err != nil {
			return console.Bad(err)
		}
		defer report.Abort()
	}
	begin, line := time.Now(), c.Line(cmd.Quiet)
	s.Done = func(n uint64) {
		line.Show(func() string {
			done, total, elapsed := float64(n), float64(s.Soups), time.Since(begin)
			return fmt.Sprintf("soup %s of %s  %.0f %%  %s%s", number.Grouped(n), number.Grouped(s.Soups), 100*done/total,
				number.Rate(done/elapsed.Seconds(), "soups"), console.Left(elapsed, done, total))
		})
	}
	found, err := s.Run(ctx)
	line.Erase()
	interrupted := errors.Is(err, context.Canceled)
	if found == nil {
		return console.Bad(err)
	}
	failure := err // of all GPUs, after some soups
	if interrupted {
		failure = nil
	}
	if failure == nil && found.Failure != "" {
		fmt.Fprintf(c.Err, "gosper: %s; the census went on without\n", console.OneLine(found.Failure))
	}
	summary := cmd.summary(s, found, time.Since(begin), interrupted)
	var unsaved error
	if out != nil {
		unsaved = atomicfile.PathFirst(out.Write(ctx, c, func(w io.Writer) error {
			return result.Encode(w, cmd.Out, summary.Census)
		}))
		if unsaved == nil {
			summary.Out = append(summary.Out, cmd.Out)
		}
	}
	if report != nil {
		err := report.Write(ctx, c, func(w io.Writer) error { return writeReport(w, s, found, name) })
		if err == nil {
			summary.Out = append(summary.Out, cmd.Report)
		}
		unsaved = errors.Join(unsaved, atomicfile.PathFirst(err))
	}
	err, c = nil, output.Reports(c, cmd.Report)
	switch {
	case cmd.JSON:
		err = c.PrintJSON(summary)
	case !cmd.Quiet:
		err = summary.print(c, cmd)
	}
	if err = errors.Join(unsaved, err, failure); err == nil && interrupted {
		return console.Interrupted
	}
	return err
}

// search checks the flags.
func (cmd *Command) search() (*census.Search, error) {
	text := cmd.Rule
	if text == "" {
		text = origin.DefaultRule
	}
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return nil, err
	}
	if suffix != nil && suffix.Bounded() {
		return nil, fmt.Errorf("%s: a census runs on the unbounded plane; leave %s out", text, suffix.Suffix())
	}
	symmetry, err := census.ParseSymmetry(cmd.Symmetry)
	if err != nil {
		return nil, err
	}
	limits, err := cmd.limits()
	if err != nil {
		return nil, err
	}
	if err := start.CheckThreads(cmd.Threads); err != nil {
		return nil, err
	}
	switch {
	case cmd.Soups < 1:
		return nil, errors.New("--soups 0: want 1 or more")
	case cmd.First > math.MaxUint64-cmd.Soups:
		return nil, fmt.Errorf("--first %d: with %d soups the number of the last soup would be too large", cmd.First,
			cmd.Soups)
	case strings.Contains(cmd.Seed, "/"):
		return nil, fmt.Errorf("--seed %s: a root has no slash, because a rule may follow the seed of a soup after one",
			cmd.Seed)
	case cmd.Top < 0:
		return nil, fmt.Errorf("--top %d: want 1 or more, or 0 for all", cmd.Top)
	}
	if cmd.Out != "" {
		if err := result.CheckPath(cmd.Out); err != nil {
			return nil, err
		}
	}
	if err := output.Distinct(cmd.Out, cmd.Report); err != nil {
		return nil, err
	}
	if cmd.Seed == "" {
		cmd.Seed = "n_" + rand.Text()[:14]
	}
	return &census.Search{
		Rule: r, Root: cmd.Seed, Symmetry: symmetry, First: cmd.First, Soups: cmd.Soups, Limits: limits, Engine: cmd.Engine,
		Threads: cmd.Threads,
	}, nil
}

// summary makes the report, with a command that repeats the census. That names the seed and the number
// of soups that were counted, which may be fewer than asked for.
func (cmd *Command) summary(s *census.Search, r *census.Result, elapsed time.Duration, interrupted bool) *summary {
	out := &summary{
		Rule: s.Rule.String(), Symmetry: s.Symmetry.String(), Seed: s.Root, First: fmt.Sprint(s.First), Soups: r.Soups,
		Objects: r.Objects,
		Kinds:   len(r.Counts), Endless: r.Endless, Engine: "cpu", Device: console.Known(r.GPU), Seconds: elapsed.Seconds(),
		Failure:        console.Known(console.OneLine(r.Failure)),
		SoupsPerSecond: float64(r.Soups) / elapsed.Seconds(),
		Census:         []Row{}, Found: []find{}, Out: []string{}, Interrupted: interrupted,
		Methuselahs: []lived{}, Diehards: []lived{}, Largest: []ash{}, EndlessSoups: []endless{},
	}
	if r.GPU != "" {
		out.Engine = "cuda"
	}
	repeat := []string{out.Rule, "--soups", fmt.Sprint(out.Soups), "--seed", out.Seed, "--symmetry", out.Symmetry}
	if cmd.First != 0 {
		repeat = append(repeat, "--first", out.First)
	}
	for _, text := range cmd.Find {
		repeat = append(repeat, "--find", text)
	}
	out.Repeat = "gosper census " + shell.Join(append(repeat, cmd.limitArgs()...))
	name := func(soup uint64) string { return fmt.Sprintf("%v/%s%d", s.Symmetry, s.Root, soup) }
	out.addNotable(r.Notable, name)
	for _, f := range r.Finds {
		out.Found = append(out.Found, find{
			name(f.Soup), f.Code, console.Known(census.Name(s.Rule, f.Code)), f.Count,
		})
	}
	for _, n := range r.Counts {
		out.Census = append(out.Census, Row{
			n.Code, console.Known(census.Name(s.Rule, n.Code)), int64(n.Count), n.Share, n.Error,
			fmt.Sprintf("%s%d", s.Root, n.First),
		})
	}
	return out
}

// print writes the summary as text.
func (s *summary) print(c *console.Console, cmd *Command) error {
	c.Printf("%s of %s in %s of %s, %s%s\n", number.Count(s.Objects, "object"), number.Count(uint64(s.Kinds), "kind"),
		number.Count(s.Soups, "soup"), s.Rule, s.Symmetry, s.ending())
	c.Printf("  time        %s for %s, %s\n", number.Seconds(time.Duration(s.Seconds*float64(time.Second))),
		number.Count(s.Soups, "soup"), number.Rate(s.SoupsPerSecond, "soups"))
	if s.Device != nil {
		c.Printf("  engine      %s, %s\n", s.Engine, *s.Device)
	}
	for _, path := range s.Out {
		c.Printf("  wrote       %s\n", path)
	}
	rows := s.Census
	if cmd.Top > 0 {
		rows = rows[:min(cmd.Top, len(rows))]
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(rows) > 0 {
		fmt.Fprintln(table, "COUNT\tSHARE\t±\t FIRST IN\t")
	}
	for _, r := range rows {
		label := r.Code
		if r.Name != nil {
			label += "  " + *r.Name
		}
		deviation := "-" // null for a single soup
		if r.Error != nil {
			deviation = fmt.Sprintf("%.5f", *r.Error)
		}
		fmt.Fprintf(table, "%s\t%.5f\t%s\t %s\t  %s\n", number.Grouped(uint64(r.Count)), r.Share, deviation, r.Soup, label)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(s.Census) - len(rows); more > 0 {
		c.Printf("and %s more; --top 0 prints all\n", number.Count(uint64(more), "kind"))
	}
	if cmd.Find != nil {
		s.printFound(c, cmd.Top)
	}
	s.printNotable(c)
	if len(rows) > 0 {
		c.Printf("see a soup with: %s\n", s.view(s.example(rows[0])))
	}
	c.Printf("repeat with: %s\n", s.Repeat)
	return nil
}

// printFound writes the soups with objects of --find, at most top of them; 0 means all.
func (s *summary) printFound(c *console.Console, top int) {
	soups := map[string]bool{}
	for _, f := range s.Found {
		soups[f.Soup] = true
	}
	c.Printf("found in %s\n", number.Count(uint64(len(soups)), "soup"))
	for i, f := range s.Found {
		if top > 0 && i == top {
			c.Printf("  and %s more; --top 0 prints all\n", number.Grouped(uint64(len(s.Found)-i)))
			break
		}
		label := f.Code
		if f.Name != nil {
			label += "  " + *f.Name
		}
		if f.Count > 1 {
			label += fmt.Sprintf("  ×%d", f.Count)
		}
		c.Printf("  %s  %s\n", f.Soup, label)
	}
}

// example is the name of a soup that was found, or else of one with an object.
func (s *summary) example(r Row) string {
	if len(s.Found) > 0 {
		return s.Found[0].Soup
	}
	return s.Symmetry + "/" + r.Soup
}

// view is the command that shows a soup.
func (s *summary) view(soup string) string {
	args := []string{"gosper", "view", soup}
	if s.Rule != origin.DefaultRule {
		args = append(args, "--rule", s.Rule)
	}
	return shell.Join(args)
}

func (s *summary) ending() string {
	text := ""
	if s.Endless > 0 {
		text = fmt.Sprintf("; %s did not settle", number.Count(s.Endless, "soup"))
	}
	if s.Interrupted {
		text += "; interrupted"
	}
	return text
}
