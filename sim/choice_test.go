package sim_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/burning"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/cuda"
	_ "github.com/gosper-life/gosper/sim/hashlife"
	_ "github.com/gosper-life/gosper/sim/reference"
)

var update = flag.Bool("update", false, "write the engines that are chosen into testdata/choice.txt")

// choiceRules are rules of every family, and those that some engine refuses.
var choiceRules = []string{
	"B3/S23", "B2-a/S12", "B2/S34H", "B45/S34L", "W110", "345/2/4", "B2/S23/F0/K1/L2", "WireWorld",
	"Langtons-Loops", "JvN29", "Critters", "B3/S23|B36/S23",
	"B0/S", "B0/S8", "B03/S238/3", "B3/S23|B03/S23", "B3/S23~flip=0.1", "B3/S23~async=0.5", "Critters~flip=0.01",
	"Ising~T=2", "ForestFire", "InstantForestFire", "FHP", "R5,C0,M1,S34..58,B34..45,NM", "R2,C0,M0,S2..4,B3..3,NC",
	"R1,C2,S2-3,B3,NW111101111", "R64,C0,M1,S9..99,B9..99,NM",
	"R65,C0,M1,S9..99,B9..99,NN", "R65,C0,M1,S9..99,B0..99,NN", "R65,C3,M1,S9..99,B9..99,NC", "3D4,5/5",
	"3D4,5/5~flip=0.1",
	rulefiletest.Name("Moore", "rotate4", 10, 1), // its circuit is too long for machine code
	rulefiletest.Name("vonNeumann", "rotate4", 10, 1),
}

// choiceUniverses are of every kind of topology.
var choiceUniverses = []string{
	"T0", "T64,0", "P0,64", "P64,48", "T64,64", "T63,65", "K64*,64",
}

// choiceOutlooks hold the facts that may be known about a run.
var choiceOutlooks = []struct {
	name    string
	outlook sim.Outlook
}{
	{"nothing", sim.Outlook{}},
	{"brief", sim.Outlook{Brief: true}},
	{"few cells, 1000 ahead", sim.Outlook{Population: 5, Ahead: 1000}},
	{"few cells, 2^30 ahead", sim.Outlook{Population: 5, Ahead: 1 << 30}},
	{"few cells, 2^50 ahead", sim.Outlook{Population: 5, Ahead: 1 << 50}},
	{"2^20+1 cells, 2^30 ahead", sim.Outlook{Population: 1<<20 + 1, Ahead: 1 << 30}},
	{"100,000 cells", sim.Outlook{Population: 100_000, Area: 200_000, Ahead: 1000}},
	{"100,000 cells, scattered", sim.Outlook{Population: 100_000, Area: 2_000_000, Ahead: 1000}},
	{"macrocell, nothing ahead", sim.Outlook{Population: 500, Quadtree: true}},
	{"macrocell, 1000 ahead", sim.Outlook{Population: 500, Quadtree: true, Ahead: 1000}},
	{"large tree", sim.Outlook{Population: 1 << 30, Drawn: 17 << 20, Tree: 1 << 20, Quadtree: true}},
	{"large tree, brief", sim.Outlook{Population: 1 << 30, Drawn: 17 << 20, Tree: 1 << 20, Quadtree: true, Brief: true}},
	{"large and not repetitive", sim.Outlook{Population: 1 << 30, Drawn: 17 << 20, Tree: 16 << 20}},
}

// TestChoice compares the engines that auto chooses, for rules, universes, outlooks, and with and without a GPU, with
// those in testdata/choice.txt. Whether an engine opens does not depend on the outlook, so each is opened once.
func TestChoice(t *testing.T) {
	var got bytes.Buffer
	fmt.Fprintln(&got, "# The engines that auto chooses: without a GPU, and with one if that is another.")
	for _, notation := range choiceRules {
		if err := rulefiletest.Define(notation); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "\n%s\n", notation)
		universes := choiceUniverses
		if r, err := rule.Parse(notation); err == nil && r.Volume() {
			universes = []string{"T8,8,8", "P8,8,8"}
		} else if err != nil || r.Radius() > 60 || r.Kind() == rule.KindFunction {
			universes = []string{"T0", "P0,64", "T64,64"} // these rules take long to compile
		}
		for _, suffix := range universes {
			r, on, err := rule.ParseApart(notation + ":" + suffix)
			if err != nil {
				fmt.Fprintf(&got, "  %-9s %v\n", suffix, err)
				continue
			}
			if err := r.Fits(*on); err != nil {
				fmt.Fprintf(&got, "  %-9s does not fit\n", suffix)
				continue
			}
			// outlooks with the same choice are on one line
			var choices []string
			outlooks := map[string][]string{}
			cfg := sim.Config{Rule: r, Topology: *on, Threads: 1, Memory: 1 << 30}
			without, with := openers(t, cfg, nil), openers(t, cfg, gpu.StandIn(&gputest.Driver{}))
			for _, o := range choiceOutlooks {
				cfg.Outlook = o.outlook
				choice := chosen(cfg, without)
				if other := chosen(cfg, with); other != choice {
					choice += ", " + other
				}
				if outlooks[choice] == nil {
					choices = append(choices, choice)
				}
				outlooks[choice] = append(outlooks[choice], o.name)
			}
			for i, choice := range choices {
				when := strings.Join(outlooks[choice], "; ")
				if i == 0 {
					when = "usually"
				}
				fmt.Fprintf(&got, "  %-9s %-16s %s\n", suffix, choice, when)
			}
		}
	}
	golden := filepath.Join("testdata", "choice.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("line %d of testdata/choice.txt differs: got %q, want %q", i+1, gotLines[min(i, len(gotLines)-1)],
				wantLines[min(i, len(wantLines)-1)])
		}
	}
}

// chosen returns the first engine that auto tries and that opens.
func chosen(cfg sim.Config, opens func(engine string) bool) string {
	if cfg.Rule.Burns() { // any engine runs the rest of the rule
		if !cfg.Topology.Bounded() {
			return "none"
		}
		c := *cfg.Rule.Chance
		c.Burns, c.Model = false, ""
		cfg.Rule.Chance = &c
	}
	for _, engine := range sim.Tried(cfg) {
		if opens(engine) {
			return engine
		}
	}
	return "none"
}

// openers returns a function that says whether an engine accepts a configuration, on a machine with a driver or, if it
// is nil, without one. It opens each engine once.
func openers(t *testing.T, cfg sim.Config, driver *gpu.Driver) func(engine string) bool {
	known := map[string]bool{}
	return func(engine string) bool {
		if opens, ok := known[engine]; ok {
			return opens
		}
		defer gpu.Replace(driver)()
		e, err := sim.Open(t.Context(), engine, cfg)
		var unsupported *sim.Unsupported
		known[engine] = err == nil
		switch {
		case errors.As(err, &unsupported):
		case err != nil:
			t.Fatalf("%v on %v: %v", cfg.Rule, cfg.Topology, err)
		default:
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return known[engine]
	}
}
