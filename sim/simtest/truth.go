package simtest

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// The tables were computed by programs other than Gosper: see testdata/README.md.
//
//go:embed testdata/*.tsv
var testdata embed.FS

// truth is one published or independently computed result.
type truth struct {
	name  string
	slow  bool // takes a cell-by-cell engine about a second or more
	check func(ctx context.Context, open Opener) error
}

// truthTable is a file of results and how one of its rows is read.
type truthTable struct {
	file  string
	parse func(row map[string]string) (truth, error)
}

// flatTruths are the tables of results in two dimensions, the quick ones first.
var flatTruths = []truthTable{
	{"life_topologies.tsv", parseTopologyRow},
	{"ltl_cat.tsv", parseLargerThanLifeRow},
	{"ltl_named.tsv", parseLargerThanLifeRow},
	{"methuselahs.tsv", parseMethuselah},
}

// truths returns all results of tables.
func truths(tables []truthTable) ([]truth, error) {
	var all []truth
	for _, table := range tables {
		text, err := testdata.ReadFile("testdata/" + table.file)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		columns := strings.Split(lines[0], "\t")
		for i, line := range lines[1:] {
			row := map[string]string{}
			for j, cell := range strings.Split(line, "\t") {
				row[columns[min(j, len(columns)-1)]] = cell
			}
			t, err := table.parse(row)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", table.file, i+2, err)
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// soupTruth is a soup's populations at some generations and the hash of its last generation.
type soupTruth struct {
	rule, topology string
	seed           uint64
	density        float64
	generations    uint64
	populations    map[uint64]uint64 // by generation
	hash           string            // grid.BytesHash
}

func parseTopologyRow(row map[string]string) (truth, error) {
	suffix := map[string]string{"M": "", "V": "V", "H": "H"}[row["nbhd"]]
	return parseSoup(row, row["rule"]+suffix, strings.TrimPrefix(row["suffix"], ":"))
}

func parseLargerThanLifeRow(row map[string]string) (truth, error) {
	notation := row["rule"] + row["rule(M0)"] // the two tables name the column differently
	return parseSoup(row, notation, row["topo"]+row["W"]+","+row["H"])
}

// parseSoup reads a row of published populations. It is slow if the reference would add more than some
// hundred million neighbours.
func parseSoup(row map[string]string, notation, suffix string) (truth, error) {
	s := soupTruth{rule: notation, topology: suffix, hash: row["sha256_final_bytes"], populations: map[uint64]uint64{}}
	var errs [4]error
	s.seed, errs[0] = strconv.ParseUint(row["seed"], 10, 64)
	s.density, errs[1] = strconv.ParseFloat(row["density"], 64)
	s.generations, errs[2] = strconv.ParseUint(row["gens"], 10, 64)
	for column, g := range map[string]uint64{"pop0": 0, "pop1": 1, "pop2": 2, "pop10": 10, "pop_final": s.generations} {
		if text, ok := row[column]; ok {
			n, err := strconv.ParseUint(text, 10, 64)
			errs[3] = errors.Join(errs[3], err)
			s.populations[g] = n
		}
	}
	r, err := rule.Parse(notation)
	if err := errors.Join(errors.Join(errs[:]...), err); err != nil {
		return truth{}, err
	}
	t, err := topology.Parse(suffix)
	if err != nil {
		return truth{}, err
	}
	additions := s.generations * uint64(t.W) * uint64(t.H) * uint64(r.Neighbourhood.Size())
	name := fmt.Sprintf("%s:%s, seed %d, density %v", notation, suffix, s.seed, s.density)
	return truth{name, additions > 1.5e8, s.check}, nil
}

// check compares populations on the way, and the hash at the end.
func (s soupTruth) check(ctx context.Context, open Opener) error {
	e, err := openFor(open, s.rule, s.topology)
	if err != nil {
		return err
	}
	defer e.Close()
	box, err := e.Extent()
	if err != nil {
		return err
	}
	if err := soup.Fill(ctx, e, box.W, box.H, s.seed, s.density, 1, nil); err != nil {
		return err
	}
	for _, g := range []uint64{0, 1, 2, 10, s.generations} {
		want, known := s.populations[g]
		if !known {
			continue
		}
		if _, err := e.Step(ctx, g-e.Generation()); err != nil {
			return err
		}
		got, err := e.Population()
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("population %d at generation %d, want %d", got, g, want)
		}
	}
	hash, err := grid.BytesHash(ctx, e)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", hash); got != s.hash {
		return fmt.Errorf("hash of the cells %s at generation %d, want %s", got, s.generations, s.hash)
	}
	return nil
}

// methuselah is a small pattern of B3/S23 on the unbounded plane that takes long to settle.
type methuselah struct {
	cells                       []string // rows of O and .
	stable, final, most, mostAt uint64   // the population repeats from stable on; most is its maximum
}

func parseMethuselah(row map[string]string) (truth, error) {
	m := methuselah{cells: strings.Split(row["cells"], "/")}
	for column, to := range map[string]*uint64{
		"stable": &m.stable, "final": &m.final, "largest": &m.most,
		"at": &m.mostAt,
	} {
		var err error
		if *to, err = strconv.ParseUint(row[column], 10, 64); err != nil {
			return truth{}, err
		}
	}
	return truth{row["name"], m.stable > 2000, m.check}, nil
}

// check runs a pattern for two periods beyond the generation at which it is said to be stable, and
// looks for the first generation from which populations repeat.
func (m methuselah) check(ctx context.Context, open Opener) error {
	const period = 60 // a multiple of all periods in their ash
	e, err := openFor(open, "B3/S23", "T0")
	if err != nil {
		return err
	}
	defer e.Close()
	for y, row := range m.cells {
		var word uint64
		for x, c := range row {
			if c == 'O' {
				word |= 1 << x
			}
		}
		if err := e.WriteRow([]uint64{word}, 0, 0, y, len(row)); err != nil {
			return err
		}
	}
	var populations []uint64
	for g := range m.stable + 2*period + 1 {
		if _, err := e.Step(ctx, min(g, 1)); err != nil {
			return err
		}
		n, err := e.Population()
		if err != nil {
			return err
		}
		populations = append(populations, n)
	}
	var most, mostAt uint64
	for g, n := range populations {
		if n > most {
			most, mostAt = n, uint64(g)
		}
	}
	stable := uint64(len(populations)) - period
	for stable > 0 && populations[stable-1] == populations[stable-1+period] {
		stable--
	}
	if stable != m.stable || populations[stable] != m.final || most != m.most || mostAt != m.mostAt {
		return fmt.Errorf("population %d from generation %d on and %d at %d, want %d from %d and %d at %d",
			populations[stable], stable, most, mostAt, m.final, m.stable, m.most, m.mostAt)
	}
	return nil
}

func openFor(open Opener, notation, suffix string) (sim.Engine, error) {
	r, err := rule.Parse(notation)
	if err != nil {
		return nil, err
	}
	t, err := topology.Parse(suffix)
	if err != nil {
		return nil, err
	}
	return open(sim.Config{Rule: r, Topology: t})
}
