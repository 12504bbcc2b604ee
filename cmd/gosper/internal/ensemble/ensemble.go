// Package ensemble holds the commands gosper ensemble and gosper worker: they run many universes, keep results
// in folders, and start the processes that compute them.
package ensemble

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble/fit"
	"github.com/gosper-life/gosper/cmd/gosper/internal/plot"
	"github.com/gosper-life/gosper/ensemble"
)

// Command is gosper ensemble.
type Command struct {
	Run    runCommand           `cmd:"" help:"Run many random universes and measure them."`
	Status statusCommand        `cmd:"" help:"Show how much of an ensemble is done."`
	Merge  mergeCommand         `cmd:"" help:"Merge the results of several runs or shards."`
	Plot   plot.EnsembleCommand `cmd:"" help:"Draw the standard figures of an ensemble."`

	Crossing fit.CrossingCommand `cmd:"" help:"Find where curves of different sizes cross, like a critical temperature."`
	Exponent fit.ExponentCommand `cmd:"" help:"Find the exponent of a quantity's power law in time, or of cluster sizes."`
	Lags     fit.LagsCommand     `cmd:"" help:"Show correlations between two times, by waiting time and lag."`
	Kinetics fit.KineticsCommand `cmd:"" help:"Show how the numbers of clusters of each size change, and the flux between sizes."`
	Collapse fit.CollapseCommand `cmd:"" help:"Find the critical point and exponents by finite-size scaling: collapse the curves of several sizes onto one."`
}

// specFlags say what to simulate and measure. Each flag replaces a key of the file.
type specFlags struct {
	Spec string `arg:"" optional:"" help:"Description of the ensemble, a JSON or TOML file. A flag overrides the file's key."`

	Rule         []string `sep:"none" placeholder:"R" help:"Rule in any notation, name, or range: of a parameter (Ising~T=2.1..2.4/0.05), of numbers in braces (R5,C0,M1,S{30..36}..58,B34..45,NM), or of rules (B3/S23..B36/S235, all rules between the two). May be repeated."`
	Size         []string `sep:"none" placeholder:"W|WxH" help:"Size, or a bounded grid in Golly's notation (T30+5,20). May be repeated."`
	Topology     string   `placeholder:"T" help:"torus, plane, klein, cross, sphere or unbounded. With unbounded, starts of the given sizes lie on the plane without edges. Default: torus."`
	Density      []string `placeholder:"D" help:"Share of live cells in the soups, or a range 0.1..0.9/0.1. May be repeated. Default: 0.5."`
	Start        []string `sep:"none" placeholder:"S" help:"First cells, as for gosper run: exact~1=500, gauss~length=8, cell (one live cell in the middle), of a file or built-in pattern pattern~of=FILE,flip=0.01; with ranges, soup~flip=0..0.1/0.02; may be repeated. Default: soup."`
	Universes    int      `short:"n" placeholder:"N" help:"Universes of each rule, size, start and density."`
	Root         string   `placeholder:"TEXT" help:"Text from which the seeds are derived. Default: 1."`
	Paired       bool     `help:"Give universe i the same seed for every rule, size, start and density."`
	Generations  *uint64  `name:"generations" short:"g" placeholder:"N" help:"Generations to run."`
	Every        *uint64  `placeholder:"N" help:"Generations between samples. Default: sample the last generation only."`
	Times        []string `placeholder:"N" help:"Further generations to sample, separated by commas, with ranges: 0..100/10, or logarithmic 1..1000/x2 for 1, 2, 4, and so on to 512, 1000."`
	Measure      []string `placeholder:"M" help:"What to measure besides density: activity, entropy, correlation, clusters, kinetics, percolation, settling, census, magnetisation, energy, structure, spectrum, mutual, agreement, autocorrelation, twotime, spreading, damage, avalanches, fires, patterns, bits, states, potts, call."`
	Count        []string `sep:"none" placeholder:"P" help:"Pattern to count with --measure patterns: an apgcode (xs4_33), a known name (glider) or RLE (3o!), after a name of its own if it has one (bar=3o!); may be repeated."`
	Phases       string   `placeholder:"R" help:"Count all phases that the patterns go through under this rule. Default: only the phase given."`
	Calls        []string `placeholder:"Q" help:"Quantities that a program finds with --measure call, which listens where $GOSPER_CALL says. May be repeated."`
	CallID       string   `name:"call-id" placeholder:"TEXT" help:"A text that changes when that program would find other numbers."`
	Warmup       *uint64  `placeholder:"N" help:"First generation of averages over time. Default: no averages."`
	Connectivity int      `placeholder:"N" help:"Neighbours that join a cluster, 8, 6 or 4; in three dimensions 26, 18 or 6. Default: 8 or 26."`
	Block        int      `placeholder:"N" help:"Side of the blocks of the entropy, 1 to 4. Default: 2."`
	Distance     int      `placeholder:"N" help:"Largest distance of correlation, mutual and agreement, and number of structure and spectrum. Default: 32, or half the smallest side."`
	Waiting      []string `placeholder:"N" help:"Generations from which twotime correlates, with ranges as for --times. They are sampled, too."`
	Damage       float64  `placeholder:"P" help:"Share of the cells that are changed in the twin of damage. Default: one cell in the middle."`
	DamageAt     uint64   `placeholder:"N" help:"Generation at which the cells of the twin of damage are changed. Default: 0."`
	Cap          *uint64  `placeholder:"N" help:"Generation after which a universe counts as not settling. Default: 100000, or more if a glider needs it."`
	PerJob       int      `placeholder:"N" help:"Universes of a job. Default: a number that takes a few seconds."`
	Keep         bool     `help:"Keep the last states. The same command with a larger -g continues from them."`

	Dump          string `placeholder:"G,…" help:"Write the cells of universes into files at these generations, with ranges: 0,100..200/10."`
	DumpUniverses string `placeholder:"I,…" help:"Numbers of the universes to dump, for each rule, size and density, with ranges: 0..9. Default: all."`
	DumpAs        string `placeholder:"A" help:"Format of --dump: bytes (a NumPy file with a byte for each cell), bits (eight cells in a byte) or netcdf (a file that xarray opens). Default: bytes."`
}

// study builds the study from the file and the flags.
func (f *specFlags) study(ctx context.Context) (*ensemble.Study, error) {
	var spec ensemble.Spec
	if f.Spec != "" {
		text, err := os.ReadFile(f.Spec)
		if err != nil {
			return nil, err
		}
		if spec, err = ensemble.Parse(f.Spec, text); err != nil {
			return nil, err
		}
	}
	replace(&spec.Rules, f.Rule)
	replace(&spec.Sizes, f.Size)
	if len(f.Start) > 0 {
		spec.Starts = f.Start
	}
	replace(&spec.Measures, f.Measure)
	replace(&spec.Count, f.Count)
	set(&spec.Phases, f.Phases)
	replace(&spec.Calls, f.Calls)
	set(&spec.CallID, f.CallID)
	if len(f.Density) > 0 {
		spec.Densities = nil
		for _, text := range f.Density {
			list, err := ensemble.ParseDensities(text)
			if err != nil {
				return nil, err
			}
			spec.Densities = append(spec.Densities, list...)
		}
	}
	for _, list := range []struct {
		flag []string
		key  *ensemble.Times
	}{{f.Times, &spec.Times}, {f.Waiting, &spec.Waiting}} {
		for i, text := range list.flag {
			times, err := ensemble.ParseTimes(text)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				*list.key = nil
			}
			*list.key = append(*list.key, times...)
		}
	}
	set(&spec.Topology, f.Topology)
	set(&spec.Universes, f.Universes)
	set(&spec.Root, f.Root)
	set(&spec.Paired, f.Paired)
	set(&spec.Connectivity, f.Connectivity)
	set(&spec.Block, f.Block)
	set(&spec.Distance, f.Distance)
	set(&spec.Damage, f.Damage)
	set(&spec.DamageAt, f.DamageAt)
	if f.Warmup != nil {
		spec.Warmup = f.Warmup
	}
	set(&spec.PerJob, f.PerJob)
	set(&spec.Keep, f.Keep)
	set(&spec.Dump, f.Dump)
	set(&spec.DumpUniverses, f.DumpUniverses)
	set(&spec.DumpAs, f.DumpAs)
	for flag, key := range map[*uint64]*uint64{f.Generations: &spec.Generations, f.Every: &spec.Every, f.Cap: &spec.Cap} {
		if flag != nil {
			*key = *flag
		}
	}
	f.overrideRows(spec.Rows)
	if f.Spec == "" && f.Generations == nil && len(f.Measure) == 0 {
		return nil, fmt.Errorf("nothing to run: give a file or --rule, --size, --universes and --generations")
	}
	if err := openPatterns(ctx, &spec, filepath.Dir(f.Spec)); err != nil {
		return nil, err
	}
	study, err := spec.Check()
	if err == nil {
		err = study.UniversesToDump()
	}
	if err != nil && f.Spec != "" {
		return nil, fmt.Errorf("%s: %w", f.Spec, err)
	}
	return study, err
}

// overrideRows takes the keys of rows away that flags override.
func (f *specFlags) overrideRows(rows []ensemble.SpecRow) {
	for i := range rows {
		r := &rows[i]
		without(&r.Rules, len(f.Rule) > 0)
		without(&r.Sizes, len(f.Size) > 0)
		without(&r.Topology, f.Topology != "")
		without(&r.Densities, len(f.Density) > 0)
		without(&r.Starts, len(f.Start) > 0)
		without(&r.Universes, f.Universes != 0)
		without(&r.Root, f.Root != "")
		without(&r.Generations, f.Generations != nil)
		without(&r.Every, f.Every != nil)
		without(&r.Times, len(f.Times) > 0)
		without(&r.Warmup, f.Warmup != nil)
		without(&r.Distance, f.Distance != 0)
		without(&r.Cap, f.Cap != nil)
		without(&r.PerJob, f.PerJob != 0)
	}
}

func without[T any](key *T, overridden bool) {
	if overridden {
		var none T
		*key = none
	}
}

func replace[T any](key *[]T, flag []T) {
	if len(flag) > 0 {
		*key = flag
	}
}

func set[T comparable](key *T, flag T) {
	var none T
	if flag != none {
		*key = flag
	}
}

// share is a flag that reads "2/7".
type share struct{ I, N int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *share) UnmarshalText(text []byte) error {
	i, n, ok := strings.Cut(string(text), "/")
	var err, err2 error
	s.I, err = strconv.Atoi(i)
	s.N, err2 = strconv.Atoi(n)
	if !ok || err != nil || err2 != nil || s.I < 1 || s.I > s.N {
		return fmt.Errorf("shard %q: want I/N with I from 1 to N", text)
	}
	return nil
}
