package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/experiment"
)

type fujitaCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*fujitaCommand) Help() string {
	return `Example:

    gosper bench fujita --quick --out results

B3/S23 on a half-full torus of 16384² cells, as in the paper (--quick: 2048²). Times are for 1024 generations. Slow methods run fewer, and their times are scaled. Each time is the mean of three to five realisations. The energy of a generation is measured if the GPU or processor reports it.`
}

// Run implements the command.
func (cmd *fujitaCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, papers.Fujita())
}

type borisCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*borisCommand) Help() string {
	return `Example:

    gosper bench boris --out results

B3/S23 on a half-full torus of 65536² cells, as in the articles (--quick: 4096²), at 1 to 32 generations a launch. The kernels need a GPU. Without one, only Gosper's own engine is measured, on 16384².`
}

// Run implements the command.
func (cmd *borisCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, papers.Boris())
}

type playneCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*playneCommand) Help() string {
	return `Example:

    gosper bench playne --quick --out results

Three parts: one universe on one core or multiprocessor, one hundred on whole devices, ten thousand on the GPU. After every generation of B3/S23 the clusters are labelled and counted by size. Each time is the mean over soups of independent seeds, with its standard error.`
}

// Run implements the command.
func (cmd *playneCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, papers.Playne())
}

type catCommand struct {
	paperFlags `embed:""`

	Part   []string      `placeholder:"P" help:"Part to measure: products, changes, radius, power, tiles, devices, size, beyond, launches or volume. May be repeated. Default: all parts."`
	Radius []int         `placeholder:"R" help:"A radius to measure, in all parts except tiles. May be repeated. Default: all radii of a part."`
	Side   int           `placeholder:"N" help:"Side of the universes of the parts radius, power, tiles, changes and launches. Default: 60416, the paper's largest."`
	Limit  time.Duration `placeholder:"T" help:"Approximate time limit of one measurement, such as 2s. If the paper's protocol takes longer, fewer generations and realisations are run. Default: no limit."`
}

// Help is shown below the usage.
func (*catCommand) Help() string {
	return `Example:

    gosper bench cat --quick --out results
    gosper bench cat --limit 1s --part radius --part power --out results
    gosper bench cat --part power --method CAT --radius 1 --radius 16 --out results
    gosper bench cat --from h100/cat.jsonl --from h200/cat.jsonl --out both

The sixteen rules of the paper run for 25 generations a realisation. There are 4 to 32 realisations, until the standard error is 1 % of the mean. The halo is filled before each generation. Each method is checked first: from the same soup it must reach the same cells as Gosper's own engine. A row says after how many generations they were compared. The parts, with the numbers of the paper's figures:

    radius    every method at every radius on 60416² cells (10)
    power     watts and joules over 1000 generations of the same (11, 12)
    tiles     CAT with tiles of 1×1 to 30×30 fragments (8)
    devices   radius 1, 4, 8 and 16 on 40960² cells (13)
    size      n = 1024 + 2048·i, i = 0 … 29, at radius 1, 5, 10 and 16 (9)
    beyond    all methods on 16384² cells, also without filling the halo; radius 17 to 64, diamonds and crosses
    launches  CAT-TEMPORAL at 1, 2, 4 and 8 generations a launch, beside CAT, CAT-INT8 and Gosper
    volume    CAT-VOLUME on 1024³ cells, at radius 1 to 16, beside Gosper
    changes   BASE and CAT with one thing changed at a time, at radius 1 and 16, and some tiles at 8, to find what costs time
    products  bare products of the tensor cores in FP16, INT8, INT4 and b1

The command prints an estimate of its duration before it begins. On an H100 everything takes hours by the paper's protocol, about forty minutes with --limit 1s, and a minute or two with --quick. With --out an interrupted run continues where it stopped. Without a GPU the methods' arithmetic is checked on one core, on small tori, and only Gosper's own engine has a speed.`
}

// Run implements the command.
func (cmd *catCommand) Run(ctx context.Context, c *console.Console) error {
	settings := papers.CATSettings{Parts: cmd.Part, Radii: cmd.Radius, Side: cmd.Side, Limit: cmd.Limit}
	if err := settings.Check(); err != nil {
		return console.Badf("--%w", err)
	}
	return cmd.run(ctx, c, papers.CAT(settings))
}

// paperFlags are the flags of every command that measures a paper.
type paperFlags struct {
	Engine string   `placeholder:"E" default:"auto" help:"Gosper's own engine, measured for comparison: auto, or one that gosper engines lists. Default: auto."`
	Method []string `placeholder:"M" help:"A method of the paper, by its name in the tables, or gosper for Gosper's own engine. May be repeated. Default: all methods."`
	Quick  bool     `help:"Small sizes and few repetitions."`
	Out    string   `placeholder:"DIR" help:"Write rows as JSON lines, Parquet and CSV, tables as Markdown and figures as PNG and SVG into a folder. Rows that the folder already holds are not measured again."`
	From   []string `sep:"none" placeholder:"FILE" help:"Make tables and figures from rows that were measured before (.jsonl, .parquet or .csv), without measuring. May be repeated."`
	JSON   bool     `name:"json" help:"Print the rows as one JSON array instead of tables."`
}

// run measures, or reads earlier measurements, and reports them. After an interruption it reports the rows
// measured so far.
func (f *paperFlags) run(ctx context.Context, c *console.Console, p experiment.Paper) error {
	if f.Out != "" {
		if err := os.MkdirAll(f.Out, 0o777); err != nil {
			return console.Bad(atomicfile.PathFirst(err))
		}
		held, err := hold(f.Out, p.Name)
		if err != nil {
			return console.Bad(err)
		}
		defer held.Abort()
	}
	if len(f.From) > 0 {
		rows, err := experiment.Read(f.From, p.Name)
		if err != nil {
			return console.Bad(err)
		}
		return f.report(c, p, rows)
	}
	if allowed := p.Allowed(); slices.ContainsFunc(f.Method, func(m string) bool { return !slices.Contains(allowed, m) }) {
		return console.Badf("--method: want one of %s", strings.Join(allowed, ", "))
	}
	line := c.Line(false)
	rows, err := p.Run(ctx, experiment.Options{
		Engine: f.Engine, Quick: f.Quick, Methods: f.Method, Folder: f.Out,
		Note: func(text string) {
			line.Erase()
			fmt.Fprintf(c.Err, "gosper: %s\n", text)
		},
		Show: func(p experiment.Progress) { line.Show(func() string { return progressText(p) }) },
	})
	line.Erase()
	if err != nil && ctx.Err() == nil {
		var input experiment.InputError
		if errors.As(err, &input) {
			return console.Bad(err)
		}
		return err
	}
	if len(rows) > 0 {
		err = errors.Join(err, f.report(c, p, rows))
	}
	return err
}

// hold reserves the files of a paper in a folder, so that two runs do not mix their rows there. Abort releases them.
func hold(folder, paper string) (*atomicfile.File, error) {
	held, err := atomicfile.Create(filepath.Join(folder, paper+".lock"), true)
	if errors.Is(err, atomicfile.ErrHeld) {
		return nil, fmt.Errorf("%s: another run writes results of %s into this folder: give another --out", folder, paper)
	}
	return held, err
}

// report prints the tables, or the rows, and writes all files.
func (f *paperFlags) report(c *console.Console, p experiment.Paper, rows []experiment.Measurement) error {
	tables := p.Tables(rows)
	if f.JSON {
		if err := c.PrintJSON(rows); err != nil {
			return err
		}
	} else if err := experiment.WriteTables(c.Out, tables); err != nil {
		return err
	}
	if f.Out == "" {
		return nil
	}
	base := filepath.Join(f.Out, p.Name)
	for _, extension := range []string{".jsonl", ".parquet", ".csv"} {
		if err := result.Write(base+extension, rows); err != nil {
			return err
		}
	}
	err := atomicfile.Write(base+".md", true, func(w io.Writer) error { return experiment.WriteTables(w, tables) })
	for _, d := range p.Figures(rows) {
		for _, extension := range []string{".png", ".svg"} {
			err = errors.Join(err, d.Figure.Save(filepath.Join(f.Out, d.Name+extension)))
		}
	}
	return err
}

// progressText names the present measurement.
func progressText(p experiment.Progress) string {
	text := fmt.Sprintf("measuring %d of %d: %s %s on %s", p.Row, p.Rows, p.Method, p.Parameters,
		origin.Size{W: int(p.Width), H: int(p.Height)})
	if p.Left > 0 {
		text += fmt.Sprintf(", about %s left", experiment.Roughly(p.Left))
	}
	return text
}
