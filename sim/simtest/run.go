package simtest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gosper-life/gosper/sim"
)

// LongVariable is the environment variable that, set to anything, makes Run and Truth leave nothing out.
const LongVariable = "GOSPER_LONG"

// TB is the part of *testing.T that the suite uses.
type TB interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Options says how much of the suite to run.
type Options struct {
	Plans   []string // schedules to force, each through all cases it accepts; empty: the engine's own choice
	Full    bool     // every rule family on every topology at every size, not at one size each
	Partial bool     // the engine may refuse rules and topologies (with *sim.Unsupported)
}

// maxFailures is how many failures are told before a suite gives up: the first ones say it all.
const maxFailures = 10

// Run checks an engine against the reference: random cells under rules of every family on every topology at awkward
// sizes, and every promise of sim.Engine. A failure says how to repeat it alone:
//
//	if err := simtest.Check(t.Context(), open, simtest.Case{…}); err != nil { t.Fatal(err) }
func Run(t TB, open Opener, opts Options) {
	t.Helper()
	plans := opts.Plans
	if len(plans) == 0 {
		plans = []string{""}
	}
	full := opts.Full || os.Getenv(LongVariable) != ""
	for _, plan := range plans {
		runChecks(t, open, append(contractChecks(plan), caseChecks(plan, !full)...), opts.Partial || plan != "")
	}
}

// Truth checks an engine against results of other programs (testdata/README.md): soups on every topology,
// Larger-than-Life rules and methuselahs. An engine that computes cell by cell is spared the rows that take it long,
// unless GOSPER_LONG is set.
func Truth(t TB, open Opener, cellByCell bool) {
	t.Helper()
	checks, err := truthChecks(cellByCell && os.Getenv(LongVariable) == "")
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	runChecks(t, open, checks, false)
}

func runChecks(t TB, open Opener, checks []check, mayRefuse bool) {
	t.Helper()
	r := report(t.Context(), open, checks, func(failure string) {
		t.Helper()
		t.Errorf("%s", failure)
	}, nil)
	switch {
	case r.Refused > 0 && !mayRefuse:
		t.Errorf("%d of %d checks refused, the first: %s", r.Refused, r.Checks, r.Refusal)
	case r.Refused == len(checks):
		t.Errorf("all %d checks refused, the first: %s", r.Checks, r.Refusal)
	case r.Refused > 0:
		t.Logf("%d of %d checks refused, the first: %s", r.Refused, r.Checks, r.Refusal)
	}
}

// Report is the outcome of Verify.
type Report struct {
	Checks   int      `json:"checks"`             // made, refused ones included
	Refused  int      `json:"refused"`            // the engine said it cannot run the rule or topology
	Refusal  string   `json:"refusal,omitempty"`  // the first
	Failures []string `json:"failures,omitempty"` // one line each, with how to repeat it; after ten the rest is not tried
}

// OK reports whether the engine passed.
func (r Report) OK() bool { return len(r.Failures) == 0 && r.Refused < r.Checks }

// Verify runs the suite on a registered engine, as `go test` would: the contract, the cases and the known results.
// Quick leaves out most sizes and the known results that take long. Progress, where not nil, is told the checks done
// and their number after each. The error is for what kept the suite from running, ctx.Err() included; an engine that
// fails gives a Report that is not OK.
func Verify(ctx context.Context, engine string, quick bool, progress func(done, total int)) (Report, error) {
	open := func(cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, engine, cfg) }
	known, err := truthChecks(quick)
	if err != nil {
		return Report{}, err
	}
	checks := append(contractChecks(""), caseChecks("", quick)...)
	var failures []string
	tell := func(failure string) { failures = append(failures, failure) }
	r := report(ctx, open, append(checks, known...), tell, progress)
	r.Failures = failures
	return r, ctx.Err()
}

// check is one thing to find out about an engine. Its error is a failure, or an *sim.Unsupported.
type check func(ctx context.Context, open Opener) error

// report makes the checks until ctx is done or maxFailures have been told.
func report(ctx context.Context, open Opener, checks []check, tell func(failure string), progress func(done, total int)) Report {
	var r Report
	failures := 0
	// One engine stays open meanwhile: what takes a GPU long to get ready the others then find ready.
	if cfg, err := (Case{Rule: "B3/S23", Topology: "T64,64"}).config(); err == nil {
		if first, err := open(cfg); err == nil {
			defer first.Close()
		}
	}
	for i, check := range checks {
		err := check(ctx, open)
		if ctx.Err() != nil {
			return r
		}
		r.Checks++
		var unsupported *sim.Unsupported
		switch {
		case errors.As(err, &unsupported):
			if r.Refused++; r.Refused == 1 {
				r.Refusal = err.Error()
			}
		case err != nil:
			failures++
			tell(err.Error())
		}
		if progress != nil {
			progress(i+1, len(checks))
		}
		if failures == maxFailures {
			break
		}
	}
	return r
}

func caseChecks(plan string, quick bool) []check {
	var checks []check
	for _, c := range Cases(quick) {
		c.Plan = plan
		checks = append(checks, func(ctx context.Context, open Opener) error { return Check(ctx, open, c) })
	}
	return checks
}

func contractChecks(plan string) []check {
	var checks []check
	for _, contract := range contracts {
		for i, c := range contractCases {
			c.Plan, c.Seed = plan, uint64(i)
			checks = append(checks, func(ctx context.Context, open Opener) error {
				if err := checkContract(ctx, open, c, contract.check); err != nil {
					return fmt.Errorf("%s: %w", contract.name, err)
				}
				return nil
			})
		}
	}
	return checks
}

func truthChecks(quick bool) ([]check, error) {
	all, err := truths()
	if err != nil {
		return nil, err
	}
	var checks []check
	for _, t := range all {
		if quick && t.slow {
			continue
		}
		checks = append(checks, func(ctx context.Context, open Opener) error {
			if err := t.check(ctx, open); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			return nil
		})
	}
	return checks, nil
}
