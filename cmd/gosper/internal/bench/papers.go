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
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/boris"
	cat "github.com/gosper-life/gosper/papers/cat/protocol"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/fujita"
	"github.com/gosper-life/gosper/papers/playne"
	"github.com/gosper-life/gosper/result"
)

type fujitaCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*fujitaCommand) Help() string {
	return `Example:

    gosper bench fujita --quick --out results

B3/S23 on a half-full torus of 16384² cells, as in the paper (--quick: 2048²). Times are for 1024 generations, of which slow methods run some; all are means of three to five realisations. The energy of a generation is measured where the GPU or processor tells it.`
}

// Run implements the command.
func (cmd *fujitaCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, fujita.Paper())
}

type borisCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*borisCommand) Help() string {
	return `Example:

    gosper bench boris --out results

B3/S23 on a half-full torus of 65536² cells, as in the articles (--quick: 4096²), at 1 to 32 generations a launch. All but Gosper's own engine needs a GPU; without one that is measured on 16384².`
}

// Run implements the command.
func (cmd *borisCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, boris.Paper())
}

type playneCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*playneCommand) Help() string {
	return `Example:

    gosper bench playne --quick --out results

One universe on one core or multiprocessor, then one hundred on whole devices, then ten thousand on the GPU: every generation of B3/S23 is followed by the labelling of its clusters and their histogram by size. Each time is the mean over soups of independent seeds, with its standard error.`
}

// Run implements the command.
func (cmd *playneCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, playne.Paper())
}

type catCommand struct {
	paperFlags `embed:""`

	Part  []string      `placeholder:"P" help:"What to measure: products, changes, radius, power, tiles, devices, size, beyond. May be repeated. Default: all of it."`
	Side  int           `placeholder:"N" help:"Side of the universes of the parts radius, power, tiles and changes. Default: 60416, the paper's largest."`
	Limit time.Duration `placeholder:"T" help:"About how long a measurement may take, as 2s: where the paper's protocol takes longer there are fewer generations and realisations. Default: no limit."`
}

// Help is shown below the usage.
func (*catCommand) Help() string {
	return `Example:

    gosper bench cat --quick --out results
    gosper bench cat --limit 1s --part radius --part power --out results
    gosper bench cat --from h100/cat.jsonl --from h200/cat.jsonl --out both

The sixteen rules of the paper, 25 generations a realisation, 4 to 32 realisations until the standard error is 1 % of the mean, the halo filled before each generation. Each method first has to reach, from the same soup, the cells that Gosper's own engine reaches; a row says after how many generations. Parts, with their figures in the paper:

    radius    every method at every radius on 60416² cells (10)
    power     watts and joules over 1000 generations of the same (11, 12)
    tiles     CAT with tiles of 1×1 to 30×30 fragments (8)
    devices   radius 1, 4, 8 and 16 on 40960² cells (13)
    size      n = 1024 + 2048·i, i = 0 … 29, at radius 1, 5, 10 and 16 (9)
    beyond    all methods on 16384² cells, also with the halo left as it was; radius 17 to 64, diamonds and crosses
    changes   CAT's kernel with one thing changed at a time, at radius 1 and 16: what costs it time
    products  bare products of the tensor cores in FP16, INT8, INT4 and b1

How long it will take is told before it begins. All of it takes hours by the paper's protocol, about forty minutes on an H100 with --limit 1s, --quick a minute or two. With --out it goes on where it stopped. Without a GPU the methods' arithmetic is run on one core, on small tori.`
}

// Run implements the command.
func (cmd *catCommand) Run(ctx context.Context, c *console.Console) error {
	settings := cat.Settings{Parts: cmd.Part, Side: cmd.Side, Limit: cmd.Limit}
	if err := settings.Check(); err != nil {
		return console.Badf("--%w", err)
	}
	return cmd.run(ctx, c, cat.Paper(settings))
}

// paperFlags are those of every command that measures a paper.
type paperFlags struct {
	Engine string   `placeholder:"E" default:"auto" help:"Gosper's own engine to put beside the paper's methods: auto, or one that gosper engines lists. Default: auto."`
	Method []string `placeholder:"M" help:"Which of the paper's methods, as its tables name them, or gosper for Gosper's own engine. May be repeated. Default: all."`
	Quick  bool     `help:"Small sizes and few repetitions."`
	Out    string   `placeholder:"DIR" help:"Write rows as JSON lines, Parquet and CSV, tables as Markdown and figures as PNG and SVG into a folder. Rows that are there already are not measured again."`
	From   []string `sep:"none" placeholder:"FILE" help:"Make tables and figures of rows measured before, .jsonl .parquet or .csv, and measure nothing. May be repeated."`
	JSON   bool     `name:"json" help:"Print the rows as one JSON array instead of tables."`
}

// run measures, or reads what was measured, and reports it. Rows measured before an interruption are reported too.
func (f *paperFlags) run(ctx context.Context, c *console.Console, p experiment.Paper) error {
	if f.Out != "" {
		if err := os.MkdirAll(f.Out, 0o777); err != nil {
			return console.Bad(atomicfile.PathFirst(err))
		}
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

// report prints the tables, or the rows, and writes all files.
func (f *paperFlags) report(c *console.Console, p experiment.Paper, rows []papers.Measurement) error {
	tables := p.Tables(rows)
	if f.JSON {
		if err := c.PrintJSON(rows); err != nil {
			return err
		}
	} else if err := papers.WriteTables(c.Out, tables); err != nil {
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
	err := atomicfile.Write(base+".md", true, func(w io.Writer) error { return papers.WriteTables(w, tables) })
	for _, d := range p.Figures(rows) {
		for _, extension := range []string{".png", ".svg"} {
			err = errors.Join(err, d.Figure.Save(filepath.Join(f.Out, d.Name+extension)))
		}
	}
	return err
}

// progressText is what is being measured.
func progressText(p experiment.Progress) string {
	text := fmt.Sprintf("measuring %d of %d: %s %s on %s", p.Row, p.Rows, p.Method, p.Parameters, origin.Size{W: int(p.Width), H: int(p.Height)})
	if p.Left > 0 {
		text += fmt.Sprintf(", about %s to go", experiment.Roughly(p.Left))
	}
	return text
}
