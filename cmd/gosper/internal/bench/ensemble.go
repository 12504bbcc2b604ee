package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/topology"
)

type ensembleCommand struct {
	Rule        string      `default:"B3/S23" placeholder:"R" help:"Rule. Default: B3/S23."`
	Size        origin.Size `default:"128" placeholder:"W|WxH|WxHxD" help:"Size of each universe; one number is a square or a cube. Default: 128."`
	Universes   []int       `short:"n" default:"1000,10000" placeholder:"N,N" help:"Numbers of universes. Default: 1000,10000."`
	Generations uint64      `name:"generations" short:"g" default:"1000" placeholder:"N" help:"Generations. Default: 1000."`
	Every       uint64      `default:"10" placeholder:"K" help:"Count clusters every K generations. Default: 10."`
	Engine      string      `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine, as for gosper ensemble run."`
	Repeats     int         `default:"3" placeholder:"N" help:"Number of runs of each. The report shows the medians. Default: 3."`
	JSON        bool        `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*ensembleCommand) Help() string {
	return `Example:

    gosper bench ensemble --engine cuda -n 10000,200000

Each line compares two times for the same universes. The first is that of the kernels: half-full soups are made, stepped, and their
clusters counted. The second is that of the whole command gosper ensemble run --measure clusters, with its start, statistics and
files. The difference is the time that a user waits in addition to the kernels.`
}

// EnsembleReport is the report of gosper bench ensemble.
type EnsembleReport struct {
	Machine     host.Machine    `json:"machine"`
	Rule        string          `json:"rule"`
	Width       int             `json:"width"`
	Height      int             `json:"height"`
	Depth       *int            `json:"depth"` // layers; null in two dimensions
	Generations uint64          `json:"generations"`
	Engine      string          `json:"engine"`
	Studies     []ensembleStudy `json:"studies"`
}

// ensembleStudy has the times of a number of universes, medians of the repeats.
type ensembleStudy struct {
	Universes int     `json:"universes"`
	Kernels   float64 `json:"kernel_seconds"`
	Command   float64 `json:"seconds"`
}

// universesAtOnce is the number of universes that the kernels advance at once. Jobs of ensembles have as many at most.
const universesAtOnce = 4096

// Run implements the command.
func (cmd *ensembleCommand) Run(ctx context.Context, c *console.Console) error {
	cfg, err := configOf(cmd.Rule, cmd.Size)
	switch {
	case err != nil:
		return console.Bad(err)
	case slices.ContainsFunc(cmd.Universes, func(n int) bool { return n < 1 }) || cmd.Repeats < 1 || cmd.Every < 1:
		return console.Badf("-n %v, --every %d, --repeats %d: want numbers from 1", cmd.Universes, cmd.Every, cmd.Repeats)
	}
	cmd.Engine = cmp.Or(cmd.Engine, sim.Auto) // the variable may be empty
	t := cfg.Topology
	r := EnsembleReport{
		Machine: host.ThisMachine(), Rule: cfg.Rule.String(), Width: t.W, Height: t.LayerRows(),
		Generations: cmd.Generations, Engine: cmd.Engine,
	}
	if t.Volume() {
		r.Depth = console.Known(t.D)
	}
	for _, n := range cmd.Universes {
		s := ensembleStudy{Universes: n}
		if s.Kernels, err = cmd.median(func() error { return cmd.kernels(ctx, cfg, n, &r.Engine) }); err != nil {
			return err
		}
		if s.Command, err = cmd.median(func() error { return cmd.whole(ctx, cfg.Topology, n) }); err != nil {
			return err
		}
		r.Studies = append(r.Studies, s)
	}
	if cmd.JSON {
		return c.PrintJSON(r)
	}
	c.Printf("%s\n%s on %v, %d generations, clusters every %d, engine %s\n\n",
		describeMachine(r.Machine), r.Rule, t, cmd.Generations, cmd.Every, r.Engine)
	table := tabwriter.NewWriter(c.Out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "universes\tkernels\twhole command\t\tmicroseconds a universe\t")
	for _, s := range r.Studies {
		fmt.Fprintf(table, "%s\t%.3g s\t%.3g s\t%.3g times\t%.4g\t\n", number.Grouped(uint64(s.Universes)), s.Kernels,
			s.Command,
			s.Command/s.Kernels, 1e6*s.Command/float64(s.Universes))
	}
	return table.Flush()
}

// median returns the median of the seconds that a function takes.
func (cmd *ensembleCommand) median(run func() error) (float64, error) {
	var took []float64
	for range cmd.Repeats {
		begin := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin).Seconds())
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// kernels makes n soups, advances them and counts their clusters, and forgets the counts. It stores the engine's name.
func (cmd *ensembleCommand) kernels(ctx context.Context, cfg sim.Config, n int, engine *string) error {
	for first := 0; first < n; first += universesAtOnce {
		soups := make([]batch.Soup, min(universesAtOnce, n-first))
		for i := range soups {
			soups[i] = batch.Soup{Seed: uint64(first + i), Density: origin.DefaultDensity}
		}
		b, err := batch.Open(ctx, cmd.Engine, batch.Config{Rule: cfg.Rule, Topology: cfg.Topology, Universes: len(soups)})
		if err != nil {
			return console.Bad(err)
		}
		*engine = b.Info().Engine
		if err = b.Fill(ctx, soups); err == nil {
			err = cmd.sample(ctx, b, cfg.Topology)
		}
		b.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// sample advances a batch from sample to sample and counts its clusters as an ensemble does: many samples at once if
// the batch can do that.
func (cmd *ensembleCommand) sample(ctx context.Context, b batch.Batch, t topology.Topology) error {
	connectivity := component.Eight
	if t.Volume() {
		connectivity = component.TwentySix
	}
	steps := []uint64{0}
	for g := uint64(0); g < cmd.Generations; g += cmd.Every {
		steps = append(steps, min(cmd.Every, cmd.Generations-g))
	}
	if s, ok := b.(batch.Sampler); ok {
		const atOnce = 32
		var sums [atOnce]batch.Sums
		for able := true; able && len(steps) > 0; {
			n := min(atOnce, len(steps))
			var err error
			if able, err = s.Samples(ctx, connectivity, steps[:n], sums[:n]); err != nil {
				return err
			}
			if able {
				steps = steps[n:]
			}
		}
	}
	var counts batch.Histograms
	for _, n := range steps {
		if err := b.Step(ctx, n); err != nil {
			return err
		}
		if err := b.Clusters(ctx, connectivity, &counts); err != nil {
			return err
		}
	}
	return nil
}

// whole runs the command as a user does, into a folder that it removes.
func (cmd *ensembleCommand) whole(ctx context.Context, t topology.Topology, n int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gosper-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	run := exec.CommandContext(ctx, program, "ensemble", "run", "--rule", cmd.Rule, "--size", t.String(), "-n",
		strconv.Itoa(n),
		"-g", strconv.FormatUint(cmd.Generations, 10), "--every", strconv.FormatUint(cmd.Every, 10), "--measure", "clusters",
		"--engine", cmd.Engine, "--out", filepath.Join(dir, "study"), "--quiet")
	if said, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("gosper %s: %w: %s", strings.Join(run.Args[1:], " "), err, console.OneLine(string(said)))
	}
	return nil
}
