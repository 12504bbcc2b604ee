package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/bench/internal/roofline"
	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
)

func needVectors(t *testing.T) []roofline.Code {
	t.Helper()
	codes, err := roofline.Codes()
	if err != nil {
		t.Skip(err)
	}
	return codes
}

func keysOf(t *testing.T, text string) []string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return slices.Sorted(maps.Keys(object))
}

var speedKeys = []string{
	"bytes", "cells_per_cpu_second", "cells_per_joule", "cells_per_second", "density", "depth", "device", "engine",
	"generations",
	"height", "joules", "plan", "port_limit_cells_per_second",
	"port_limit_fraction", "rule", "run_cpu_seconds", "run_seconds", "spread", "topology", "watts", "width",
}

func TestBenchSpeedPortLimit(t *testing.T) {
	t.Parallel()
	for _, code := range append(needVectors(t), "portable") {
		o := clitest.Gosper(t, t.TempDir(), "bench", "speed", "--engine", "cpu", "--size", "256", "-g", "9", "--plan",
			string(code), "--json")
		var s speed
		if err := json.Unmarshal([]byte(o.Stdout), &s); err != nil {
			t.Fatalf("%v\n%s%s", err, o.Stdout, o.Stderr)
		}
		if diff := cmp.Diff(speedKeys, keysOf(t, o.Stdout)); diff != "" {
			t.Errorf("%s: keys (-want +got):\n%s", code, diff)
		}
		switch {
		case !strings.HasPrefix(s.Plan, string(code)):
			t.Errorf("%s: plan %s", code, s.Plan)
		case code == "portable" && (s.PortLimit != nil || s.Fraction != nil):
			t.Error("portable code has a port limit")
		case code != "portable" && (s.PortLimit == nil || *s.Fraction != s.CellsPerSecond / *s.PortLimit):
			t.Errorf("%s: %s", code, o.Stdout)
		}
	}
}

func TestBenchRoofline(t *testing.T) {
	t.Parallel()
	needVectors(t)
	if testing.Short() {
		t.Skip("takes seconds")
	}
	o := clitest.Gosper(t, t.TempDir(), "bench", "roofline", "--size", "300x200", "--rule", "bosco", "--json")
	var got RooflineReport
	if err := json.Unmarshal([]byte(o.Stdout), &got); err != nil || o.Code != 0 {
		t.Fatalf("%v, exit code %d\n%s%s", err, o.Code, o.Stdout, o.Stderr)
	}
	if diff := cmp.Diff([]string{"bandwidth", "machine", "rates", "runs"}, keysOf(t, o.Stdout)); diff != "" {
		t.Error(diff)
	}
	for _, run := range got.Runs {
		if run.Work == nil || run.Bound == nil || run.Universe == nil ||
			*run.Bound != run.Work.Bound(*run.Rates, run.Universe.Update) ||
			*run.Reached != run.CellsPerSecond/run.Bound.Cells || *run.PortLimit != run.Bound.Logic {
			t.Errorf("run does not add up in\n%s", o.Stdout)
		}
	}
}

// TestRooflinePrints holds the layout of the text, digits apart.
func TestRooflinePrints(t *testing.T) {
	roof := RooflineReport{
		Machine: host.Machine{
			CPU: "Some CPU", Cores: 2, Extensions: []string{"avx2", "avx512f"},
			Caches: []host.Cache{{Level: 1, Bytes: 48 << 10}},
			OS:     "linux", Arch: "amd64", Go: "go1.26",
		},
		Rates: []roofline.Rates{{
			Code: roofline.AVX512, Tables: 4e9, Operations: 8e9, Shifts: 4e9, Loads: 8e9,
			Stores: 4e9,
		}, {Code: roofline.AVX2, Operations: 12e9}},
		Bandwidth: []roofline.Bandwidth{{Level: "L1", Bytes: 24 << 10, Threads: 1, Read: 4e11, Copy: 3e11, Update: 2e11}},
	}
	run := rooflineRun{speed: speed{Rule: "B3/S23", Topology: "T64,64", Plan: "avx512,…", CellsPerSecond: 1.28e11}}
	slow := rooflineRun{speed: speed{Rule: "B3/S23", Topology: "T64,64", Plan: "portable,…", CellsPerSecond: 12e9}}
	run.Rates, run.Reached = &roof.Rates[0], console.Known(0.5)
	run.Universe = &roofline.Bandwidth{Level: "universe", Bytes: 2 << 20, Threads: 2, Read: 1e11, Copy: 1e11, Update: 2e11}
	run.Work = &roofline.Work{Bits: 512, Tables: 6, Operations: 4, BytesPerCell: 0.25 / 6}
	run.Bound = &roofline.Bound{Logic: 256e9, Memory: 4.8e12, Cells: 256e9, Binds: "logic"}
	roof.Runs = []rooflineRun{run, slow}
	var out bytes.Buffer
	if err := roof.print(&console.Console{Out: &out}); err != nil {
		t.Fatal(err)
	}
	want := `Some CPU, 2 cores, avx2 avx512f, L1 48 KiB, linux/amd64, go1.26

instructions, 1 thread   avx512       avx2
  logic of 3 inputs      4.00 Gop/s   none
  logic of 2 inputs      8.00 Gop/s   12.0 Gop/s
  shift                  4.00 Gop/s   0 op/s
  load                   8.00 Gop/s   0 op/s
  store                  4.00 Gop/s   0 op/s

bytes read and written         read       copy       update in place
  L1, 24 KiB, 1 thread         400 GB/s   300 GB/s   200 GB/s
  universe, 2 MiB, 2 threads   100 GB/s   100 GB/s   200 GB/s

B3/S23 on T64,64, avx512,…
  logic    256 Gcells/s: for 512 cells 6 of 3 inputs at 4.00 Gop/s and 4 of 2 inputs at 8.00 Gop/s
  memory   4.80 Tcells/s: 0.0417 bytes a cell at 200 GB/s
  reached  128 Gcells/s, 50.0 % of the bound by logic

B3/S23 on T64,64, portable,…
  reached  12.0 Gcells/s; there is no bound, because the plan has no vector code
`
	zeros := regexp.MustCompile(`0\.?0* op/s`).ReplaceAllString(out.String(), "0 op/s")
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(zeros, "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestSuite measures a short one, of which one row cannot be.
func TestSuite(t *testing.T) {
	t.Parallel()
	rows := []suiteRow{
		{rule: "B3/S23", size: origin.Size{W: 64, H: 32}},
		{rule: "B3/S23:K8*,9"},
		{rule: "/2/3", size: origin.Size{W: 64, H: 64}, plan: "portable"},
	}
	var out bytes.Buffer
	cmd := speedCommand{EngineFlags: start.EngineFlags{Engine: "cpu", Threads: 1}, Density: 0.5, Generations: 7}
	if err := cmd.runSuite(t.Context(), &console.Console{Out: &out},
		append(rows, suiteRow{rule: "B3/S23", size: origin.Size{W: 64, H: 64}, plan: "depth=99"})); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, pattern := range []string{
		`^.*, go.*$`,
		`^$`,
		`^\| rule \| size \| plan \| speed \| by processor time \| of the port limit \| spread \|$`,
		`^\|( --- \|){7}$`,
		"^\\| `B3/S23` \\| 64x32 \\| .*,depth=\\d+,threads=1 \\| [0-9.]+ .?cells/s \\|[^|]*\\|[^|]*\\| [0-9.]+ % \\|$",
		"^\\| `B3/S23` \\| 8x9 \\| [^|]* \\| [^|]*cells/s \\|.*\\|$",
		"^\\| `/2/3` \\| 64 \\| portable,.* \\| [0-9.]+ .?cells/s \\|[^|]*\\|  \\| [0-9.]+ % \\|$",
		"^\\| `B3/S23` \\| 64 \\| depth=99 \\| .*the depth must be .* \\|  \\|  \\|  \\|$",
	} {
		if i >= len(lines) || !regexp.MustCompile(pattern).MatchString(lines[i]) {
			t.Errorf("line %d does not match %s in\n%s", i, pattern, out.String())
		}
	}
	out.Reset()
	cmd.JSON = true
	if err := cmd.runSuite(t.Context(), &console.Console{Out: &out}, rows[:1]); err != nil {
		t.Fatal(err)
	}
	var got SuiteReport
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Speeds) != 1 || got.Speeds[0].CellsPerSecond <= 0 ||
		got.Speeds[0].Generations != 7 {
		t.Errorf("%v in\n%s", err, out.String())
	}
	if o := clitest.Gosper(t, t.TempDir(), "bench", "speed", "--suite", "--rule", "bosco"); o.Code != console.InputError {
		t.Errorf("--suite with --rule: exit code %d", o.Code)
	}
}

// TestSuiteRows checks that every row of the suite can be measured if there is enough memory.
func TestSuiteRows(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range suite {
		cfg, err := configOf(row.rule, row.size)
		if err != nil {
			t.Error(err)
			continue
		}
		key := cfg.Rule.String() + cfg.Topology.String() + row.plan
		if seen[key] {
			t.Errorf("%+v comes twice", row)
		}
		seen[key] = true
		cfg.Topology.W, cfg.Topology.H = 256, 256
		if cfg.Plan = row.plan; row.plan == "avx2" && !slices.Contains(needVectors(t), roofline.AVX2) {
			continue
		}
		e, err := sim.Open(t.Context(), "cpu", cfg)
		if err != nil {
			t.Errorf("%+v: %v", row, err)
			continue
		}
		e.Close()
	}
}

// counting is an engine that does nothing but count.
type counting struct {
	sim.Engine
	steady bool
	steps  int
}

func (c *counting) Info() sim.Info { return sim.Info{Steady: c.steady} }

func (c *counting) Step(_ context.Context, n uint64) (uint64, error) {
	c.steps++
	return n, nil
}

// A soup that may settle is used for a thousand generations. If settling makes no difference to the speed, a soup is
// used for the whole run.
func TestBenchGenerations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		steady bool
		want   uint64
	}{{false, freshFor}, {true, steadyLongest}} {
		e, fills := &counting{steady: c.steady}, 0
		s := &speed{Width: 10, Height: 10}
		err := s.measure(t.Context(), e, func() error { fills++; return nil }, time.Hour)
		if err != nil || s.Generations != c.want || len(s.Seconds) != runs {
			t.Errorf("%d runs of %d generations (%v), want %d", len(s.Seconds), s.Generations, err, c.want)
		}
		if c.steady && fills != e.steps || fills < runs {
			t.Errorf("%d soups for %d steps", fills, e.steps)
		}
	}
}

func TestBenchSpeed(t *testing.T) {
	t.Parallel()
	o := clitest.Gosper(t, t.TempDir(), "bench", "speed", "--size", "64x32", "-g", "10")
	if o.Code != 0 || !strings.Contains(o.Stdout, "B3/S23 on T64,32, density 0.5\n") ||
		!strings.Contains(o.Stdout, "over 5 runs of 10 generations") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
}
