package cuda

import (
	"errors"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

func mustParse(t *testing.T, notation string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every plan that cannot serve is refused in one line, before anything is allocated.
func TestRefusedPlans(t *testing.T) {
	for plan, topologies := range map[string]string{
		"stream,depth=0,words=2,unroll=3,stages=1,kept=0,rows=280":           "T64,64",
		"stream,depth=33,words=2,unroll=3,stages=1,kept=0,rows=280":          "T64,64",
		"stream,depth=1,words=3,unroll=3,stages=1,kept=0,rows=280":           "T64,64",
		"stream,depth=1,words=2,unroll=0,stages=1,kept=0,rows=280":           "T64,64",
		"stream,depth=1,words=2,unroll=3,stages=0,kept=0,rows=280":           "T64,64",
		"stream,depth=1,words=2,unroll=3,stages=1,kept=-1,rows=280":          "T64,64",
		"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=0":             "T64,64",
		"stream,depth=2,words=2,unroll=3,stages=1,kept=0,rows=280":           "S64",
		"stream,depth=2,words=2,unroll=3,stages=1,kept=0,rows=280,recompute": "T64,64",
		"stream,depth=2,words=2,unroll=3,stages=1,kept=0,rows=281":           "T8,8,8",
		"stream,depth=1,words=2,unroll=3,stages=2,kept=0,rows=280":           "T8,8,8",
		"stream,depth=1,words=1,unroll=3,stages=1,kept=0,rows=280,drawn":     "T64,8,8",
		"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=280,warps=9":   "T8,8,8",
		"patches,depth=1,words=1,rows=2":                                     "T64,8,8",
		"patches":                                                            "T64,8,8",
		"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=7":             "T1000000,20000,2", // layers of 2.5 GB
		"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=99999999999":   "T64,64",
	} {
		cfg := lifeOn(topologies)
		if cfg.Topology.Volume() {
			cfg.Rule = mustParse(t, "3D4,5/5")
		}
		cfg.Plan = plan
		_, err := openHost(cfg)
		var unsupported *sim.Unsupported
		if !errors.As(err, &unsupported) || unsupported.Engine != Name {
			t.Errorf("%s on %s: %v", plan, topologies, err)
		}
	}
}

func TestBandsRefuse(t *testing.T) {
	three := func(suffix string) error {
		cfg := lifeOn(suffix)
		if cfg.Topology.Volume() {
			cfg.Rule = mustParse(t, "3D4,5/5")
		}
		e, err := openThree(cfg)
		if err == nil {
			e.Close()
		}
		return err
	}
	if err := three("T64,200"); err != nil {
		t.Error(err)
	}
	for suffix, want := range map[string]string{
		"T64,6":     "is too small: passes",
		"K64,200*":  "continue in other rows",
		"T64,200+3": "continue in other rows",
		"S64":       "continue in other rows",
		"T8,90,2":   "of 0 layers is too small",
	} {
		var unsupported *sim.Unsupported
		if err := three(suffix); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", suffix, err)
		}
	}
}
