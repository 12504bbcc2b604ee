package simtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// A report lists the checks that passed, those that were refused and why, and those that failed. It has the order of
// the checks, even if several run at once.
func TestReport(t *testing.T) {
	none := func(sim.Config) (sim.Engine, error) { return nil, errors.New("no engine") }
	var checks []check
	for i := range 100 {
		checks = append(checks, func(context.Context, Opener) error {
			switch {
			case i%10 == 3:
				return fmt.Errorf("check %d: %w", i, &sim.Unsupported{
					Engine: "lazy", What: fmt.Sprint("rule ", i),
					Why: fmt.Sprint("it is after ", i%20),
				})
			case i%10 == 4:
				return fmt.Errorf("check %d: %w", i, &sim.Unsupported{Engine: "lazy", What: "all", Why: "it is cold"})
			case i%30 == 7:
				return fmt.Errorf("check %d is wrong", i)
			}
			return nil
		})
	}
	for _, workers := range []int{1, 4} {
		calls := 0
		r := report(t.Context(), none, checks, workers, nil, func(done, total int) {
			if calls++; done != calls || total != 100 {
				t.Errorf("%d of %d at call %d", done, total, calls)
			}
		})
		wantFailures := []string{"check 7 is wrong", "check 37 is wrong", "check 67 is wrong", "check 97 is wrong"}
		wantRefusals := []Refusal{
			{"it is after 3", 10, "check 3: engine lazy cannot run rule 3: it is after 3"},
			{"it is cold", 10, "check 4: engine lazy cannot run all: it is cold"},
		}
		if r.Checks != 100 || r.Passed() != 76 || r.Refused() != 20 || r.OK() || calls != 100 ||
			!slices.Equal(r.Failures, wantFailures) || !slices.Equal(r.Refusals, wantRefusals) {
			t.Errorf("%d at once: %+v", workers, r)
		}
	}
	if r := report(t.Context(), none, checks[3:4], 2, nil, nil); r.OK() || r.Passed() != 0 {
		t.Errorf("an engine that refuses all is %+v", r)
	}
	wrong := slices.Repeat([]check{func(context.Context, Opener) error { return errors.New("wrong") }}, 100)
	if r := report(t.Context(), none, wrong, 4, nil, nil); len(r.Failures) < maxFailures ||
		len(r.Failures) > maxFailures+3 {
		t.Errorf("%d failures were told of 100, want about %d", len(r.Failures), maxFailures)
	}
}

// Few rules, but of every family, on every topology and at every size.
func TestOneRule(t *testing.T) {
	rules, all := map[string]bool{}, Cases(false)
	cases := oneRule()
	if len(cases) != len(families)*len(topologies)*len(sizes) || len(cases) != len(all) {
		t.Fatalf("%d cases", len(cases))
	}
	for i, c := range cases {
		rules[c.Rule] = true
		if c.Topology != all[i].Topology || c.Seed != all[i].Seed {
			t.Errorf("%v is not on the topology of %v", c, all[i])
		}
		if _, err := topology.Parse(c.Topology); err != nil {
			t.Error(err)
		}
	}
	if n := len(families) * len(topologies); len(rules) > n || len(rules) < n-5 {
		t.Errorf("%d rules, want about %d", len(rules), n)
	}
	for _, c := range Cases(true) {
		if !slices.ContainsFunc(cases, func(o Case) bool { return o.String() == c.String() }) {
			t.Errorf("%v is left out", c)
		}
	}
}
