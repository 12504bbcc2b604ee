package simtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

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
		runChecks(t, open, append(contractChecks(plan), checksOf(Cases(!full), plan)...), opts.Partial || plan != "")
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
	r := report(t.Context(), open, checks, 1, func(failure string) {
		t.Helper()
		t.Errorf("%s", failure)
	}, nil)
	switch refused := r.Refused(); {
	case refused > 0 && !mayRefuse:
		t.Errorf("%d of %d checks refused, the first: %s", refused, r.Checks, r.Refusals[0].First)
	case refused == len(checks):
		t.Errorf("all %d checks refused, the first: %s", r.Checks, r.Refusals[0].First)
	case refused > 0:
		t.Logf("%d of %d checks refused, the first: %s", refused, r.Checks, r.Refusals[0].First)
	}
}

// Report is the outcome of Verify.
type Report struct {
	Checks   int       // made: passed, refused or failed
	Refusals []Refusal // of checks that the engine said it cannot make, by reason
	Failures []string  // one line each, with how to repeat it; after ten the rest is not tried
}

// Refusal is a reason for which an engine refuses rules or topologies.
type Refusal struct {
	Why    string // as in sim.Unsupported
	Checks int    // that it refused
	First  string // the whole of the first refusal, with how to repeat it
}

// Refused is the number of checks that the engine said it cannot make.
func (r Report) Refused() (n int) {
	for _, refusal := range r.Refusals {
		n += refusal.Checks
	}
	return n
}

// Passed is the number of checks in which the engine was right.
func (r Report) Passed() int { return r.Checks - r.Refused() - len(r.Failures) }

// OK reports whether the engine passed.
func (r Report) OK() bool { return len(r.Failures) == 0 && r.Passed() > 0 }

// mostAtOnce is how many checks Verify makes at once: each has engines of its own, and a GPU's driver compiles for several side by side.
const mostAtOnce = 8

// Verify runs the suite on a registered engine, as `go test` would: the contract, the cases and the known results, several at once.
// Quick leaves out most sizes and the known results that take long. Progress, where not nil, is told the checks done
// and their number after each, by one goroutine at a time. The error is for what kept the suite from running, ctx.Err() included; an
// engine that fails gives a Report that is not OK.
func Verify(ctx context.Context, engine string, quick bool, progress func(done, total int)) (Report, error) {
	open := func(cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, engine, cfg) }
	known, err := truthChecks(quick)
	if err != nil {
		return Report{}, err
	}
	cases := Cases(true)
	if !quick {
		cases = oneRule()
	}
	checks := append(contractChecks(""), checksOf(cases, "")...)
	workers := min(runtime.GOMAXPROCS(0), mostAtOnce)
	return report(ctx, open, append(checks, known...), workers, nil, progress), ctx.Err()
}

// check is one thing to find out about an engine. Its error is a failure, or an *sim.Unsupported.
type check func(ctx context.Context, open Opener) error

// report makes the checks, some at once, until ctx is done or maxFailures have been found. Tell, where not nil, hears of each at once.
func report(ctx context.Context, open Opener, checks []check, workers int, tell func(failure string), progress func(done, total int)) Report {
	// One engine stays open meanwhile: what takes a GPU long to get ready the others then find ready.
	if cfg, err := (Case{Rule: "B3/S23", Topology: "T64,64"}).config(); err == nil {
		if first, err := open(cfg); err == nil {
			defer first.Close()
		}
	}
	var (
		mu       sync.Mutex
		next     int
		made     int
		failures int
		outcomes = make([]error, len(checks))
	)
	work := func() {
		mu.Lock()
		defer mu.Unlock()
		for next < len(checks) && failures < maxFailures && ctx.Err() == nil {
			i := next
			next++
			mu.Unlock()
			err := checks[i](ctx, open)
			mu.Lock()
			if ctx.Err() != nil {
				return
			}
			made++
			outcomes[i] = err
			if err != nil && !isRefusal(err) {
				failures++
				if tell != nil {
					tell(err.Error())
				}
			}
			if progress != nil {
				progress(made, len(checks))
			}
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
	r := Report{Checks: made}
	for _, err := range outcomes { // in the order of the checks, whoever made them
		r.note(err)
	}
	return r
}

// note adds the outcome of a check.
func (r *Report) note(err error) {
	var unsupported *sim.Unsupported
	switch {
	case err == nil:
	case errors.As(err, &unsupported):
		i := slices.IndexFunc(r.Refusals, func(known Refusal) bool { return known.Why == unsupported.Why })
		if i < 0 {
			i = len(r.Refusals)
			r.Refusals = append(r.Refusals, Refusal{Why: unsupported.Why, First: err.Error()})
		}
		r.Refusals[i].Checks++
	default:
		r.Failures = append(r.Failures, err.Error())
	}
}

// isRefusal reports whether an engine said that it cannot run something.
func isRefusal(err error) bool {
	var unsupported *sim.Unsupported
	return errors.As(err, &unsupported)
}

func checksOf(cases []Case, plan string) []check {
	var checks []check
	for _, c := range cases {
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
